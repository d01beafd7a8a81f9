/* why.c - see why.h. */
#include "why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

enum { WORDS_MOST = 16, LIST_TEXT = 240 };

typedef struct reference {
    const char *experiment, *metric;
    const char *name[WORDS_MOST], *value[WORDS_MOST];
    int32_t words;
} reference;

static rk_status read_reference(char *text, reference *r, rk_error *err)
{
    const char *form = "EXPERIMENT:axis=value:...:METRIC";
    char *last = strrchr(text, ':'), *first = strchr(text, ':');
    if (!first || first == text || !last[1])
        return rk_fail(err, RK_E_USAGE, "why: expected %s, got '%s'", form, text);
    r->experiment = text;
    r->metric = last + 1;
    *last = 0;
    char *word = first == last ? NULL : first + 1;
    *first = 0;
    while (word) {
        char *next = strchr(word, ':'), *eq;
        /* A method's variant has a colon too: cacheblend:layer3. */
        while (next && next[1] && !memchr(next + 1, '=', strcspn(next + 1, ":")))
            next = strchr(next + 1, ':');
        if (next)
            *next++ = 0;
        eq = strchr(word, '=');
        if (!eq || eq == word || !eq[1] || r->words == WORDS_MOST)
            return rk_fail(err, RK_E_USAGE, "why: expected axis=value, got '%s' (form: %s)", word,
                           form);
        *eq = 0;
        r->name[r->words] = word;
        r->value[r->words++] = eq + 1;
        word = next;
    }
    return RK_OK;
}

static const char *axis_of(const rk_query_point *p, const char *name)
{
    static const char *const names[] = {"model", "dataset", "context", "method"};
    const char *const values[] = {p->model, p->dataset, p->context, p->method};
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return values[i];
    return NULL;
}

static int same_value(const char *axis, const char *have, const char *want)
{
    int64_t a, b;
    if (!strcmp(have, want))
        return 1;
    return !strcmp(axis, "context") && rk_parse_int(have, axis, &a, NULL) == RK_OK &&
           rk_parse_int(want, axis, &b, NULL) == RK_OK && a == b;
}

static int meets(const rk_query_point *p, const reference *r)
{
    for (int32_t i = 0; i < r->words; i++) {
        const char *have = axis_of(p, r->name[i]);
        char word[LIST_TEXT];
        snprintf(word, sizeof word, "%s=%s", r->name[i], r->value[i]);
        if (have ? !same_value(r->name[i], have, r->value[i]) : !strstr(p->rest, word))
            return 0;
    }
    return 1;
}

static void append(char list[LIST_TEXT], const char *word)
{
    size_t used = strlen(list);
    if (strstr(list, word) || used + strlen(word) + 3 > LIST_TEXT)
        return;
    snprintf(list + used, LIST_TEXT - used, "%s%s", used ? ", " : "", word);
}

/* Names the values that the cells at hand have, so that the next try fits. */
static rk_status find_cell(rk_query *q, const reference *r, const rk_query_point **out,
                           rk_error *err)
{
    const rk_query_point *p;
    int64_t n, found = 0;
    char list[LIST_TEXT] = "";
    *out = NULL;
    RK_TRY(rk_query_points(q, &p, &n, err));
    for (int64_t i = 0; i < n; i++)
        if (meets(p + i, r)) {
            *out = p + i;
            found++;
        }
    if (found == 1)
        return RK_OK;
    for (int64_t i = 0; i < n; i++) {
        char word[LIST_TEXT];
        snprintf(word, sizeof word, "%s %s %s %s", p[i].model, p[i].dataset, p[i].context,
                 p[i].method);
        if (found == 0 || meets(p + i, r))
            append(list, word);
    }
    return rk_fail(err, RK_E_USAGE, "why: %s of %s; cells with results: %s",
                   found ? "that fits several cells" : "that fits no cell", r->experiment,
                   list[0] ? list : "none");
}

/* ---- parts ---- */

