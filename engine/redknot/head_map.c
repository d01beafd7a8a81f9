/* head_map.c - see head_map.h. */
#include "redknot/head_map.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/option.h"
#include "base/rng.h"

enum { MAX_FILE_BYTES = 16 << 20, MAX_LAYERS = 4096, MAX_HEADS = 4096, MAX_WINDOW = 1 << 30 };

/* Published names; the last four are older aliases of local. */
static const struct {
    const char *name;
    rk_head_class cls;
} classes[] = {
    {"local", RK_HEAD_LOCAL},         {"global", RK_HEAD_GLOBAL},
    {"retrieval", RK_HEAD_RETRIEVAL}, {"dense", RK_HEAD_DENSE},
    {"local_full", RK_HEAD_LOCAL},    {"limited", RK_HEAD_LOCAL},
    {"streaming", RK_HEAD_LOCAL},     {"sink_dominant", RK_HEAD_LOCAL},
};

static rk_status new_map(int32_t layers, int32_t kv_heads, const char *name, rk_arena *arena,
                         rk_head_map **out, rk_error *err)
{
    size_t n = (size_t)layers * (size_t)kv_heads;
    rk_head_map *m = rk_arena_take(arena, 1, sizeof *m, err);
    if (!m)
        return RK_E_MEMORY;
    *m = (rk_head_map){.layers = layers, .kv_heads = kv_heads};
    m->cls = rk_arena_take(arena, n, sizeof *m->cls, err);
    m->distance = rk_arena_take(arena, n, sizeof *m->distance, err);
    m->sink = rk_arena_take(arena, n, sizeof *m->sink, err);
    m->name = rk_arena_printf(arena, err, "%s", name);
    if (!m->cls || !m->distance || !m->sink || !m->name)
        return RK_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        m->sink[i] = -1;
    *out = m;
    return RK_OK;
}

/* Row `layer` of the table `key`, checked to be an array of `heads` entries. */
static rk_status table_row(const json_t *table, const char *key, const char *path, int32_t layer,
                           int32_t layers, int32_t heads, const json_t **row, rk_error *err)
{
    if (!json_is_array(table) || json_array_size(table) != (size_t)layers)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key '%s': expected an array of %d layers, got %s of %zu", path, key,
                       layers, rk_json_kind(table), json_array_size(table));
    *row = json_array_get(table, (size_t)layer);
    if (!json_is_array(*row) || json_array_size(*row) != (size_t)heads)
        return rk_fail(err, RK_E_FORMAT, "%s: key '%s' layer %d: expected %d heads, got %s of %zu",
                       path, key, layer, heads, rk_json_kind(*row), json_array_size(*row));
    return RK_OK;
}

static rk_status read_class(const json_t *value, const char *path, int32_t layer, int32_t head,
                            uint8_t *cls, rk_error *err)
{
    const char *text = json_string_value(value);
    for (size_t i = 0; text && i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(text, classes[i].name)) {
            *cls = (uint8_t)classes[i].cls;
            return RK_OK;
        }
    return rk_fail(
        err, RK_E_FORMAT,
        "%s: layer %d head %d: expected a class local, global, retrieval or dense, got %s%s%s",
        path, layer, head, text ? "'" : "", text ? text : rk_json_kind(value), text ? "'" : "");
}

static rk_status read_classes(const json_t *root, const char *path, rk_head_map *m,
                              int64_t dense_prefix, rk_error *err)
{
    const json_t *table = json_object_get(root, "kv_head_classification"), *row;
    for (int32_t l = 0; l < m->layers; l++) {
        RK_TRY(
            table_row(table, "kv_head_classification", path, l, m->layers, m->kv_heads, &row, err));
        for (int32_t h = 0; h < m->kv_heads; h++) {
            uint8_t *cls = &m->cls[l * m->kv_heads + h];
            RK_TRY(read_class(json_array_get(row, (size_t)h), path, l, h, cls, err));
            if (l < dense_prefix)
                *cls = RK_HEAD_DENSE;
        }
    }
    return RK_OK;
}

/* An optional table of whole numbers; `low` is the least value allowed. */
static rk_status read_numbers(const json_t *root, const char *key, const char *path,
                              const rk_head_map *m, int64_t low, int32_t *out, rk_error *err)
{
    const json_t *table = json_object_get(root, key), *row;
    if (!table || json_is_null(table))
        return RK_OK;
    for (int32_t l = 0; l < m->layers; l++) {
        RK_TRY(table_row(table, key, path, l, m->layers, m->kv_heads, &row, err));
        for (int32_t h = 0; h < m->kv_heads; h++) {
            const json_t *v = json_array_get(row, (size_t)h);
            int64_t value = json_integer_value(v);
            if (!json_is_integer(v) || value < low || value > MAX_WINDOW)
                return rk_fail(
                    err, RK_E_FORMAT,
                    "%s: key '%s' layer %d head %d: expected %lld to %d tokens, got %s %lld", path,
                    key, l, h, (long long)low, MAX_WINDOW, rk_json_kind(v), (long long)value);
            out[l * m->kv_heads + h] = (int32_t)value;
        }
    }
    return RK_OK;
}

