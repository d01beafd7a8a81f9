/* report.c - see report.h. */
#include "report.h"

#include <math.h>
#include <string.h>

#include "quality.h"

/* Columns of the main table; the order of `main_columns`. */
enum {
    C_MODEL,
    C_DATASET,
    C_CONTEXT,
    C_METHOD,
    C_ITEMS,
    C_TTFT,
    C_SPEEDUP,
    C_EM,
    C_EM_DELTA,
    C_F1,
    C_F1_DELTA,
    C_MCNEMAR,
    C_LOST,
    C_GAINED,
    C_TOP1,
    C_TOP10,
    C_KL,
    C_RECOMPUTED,
    C_FLOPS,
    C_KV,
    C_OFFLINE,
    C_BREAK_EVEN,
    C_MARKS,
    C_COLUMNS
};

static const rk_table_column main_columns[C_COLUMNS] = {
    [C_MODEL] = {"model", "model", -1, 0, 0},
    [C_DATASET] = {"dataset", "data set", -1, 0, 0},
    [C_CONTEXT] = {"context", "context", -1, 0, 0},
    [C_METHOD] = {"method", "method", -1, 0, 0},
    [C_ITEMS] = {"items", "items", 0, 0, 0},
    [C_TTFT] = {"ttft_ms", "TTFT ms (n)", 1, 0, 1},
    [C_SPEEDUP] = {"ttft_speedup", "dense/TTFT", 2, 1, 1},
    [C_EM] = {"em", "EM (n)", 3, 0, 1},
    [C_EM_DELTA] = {"em_delta", "EM - dense", 3, 1, 1},
    [C_F1] = {"f1", "F1 (n)", 3, 0, 1},
    [C_F1_DELTA] = {"f1_delta", "F1 - dense", 3, 1, 1},
    [C_MCNEMAR] = {"mcnemar_p", "McNemar p (n)", 3, 0, 1},
    [C_LOST] = {"lost", "lost", 0, 0, 0},
    [C_GAINED] = {"gained", "gained", 0, 0, 0},
    [C_TOP1] = {"top1_agreement", "top-1 (n)", 3, 0, 1},
    [C_TOP10] = {"top10_agreement", "top-10 (n)", 3, 0, 1},
    [C_KL] = {"logit_kl", "KL (n)", 4, 0, 1},
    [C_RECOMPUTED] = {"recomputed_pct", "recomputed % (n)", 1, 0, 1},
    [C_FLOPS] = {"flops_pct", "FLOP % of dense, computed (n)", 1, 0, 1},
    [C_KV] = {"kv_kib", "KV KiB, computed (n)", 0, 0, 1},
    [C_OFFLINE] = {"offline_ms", "offline ms (n)", 0, 0, 1},
    [C_BREAK_EVEN] = {"break_even_reuses", "pays off after, reuses, computed (n)", 1, 0, 1},
    [C_MARKS] = {"marks", "marks", -1, 0, 0},
};

/* Model, data set and context stand in the title; a wide table is two. */
#define BIT(column) (UINT64_C(1) << (column))
static const uint64_t answers_part = BIT(C_METHOD) | BIT(C_ITEMS) | BIT(C_TTFT) | BIT(C_SPEEDUP) |
                                     BIT(C_EM) | BIT(C_EM_DELTA) | BIT(C_F1) | BIT(C_F1_DELTA) |
                                     BIT(C_MCNEMAR) | BIT(C_LOST) | BIT(C_GAINED) | BIT(C_MARKS);
static const uint64_t cost_part = BIT(C_METHOD) | BIT(C_TOP1) | BIT(C_TOP10) | BIT(C_KL) |
                                  BIT(C_RECOMPUTED) | BIT(C_FLOPS) | BIT(C_KV) | BIT(C_OFFLINE) |
                                  BIT(C_BREAK_EVEN);

