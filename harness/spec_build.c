/* spec_build.c - see spec_build.h. */
#include "spec_build.h"

#include <stdio.h>
#include <string.h>

#include "spec_claim.h"
#include "spec_list.h"

enum { VARIANTS_MAX = 128, NAMES_MAX = 512 };

const rk_option rk_measure_options[] = {
    {"metrics", RK_OPT_TEXT, offsetof(rk_measure, metrics_text), "", 0, 0, "",
     "Metrics the report shows, by comma; all are stored.", NULL},
    {"items", RK_OPT_INT, offsetof(rk_measure, items), "20", 1, 1 << 20, "items", "Items a cell.",
     NULL},
    {"items_at", RK_OPT_TEXT, offsetof(rk_measure, items_at_text), "", 0, 0, "",
     "Another number of items at some contexts: 2K:60, 4K:20.", NULL},
    {"items_per_context", RK_OPT_INT, offsetof(rk_measure, items_per_context), "0", 0, 65536,
     "items", "Questions that share a context; 0 = the data set's own.", NULL},
    {"reps", RK_OPT_INT, offsetof(rk_measure, reps), "1", 1, 10000, "runs", "Kept runs an item.",
     NULL},
    {"warmup", RK_OPT_INT, offsetof(rk_measure, warmup), "1", 0, 1000, "runs",
     "Runs not kept, before the first kept one of a cell.", NULL},
    {"timeout", RK_OPT_FLOAT, offsetof(rk_measure, timeout), "0", 0, 604800, "s",
     "An item that took longer failed; 0 = no limit.", NULL},
    {"seed", RK_OPT_INT, offsetof(rk_measure, seed), "1", 0, 9e15, "",
     "Seed of data order, gold positions and method order.", NULL},
    {"order", RK_OPT_CHOICE, offsetof(rk_measure, order), "abba", 0, 0, "",
     "Order of methods in a block: forward and back, as listed, or drawn.", "abba|file|random"},
    {"decode_tokens", RK_OPT_INT, offsetof(rk_measure, decode_tokens), "0", 0, 1 << 20, "tokens",
     "Tokens generated an item; 0 = the data set's own.", NULL},
    {.name = NULL}};

/* Every reader takes the place of its files. */
static const rk_option reader_options[] = {
    {"path", RK_OPT_TEXT, 0, "", 0, 0, "", "File or directory of the data.", NULL}, {.name = NULL}};

const char *rk_spec_place(rk_spec_builder *b, int32_t line)
{
    char *text = line ? rk_arena_printf(b->arena, NULL, "%s:%d", b->path, line) : NULL;
    return text ? text : line ? b->path : "command line";
}