static rk_status from_json(const json_t *root, const char *path, rk_arena *arena, rk_head_map **out,
                           rk_error *err)
{
    int64_t layers = 0, heads = 0, dense_prefix = 0;
    RK_TRY(rk_json_int(root, "num_layers", path, 1, 1, MAX_LAYERS, &layers, err));
    RK_TRY(rk_json_int(root, "num_kv_heads", path, 1, 1, MAX_HEADS, &heads, err));
    RK_TRY(rk_json_int(root, "dense_prefix_layers", path, 0, 0, layers, &dense_prefix, err));
    const char *base = strrchr(path, '/');
    RK_TRY(new_map((int32_t)layers, (int32_t)heads, base ? base + 1 : path, arena, out, err));
    RK_TRY(read_classes(root, path, *out, dense_prefix, err));
    RK_TRY(read_numbers(root, "kv_head_max_distance", path, *out, -1, (*out)->distance, err));
    return read_numbers(root, "kv_head_sink_size", path, *out, 0, (*out)->sink, err);
}

rk_status rk_head_map_read(const char *path, rk_arena *arena, rk_head_map **out, rk_error *err)
{
    json_t *root;
    RK_TRY(rk_json_load(path, MAX_FILE_BYTES, &root, err));
    rk_status st = from_json(root, path, arena, out, err);
    json_decref(root);
    return st;
}

/* "SHARE:SEED" behind "random:". */
static rk_status make_random(const char *spec, rk_head_map *m, rk_arena *arena, rk_error *err)
{
    const char *colon = strchr(spec, ':');
    double share = 0;
    int64_t seed = 0;
    if (!colon)
        return rk_fail(err, RK_E_USAGE, "head_map: expected random:SHARE:SEED, got 'random:%s'",
                       spec);
    char *text = rk_arena_text(arena, spec, (size_t)(colon - spec), err);
    if (!text)
        return RK_E_MEMORY;
    RK_TRY(rk_parse_float(text, "head_map: random share", &share, err));
    RK_TRY(rk_parse_int(colon + 1, "head_map: random seed", &seed, err));
    if (share < 0 || share > 1)
        return rk_fail(err, RK_E_USAGE, "head_map: expected a share of 0 to 1, got '%s'", text);
    int32_t n = m->layers * m->kv_heads, globals = (int32_t)lround(share * n);
    int32_t *order = rk_arena_take(arena, (size_t)n, sizeof *order, err);
    if (!order)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
    rk_rng rng;
    rk_rng_init(&rng, (uint64_t)seed, "head_map");
    rk_rng_shuffle(&rng, order, n);
    for (int32_t i = 0; i < globals; i++)
        m->cls[order[i]] = RK_HEAD_GLOBAL;
    return RK_OK;
}

rk_status rk_head_map_make(const char *spec, int32_t layers, int32_t kv_heads, rk_arena *arena,
                           rk_head_map **out, rk_error *err)
{
    int random = !strncmp(spec, "random:", 7), all_global = !strcmp(spec, "all_global");
    if (!random && !all_global && strcmp(spec, "all_local"))
        return rk_head_map_read(spec, arena, out, err);
    RK_TRY(new_map(layers, kv_heads, spec, arena, out, err));
    if (all_global)
        memset((*out)->cls, RK_HEAD_GLOBAL, (size_t)layers * (size_t)kv_heads);
    return random ? make_random(spec + 7, *out, arena, err) : RK_OK;
}

int rk_head_map_is_global(const rk_head_map *m, int32_t layer, int32_t head)
{
    return m->cls[layer * m->kv_heads + head] != RK_HEAD_LOCAL;
}

int32_t rk_head_map_globals(const rk_head_map *m)
{
    int32_t n = 0;
    for (int32_t i = 0; i < m->layers * m->kv_heads; i++)
        n += m->cls[i] != RK_HEAD_LOCAL;
    return n;
}

static json_t *table_to_json(const rk_head_map *m, const int32_t *values)
{
    json_t *table = json_array();
    for (int32_t l = 0; l < m->layers; l++) {
        json_t *row = json_array();
        for (int32_t h = 0; h < m->kv_heads; h++) {
            int32_t i = l * m->kv_heads + h;
            json_array_append_new(row, values ? json_integer(values[i])
                                              : json_string(classes[m->cls[i]].name));
        }
        json_array_append_new(table, row);
    }
    return table;
}

static int all_sinks_said(const rk_head_map *m)
{
    for (int32_t i = 0; i < m->layers * m->kv_heads; i++)
        if (m->sink[i] < 0)
            return 0;
    return 1;
}

rk_status rk_head_map_write(const rk_head_map *m, const char *evidence_json, const char *path,
                            rk_error *err)
{
    json_t *root = json_object();
    json_object_set_new(root, "num_layers", json_integer(m->layers));
    json_object_set_new(root, "num_kv_heads", json_integer(m->kv_heads));
    json_object_set_new(root, "kv_head_classification", table_to_json(m, NULL));
    json_object_set_new(root, "kv_head_max_distance", table_to_json(m, m->distance));
    if (all_sinks_said(m))
        json_object_set_new(root, "kv_head_sink_size", table_to_json(m, m->sink));
    rk_status st = RK_OK;
    if (evidence_json) {
        json_t *evidence = NULL;
        st = rk_json_parse(evidence_json, strlen(evidence_json), "evidence of a head map",
                           &evidence, err);
        if (st == RK_OK)
            json_object_set_new(root, "evidence", evidence);
    }
    if (st == RK_OK && json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)))
        st = rk_fail(err, RK_E_IO, "%s: cannot write: %s", path, strerror(errno));
    json_decref(root);
    return st;
}
