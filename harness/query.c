/* query.c - see query.h. */
#include "query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "sql_stats.h"

enum { APPLICATION_ID = 0x524b4248 }; /* 'RKBH', set by schema.sql */

struct rk_query {
    sqlite3 *db;
    rk_arena *arena;
    const rk_query_point *points;
    int64_t n;
};

static const char tables_sql[] =
    "CREATE TEMP TABLE point(point_id INTEGER PRIMARY KEY, exp_id TEXT, model TEXT, dataset TEXT,"
    " context TEXT, ctx_tokens INTEGER, method TEXT, rest TEXT, axes_json TEXT, cell_id TEXT,"
    " session_id TEXT, host_id TEXT, build_id TEXT, git_commit TEXT, git_dirty INTEGER,"
    " begun_utc_ns INTEGER, finished INTEGER, machine TEXT, dataset_id TEXT, weights_kind TEXT,"
    " origin TEXT, is_reference INTEGER, exact INTEGER, cross_query_cache INTEGER,"
    " offline INTEGER, sessions INTEGER, most_items INTEGER);"
    "CREATE TEMP TABLE chosen(attempt_id TEXT PRIMARY KEY, point_id INTEGER, item_no INTEGER,"
    " rep INTEGER, cluster INTEGER, session_id TEXT);"
    "CREATE INDEX temp.chosen_point ON chosen(point_id, item_no);"
    "CREATE TEMP TABLE value(point_id INTEGER, metric TEXT, item_no INTEGER, cluster INTEGER,"
    " value REAL, PRIMARY KEY(point_id, metric, item_no)) WITHOUT ROWID;";

/* The run of a cell: newest finished session first. Parameters: experiment,
 * session, commit, method; NULL does not filter. */
static const char point_sql[] =
    "WITH good AS (SELECT cell_id, session_id, count(DISTINCT item_no) AS items FROM main.v_ok"
    "              GROUP BY cell_id, session_id),"
    /* A run that was killed is finished once a session that resumes it is. */
    " sessions AS (SELECT s.*, EXISTS(SELECT 1 FROM main.session d WHERE d.host_id = s.host_id"
    "   AND d.build_id = s.build_id AND d.begun_utc_ns >= s.begun_utc_ns"
    "   AND d.ended_utc_ns IS NOT NULL AND coalesce(d.exit_reason, 'done') = 'done') AS finished"
    "  FROM main.session s),"
    " run AS (SELECT c.*, s.session_id, s.host_id, s.build_id, s.begun_utc_ns, b.git_commit,"
    "   b.git_dirty, s.finished,"
    "   coalesce(json_extract(c.axes_json, '$.method'), t.name) AS method_axis,"
    "   json_extract(c.axes_json, '$.context') AS context,"
    "   row_number() OVER (PARTITION BY c.exp_id, c.axes_json ORDER BY NOT s.finished,"
    "     s.begun_utc_ns DESC, s.session_id) AS pick,"
    "   count(*) OVER (PARTITION BY c.exp_id, c.axes_json) AS sessions,"
    "   max(items) OVER (PARTITION BY c.exp_id, c.axes_json) AS most_items"
    "  FROM good JOIN main.cell c USING(cell_id) JOIN sessions s USING(session_id)"
    "   JOIN main.build b USING(build_id) JOIN main.method t USING(method_id)"
    "  WHERE (?1 IS NULL OR c.exp_id = ?1) AND (?2 IS NULL OR s.session_id = ?2)"
    "   AND (?3 IS NULL OR substr(b.git_commit, 1, length(?3)) = ?3)"
    "   AND (?4 IS NULL OR method_axis = ?4))"
    "INSERT INTO temp.point(exp_id, model, dataset, context, ctx_tokens, method, rest, axes_json,"
    " cell_id, session_id, host_id, build_id, git_commit, git_dirty, begun_utc_ns, finished,"
    " machine, dataset_id, weights_kind, origin, is_reference, exact, cross_query_cache, offline,"
    " sessions, most_items)"
    "SELECT r.exp_id, coalesce(json_extract(r.axes_json, '$.model'), m.name, ''),"
    " coalesce(json_extract(r.axes_json, '$.dataset'), d.name, ''),"
    /* 4096 or "4096" is shown as 4K; other texts as they are. */
    " CASE WHEN CAST(r.context AS TEXT) GLOB '[1-9]*' AND CAST(r.context AS TEXT) NOT GLOB "
    "'*[^0-9]*'"
    "   AND r.context % 1024 = 0 THEN (r.context / 1024) || 'K' ELSE coalesce(r.context, '') END,"
    " coalesce(r.ctx_tokens, 0),"
    " r.method_axis,"
    " coalesce((SELECT group_concat(key || '=' || value, ' ') FROM (SELECT key, value"
    "   FROM json_each(r.axes_json) WHERE key NOT IN ('model','dataset','context','method')"
    "   ORDER BY key)), ''),"
    " r.axes_json, r.cell_id, r.session_id, r.host_id, r.build_id, coalesce(r.git_commit, ''),"
    " r.git_dirty, r.begun_utc_ns, r.finished,"
    " coalesce((SELECT g.name || CASE WHEN count(*) > 1 THEN ' x' || count(*) ELSE '' END"
    "   FROM main.gpu g WHERE g.host_id = r.host_id AND r.n_gpu > 0 GROUP BY g.host_id),"
    "   h.cpu_model || ', ' || coalesce(h.n_threads, h.n_cores) || ' threads', h.cpu_model, ''),"
    " coalesce(r.dataset_id, ''), coalesce(m.weights_kind, ''), coalesce(d.origin, ''),"
    " max(t.is_reference, r.method_axis = 'dense'), t.exact, t.cross_query_cache, t.offline_phase, "
    "r.sessions, r.most_items"
    " FROM run r JOIN main.method t USING(method_id) JOIN main.host h USING(host_id)"
    " LEFT JOIN main.model m ON m.model_id = r.model_id"
    " LEFT JOIN main.dataset d ON d.dataset_id = r.dataset_id WHERE r.pick = 1"
    " ORDER BY r.exp_id, r.axes_json;";