rk_status rk_spec_unknown(rk_spec_builder *b, int32_t line, const char *what, const char *name,
                          const char *const *names, size_t n)
{
    const char *near = rk_nearest_name(name, names, n);
    if (near)
        return rk_fail(b->err, RK_E_USAGE, "%s: unknown %s '%s'; did you mean '%s'?",
                       rk_spec_place(b, line), what, name, near);
    char list[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < n && used + strlen(names[i]) + 3 < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    return rk_fail(b->err, RK_E_USAGE, "%s: unknown %s '%s' (known: %s)", rk_spec_place(b, line),
                   what, name, list[0] ? list : "none");
}

static rk_status placed(rk_spec_builder *b, int32_t line, rk_status st)
{
    return st == RK_OK ? RK_OK : rk_error_prefix(b->err, "%s", rk_spec_place(b, line)), st;
}

static const rk_method_ops *method_find(const rk_spec_registry *r, const char *name)
{
    for (int32_t i = 0; i < r->methods; i++)
        if (!strcmp(r->method[i]->name, name))
            return r->method[i];
    return NULL;
}

static const rk_reader_ops *reader_find(const rk_spec_registry *r, const char *name)
{
    for (int32_t i = 0; i < r->readers; i++)
        if (!strcmp(r->reader[i]->name, name))
            return r->reader[i];
    return NULL;
}

/* Methods and readers are checked alike; this says which of the two. */
typedef struct kind {
    const char *word; /* "method", "reader" */
    size_t skip;      /* of "method." in a section name */
    int of_methods;
} kind;

static const kind method_kind = {"method", 7, 1}, reader_kind = {"reader", 7, 0};

static int is_known(const rk_spec_registry *r, const kind *k, const char *name)
{
    return k->of_methods ? method_find(r, name) != NULL : reader_find(r, name) != NULL;
}

static const rk_option *row_find(const rk_spec_registry *r, const kind *k, const char *base,
                                 const char *key)
{
    if (k->of_methods)
        return rk_option_find(method_find(r, base)->options, key);
    const rk_option *row = rk_option_find(reader_find(r, base)->options, key);
    return row ? row : rk_option_find(reader_options, key);
}

static size_t row_names(const rk_spec_registry *r, const kind *k, const char *base,
                        const char **names, size_t most)
{
    size_t n = 0;
    const rk_option *row =
        k->of_methods ? method_find(r, base)->options : reader_find(r, base)->options;
    for (; row && row->name && n < most; row++)
        names[n++] = row->name;
    if (!k->of_methods && n < most)
        names[n++] = reader_options[0].name;
    return n;
}

static rk_status unknown_base(rk_spec_builder *b, const kind *k, int32_t line, const char *name)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    int32_t variants = k->of_methods ? b->spec->methods : b->spec->readers;
    const rk_variant *v = k->of_methods ? b->spec->method : b->spec->reader;
    for (int32_t i = 0; k->of_methods && i < b->registry.methods && n < NAMES_MAX; i++)
        names[n++] = b->registry.method[i]->name;
    for (int32_t i = 0; !k->of_methods && i < b->registry.readers && n < NAMES_MAX; i++)
        names[n++] = b->registry.reader[i]->name;
    for (int32_t i = 0; i < variants && n < NAMES_MAX; i++)
        if (v[i].label)
            names[n++] = v[i].name;
    return rk_spec_unknown(b, line, k->of_methods ? "method" : "data set", name, names, n);
}

/* The table of variants being filled. */
typedef struct variants {
    rk_variant *v;
    int32_t n;
} variants;

static rk_variant *variant_find(variants *t, const char *name)
{
    for (int32_t i = 0; i < t->n; i++)
        if (!strcmp(t->v[i].name, name))
            return &t->v[i];
    return NULL;
}

/* Adds `name` = BASE or BASE:LABEL when BASE is registered. */
static rk_status variant_add(rk_spec_builder *b, const kind *k, variants *t, const char *name,
                             int32_t line, rk_variant **out)
{
    const char *colon = strchr(name, ':');
    size_t n = colon ? (size_t)(colon - name) : strlen(name);
    char *base = rk_arena_text(b->arena, name, n, b->err);
    if (!base)
        return RK_E_MEMORY;
    if (!is_known(&b->registry, k, base))
        return unknown_base(b, k, line, base);
    if (colon && !colon[1])
        return rk_fail(b->err, RK_E_USAGE, "%s: no label behind ':' in '%s'",
                       rk_spec_place(b, line), name);
    if (t->n == VARIANTS_MAX)
        return rk_fail(b->err, RK_E_USAGE, "%s: more than %d variants of %ss",
                       rk_spec_place(b, line), VARIANTS_MAX, k->word);
    *out = &t->v[t->n++];
    **out = (rk_variant){.name = name, .base = base, .label = colon ? colon + 1 : NULL};
    return RK_OK;
}

