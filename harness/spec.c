/* spec.c - from the entries of an experiment file to a checked spec; see spec.h.
 *
 * Overrides (profile, --set, --model) only change entries; one function builds
 * and checks, so no way in is checked less than another. */
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "spec_build.h"
#include "spec_claim.h"
#include "spec_file.h"
#include "spec_list.h"

static const char *const profile_names[] = {"smoke", "cpu", "real", "gpu", "paper"};
enum { PROFILES = sizeof profile_names / sizeof *profile_names };

rk_spec_registry rk_spec_registry_builtin(void)
{
    return (rk_spec_registry){.method = rk_methods,
                              .methods = rk_methods_count,
                              .reader = rk_readers,
                              .readers = rk_readers_count,
                              .metric = rk_metrics,
                              .metrics = rk_metrics_count};
}

/* "method.redknot.window" -> section "method.redknot", key "window". */
static rk_status set_dotted(rk_spec_builder *b, const char *name, const char *value, int32_t line)
{
    const char *dot = strncmp(name, "axes.", 5) ? strrchr(name, '.') : name + 4;
    if (!dot || dot == name || !dot[1])
        return rk_fail(b->err, RK_E_USAGE, "%s: expected section.key, got '%s'",
                       rk_spec_place(b, line), name);
    char *section = rk_arena_text(b->arena, name, (size_t)(dot - name), b->err);
    if (!section)
        return RK_E_MEMORY;
    if (!strncmp(section, "profile", 7) || !strcmp(section, "claim"))
        return rk_fail(b->err, RK_E_USAGE, "%s: [%s] cannot be set here", rk_spec_place(b, line),
                       section);
    return rk_spec_entries_set(&b->entries, section, dot + 1, value, line, b->err);
}

static int has_entry(const rk_spec_builder *b, const char *section, const char *key)
{
    for (int32_t i = 0; i < b->entries.n; i++)
        if (!strcmp(b->entries.entry[i].section, section) && !strcmp(b->entries.entry[i].key, key))
            return 1;
    return 0;
}

static rk_status profile_key(rk_spec_builder *b, const rk_spec_entry *e)
{
    if (has_entry(b, "axes", e->key))
        return rk_spec_entries_set(&b->entries, "axes", e->key, e->value, e->line, b->err);
    if (rk_option_find(rk_measure_options, e->key))
        return rk_spec_entries_set(&b->entries, "measure", e->key, e->value, e->line, b->err);
    if (!strncmp(e->key, "method.", 7) || !strncmp(e->key, "reader.", 7))
        return set_dotted(b, e->key, e->value, e->line);
    const char *names[64];
    size_t n = 0;
    for (int32_t i = 0; i < b->entries.n && n < 32; i++)
        if (!strcmp(b->entries.entry[i].section, "axes") && b->entries.entry[i].key[0])
            names[n++] = b->entries.entry[i].key;
    for (const rk_option *row = rk_measure_options; row->name && n < 64; row++)
        names[n++] = row->name;
    return rk_spec_unknown(b, e->line, "axis of this experiment or [measure] key", e->key, names,
                           n);
}

/* Puts the entries of [profile.NAME] over the others. */
static rk_status apply_profile(rk_spec_builder *b, const char *name, int *found)
{
    int32_t n = b->entries.n;
    *found = 0;
    for (int32_t i = 0; i < n; i++) {
        rk_spec_entry e = b->entries.entry[i];
        if (strncmp(e.section, "profile.", 8) || strcmp(e.section + 8, name))
            continue;
        *found = 1;
        if (rk_spec_entry_is_marker(&e))
            continue;
        RK_TRY(profile_key(b, &e));
    }
    return RK_OK;
}

static rk_status apply_sets(rk_spec_builder *b, const rk_spec_request *r)
{
    for (int32_t i = 0; i < r->sets; i++) {
        const char *equals = strchr(r->set[i], '=');
        if (!equals)
            return rk_fail(b->err, RK_E_USAGE, "--set: expected section.key=value, got '%s'",
                           r->set[i]);
        char *name = rk_spec_trim(r->set[i], (size_t)(equals - r->set[i]), b->arena, b->err);
        char *value = rk_spec_trim(equals + 1, strlen(equals + 1), b->arena, b->err);
        if (!name || !value)
            return RK_E_MEMORY;
        RK_TRY(set_dotted(b, name, value, 0));
    }
    return RK_OK;
}