enum { A_METHOD, A_ITEMS, A_EM, A_EM_DELTA, A_F1, A_F1_DELTA, A_COLUMNS };
static const rk_table_column answered_columns[A_COLUMNS] = {
    [A_METHOD] = {"method", "method", -1, 0, 0}, [A_ITEMS] = {"items", "items", 0, 0, 0},
    [A_EM] = {"em", "EM (n)", 3, 0, 1},          [A_EM_DELTA] = {"em_delta", "EM - dense", 3, 1, 1},
    [A_F1] = {"f1", "F1 (n)", 3, 0, 1},          [A_F1_DELTA] = {"f1_delta", "F1 - dense", 3, 1, 1},
};

enum {
    O_METHOD,
    O_EXACT,
    O_CROSS,
    O_PHASE,
    O_OFFLINE,
    O_BYTES,
    O_EVEN,
    O_REUSED,
    O_FALLBACKS,
    O_COLUMNS
};
static const rk_table_column card_columns[O_COLUMNS] = {
    [O_METHOD] = {"method", "method", -1, 0, 0},
    [O_EXACT] = {"exact", "exact", -1, 0, 0},
    [O_CROSS] = {"cross_query_cache", "cache across queries", -1, 0, 0},
    [O_PHASE] = {"offline_phase", "offline phase", -1, 0, 0},
    [O_OFFLINE] = {"offline_ms", "offline ms a context (n)", 0, 0, 1},
    [O_BYTES] = {"kv_kib", "KV KiB, computed (n)", 0, 0, 1},
    [O_EVEN] = {"break_even_reuses", "pays off after, reuses, computed (n)", 1, 0, 1},
    [O_REUSED] = {"reused_tokens", "tokens reused (n)", 0, 0, 1},
    [O_FALLBACKS] = {"fallbacks", "fallbacks (n)", 2, 0, 1},
};

typedef struct report {
    rk_query *q;
    rk_table_format format;
    FILE *out;
    rk_error *err;
} report;

/* One (model, data set, context) and its reference; NULL: not run. */
typedef struct group {
    const rk_query_point *point;
    int64_t n;
    const rk_query_point *reference;
} group;

static rk_arena *arena_of(const report *r)
{
    return rk_query_arena(r->q);
}

/* ---- one number ---- */

static rk_status series(const report *r, const rk_query_point *p, const char *metric,
                        rk_series *out)
{
    return rk_query_series(r->q, p->id, metric, out, r->err);
}

static void put_mean(rk_table *t, int32_t column, const rk_series *s, double scale)
{
    if (s->n)
        rk_table_number(t, column, scale * rk_stats_mean(s->value, s->n), s->n);
}

static rk_status mean_of(const report *r, rk_table *t, int32_t column, const rk_query_point *p,
                         const char *metric, double scale)
{
    rk_series s;
    RK_TRY(series(r, p, metric, &s));
    put_mean(t, column, &s, scale);
    return RK_OK;
}

/* Median of a metric; NaN and *n 0 when no attempt has it. */
static rk_status median(const report *r, const rk_query_point *p, const char *metric, double *out,
                        int64_t *n)
{
    rk_series s;
    *out = NAN;
    RK_TRY(series(r, p, metric, &s));
    *n = s.n;
    if (s.n == 0)
        return RK_OK;
    double *sorted = rk_arena_take(arena_of(r), (size_t)s.n, sizeof *sorted, r->err);
    if (!sorted)
        return RK_E_MEMORY;
    memcpy(sorted, s.value, (size_t)s.n * sizeof *sorted);
    rk_stats_sort(sorted, s.n);
    *out = rk_stats_median(sorted, s.n);
    return RK_OK;
}

static rk_status median_of(const report *r, rk_table *t, int32_t column, const rk_query_point *p,
                           const char *metric, double scale)
{
    double value;
    int64_t n;
    RK_TRY(median(r, p, metric, &value, &n));
    if (n)
        rk_table_number(t, column, scale * value, n);
    return RK_OK;
}

static rk_status effect_of(const report *r, rk_table *t, int32_t column, const rk_series *a,
                           const rk_series *b, rk_effect effect)
{
    rk_pairs pairs;
    rk_interval v;
    RK_TRY(rk_query_pair(a, b, arena_of(r), &pairs, r->err));
    RK_TRY(rk_stats_bootstrap(&pairs, effect, RK_STATS_LEVEL, RK_STATS_SEED, &v, r->err));
    if (v.n)
        rk_table_interval(t, column, &v);
    return RK_OK;
}