static rk_status variant_option(rk_spec_builder *b, const kind *k, rk_variant *v,
                                const rk_spec_entry *e, rk_pair *to)
{
    const rk_option *row = row_find(&b->registry, k, v->base, e->key);
    if (!row) {
        const char *names[NAMES_MAX];
        size_t n = row_names(&b->registry, k, v->base, names, NAMES_MAX);
        char what[96];
        snprintf(what, sizeof what, "option of %s %.40s", k->word, v->base);
        return rk_spec_unknown(b, e->line, what, e->key, names, n);
    }
    RK_TRY(placed(b, e->line, rk_spec_value(row, e->value, b->arena, NULL, b->err)));
    *to = (rk_pair){.key = row->name, .value = e->value, .line = e->line};
    return RK_OK;
}

static int stands_in(const rk_spec_entry *e, const char *section)
{
    return !strcmp(e->section, section) && !rk_spec_entry_is_marker(e);
}

/* All options of the section, in file order. */
static rk_status variant_section(rk_spec_builder *b, const kind *k, variants *t,
                                 const char *section, int32_t line)
{
    rk_variant *v;
    int32_t n = 0;
    if (variant_find(t, section + k->skip))
        return RK_OK;
    RK_TRY(variant_add(b, k, t, section + k->skip, line, &v));
    for (int32_t i = 0; i < b->entries.n; i++)
        n += stands_in(&b->entries.entry[i], section);
    rk_pair *pair = rk_arena_take(b->arena, (size_t)n, sizeof *pair, b->err);
    if (!pair)
        return RK_E_MEMORY;
    v->option = pair;
    for (int32_t i = 0; i < b->entries.n; i++)
        if (stands_in(&b->entries.entry[i], section))
            RK_TRY(variant_option(b, k, v, &b->entries.entry[i], &pair[v->options++]));
    return RK_OK;
}

static rk_status build_variants(rk_spec_builder *b, const kind *k)
{
    /* Room for every section and every value of the axis. */
    variants t = {.v = rk_arena_take(b->arena, VARIANTS_MAX, sizeof *t.v, b->err)};
    if (!t.v)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < b->entries.n; i++) {
        const rk_spec_entry *e = &b->entries.entry[i];
        if (!strncmp(e->section, k->word, k->skip - 1) && e->section[k->skip - 1] == '.')
            RK_TRY(variant_section(b, k, &t, e->section, e->line));
    }
    if (k->of_methods)
        b->spec->method = t.v, b->spec->methods = t.n;
    else
        b->spec->reader = t.v, b->spec->readers = t.n;
    return RK_OK;
}

/* Values of the method or dataset axis: variants, those without a section too. */
static rk_status axis_variants(rk_spec_builder *b, const kind *k, const rk_axis *axis, int32_t line)
{
    variants t = {.v = (rk_variant *)(k->of_methods ? b->spec->method : b->spec->reader),
                  .n = k->of_methods ? b->spec->methods : b->spec->readers};
    for (int32_t i = 0; i < axis->n; i++) {
        rk_variant *v = variant_find(&t, axis->value[i]);
        if (v)
            continue;
        if (strchr(axis->value[i], ':'))
            return unknown_base(b, k, line, axis->value[i]);
        RK_TRY(variant_add(b, k, &t, axis->value[i], line, &v));
    }
    if (k->of_methods)
        b->spec->methods = t.n;
    else
        b->spec->readers = t.n;
    return RK_OK;
}

/* NAME.KEY or NAME:LABEL.KEY of a method or a reader. */
static const rk_option *option_axis(rk_spec_builder *b, rk_axis *axis)
{
    const char *dot = strrchr(axis->name, '.');
    if (!dot)
        return NULL;
    char *target = rk_arena_text(b->arena, axis->name, (size_t)(dot - axis->name), b->err);
    char *base = target ? rk_arena_text(b->arena, target, strcspn(target, ":"), b->err) : NULL;
    if (!base)
        return NULL;
    const kind *k = is_known(&b->registry, &method_kind, base)   ? &method_kind
                    : is_known(&b->registry, &reader_kind, base) ? &reader_kind
                                                                 : NULL;
    const rk_option *row = k ? row_find(&b->registry, k, base, dot + 1) : NULL;
    if (row) {
        axis->role = k->of_methods ? RK_AXIS_METHOD_OPTION : RK_AXIS_READER_OPTION;
        axis->target = target;
        axis->key = row->name;
    }
    return row;
}