/* A resumed run spans sessions of one host and build: the newest row of each
 * item and repetition. Parameters as above; only the session filters here. */
static const char chosen_sql[] =
    "INSERT INTO temp.chosen SELECT attempt_id, point_id, item_no, rep, cluster, session_id FROM ("
    " SELECT a.attempt_id, p.point_id, a.item_no, a.rep, a.session_id,"
    "  dense_rank() OVER (PARTITION BY p.dataset_id ORDER BY"
    "   coalesce(i.cluster_key, 'item ' || a.item_no)) - 1 AS cluster,"
    "  row_number() OVER (PARTITION BY p.point_id, a.item_no, a.rep"
    "   ORDER BY s.begun_utc_ns DESC, a.begun_utc_ns DESC, a.attempt_id) AS pick"
    " FROM temp.point p JOIN main.v_ok a ON a.cell_id = p.cell_id"
    "  JOIN main.session s ON s.session_id = a.session_id AND s.host_id = p.host_id"
    "   AND s.build_id = p.build_id AND (?2 IS NULL OR s.session_id = ?2)"
    "  LEFT JOIN main.item i ON i.dataset_id = p.dataset_id AND i.item_no = a.item_no"
    ") WHERE pick = 1;";

static const char value_sql[] =
    "INSERT INTO temp.value SELECT c.point_id, s.metric, c.item_no, min(c.cluster),"
    " rk_median(s.value) FROM temp.chosen c JOIN main.sample s USING(attempt_id)"
    " GROUP BY c.point_id, s.metric, c.item_no;";

static rk_status db_fail(sqlite3 *db, const char *what, rk_error *err)
{
    return rk_fail(err, RK_E_IO, "%s: %s", what, sqlite3_errmsg(db));
}

rk_status rk_query_each(sqlite3 *db, const char *what, const char *sql, const char *const *bind,
                        int32_t binds, rk_status (*row)(void *self, sqlite3_stmt *s, rk_error *err),
                        void *self, rk_error *err)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        return db_fail(db, what, err);
    rk_status status = RK_OK;
    /* A statement need not use every filter. */
    for (int32_t i = 0; i < binds && i < sqlite3_bind_parameter_count(s); i++)
        if (bind[i] && sqlite3_bind_text(s, i + 1, bind[i], -1, SQLITE_STATIC) != SQLITE_OK)
            status = db_fail(db, what, err);
    int rc = SQLITE_DONE;
    while (status == RK_OK && (rc = sqlite3_step(s)) == SQLITE_ROW)
        if (row)
            status = row(self, s, err);
    if (status == RK_OK && rc != SQLITE_DONE)
        status = db_fail(db, what, err);
    sqlite3_finalize(s);
    return status;
}

static rk_status read_int(void *self, sqlite3_stmt *s, rk_error *err)
{
    (void)err;
    *(int64_t *)self = sqlite3_column_int64(s, 0);
    return RK_OK;
}