/* Items are comparable when they are the same items. */
static int comparable(const group *g, const rk_query_point *p)
{
    return g->reference && g->reference != p && !strcmp(g->reference->dataset_id, p->dataset_id);
}

/* Reuses of a context after which building its states has paid off: median offline
 * time over the median TTFT that one prefill saves. */
static rk_status put_break_even(const report *r, rk_table *t, int32_t column, const group *g,
                                const rk_query_point *p)
{
    double offline, mine, dense;
    int64_t n, timed, reference;
    if (!comparable(g, p))
        return RK_OK;
    RK_TRY(median(r, p, "offline_ms", &offline, &n));
    RK_TRY(median(r, p, "ttft_ms", &mine, &timed));
    RK_TRY(median(r, g->reference, "ttft_ms", &dense, &reference));
    if (n == 0 || timed == 0 || reference == 0)
        return RK_OK;
    if (dense > mine)
        rk_table_number(t, column, offline / (dense - mine), n);
    else
        rk_table_text(t, column, "never");
    return RK_OK;
}

/* ---- the main table ---- */

static rk_status put_time(const report *r, rk_table *t, const group *g, const rk_query_point *p)
{
    rk_series mine, reference;
    RK_TRY(median_of(r, t, C_TTFT, p, "ttft_ms", 1));
    if (!comparable(g, p))
        return RK_OK;
    RK_TRY(series(r, p, "ttft_ms", &mine));
    RK_TRY(series(r, g->reference, "ttft_ms", &reference));
    return effect_of(r, t, C_SPEEDUP, &reference, &mine, RK_EFFECT_RATIO_MEDIANS);
}

static rk_status put_quality(const report *r, rk_table *t, const group *g, const rk_query_point *p)
{
    rk_series em, f1, em_dense, f1_dense;
    if (!rk_quality_known(p))
        return RK_OK;
    RK_TRY(series(r, p, "em", &em));
    RK_TRY(series(r, p, "f1", &f1));
    put_mean(t, C_EM, &em, 1);
    put_mean(t, C_F1, &f1, 1);
    RK_TRY(mean_of(r, t, C_TOP1, p, "top1_agreement", 1));
    RK_TRY(mean_of(r, t, C_TOP10, p, "top10_agreement", 1));
    RK_TRY(mean_of(r, t, C_KL, p, "logit_kl", 1));
    if (!comparable(g, p))
        return RK_OK;
    RK_TRY(series(r, g->reference, "em", &em_dense));
    RK_TRY(series(r, g->reference, "f1", &f1_dense));
    RK_TRY(effect_of(r, t, C_EM_DELTA, &em, &em_dense, RK_EFFECT_MEAN_DIFF));
    RK_TRY(effect_of(r, t, C_F1_DELTA, &f1, &f1_dense, RK_EFFECT_MEAN_DIFF));
    rk_pairs right;
    RK_TRY(rk_query_pair(&em, &em_dense, arena_of(r), &right, r->err));
    if (right.n == 0)
        return RK_OK;
    rk_flips f = rk_quality_flips(&right);
    rk_table_number(t, C_MCNEMAR, f.p, right.n);
    rk_table_number(t, C_LOST, (double)f.lost, -1);
    rk_table_number(t, C_GAINED, (double)f.gained, -1);
    return RK_OK;
}

static rk_status put_cost(const report *r, rk_table *t, const group *g, const rk_query_point *p)
{
    RK_TRY(median_of(r, t, C_RECOMPUTED, p, "recompute_fraction", 100));
    RK_TRY(median_of(r, t, C_KV, p, "kv_bytes", 1.0 / 1024));
    RK_TRY(median_of(r, t, C_OFFLINE, p, "offline_ms", 1));
    RK_TRY(put_break_even(r, t, C_BREAK_EVEN, g, p));
    if (!g->reference || strcmp(g->reference->dataset_id, p->dataset_id))
        return RK_OK;
    rk_series mine, reference;
    rk_pairs pairs;
    RK_TRY(series(r, p, "flops", &mine));
    RK_TRY(series(r, g->reference, "flops", &reference));
    RK_TRY(rk_query_pair(&mine, &reference, arena_of(r), &pairs, r->err));
    if (pairs.n)
        rk_table_number(t, C_FLOPS,
                        100 * rk_stats_mean(pairs.a, pairs.n) / rk_stats_mean(pairs.b, pairs.n),
                        pairs.n);
    return RK_OK;
}

