/* axes.c - see axes.h. */
#include "axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

/* Every axis an experiment may have besides option axes; the executor reads
 * them by name. Ranges are limits of sense, not of any machine. */
const rk_option rk_axis_options[] = {
    {"model", RK_OPT_TEXT, 0, "", 0, 0, "", "Model: a name, or a directory or file.", NULL},
    {"dataset", RK_OPT_TEXT, 0, "", 0, 0, "", "Data set, or a [reader.NAME:LABEL].", NULL},
    {"method", RK_OPT_TEXT, 0, "", 0, 0, "", "Method, or a [method.NAME:LABEL].", NULL},
    {"context", RK_OPT_INT, 0, "0", 0, 16 << 20, "tokens",
     "Tokens the passages aim for; 0 = natural length.", NULL},
    {"backend", RK_OPT_CHOICE, 0, "cpu", 0, 0, "", "Where it runs.", "cpu|cuda|count"},
    {"weights", RK_OPT_CHOICE, 0, "trained", 0, 0, "", "Weights.", "trained|random|none"},
    {"store", RK_OPT_CHOICE, 0, "device", 0, 0, "", "Where chunk states lie.", "device|host|disk"},
    {"batch", RK_OPT_INT, 0, "1", 1, 65536, "sequences", "Sequences a step.", NULL},
    {"gpus", RK_OPT_INT, 0, "1", 1, 1024, "", "Devices of one run.", NULL},
    {"concurrency", RK_OPT_INT, 0, "1", 1, 1 << 20, "requests", "Requests in flight.", NULL},
    {"rate", RK_OPT_FLOAT, 0, "1", 0, 1e6, "requests/s", "Arrival rate.", NULL},
    {"kv_budget", RK_OPT_INT, 0, "0", 0, 9e15, "bytes", "Budget of KV pages; 0 = none.", NULL},
    {"chunk_tokens", RK_OPT_INT, 0, "0", 0, 1 << 20, "tokens", "Size of a chunk; 0 = natural.",
     NULL},
    {"chunks", RK_OPT_INT, 0, "0", 0, 1 << 20, "chunks", "Chunks a prompt; 0 = natural.", NULL},
    {"chunk_order", RK_OPT_TEXT, 0, "", 0, 0, "", "Order of the chunks of a prompt.", NULL},
    {"decode", RK_OPT_INT, 0, "0", 0, 1 << 20, "tokens", "Tokens generated.", NULL},
    {"head_map", RK_OPT_TEXT, 0, "", 0, 0, "", "Head map: a file, or a kind.", NULL},
    {"policy", RK_OPT_TEXT, 0, "", 0, 0, "", "Admission or eviction policy.", NULL},
    {"stream", RK_OPT_TEXT, 0, "", 0, 0, "", "Request stream of a replay.", NULL},
    {"window", RK_OPT_INT, 0, "0", 0, 16 << 20, "tokens", "Local window of every method.", NULL},
    {"local_share", RK_OPT_FLOAT, 0, "0.5", 0, 1, "fraction", "Share of local heads.", NULL},
    {.name = NULL}};

const char *rk_base_name(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    const char *base = path;
    for (size_t i = 0; i + 1 < n; i++)
        if (path[i] == '/')
            base = path + i + 1;
    return base;
}

int64_t rk_axes_points(const rk_spec *spec)
{
    int64_t n = 1;
    for (int32_t a = 0; a < spec->axes; a++)
        n *= spec->axis[a].n;
    return n;
}

static const rk_variant *variant_find(const rk_variant *v, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (!strcmp(v[i].name, name))
            return &v[i];
    return NULL;
}

/* An option axis targets a registered name (all its variants) or one variant. */
static int targets(const rk_axis *axis, const rk_variant *v)
{
    return v && (!strcmp(axis->target, v->base) || !strcmp(axis->target, v->name));
}

static const rk_variant *chosen(const rk_axis *axis, const rk_point *p)
{
    return axis->role == RK_AXIS_METHOD_OPTION ? p->method : p->reader;
}

static int is_option_axis(const rk_axis *axis)
{
    return axis->role == RK_AXIS_METHOD_OPTION || axis->role == RK_AXIS_READER_OPTION;
}

