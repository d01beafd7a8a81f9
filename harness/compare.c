/* compare.c - see compare.h. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quality.h"

const char *rk_compare_verdict_name(rk_compare_verdict v)
{
    static const char *const names[] = {"same", "faster", "slower", "better", "worse", "unclear"};
    return names[v];
}

rk_compare_verdict rk_compare_decide(const rk_interval *v, double no_difference, double floor)
{
    int ratio = no_difference != 0;
    double low = ratio ? no_difference / (1 + floor) : no_difference - floor;
    double high = ratio ? no_difference * (1 + floor) : no_difference + floor;
    if (isnan(v->lo) || isnan(v->hi))
        return RK_COMPARE_UNCLEAR;
    if (v->lo >= low && v->hi <= high)
        return RK_COMPARE_SAME;
    if (v->lo > no_difference)
        return ratio ? RK_COMPARE_FASTER : RK_COMPARE_BETTER;
    if (v->hi < no_difference)
        return ratio ? RK_COMPARE_SLOWER : RK_COMPARE_WORSE;
    return RK_COMPARE_UNCLEAR;
}

/* ---- what A and B name ---- */

typedef enum name_kind { KIND_METHOD, KIND_SESSION, KIND_COMMIT, KIND_NONE } name_kind;
static const char *const kind_names[] = {"method", "session", "commit", "nothing"};

typedef struct side {
    name_kind kind;
    rk_query_filter filter;
    rk_query *q;
} side;

static rk_status first_text(void *self, sqlite3_stmt *s, rk_error *err)
{
    (void)err;
    char *text = self;
    snprintf(text, 128, "%s", (const char *)sqlite3_column_text(s, 0));
    return RK_OK;
}

/* The whole name behind a beginning; "" unknown. */
static rk_status resolve(sqlite3 *db, const char *name, char full[128], name_kind *out,
                         rk_error *err)
{
    static const char *const sql[] = {
        "SELECT ?1 FROM main.cell c JOIN main.method m USING(method_id)"
        " WHERE coalesce(json_extract(axes_json, '$.method'), m.name) = ?1 LIMIT 1",
        "SELECT min(session_id) FROM main.session WHERE substr(session_id, 1, length(?1)) = ?1"
        " GROUP BY 1 = 1 HAVING count(*) = 1",
        "SELECT min(git_commit) FROM main.build WHERE substr(git_commit, 1, length(?1)) = ?1"
        " GROUP BY 1 = 1 HAVING count(DISTINCT git_commit) = 1",
    };
    full[0] = 0;
    *out = KIND_NONE;
    if (!name[0])
        return RK_OK;
    for (int k = KIND_METHOD; k < KIND_NONE && !full[0]; k++) {
        RK_TRY(rk_query_each(db, "names", sql[k], &name, 1, first_text, full, err));
        if (full[0])
            *out = (name_kind)k;
    }
    return RK_OK;
}

static rk_status open_side(const char *path, const rk_compare_request *r, const char *name,
                           sqlite3 *db, char full[128], side *out, rk_error *err)
{
    RK_TRY(resolve(db, name, full, &out->kind, err));
    if (out->kind == KIND_NONE)
        return rk_fail(err, RK_E_USAGE,
                       "compare: '%s' is no method of these results, and begins no or several "
                       "session ids and commits",
                       name);
    out->filter.experiment = r->experiment;
    if (out->kind == KIND_METHOD)
        out->filter.method = full;
    else if (out->kind == KIND_SESSION)
        out->filter.session = full;
    else
        out->filter.commit = full;
    return rk_query_open(&out->q, path, &out->filter, err);
}

/* ---- comparisons ---- */

typedef struct measure {
    const char *metric;
    rk_effect effect;
    int a_first; /* 1: A / B, so that above 1 B is better (times) */
} measure;

static const measure measures[] = {
    {"ttft_ms", RK_EFFECT_RATIO_MEDIANS, 1},
    {"decode_tokens_per_s", RK_EFFECT_RATIO_MEDIANS, 0},
    {"f1", RK_EFFECT_MEAN_DIFF, 0},
    {"em", RK_EFFECT_MEAN_DIFF, 0},
    {"top1_agreement", RK_EFFECT_MEAN_DIFF, 0},
};

typedef struct comparison {
    const rk_query_point *a, *b;
    const measure *measure;
    rk_pairs pairs; /* a, b by item */
    double p;
    rk_interval v;
} comparison;

typedef struct comparisons {
    comparison *row;
    size_t n, capacity;
    int64_t other_items; /* cells left out: different items */
} comparisons;

static int same_cell(const rk_query_point *a, const rk_query_point *b, name_kind kind)
{
    return rk_query_same_group(a, b) && (kind == KIND_METHOD || !strcmp(a->method, b->method));
}