static const char attempts_sql[] =
    "SELECT a.item_no, coalesce(i.item_key, ''), coalesce(i.cluster_key, ''), a.rep, a.block,"
    " a.slot, s.value, a.attempt_id, a.session_id,"
    " strftime('%H:%M:%S', a.begun_utc_ns / 1000000000, 'unixepoch'), coalesce(a.cache_state, '')"
    " FROM temp.chosen c JOIN main.attempt a USING(attempt_id)"
    " JOIN main.sample s ON s.attempt_id = a.attempt_id AND s.metric = ?2"
    " JOIN temp.point p USING(point_id)"
    " LEFT JOIN main.item i ON i.dataset_id = p.dataset_id AND i.item_no = a.item_no"
    " WHERE c.point_id = ?1 ORDER BY a.item_no, a.rep";

static const char left_out_sql[] =
    "SELECT a.item_no, a.rep, a.state, coalesce(e.reason || ' (by ' || e.by_whom || ')',"
    " a.fail_text, a.fail_code, ''), a.attempt_id FROM main.attempt a"
    " JOIN temp.point p ON p.cell_id = a.cell_id"
    " LEFT JOIN main.exclusion e ON e.attempt_id = a.attempt_id"
    " WHERE p.point_id = ?1 AND (a.state <> 'ok' OR e.attempt_id IS NOT NULL)"
    " ORDER BY a.item_no, a.rep, a.attempt_id";

typedef struct printer {
    FILE *out;
    int64_t rows;
} printer;

static const char *text_at(sqlite3_stmt *s, int column)
{
    const char *v = (const char *)sqlite3_column_text(s, column);
    return v ? v : "";
}

static rk_status print_attempt(void *self, sqlite3_stmt *s, rk_error *err)
{
    printer *p = self;
    (void)err;
    if (p->rows++ == 0)
        fprintf(p->out, "  item  key  context  rep  block.slot  value  attempt  session  begun UTC"
                        "  cache\n");
    fprintf(p->out, "  %4s  %s  %s  %s  %s.%s  %.9g  %s  %s  %s  %s\n", text_at(s, 0),
            text_at(s, 1), text_at(s, 2), text_at(s, 3), text_at(s, 4), text_at(s, 5),
            sqlite3_column_double(s, 6), text_at(s, 7), text_at(s, 8), text_at(s, 9),
            text_at(s, 10));
    return RK_OK;
}

static rk_status print_left_out(void *self, sqlite3_stmt *s, rk_error *err)
{
    printer *p = self;
    (void)err;
    p->rows++;
    fprintf(p->out, "  item %s rep %s: %s: %s (attempt %s)\n", text_at(s, 0), text_at(s, 1),
            text_at(s, 2), text_at(s, 3), text_at(s, 4));
    return RK_OK;
}

static rk_status metrics_of(void *self, sqlite3_stmt *s, rk_error *err)
{
    (void)err;
    append(self, text_at(s, 0));
    return RK_OK;
}

static rk_status print_summary(rk_query *q, const rk_query_point *p, const char *metric, FILE *out,
                               rk_error *err)
{
    rk_series s;
    RK_TRY(rk_query_series(q, p->id, metric, &s, err));
    double *sorted = rk_arena_take(rk_query_arena(q), (size_t)s.n, sizeof *sorted, err);
    if (!sorted)
        return RK_E_MEMORY;
    memcpy(sorted, s.value, (size_t)s.n * sizeof *sorted);
    rk_stats_sort(sorted, s.n);
    rk_interval mean, median;
    rk_pairs one = {s.value, NULL, s.cluster, s.n};
    RK_TRY(rk_stats_bootstrap(&one, RK_EFFECT_MEAN, RK_STATS_LEVEL, RK_STATS_SEED, &mean, err));
    RK_TRY(rk_stats_bootstrap(&one, RK_EFFECT_MEDIAN, RK_STATS_LEVEL, RK_STATS_SEED, &median, err));
    fprintf(out, "summary: n = %lld items in %lld contexts, one value an item\n", (long long)s.n,
            (long long)mean.clusters);
    fprintf(out, "  mean %.6g", mean.est);
    if (!isnan(mean.lo))
        fprintf(out, " [%.6g, %.6g]", mean.lo, mean.hi);
    fprintf(out, "  median %.6g", median.est);
    if (!isnan(median.lo))
        fprintf(out, " [%.6g, %.6g]", median.lo, median.hi);
    fprintf(out, "  MAD %.6g", rk_stats_mad(sorted, s.n));
    static const double points[] = {0.9, 0.95, 0.99};
    for (int i = 0; i < 3; i++) {
        double v = rk_stats_percentile(sorted, s.n, points[i]);
        if (!isnan(v))
            fprintf(out, "  p%.0f %.6g", 100 * points[i], v);
    }
    fputc('\n', out);
    return RK_OK;
}