int rk_axes_point(const rk_spec *spec, int64_t index, rk_point *out)
{
    int32_t at[RK_AXES_MAX];
    int64_t rest = index;
    *out = (rk_point){.spec = spec, .index = index};
    for (int32_t a = spec->axes - 1; a >= 0; a--) {
        const rk_axis *axis = &spec->axis[a];
        at[a] = (int32_t)(rest % axis->n);
        rest /= axis->n;
        out->value[a] = axis->value[at[a]];
        if (axis->role == RK_AXIS_METHOD)
            out->method = variant_find(spec->method, spec->methods, out->value[a]);
        if (axis->role == RK_AXIS_DATASET)
            out->reader = variant_find(spec->reader, spec->readers, out->value[a]);
    }
    int stands = 1;
    for (int32_t a = 0; a < spec->axes; a++) {
        const rk_axis *axis = &spec->axis[a];
        if (!is_option_axis(axis) || targets(axis, chosen(axis, out)))
            continue;
        out->value[a] = NULL;
        stands = stands && at[a] == 0;
    }
    return stands;
}

const char *rk_point_value(const rk_point *p, const char *axis)
{
    for (int32_t a = 0; a < p->spec->axes; a++)
        if (!strcmp(p->spec->axis[a].name, axis))
            return p->value[a];
    return NULL;
}

int64_t rk_point_int(const rk_point *p, const char *axis, int64_t fallback)
{
    const char *text = rk_point_value(p, axis);
    int64_t v;
    return text && rk_parse_int(text, axis, &v, NULL) == RK_OK ? v : fallback;
}

static rk_status options(const rk_point *p, const rk_variant *v, rk_axis_role role, rk_arena *arena,
                         const rk_pair **out, int32_t *n, rk_error *err)
{
    *n = 0;
    *out = NULL;
    if (!v)
        return RK_OK;
    rk_pair *pair = rk_arena_take(arena, (size_t)v->options + RK_AXES_MAX, sizeof *pair, err);
    if (!pair)
        return RK_E_MEMORY;
    if (v->options)
        memcpy(pair, v->option, (size_t)v->options * sizeof *pair);
    *n = v->options;
    for (int32_t a = 0; a < p->spec->axes; a++) {
        const rk_axis *axis = &p->spec->axis[a];
        if (axis->role != role || !p->value[a])
            continue;
        int32_t i = 0;
        while (i < *n && strcmp(pair[i].key, axis->key))
            i++;
        pair[i] = (rk_pair){.key = axis->key, .value = p->value[a]};
        if (i == *n)
            ++*n;
    }
    *out = pair;
    return RK_OK;
}

rk_status rk_point_method_options(const rk_point *p, rk_arena *arena, const rk_pair **out,
                                  int32_t *n, rk_error *err)
{
    return options(p, p->method, RK_AXIS_METHOD_OPTION, arena, out, n, err);
}

rk_status rk_point_reader_options(const rk_point *p, rk_arena *arena, const rk_pair **out,
                                  int32_t *n, rk_error *err)
{
    return options(p, p->reader, RK_AXIS_READER_OPTION, arena, out, n, err);
}

json_t *rk_point_json(const rk_point *p)
{
    json_t *object = json_object();
    for (int32_t a = 0; object && a < p->spec->axes; a++) {
        const rk_axis *axis = &p->spec->axis[a];
        const char *v = p->value[a];
        if (!v)
            continue;
        json_t *value = axis->kind == RK_OPT_INT ? json_integer(strtoll(v, NULL, 10))
                                                 : json_string(rk_base_name(v));
        if (json_object_set_new(object, axis->name, value)) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

int64_t rk_axes_group(const rk_spec *spec, int64_t index)
{
    int64_t stride = 1, group = 0;
    for (int32_t a = spec->axes - 1; a >= 0; a--) {
        const rk_axis *axis = &spec->axis[a];
        if (axis->role != RK_AXIS_METHOD && axis->role != RK_AXIS_METHOD_OPTION)
            group += index % axis->n * stride;
        index /= axis->n;
        stride *= axis->n;
    }
    return group;
}

const char *rk_point_text(const rk_point *p, char *buffer, size_t size)
{
    size_t n = 0;
    buffer[0] = '\0';
    for (int32_t a = 0; a < p->spec->axes && n < size; a++) {
        if (!p->value[a])
            continue;
        int w = snprintf(buffer + n, size - n, "%s%s=%s", n ? " " : "", p->spec->axis[a].name,
                         rk_base_name(p->value[a]));
        n += w > 0 ? (size_t)w : 0;
    }
    return buffer;
}