static rk_status p_value(comparison *c, rk_error *err)
{
    c->p = NAN;
    if (c->measure->effect == RK_EFFECT_RATIO_MEDIANS)
        return rk_stats_mann_whitney(c->pairs.a, c->pairs.n, c->pairs.b, c->pairs.n, &c->p, err);
    if (!strcmp(c->measure->metric, "em"))
        c->p = rk_quality_flips(&c->pairs).p;
    return RK_OK;
}

static rk_status add_cell(comparisons *list, rk_query *qa, rk_query *qb, const rk_query_point *a,
                          const rk_query_point *b, rk_error *err)
{
    if (strcmp(a->dataset_id, b->dataset_id)) {
        list->other_items++;
        return RK_OK;
    }
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        const measure *m = measures + i;
        rk_series sa, sb;
        comparison c = {.a = a, .b = b, .measure = m};
        if (rk_quality_metric(m->metric) && !(rk_quality_known(a) && rk_quality_known(b)))
            continue;
        RK_TRY(rk_query_series(qa, a->id, m->metric, &sa, err));
        RK_TRY(rk_query_series(qb, b->id, m->metric, &sb, err));
        RK_TRY(rk_query_pair(&sa, &sb, rk_query_arena(qa), &c.pairs, err));
        if (c.pairs.n == 0)
            continue;
        RK_TRY(p_value(&c, err));
        RK_TRY(rk_heap_grow((void **)&list->row, &list->capacity, list->n + 1, sizeof *list->row,
                            err));
        list->row[list->n++] = c;
    }
    return RK_OK;
}

static rk_status collect(comparisons *list, const side *a, const side *b, rk_error *err)
{
    const rk_query_point *pa, *pb;
    int64_t na, nb;
    RK_TRY(rk_query_points(a->q, &pa, &na, err));
    RK_TRY(rk_query_points(b->q, &pb, &nb, err));
    for (int64_t i = 0; i < na; i++)
        for (int64_t j = 0; j < nb; j++)
            if (same_cell(pa + i, pb + j, a->kind))
                RK_TRY(add_cell(list, a->q, b->q, pa + i, pb + j, err));
    return RK_OK;
}

static rk_status settle(comparisons *list, rk_error *err)
{
    double *p = rk_heap_take(list->n, sizeof *p, err);
    if (!p)
        return RK_E_MEMORY;
    rk_status status = RK_OK;
    double level = 1 - (1 - RK_STATS_LEVEL) / (double)(list->n ? list->n : 1);
    for (size_t i = 0; i < list->n && status == RK_OK; i++) {
        comparison *c = list->row + i;
        /* The effect is first / second; differences are B - A. */
        rk_pairs ordered = c->pairs;
        if (!c->measure->a_first) {
            ordered.a = c->pairs.b;
            ordered.b = c->pairs.a;
        }
        p[i] = c->p;
        status = rk_stats_bootstrap(&ordered, c->measure->effect, level, RK_STATS_SEED, &c->v, err);
    }
    if (status == RK_OK)
        status = rk_stats_holm(p, (int64_t)list->n, err);
    for (size_t i = 0; i < list->n && status == RK_OK; i++)
        list->row[i].p = p[i];
    free(p);
    return status;
}

/* ---- output ---- */

enum {
    C_EXP,
    C_MODEL,
    C_DATASET,
    C_CONTEXT,
    C_METHOD,
    C_METRIC,
    C_A,
    C_B,
    C_RATIO,
    C_DIFF,
    C_P,
    C_VERDICT,
    C_COLUMNS
};

static const rk_table_column columns[C_COLUMNS] = {
    [C_EXP] = {"experiment", "experiment", -1, 0, 0},
    [C_MODEL] = {"model", "model", -1, 0, 0},
    [C_DATASET] = {"dataset", "data set", -1, 0, 0},
    [C_CONTEXT] = {"context", "context", -1, 0, 0},
    [C_METHOD] = {"method", "method", -1, 0, 0},
    [C_METRIC] = {"metric", "metric", -1, 0, 0},
    [C_A] = {"a", "A", 3, 0, 0},
    [C_B] = {"b", "B", 3, 0, 0},
    [C_RATIO] = {"speedup", "B is x times as fast (n)", 3, 1, 1},
    [C_DIFF] = {"difference", "B - A (n)", 3, 1, 1},
    [C_P] = {"p_holm", "p (Holm)", 4, 0, 0},
    [C_VERDICT] = {"verdict", "B is", -1, 0, 0},
};