rk_option rk_spec_axis_row(const rk_spec_builder *b, const rk_axis *axis)
{
    const rk_option *row = rk_option_find(rk_axis_options, axis->name);
    if (!row) {
        char base[64];
        snprintf(base, sizeof base, "%.*s", (int)strcspn(axis->target, ":"), axis->target);
        const kind *k = axis->role == RK_AXIS_METHOD_OPTION ? &method_kind : &reader_kind;
        row = row_find(&b->registry, k, base, axis->key);
    }
    return *row;
}

static rk_status unknown_axis(rk_spec_builder *b, int32_t line, const char *name)
{
    const char *names[64];
    size_t n = 0;
    for (const rk_option *row = rk_axis_options; row->name && n < 64; row++)
        names[n++] = row->name;
    return rk_spec_unknown(b, line, "axis", name, names, n);
}

static rk_status build_axis(rk_spec_builder *b, const rk_spec_entry *e)
{
    rk_spec *spec = b->spec;
    if (spec->axes == RK_AXES_MAX)
        return rk_fail(b->err, RK_E_USAGE, "%s: more than %d axes", rk_spec_place(b, e->line),
                       RK_AXES_MAX);
    rk_axis *axis = &spec->axis[spec->axes];
    *axis = (rk_axis){.name = e->key};
    const rk_option *row = rk_option_find(rk_axis_options, e->key);
    if (!row)
        row = option_axis(b, axis);
    if (!row)
        return unknown_axis(b, e->line, e->key);
    axis->kind = row->kind;
    RK_TRY(placed(
        b, e->line,
        rk_spec_list(row, e->value, RK_AXIS_VALUES_MAX, b->arena, &axis->value, &axis->n, b->err)));
    spec->axes++;
    if (!strcmp(e->key, "method")) {
        axis->role = RK_AXIS_METHOD;
        return axis_variants(b, &method_kind, axis, e->line);
    }
    if (!strcmp(e->key, "dataset")) {
        axis->role = RK_AXIS_DATASET;
        return axis_variants(b, &reader_kind, axis, e->line);
    }
    return RK_OK;
}

static rk_status build_axes(rk_spec_builder *b)
{
    int64_t points = 1;
    for (int32_t i = 0; i < b->entries.n; i++) {
        const rk_spec_entry *e = &b->entries.entry[i];
        if (!stands_in(e, "axes"))
            continue;
        RK_TRY(build_axis(b, e));
        points *= b->spec->axis[b->spec->axes - 1].n;
        if (points > RK_POINTS_MAX)
            return rk_fail(b->err, RK_E_USAGE, "%s: the axes make more than %d points",
                           rk_spec_place(b, e->line), RK_POINTS_MAX);
    }
    if (!b->spec->axes)
        return rk_fail(b->err, RK_E_USAGE, "%s: no [axes]", b->path);
    return RK_OK;
}

static rk_status check_metric(rk_spec_builder *b, int32_t line, const char *name)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (int32_t i = 0; i < b->registry.metrics && n < NAMES_MAX; i++) {
        if (!strcmp(b->registry.metric[i]->name, name))
            return RK_OK;
        names[n++] = b->registry.metric[i]->name;
    }
    return rk_spec_unknown(b, line, "metric", name, names, n);
}