static void print_head(const rk_query_point *p, const char *metric, FILE *out)
{
    fprintf(out, "%s: %s of model %s, data set %s, context %s, method %s%s%s\n", p->exp_id, metric,
            p->model, p->dataset, p->context, p->method, p->rest[0] ? ", " : "", p->rest);
    fprintf(out, "cell:    %s\nmachine: %s\nbuild:   %s%s (%s)\n", p->cell_id, p->machine,
            p->commit, p->dirty ? ", with uncommitted changes" : "", p->build_id);
    fprintf(out, "rows of: session %s since %s UTC, %s; %lld of %lld sessions with rows used\n",
            p->session_id, p->begun, p->finished ? "finished" : "not finished", (long long)p->used,
            (long long)p->sessions);
    fprintf(out, "marks:   weights %s, data %s\n", p->weights_kind, p->origin);
    fprintf(out, "query:   %s\n", attempts_sql);
}

static rk_status write_cell(rk_query *q, const reference *r, const rk_query_point *p, FILE *out,
                            rk_error *err)
{
    sqlite3 *db = rk_query_handle(q);
    char id[24], list[LIST_TEXT] = "";
    snprintf(id, sizeof id, "%lld", (long long)p->id);
    const char *bind[] = {id, r->metric};
    rk_series s;
    RK_TRY(rk_query_series(q, p->id, r->metric, &s, err));
    if (s.n == 0) {
        RK_TRY(rk_query_each(db, "metrics",
                             "SELECT DISTINCT metric FROM temp.value WHERE point_id = ?1", bind, 1,
                             metrics_of, list, err));
        return rk_fail(err, RK_E_USAGE, "why: the cell has no %s; it has: %s", r->metric,
                       list[0] ? list : "nothing");
    }
    print_head(p, r->metric, out);
    printer attempts = {out, 0}, left = {out, 0};
    fprintf(out, "attempts (order of running: block, then slot):\n");
    RK_TRY(rk_query_each(db, "attempts", attempts_sql, bind, 2, print_attempt, &attempts, err));
    fprintf(out, "left out:\n");
    RK_TRY(rk_query_each(db, "left out", left_out_sql, bind, 1, print_left_out, &left, err));
    if (left.rows == 0)
        fprintf(out, "  nothing\n");
    return print_summary(q, p, r->metric, out, err);
}

rk_status rk_why_write(const char *db, const char *text, const char *session, FILE *out,
                       rk_error *err)
{
    reference r = {0};
    rk_query *q = NULL;
    const rk_query_point *p = NULL;
    char *copy = rk_heap_take(strlen(text) + 1, 1, err);
    if (!copy)
        return RK_E_MEMORY;
    memcpy(copy, text, strlen(text));
    rk_status status = read_reference(copy, &r, err);
    rk_query_filter filter = {.experiment = r.experiment, .session = session};
    if (status == RK_OK)
        status = rk_query_open(&q, db, &filter, err);
    if (status == RK_OK)
        status = find_cell(q, &r, &p, err);
    if (status == RK_OK)
        status = write_cell(q, &r, p, out, err);
    rk_query_close(q);
    free(copy);
    return status;
}