static rk_status middle(const comparison *c, const double *x, rk_arena *arena, double *out,
                        rk_error *err)
{
    int64_t n = c->pairs.n;
    if (c->measure->effect == RK_EFFECT_MEAN_DIFF) {
        *out = rk_stats_mean(x, n);
        return RK_OK;
    }
    double *sorted = rk_arena_take(arena, (size_t)n, sizeof *sorted, err);
    if (!sorted)
        return RK_E_MEMORY;
    memcpy(sorted, x, (size_t)n * sizeof *sorted);
    rk_stats_sort(sorted, n);
    *out = rk_stats_median(sorted, n);
    return RK_OK;
}

static rk_status put_row(rk_table *t, const comparison *c, const rk_compare_request *r,
                         rk_arena *arena, int64_t *worse, rk_error *err)
{
    double a, b;
    int ratio = c->measure->effect == RK_EFFECT_RATIO_MEDIANS;
    rk_compare_verdict verdict =
        rk_compare_decide(&c->v, ratio, ratio ? r->floor_time : r->floor_quality);
    *worse += verdict == RK_COMPARE_SLOWER || verdict == RK_COMPARE_WORSE;
    RK_TRY(middle(c, c->pairs.a, arena, &a, err));
    RK_TRY(middle(c, c->pairs.b, arena, &b, err));
    RK_TRY(rk_table_row(t, err));
    rk_table_text(t, C_EXP, c->a->exp_id);
    rk_table_text(t, C_MODEL, c->a->model);
    rk_table_text(t, C_DATASET, c->a->dataset);
    rk_table_text(t, C_CONTEXT, c->a->context);
    rk_table_text(t, C_METHOD, strcmp(c->a->method, c->b->method) ? "A, B" : c->a->method);
    rk_table_text(t, C_METRIC, c->measure->metric);
    rk_table_number(t, C_A, a, -1);
    rk_table_number(t, C_B, b, -1);
    rk_table_interval(t, ratio ? C_RATIO : C_DIFF, &c->v);
    rk_table_number(t, C_P, c->p, -1);
    rk_table_text(t, C_VERDICT, rk_compare_verdict_name(verdict));
    return RK_OK;
}

static rk_status write_table(const comparisons *list, const rk_compare_request *r, const side *a,
                             const side *b, FILE *out, int64_t *worse, rk_error *err)
{
    rk_table *t;
    rk_arena *arena = rk_query_arena(a->q);
    RK_TRY(rk_table_new(&t, columns, C_COLUMNS, arena, err));
    for (size_t i = 0; i < list->n; i++)
        RK_TRY(put_row(t, list->row + i, r, arena, worse, err));
    const char *title = rk_arena_printf(arena, err, "A = %s %s, B = %s %s", kind_names[a->kind],
                                        r->a, kind_names[b->kind], r->b);
    if (!title)
        return RK_E_MEMORY;
    RK_TRY(rk_table_write(t, r->format, title, 1, out, err));
    if (r->format == RK_TABLE_CSV)
        return RK_OK;
    if (list->other_items)
        rk_table_note(out, r->format, "%lld cells not compared: their items differ.",
                      (long long)list->other_items);
    rk_table_note(out, r->format,
                  "Paired by item; intervals hold for all %zu comparisons together (95 %%). Floor: "
                  "%.0f %% for times, %.2f for quality.",
                  list->n, 100 * r->floor_time, r->floor_quality);
    return RK_OK;
}

rk_status rk_compare_write(const char *db, const rk_compare_request *request, FILE *out,
                           int64_t *worse, rk_error *err)
{
    side a = {0}, b = {0};
    char full_a[128], full_b[128];
    comparisons list = {0};
    rk_query *names = NULL;
    rk_query_filter nothing = {.experiment = ""}; /* names only: no rows are gathered */
    *worse = 0;
    rk_status status = rk_query_open(&names, db, &nothing, err);
    if (status == RK_OK)
        status = open_side(db, request, request->a, rk_query_handle(names), full_a, &a, err);
    if (status == RK_OK)
        status = open_side(db, request, request->b, rk_query_handle(names), full_b, &b, err);
    if (status == RK_OK && a.kind != b.kind)
        status = rk_fail(err, RK_E_USAGE, "compare: '%s' is a %s and '%s' a %s; give two of a kind",
                         request->a, kind_names[a.kind], request->b, kind_names[b.kind]);
    if (status == RK_OK)
        status = collect(&list, &a, &b, err);
    if (status == RK_OK && list.n == 0)
        status = rk_fail(err, RK_E_USAGE, "compare: '%s' and '%s' have no measured item in common",
                         request->a, request->b);
    if (status == RK_OK)
        status = settle(&list, err);
    if (status == RK_OK)
        status = write_table(&list, request, &a, &b, out, worse, err);
    free(list.row);
    rk_query_close(a.q);
    rk_query_close(b.q);
    rk_query_close(names);
    return status;
}