/* "120 s" is 120 where the row's unit is s. */
static const char *without_unit(rk_spec_builder *b, const rk_option *row, const char *text)
{
    size_t n = strlen(text), unit = strlen(row->unit);
    if (!unit || n <= unit || strcmp(text + n - unit, row->unit))
        return text;
    char before = text[n - unit - 1];
    int cut = before == ' ' || (before >= '0' && before <= '9');
    char *trimmed = cut ? rk_spec_trim(text, n - unit, b->arena, b->err) : NULL;
    return trimmed ? trimmed : text;
}

/* "2K:60, 4K:20" into pairs of context and items. */
static rk_status parse_items_at(rk_spec_builder *b, int32_t line, rk_measure *m)
{
    const char *const *word;
    int32_t n;
    RK_TRY(placed(b, line,
                  rk_spec_words(m->items_at_text, "items_at", RK_SPEC_ITEMS_AT_MAX, b->arena, &word,
                                &n, b->err)));
    for (m->items_ats = 0; m->items_ats < n; m->items_ats++) {
        const char *text = word[m->items_ats], *colon = strchr(text, ':');
        int64_t *pair = m->items_at[m->items_ats];
        char *context =
            colon ? rk_arena_text(b->arena, text, (size_t)(colon - text), b->err) : NULL;
        if (!context)
            return rk_fail(b->err, RK_E_USAGE, "%s: items_at: expected CONTEXT:ITEMS, got '%s'",
                           rk_spec_place(b, line), text);
        RK_TRY(placed(b, line, rk_parse_int(context, "items_at", &pair[0], b->err)));
        RK_TRY(placed(b, line, rk_parse_int(colon + 1, "items_at", &pair[1], b->err)));
        if (pair[0] < 0 || pair[1] < 1 || pair[1] > 1 << 20)
            return rk_fail(b->err, RK_E_USAGE,
                           "%s: items_at: expected 1 to 1048576 items, got '%s'",
                           rk_spec_place(b, line), text);
    }
    return RK_OK;
}

int64_t rk_measure_items(const rk_measure *m, const rk_point *p)
{
    int64_t context = rk_point_int(p, "context", 0);
    for (int32_t i = 0; i < m->items_ats; i++)
        if (m->items_at[i][0] == context)
            return m->items_at[i][1];
    return m->items;
}

static rk_status build_measure(rk_spec_builder *b)
{
    rk_measure *m = &b->spec->measure;
    int32_t metrics_line = 0;
    RK_TRY(rk_options_default(rk_measure_options, m, b->err));
    for (int32_t i = 0; i < b->entries.n; i++) {
        const rk_spec_entry *e = &b->entries.entry[i];
        if (!stands_in(e, "measure"))
            continue;
        const rk_option *row = rk_option_find(rk_measure_options, e->key);
        const char *value = row ? without_unit(b, row, e->value) : e->value;
        RK_TRY(placed(b, e->line, rk_options_set(rk_measure_options, m, e->key, value, b->err)));
        if (!strcmp(e->key, "items_at"))
            RK_TRY(parse_items_at(b, e->line, m));
        if (!strcmp(e->key, "metrics")) {
            metrics_line = e->line;
            RK_TRY(placed(
                b, e->line,
                rk_spec_words(value, "metrics", 128, b->arena, &m->metric, &m->metrics, b->err)));
            if (!m->metrics)
                return rk_fail(b->err, RK_E_USAGE, "%s: metrics: the list is empty",
                               rk_spec_place(b, e->line));
        }
    }
    for (int32_t i = 0; i < m->metrics; i++)
        RK_TRY(check_metric(b, metrics_line, m->metric[i]));
    return RK_OK;
}

static rk_status build_experiment(rk_spec_builder *b)
{
    static const char *const keys[] = {"title", "source"};
    b->spec->title = b->spec->source = "";
    for (int32_t i = 0; i < b->entries.n; i++) {
        const rk_spec_entry *e = &b->entries.entry[i];
        if (!stands_in(e, "experiment"))
            continue;
        if (!strcmp(e->key, "title"))
            b->spec->title = e->value;
        else if (!strcmp(e->key, "source"))
            b->spec->source = e->value;
        else
            return rk_spec_unknown(b, e->line, "key in [experiment]", e->key, keys, 2);
    }
    return RK_OK;
}