static rk_status apply_model(rk_spec_builder *b, const char *path)
{
    if (!path)
        return RK_OK;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    b->spec->model_path = rk_arena_text(b->arena, path, n, b->err);
    if (!b->spec->model_path)
        return RK_E_MEMORY;
    return rk_spec_entries_set(&b->entries, "axes", "model", rk_base_name(b->spec->model_path), 0,
                               b->err);
}

/* A value of --only as the axis spells it; NAME:* keeps every labelled row of NAME. */
static int wanted(const rk_axis *axis, const char *value, const char *only)
{
    size_t n = strlen(only);
    if (!strcmp(value, only))
        return 1;
    return (axis->role == RK_AXIS_METHOD || axis->role == RK_AXIS_DATASET) && n > 2 &&
           !strcmp(only + n - 2, ":*") && !strncmp(value, only, n - 1);
}

typedef struct filter {
    rk_axis *axis;
    char keep[RK_AXIS_VALUES_MAX];
    int any;
} filter;

static rk_status filter_add(rk_spec_builder *b, filter *f, const char *text)
{
    const char *const *word;
    int32_t words;
    rk_option row = rk_spec_axis_row(b, f->axis);
    RK_TRY(rk_spec_words(text, "--only", RK_AXIS_VALUES_MAX, b->arena, &word, &words, b->err));
    for (int32_t i = 0; i < words; i++) {
        const char *value;
        int hit = 0;
        RK_TRY(rk_spec_value(&row, word[i], b->arena, &value, b->err));
        for (int32_t v = 0; v < f->axis->n; v++)
            if (wanted(f->axis, f->axis->value[v], value))
                f->keep[v] = 1, hit = 1;
        if (!hit)
            return rk_spec_unknown(b, 0, "value of the axis in --only", word[i], f->axis->value,
                                   (size_t)f->axis->n);
        f->any = 1;
    }
    return RK_OK;
}

static rk_status filter_apply(rk_spec_builder *b, const filter *f)
{
    int32_t n = 0;
    const char **kept = rk_arena_take(b->arena, RK_AXIS_VALUES_MAX, sizeof *kept, b->err);
    if (!kept)
        return RK_E_MEMORY;
    for (int32_t v = 0; v < f->axis->n; v++)
        if (f->keep[v])
            kept[n++] = f->axis->value[v];
    f->axis->value = kept;
    f->axis->n = n;
    return RK_OK;
}

static rk_status apply_only(rk_spec_builder *b, const rk_spec_request *r)
{
    filter f[RK_AXES_MAX] = {0};
    const char *names[RK_AXES_MAX];
    for (int32_t a = 0; a < b->spec->axes; a++) {
        f[a].axis = &b->spec->axis[a];
        names[a] = b->spec->axis[a].name;
    }
    for (int32_t i = 0; i < r->onlys; i++) {
        const char *equals = strchr(r->only[i], '=');
        size_t n = equals ? (size_t)(equals - r->only[i]) : 0;
        int32_t a = 0;
        while (a < b->spec->axes && (strlen(names[a]) != n || strncmp(names[a], r->only[i], n)))
            a++;
        if (!equals || !equals[1 + strspn(equals + 1, " \t")])
            return rk_fail(b->err, RK_E_USAGE, "--only: expected axis=value, got '%s'", r->only[i]);
        if (a == b->spec->axes) {
            char *name = rk_arena_text(b->arena, r->only[i], n, b->err);
            return name
                       ? rk_spec_unknown(b, 0, "axis in --only", name, names, (size_t)b->spec->axes)
                       : RK_E_MEMORY;
        }
        RK_TRY(filter_add(b, &f[a], equals + 1));
    }
    for (int32_t a = 0; a < b->spec->axes; a++)
        if (f[a].any)
            RK_TRY(filter_apply(b, &f[a]));
    return RK_OK;
}

/* One reading of the file: as it is, or under a profile and the command line. */
static rk_status resolve(rk_spec_builder *b, const rk_spec_entries *file, const char *profile,
                         const rk_spec_request *request, rk_spec *out)
{
    int found = 1;
    size_t room = RK_SPEC_ENTRIES_MAX + 256;
    b->spec = out;
    b->entries.n = file->n;
    b->entries.entry = rk_arena_take(b->arena, room, sizeof *file->entry, b->err);
    if (!b->entries.entry)
        return RK_E_MEMORY;
    memcpy(b->entries.entry, file->entry, (size_t)file->n * sizeof *file->entry);
    out->profile = profile;
    if (profile)
        RK_TRY(apply_profile(b, profile, &found));
    if (request && request->profile && !found)
        return rk_fail(b->err, RK_E_USAGE, "%s: has no [profile.%s]", b->path, profile);
    if (request) {
        RK_TRY(apply_sets(b, request));
        RK_TRY(apply_model(b, request->model));
    }
    RK_TRY(rk_spec_build(b));
    return request ? apply_only(b, request) : RK_OK;
}