static const char *marks(const report *r, const rk_query_point *p)
{
    int random = !strcmp(p->weights_kind, "random"), synthetic = !strcmp(p->origin, "synthetic");
    return rk_arena_printf(arena_of(r), r->err, "%s%s%s%s%s", random ? "random weights" : "",
                           random && synthetic ? ", " : "", synthetic ? "synthetic data" : "",
                           (random || synthetic) && p->dirty ? ", " : "",
                           p->dirty ? "uncommitted build" : "");
}

static rk_status main_row(const report *r, rk_table *t, const group *g, const rk_query_point *p)
{
    RK_TRY(rk_table_row(t, r->err));
    const char *mark = marks(r, p);
    if (!mark)
        return RK_E_MEMORY;
    rk_table_text(t, C_MODEL, p->model);
    rk_table_text(t, C_DATASET, p->dataset);
    rk_table_text(t, C_CONTEXT, p->context);
    rk_table_text(t, C_METHOD, p->method);
    rk_table_text(t, C_MARKS, mark);
    rk_table_number(t, C_ITEMS, (double)p->items, -1);
    RK_TRY(put_time(r, t, g, p));
    RK_TRY(put_quality(r, t, g, p));
    return put_cost(r, t, g, p);
}

static const char *title_of(const report *r, const group *g)
{
    const rk_query_point *p = g->point;
    return rk_arena_printf(
        arena_of(r), r->err, "%s: model %s%s, data set %s%s, context %s%s%s, on %s", p->exp_id,
        p->model,
        !strcmp(p->weights_kind, "trained")  ? ""
        : !strcmp(p->weights_kind, "random") ? " [RANDOM WEIGHTS: quality withheld]"
                                             : " [no trained weights: quality withheld]",
        p->dataset, !strcmp(p->origin, "synthetic") ? " [synthetic]" : "", p->context,
        p->rest[0] ? ", " : "", p->rest, p->machine);
}

static rk_status main_table(const report *r, const group *g, int header)
{
    rk_table *t;
    RK_TRY(rk_table_new(&t, main_columns, C_COLUMNS, arena_of(r), r->err));
    for (int64_t i = 0; i < g->n; i++)
        RK_TRY(main_row(r, t, g, g->point + i));
    const char *title = title_of(r, g);
    if (!title)
        return RK_E_MEMORY;
    if (r->format == RK_TABLE_CSV)
        return rk_table_write(t, r->format, NULL, header, r->out, r->err);
    rk_table_only(t, answers_part);
    RK_TRY(rk_table_write(t, r->format, title, 0, r->out, r->err));
    rk_table_only(t, cost_part);
    return rk_table_write(t, r->format, "Agreement with dense at the first token, and work done", 0,
                          r->out, r->err);
}

/* ---- which rows, and what is missing ---- */

static void note_selection(const report *r, const group *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        const rk_query_point *p = g->point + i;
        if (p->sessions > 1)
            rk_table_note(r->out, r->format,
                          "%s: %lld sessions have rows; used: build %.12s%s since %s (session "
                          "%.8s%s), %lld items%s.",
                          p->method, (long long)p->sessions, p->commit, p->dirty ? "+" : "",
                          p->begun, p->session_id, p->used > 1 ? " and those it resumes" : "",
                          (long long)p->items,
                          p->most_items > p->items ? "; an older one has more items" : "");
        if (!p->finished)
            rk_table_note(r->out, r->format, "%s: the run has not finished.", p->method);
        if (g->reference && strcmp(p->build_id, g->reference->build_id))
            rk_table_note(r->out, r->format,
                          "%s: measured by another build than %s; their times are not "
                          "from one run.",
                          p->method, g->reference->method);
        else if (g->reference && strcmp(p->session_id, g->reference->session_id))
            rk_table_note(r->out, r->format,
                          "%s: measured in another session than %s; their times were not "
                          "interleaved.",
                          p->method, g->reference->method);
        if (g->reference && strcmp(p->dataset_id, g->reference->dataset_id))
            rk_table_note(r->out, r->format, "%s: other items than %s; not compared.", p->method,
                          g->reference->method);
    }
    if (!g->reference)
        rk_table_note(r->out, r->format, "The reference (dense) was not run: no comparisons.");
}