static rk_status open_connection(rk_query *q, const char *path, rk_error *err)
{
    if (sqlite3_open_v2(path, &q->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return rk_fail(err, RK_E_IO, "cannot read the results database %s: %s", path,
                       q->db ? sqlite3_errmsg(q->db) : "out of memory");
    sqlite3_busy_timeout(q->db, 30000);
    int64_t id = 0;
    if (rk_query_each(q->db, path, "PRAGMA application_id", NULL, 0, read_int, &id, err) != RK_OK)
        return rk_fail(err, RK_E_FORMAT, "%s: not a results database: %s", path,
                       sqlite3_errmsg(q->db));
    if (id != APPLICATION_ID)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: not a results database (application id %#llx, expected %#x)", path,
                       (unsigned long long)id, APPLICATION_ID);
    return RK_OK;
}

static rk_status fill_tables(rk_query *q, const rk_query_filter *f, rk_error *err)
{
    const char *bind[4] = {f ? f->experiment : NULL, f ? f->session : NULL, f ? f->commit : NULL,
                           f ? f->method : NULL};
    RK_TRY(rk_sql_stats_register(q->db, err));
    if (sqlite3_exec(q->db, tables_sql, NULL, NULL, NULL) != SQLITE_OK)
        return db_fail(q->db, "temporary tables", err);
    RK_TRY(rk_query_each(q->db, "cells", point_sql, bind, 4, NULL, NULL, err));
    RK_TRY(rk_query_each(q->db, "attempts", chosen_sql, bind, 4, NULL, NULL, err));
    return rk_query_each(q->db, "samples", value_sql, NULL, 0, NULL, NULL, err);
}

rk_status rk_query_open(rk_query **out, const char *path, const rk_query_filter *filter,
                        rk_error *err)
{
    *out = NULL;
    rk_query *q = rk_heap_take(1, sizeof *q, err);
    if (!q)
        return RK_E_MEMORY;
    rk_status status = rk_arena_new(&q->arena, err);
    if (status == RK_OK)
        status = open_connection(q, path, err);
    if (status == RK_OK)
        status = fill_tables(q, filter, err);
    if (status != RK_OK) {
        rk_query_close(q);
        return status;
    }
    *out = q;
    return RK_OK;
}

void rk_query_close(rk_query *q)
{
    if (!q)
        return;
    sqlite3_close(q->db);
    rk_arena_free(q->arena);
    free(q);
}

sqlite3 *rk_query_handle(rk_query *q)
{
    return q->db;
}

rk_arena *rk_query_arena(rk_query *q)
{
    return q->arena;
}

/* ---- points ---- */

static const char list_sql[] =
    "SELECT p.point_id, exp_id, model, dataset, context, method, rest, cell_id, p.session_id,"
    " build_id, git_commit, strftime('%Y-%m-%d %H:%M', begun_utc_ns / 1000000000, 'unixepoch'),"
    " machine, dataset_id, weights_kind, origin, ctx_tokens,"
    " (SELECT count(DISTINCT item_no) FROM temp.chosen c WHERE c.point_id = p.point_id),"
    " sessions,"
    " (SELECT count(DISTINCT session_id) FROM temp.chosen c WHERE c.point_id = p.point_id),"
    " most_items, git_dirty, finished, is_reference, exact, cross_query_cache, offline"
    " FROM temp.point p";

typedef struct point_list {
    rk_arena *arena;
    rk_query_point *point;
    size_t n, capacity;
} point_list;

static rk_status read_point(void *self, sqlite3_stmt *s, rk_error *err)
{
    point_list *list = self;
    RK_TRY(rk_heap_grow((void **)&list->point, &list->capacity, list->n + 1, sizeof *list->point,
                        err));
    rk_query_point *p = list->point + list->n++;
    const char **text[] = {&p->exp_id, &p->model,   &p->dataset,    &p->context,      &p->method,
                           &p->rest,   &p->cell_id, &p->session_id, &p->build_id,     &p->commit,
                           &p->begun,  &p->machine, &p->dataset_id, &p->weights_kind, &p->origin};
    int column = 0;
    p->id = sqlite3_column_int64(s, column++);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++, column++) {
        const char *v = (const char *)sqlite3_column_text(s, column);
        *text[i] = rk_arena_text(list->arena, v ? v : "", v ? strlen(v) : 0, err);
        if (!*text[i])
            return RK_E_MEMORY;
    }
    p->context_tokens = sqlite3_column_int64(s, column++);
    p->items = sqlite3_column_int64(s, column++);
    p->sessions = sqlite3_column_int64(s, column++);
    p->used = sqlite3_column_int64(s, column++);
    p->most_items = sqlite3_column_int64(s, column++);
    int32_t *fact[] = {&p->dirty, &p->finished,          &p->is_reference,
                       &p->exact, &p->cross_query_cache, &p->offline};
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++)
        *fact[i] = sqlite3_column_int(s, column++);
    if (p->context_tokens == 0 && p->context[0])
        (void)rk_parse_int(p->context, "context", &p->context_tokens, NULL);
    return RK_OK;
}

/* The order of a table: what is compared with first, the paper's own last. */
static int method_rank(const rk_query_point *p)
{
    static const char *const first[] = {"dense", "dense_masked", "prefix_cache", "full_reuse"};
    if (p->is_reference)
        return -1;
    for (int i = 0; i < 4; i++)
        if (!strcmp(p->method, first[i]))
            return i;
    return !strncmp(p->method, "redknot", 7) ? 6 : 5;
}