/* A claim's value must lie on the axis in at least one reading of the file. */
static rk_status check_claim(rk_spec_builder *b, const rk_spec *reading, int32_t readings,
                             const rk_spec_claim *claim)
{
    for (int32_t w = 0; w < claim->wheres; w++) {
        const rk_axis *axis = NULL;
        const char *key = claim->where[w].key;
        const char *name = strcmp(key, "vs") ? key : "method";
        int on_axis = 0;
        for (int32_t r = 0; r < readings; r++)
            for (int32_t a = 0; a < reading[r].axes; a++) {
                if (strcmp(reading[r].axis[a].name, name))
                    continue;
                axis = axis ? axis : &reading[r].axis[a];
                for (int32_t v = 0; v < reading[r].axis[a].n; v++)
                    on_axis |= !strcmp(reading[r].axis[a].value[v], claim->where[w].value);
            }
        if (axis && !on_axis)
            return rk_spec_unknown(b, claim->line, "value of this axis in any profile",
                                   claim->where[w].value, axis->value, (size_t)axis->n);
    }
    return RK_OK;
}

static rk_status check_readings(rk_spec_builder *b, const rk_spec_entries *file)
{
    int32_t readings = 0;
    rk_spec *reading = rk_arena_take(b->arena, 1 + PROFILES, sizeof *reading, b->err);
    if (!reading)
        return RK_E_MEMORY;
    for (int32_t p = -1; p < PROFILES; p++)
        RK_TRY(resolve(b, file, p < 0 ? NULL : profile_names[p], NULL, &reading[readings++]));
    for (int32_t c = 0; c < reading[0].claims; c++)
        RK_TRY(check_claim(b, reading, readings, &reading[0].claim[c]));
    return RK_OK;
}

/* "experiments/fig08.exp" -> "fig08" */
static char *id_of(const char *path, rk_arena *arena, rk_error *err)
{
    const char *base = rk_base_name(path);
    size_t n = strlen(base);
    if (n > 4 && !strcmp(base + n - 4, ".exp"))
        n -= 4;
    return rk_arena_text(arena, base, n, err);
}

rk_status rk_spec_parse(const char *text, size_t n, const char *path,
                        const rk_spec_request *request, const rk_spec_registry *registry,
                        rk_arena *arena, rk_spec *out, rk_error *err)
{
    static const rk_spec_request nothing = {0};
    rk_spec_entries file;
    rk_spec_builder b = {.path = path, .arena = arena, .err = err};
    b.registry = registry ? *registry : rk_spec_registry_builtin();
    request = request ? request : &nothing;
    *out = (rk_spec){.title = ""};
    if (n > RK_SPEC_BYTES_MAX)
        return rk_fail(err, RK_E_USAGE, "%s: %zu bytes; at most %d", path, n, RK_SPEC_BYTES_MAX);
    if (request->sets > 128)
        return rk_fail(err, RK_E_USAGE, "--set is given %d times; at most 128", request->sets);
    RK_TRY(rk_spec_file_parse(text, n, path, arena, &file, err));
    RK_TRY(check_readings(&b, &file));
    const char *profile = request->profile;
    if (profile) {
        size_t p = 0;
        while (p < PROFILES && strcmp(profile, profile_names[p]))
            p++;
        if (p == PROFILES)
            return rk_spec_unknown(&b, 0, "profile", profile, profile_names, PROFILES);
        profile = profile_names[p];
    }
    RK_TRY(resolve(&b, &file, profile, request, out));
    out->id = id_of(path, arena, err);
    out->text = rk_arena_text(arena, text, n, err);
    if (!out->id || !out->text)
        return RK_E_MEMORY;
    return rk_sha256_bytes(text, n, out->text_sha256, err);
}

rk_status rk_spec_read(const char *path, const rk_spec_request *request,
                       const rk_spec_registry *registry, rk_arena *arena, rk_spec *out,
                       rk_error *err)
{
    char *text;
    size_t n;
    rk_status st = rk_file_read(path, RK_SPEC_BYTES_MAX, arena, &text, &n, err);
    if (st != RK_OK)
        return st;
    return rk_spec_parse(text, n, path, request, registry, arena, out, err);
}