static rk_status print_unrun(void *self, sqlite3_stmt *s, rk_error *err)
{
    const report *r = self;
    (void)err;
    rk_table_note(r->out, r->format, "Not run: %s %s %s %s: %s",
                  (const char *)sqlite3_column_text(s, 0), (const char *)sqlite3_column_text(s, 1),
                  (const char *)sqlite3_column_text(s, 2), (const char *)sqlite3_column_text(s, 3),
                  (const char *)sqlite3_column_text(s, 4));
    return RK_OK;
}

/* Cells of the newest spec that have no good row, with the last reason given. */
static rk_status note_unrun(const report *r, const char *exp_id)
{
    static const char sql[] =
        "SELECT DISTINCT coalesce(json_extract(c.axes_json, '$.model'), ''),"
        " coalesce(json_extract(c.axes_json, '$.dataset'), ''),"
        " coalesce(json_extract(c.axes_json, '$.context'), ''),"
        " coalesce(json_extract(c.axes_json, '$.method'), ''),"
        " coalesce((SELECT coalesce(a.fail_text, a.fail_code, a.state) FROM main.attempt a"
        "   WHERE a.cell_id = c.cell_id ORDER BY a.begun_utc_ns DESC LIMIT 1),"
        "  (SELECT s.outcome || ': ' || s.reason FROM main.cell_state s WHERE s.cell_id = c.cell_id"
        "   ORDER BY s.utc_ns DESC LIMIT 1), 'no attempt yet')"
        " FROM main.cell c WHERE c.exp_id = ?1 AND NOT EXISTS(SELECT 1 FROM temp.point p"
        "  WHERE p.exp_id = c.exp_id AND p.axes_json = c.axes_json)"
        " AND NOT EXISTS(SELECT 1 FROM main.v_ok a WHERE a.cell_id = c.cell_id) ORDER BY 1,2,3,4";
    return rk_query_each(rk_query_handle(r->q), "cells not run", sql, &exp_id, 1, print_unrun,
                         (void *)r, r->err);
}

/* ---- without the items that dense fails ---- */

static rk_status answered_row(const report *r, rk_table *t, const group *g, const rk_query_point *p,
                              const rk_series *dense)
{
    static const struct {
        const char *metric;
        int32_t mean, delta;
    } scores[] = {{"em", A_EM, A_EM_DELTA}, {"f1", A_F1, A_F1_DELTA}};
    RK_TRY(rk_table_row(t, r->err));
    rk_table_text(t, A_METHOD, p->method);
    for (size_t i = 0; i < 2; i++) {
        rk_series all, kept, reference, kept_reference;
        RK_TRY(series(r, p, scores[i].metric, &all));
        RK_TRY(rk_quality_answered(&all, dense, arena_of(r), &kept, r->err));
        put_mean(t, scores[i].mean, &kept, 1);
        rk_table_number(t, A_ITEMS, (double)kept.n, -1);
        if (!comparable(g, p))
            continue;
        RK_TRY(series(r, g->reference, scores[i].metric, &reference));
        RK_TRY(rk_quality_answered(&reference, dense, arena_of(r), &kept_reference, r->err));
        RK_TRY(effect_of(r, t, scores[i].delta, &kept, &kept_reference, RK_EFFECT_MEAN_DIFF));
    }
    return RK_OK;
}