/* The conditions as one text, canonical values in it. */
static rk_status where_text(rk_spec_builder *b, rk_spec_claim *c)
{
    c->where_text = "";
    for (int32_t w = 0; w < c->wheres; w++) {
        c->where_text = rk_arena_printf(b->arena, b->err, "%s%s%s=%s", c->where_text, w ? " " : "",
                                        c->where[w].key, c->where[w].value);
        if (!c->where_text)
            return RK_E_MEMORY;
    }
    return RK_OK;
}

static rk_status build_claim(rk_spec_builder *b, const rk_spec_entry *e, rk_spec_claim *out)
{
    RK_TRY(placed(b, e->line, rk_spec_claim_parse(e->value, b->arena, out, b->err)));
    out->line = e->line;
    for (int32_t w = 0; w < out->wheres; w++) {
        rk_pair *pair = (rk_pair *)&out->where[w];
        const char *names[RK_AXES_MAX];
        int32_t a = 0;
        const char *axis = strcmp(pair->key, "vs") ? pair->key : "method";
        for (; a < b->spec->axes && strcmp(b->spec->axis[a].name, axis); a++)
            names[a] = b->spec->axis[a].name;
        if (a == b->spec->axes)
            return rk_spec_unknown(b, e->line, "axis in a claim", pair->key, names, (size_t)a);
        rk_option row = rk_spec_axis_row(b, &b->spec->axis[a]);
        RK_TRY(
            placed(b, e->line, rk_spec_value(&row, pair->value, b->arena, &pair->value, b->err)));
        pair->line = e->line;
    }
    return where_text(b, out);
}

static rk_status build_claims(rk_spec_builder *b)
{
    int32_t n = 0;
    for (int32_t i = 0; i < b->entries.n; i++)
        n += stands_in(&b->entries.entry[i], "claim");
    if (n > RK_SPEC_CLAIMS_MAX)
        return rk_fail(b->err, RK_E_USAGE, "%s: %d claims; at most %d", b->path, n,
                       RK_SPEC_CLAIMS_MAX);
    rk_spec_claim *claim = rk_arena_take(b->arena, (size_t)n, sizeof *claim, b->err);
    if (!claim)
        return RK_E_MEMORY;
    b->spec->claim = claim;
    for (int32_t i = 0; i < b->entries.n; i++)
        if (stands_in(&b->entries.entry[i], "claim"))
            RK_TRY(build_claim(b, &b->entries.entry[i], &claim[b->spec->claims++]));
    return RK_OK;
}

static rk_status check_section(rk_spec_builder *b, const rk_spec_entry *e)
{
    static const char *const names[] = {"experiment",    "axes",         "measure",
                                        "claim",         "method.NAME",  "reader.NAME",
                                        "profile.smoke", "profile.cpu",  "profile.real",
                                        "profile.gpu",   "profile.paper"};
    size_t n = sizeof names / sizeof *names;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(e->section, names[i]) && !strstr(names[i], "NAME"))
            return RK_OK;
    if ((!strncmp(e->section, "method.", 7) || !strncmp(e->section, "reader.", 7)) && e->section[7])
        return RK_OK;
    return rk_spec_unknown(b, e->line, "section", e->section, names, n);
}

rk_status rk_spec_build(rk_spec_builder *b)
{
    for (int32_t i = 0; i < b->entries.n; i++)
        RK_TRY(check_section(b, &b->entries.entry[i]));
    RK_TRY(build_experiment(b));
    RK_TRY(build_measure(b));
    RK_TRY(build_variants(b, &method_kind));
    RK_TRY(build_variants(b, &reader_kind));
    RK_TRY(build_axes(b));
    return build_claims(b);
}