static int by_group(const void *x, const void *y)
{
    const rk_query_point *a = x, *b = y;
    int d = strcmp(a->exp_id, b->exp_id);
    d = d ? d : strcmp(a->model, b->model);
    d = d ? d : strcmp(a->dataset, b->dataset);
    d = d ? d : (a->context_tokens > b->context_tokens) - (a->context_tokens < b->context_tokens);
    d = d ? d : strcmp(a->context, b->context);
    d = d ? d : strcmp(a->rest, b->rest);
    d = d ? d : method_rank(a) - method_rank(b);
    d = d ? d : strcmp(a->method, b->method);
    return d ? d : (a->id > b->id) - (a->id < b->id);
}

int rk_query_same_group(const rk_query_point *a, const rk_query_point *b)
{
    return !strcmp(a->exp_id, b->exp_id) && !strcmp(a->model, b->model) &&
           !strcmp(a->dataset, b->dataset) && !strcmp(a->context, b->context) &&
           !strcmp(a->rest, b->rest);
}

rk_status rk_query_points(rk_query *q, const rk_query_point **out, int64_t *n, rk_error *err)
{
    if (!q->points) {
        point_list list = {.arena = q->arena};
        rk_status status =
            rk_query_each(q->db, "points", list_sql, NULL, 0, read_point, &list, err);
        rk_query_point *kept = NULL;
        if (status == RK_OK)
            kept = rk_arena_take(q->arena, list.n, sizeof *kept, err);
        if (kept && list.n) {
            memcpy(kept, list.point, list.n * sizeof *kept);
            qsort(kept, list.n, sizeof *kept, by_group);
        }
        free(list.point);
        if (!kept)
            return status ? status : RK_E_MEMORY;
        q->points = kept;
        q->n = (int64_t)list.n;
    }
    *out = q->points;
    *n = q->n;
    return RK_OK;
}

/* ---- values ---- */

rk_status rk_query_series(rk_query *q, int64_t point, const char *metric, rk_series *out,
                          rk_error *err)
{
    *out = (rk_series){0};
    static const char from[] = " FROM temp.value WHERE point_id = ?1 AND metric = ?2";
    char sql[160], id[24];
    snprintf(id, sizeof id, "%lld", (long long)point);
    const char *bind[] = {id, metric};
    snprintf(sql, sizeof sql, "SELECT count(*)%s", from);
    RK_TRY(rk_query_each(q->db, metric, sql, bind, 2, read_int, &out->n, err));
    size_t n = (size_t)out->n;
    int64_t *item = rk_arena_take(q->arena, n, sizeof *item, err);
    int64_t *cluster = rk_arena_take(q->arena, n, sizeof *cluster, err);
    double *value = rk_arena_take(q->arena, n, sizeof *value, err);
    if (!item || !cluster || !value)
        return RK_E_MEMORY;
    out->item = item, out->cluster = cluster, out->value = value;
    sqlite3_stmt *s = NULL;
    snprintf(sql, sizeof sql, "SELECT item_no, cluster, value%s ORDER BY item_no", from);
    if (sqlite3_prepare_v2(q->db, sql, -1, &s, NULL) != SQLITE_OK)
        return db_fail(q->db, metric, err);
    sqlite3_bind_text(s, 1, id, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, metric, -1, SQLITE_STATIC);
    for (size_t i = 0; i < n && sqlite3_step(s) == SQLITE_ROW; i++) {
        item[i] = sqlite3_column_int64(s, 0);
        cluster[i] = sqlite3_column_int64(s, 1);
        value[i] = sqlite3_column_double(s, 2);
    }
    sqlite3_finalize(s);
    return RK_OK;
}

rk_status rk_query_pair(const rk_series *a, const rk_series *b, rk_arena *arena, rk_pairs *out,
                        rk_error *err)
{
    size_t most = (size_t)(a->n < b->n ? a->n : b->n);
    double *va = rk_arena_take(arena, most, sizeof *va, err);
    double *vb = rk_arena_take(arena, most, sizeof *vb, err);
    int64_t *cluster = rk_arena_take(arena, most, sizeof *cluster, err);
    if (!va || !vb || !cluster)
        return RK_E_MEMORY;
    int64_t n = 0;
    for (int64_t i = 0, j = 0; i < a->n && j < b->n;) {
        if (a->item[i] < b->item[j]) {
            i++;
        } else if (a->item[i] > b->item[j]) {
            j++;
        } else {
            va[n] = a->value[i], vb[n] = b->value[j], cluster[n] = a->cluster[i];
            n++, i++, j++;
        }
    }
    *out = (rk_pairs){va, vb, cluster, n};
    return RK_OK;
}