static rk_status answered_table(const report *r, const group *g)
{
    rk_series dense;
    if (!g->reference || !rk_quality_known(g->reference))
        return RK_OK;
    RK_TRY(series(r, g->reference, "f1", &dense));
    if (dense.n == 0)
        return RK_OK;
    int64_t failed = 0;
    double lo, hi;
    for (int64_t i = 0; i < dense.n; i++)
        failed += dense.value[i] <= 0;
    rk_stats_wilson(failed, dense.n, &lo, &hi);
    rk_table_note(r->out, r->format,
                  "%s itself fails (F1 = 0) %lld of %lld items: %.1f %% [%.1f, %.1f].",
                  g->reference->method, (long long)failed, (long long)dense.n,
                  100.0 * (double)failed / (double)dense.n, 100 * lo, 100 * hi);
    if (failed == 0 || failed == dense.n)
        return RK_OK;
    rk_table *t;
    RK_TRY(rk_table_new(&t, answered_columns, A_COLUMNS, arena_of(r), r->err));
    for (int64_t i = 0; i < g->n; i++)
        if (g->point + i == g->reference || comparable(g, g->point + i))
            RK_TRY(answered_row(r, t, g, g->point + i, &dense));
    return rk_table_write(
        t, r->format,
        "On the items that dense answers (F1 > 0); dense can only lose by this choice", 1, r->out,
        r->err);
}

/* ---- fairness card ---- */

static rk_status card_table(const report *r, const group *g)
{
    rk_table *t;
    RK_TRY(rk_table_new(&t, card_columns, O_COLUMNS, arena_of(r), r->err));
    for (int64_t i = 0; i < g->n; i++) {
        const rk_query_point *p = g->point + i;
        RK_TRY(rk_table_row(t, r->err));
        rk_table_text(t, O_METHOD, p->method);
        rk_table_text(t, O_EXACT, p->exact ? "yes" : "no");
        rk_table_text(t, O_CROSS, p->cross_query_cache ? "yes" : "no");
        rk_table_text(t, O_PHASE, p->offline ? "yes" : "no");
        RK_TRY(median_of(r, t, O_OFFLINE, p, "offline_ms", 1));
        RK_TRY(median_of(r, t, O_BYTES, p, "kv_bytes", 1.0 / 1024));
        RK_TRY(put_break_even(r, t, O_EVEN, g, p));
        RK_TRY(mean_of(r, t, O_REUSED, p, "reused_tokens", 1));
        RK_TRY(mean_of(r, t, O_FALLBACKS, p, "fallbacks", 1));
    }
    return rk_table_write(t, r->format,
                          "Fairness card: what is spent before the clock starts, and what is kept",
                          1, r->out, r->err);
}

static group group_at(const rk_query_point *p, int64_t n)
{
    group g = {.point = p, .n = 1};
    while (g.n < n && rk_query_same_group(p, p + g.n))
        g.n++;
    for (int64_t i = 0; i < g.n && !g.reference; i++)
        if (p[i].is_reference)
            g.reference = p + i;
    return g;
}

rk_status rk_report_write(rk_query *q, rk_table_format format, FILE *out, rk_error *err)
{
    const rk_query_point *p;
    int64_t n;
    report r = {q, format, out, err};
    RK_TRY(rk_query_points(q, &p, &n, err));
    if (n == 0)
        return rk_fail(err, RK_E_USAGE,
                       "no results to report: nothing good is in the database "
                       "for this experiment and filter");
    for (int64_t i = 0; i < n;) {
        group g = group_at(p + i, n - i);
        RK_TRY(main_table(&r, &g, i == 0));
        /* One csv is one table: the cards and the notes are for people. */
        if (format != RK_TABLE_CSV) {
            note_selection(&r, &g);
            RK_TRY(answered_table(&r, &g));
            RK_TRY(card_table(&r, &g));
        }
        i += g.n;
        if (format != RK_TABLE_CSV && (i == n || strcmp(p[i].exp_id, g.point->exp_id)))
            RK_TRY(note_unrun(&r, g.point->exp_id));
    }
    if (format != RK_TABLE_CSV)
        rk_table_note(out, format,
                      "value [95 %% interval] (n). Intervals: paired bootstrap, %d draws, "
                      "clustered by context, seed %u; withheld under %d contexts. dense/TTFT: "
                      "ratio of medians, above 1 is faster. lost / gained: exact matches. pays off "
                      "after: median offline ms / (median dense TTFT - median TTFT).",
                      RK_STATS_DRAWS, RK_STATS_SEED, RK_STATS_MIN_CLUSTERS);
    return RK_OK;
}
