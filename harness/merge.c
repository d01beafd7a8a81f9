/* merge.c - see merge.h.
 *
 * Keys are contents or UUIDs, so the union is an INSERT of what is missing; a row
 * with the same key and other content can only be damage or a forgery and is
 * listed. Rows of an attempt come with it or not at all: nothing is added to an
 * attempt that is already here. */
#include "merge.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/hash.h"
#include "ledger_tables.h"

typedef struct merger {
    rk_results_db *db;
    rk_arena *arena;
    rk_merge_result *out;
    rk_error *err;
} merger;

static rk_status execute(merger *m, sqlite3_str *text, const char *doing)
{
    char *sql = sqlite3_str_finish(text);
    rk_status st = sql ? rk_results_exec(m->db, sql, doing, m->err)
                       : rk_fail(m->err, RK_E_MEMORY, "out of memory: a statement");
    sqlite3_free(sql);
    return st;
}

static rk_status insert(merger *m, sqlite3_str *text, const char *table)
{
    char doing[80];
    snprintf(doing, sizeof doing, "merging table '%.40s'", table);
    RK_TRY(execute(m, text, doing));
    m->out->added += sqlite3_changes64(rk_results_handle(m->db));
    return RK_OK;
}

/* Counts and lists what a query gives: one text a conflict. */
static rk_status list_conflicts(merger *m, sqlite3_str *text, const char *table)
{
    sqlite3_stmt *s = NULL;
    char *sql = sqlite3_str_finish(text);
    rk_status st = RK_OK;
    int rc = SQLITE_NOMEM;
    if (!sql || sqlite3_prepare_v2(rk_results_handle(m->db), sql, -1, &s, NULL) != SQLITE_OK) {
        st = rk_results_fail(m->db, "comparing rows", m->err);
        goto done;
    }
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        m->out->conflicts++;
        if (m->out->listed == RK_MERGE_LISTED_MAX)
            continue;
        char *line = rk_arena_printf(m->arena, m->err, "%s %s: same key, other content", table,
                                     (const char *)sqlite3_column_text(s, 0));
        if (!line) {
            st = RK_E_MEMORY;
            goto done;
        }
        m->out->conflict[m->out->listed++] = line;
    }
    if (rc != SQLITE_DONE)
        st = rk_results_fail(m->db, "comparing rows", m->err);
done:
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return st;
}

static void append_names(sqlite3_str *text, const rk_ledger_columns *c, const char *prefix)
{
    for (int32_t i = 0; i < c->n; i++)
        sqlite3_str_appendf(text, "%s%s\"%w\"", i ? "," : "", prefix, c->c[i].name);
}

/* Rows of both whose free columns aside something differs. */
static rk_status compare_rows(merger *m, const rk_ledger_table *t, const rk_ledger_columns *c)
{
    sqlite3_str *text = sqlite3_str_new(rk_results_handle(m->db));
    const char *glue = "";
    int compared = 0;
    sqlite3_str_appendall(text, "SELECT ");
    for (int32_t i = 0; i < c->n; i++)
        if (c->c[i].key) {
            sqlite3_str_appendf(text, "%ss.\"%w\"", glue, c->c[i].name);
            glue = "||'/'||";
        }
    sqlite3_str_appendf(text, " FROM src.\"%w\" s JOIN main.\"%w\" m ON ", t->name, t->name);
    glue = "";
    for (int32_t i = 0; i < c->n; i++)
        if (c->c[i].key) {
            sqlite3_str_appendf(text, "%ss.\"%w\"=m.\"%w\"", glue, c->c[i].name, c->c[i].name);
            glue = " AND ";
        }
    sqlite3_str_appendall(text, " WHERE NOT (1");
    for (int32_t i = 0; i < c->n; i++)
        if (!c->c[i].key && !rk_ledger_lists(t->free, c->c[i].name)) {
            sqlite3_str_appendf(text, " AND s.\"%w\" IS m.\"%w\"", c->c[i].name, c->c[i].name);
            compared = 1;
        }
    sqlite3_str_appendall(text, ")");
    if (t->kind == RK_LEDGER_ATTEMPT)
        sqlite3_str_appendall(text, " AND s.state<>'running'");
    if (compared)
        return list_conflicts(m, text, t->name);
    sqlite3_free(sqlite3_str_finish(text));
    return RK_OK;
}

/* Attempts of both whose rows in this table are not the same set. */
static rk_status compare_children(merger *m, const char *table, const rk_ledger_columns *c)
{
    sqlite3_str *text = sqlite3_str_new(rk_results_handle(m->db));
    sqlite3_str_appendall(text, "SELECT DISTINCT attempt_id FROM (");
    for (int side = 0; side < 2; side++) {
        sqlite3_str_appendall(text, side ? " UNION ALL SELECT * FROM (" : "SELECT * FROM (");
        for (int part = 0; part < 2; part++) {
            sqlite3_str_appendall(text, part ? " EXCEPT SELECT " : "SELECT ");
            append_names(text, c, "");
            sqlite3_str_appendf(text, " FROM %s.\"%w\" WHERE attempt_id IN temp.merge_common",
                                side == part ? "src" : "main", table);
        }
        sqlite3_str_appendall(text, ")");
    }
    sqlite3_str_appendall(text, ")");
    return list_conflicts(m, text, table);
}

static rk_status insert_rows(merger *m, const rk_ledger_table *t, const rk_ledger_columns *c,
                             const char *where)
{
    sqlite3_str *text = sqlite3_str_new(rk_results_handle(m->db));
    sqlite3_str_appendf(text, "INSERT INTO main.\"%w\"(", t->name);
    append_names(text, c, "");
    sqlite3_str_appendall(text, ") SELECT ");
    append_names(text, c, "");
    sqlite3_str_appendf(text, " FROM src.\"%w\" WHERE %s", t->name, where);
    /* Only an equal primary key is let pass; any other broken rule is an error. */
    const char *glue = " ON CONFLICT(";
    for (int32_t i = 0; i < c->n; i++)
        if (c->c[i].key) {
            sqlite3_str_appendf(text, "%s\"%w\"", glue, c->c[i].name);
            glue = ",";
        }
    if (glue[0] == ',')
        sqlite3_str_appendall(text, ") DO NOTHING");
    return insert(m, text, t->name);
}

static const rk_ledger_table sample_table = {
    .name = "sample", .kind = RK_LEDGER_CHILD, .dropped = ""};

static rk_status merge_children(merger *m, const rk_ledger_table *t)
{
    rk_ledger_columns c;
    RK_TRY(rk_ledger_columns_read(m->db, t, m->arena, &c, m->err));
    RK_TRY(compare_children(m, t->name, &c));
    return insert_rows(m, t, &c, "attempt_id IN temp.merge_fresh");
}

/* Which attempts are new, before any is added. */
static rk_status split_attempts(merger *m)
{
    return rk_results_exec(
        m->db,
        "CREATE TEMP TABLE merge_fresh(attempt_id TEXT PRIMARY KEY) WITHOUT ROWID;"
        "CREATE TEMP TABLE merge_common(attempt_id TEXT PRIMARY KEY) WITHOUT ROWID;"
        "INSERT INTO temp.merge_fresh SELECT attempt_id FROM src.attempt WHERE state<>'running' "
        "AND attempt_id NOT IN (SELECT attempt_id FROM main.attempt);"
        "INSERT INTO temp.merge_common SELECT attempt_id FROM src.attempt WHERE state<>'running' "
        "AND attempt_id IN (SELECT attempt_id FROM main.attempt);",
        "comparing attempts", m->err);
}

/* Wanted counts grow and an open end may be filled: both sides then agree. */
static rk_status grow(merger *m, rk_ledger_kind kind)
{
    if (kind == RK_LEDGER_CELL)
        return rk_results_exec(m->db,
                               "UPDATE main.cell SET want_reps=max(cell.want_reps,s.want_reps), "
                               "want_items=max(cell.want_items,s.want_items) FROM src.cell s WHERE "
                               "s.cell_id=cell.cell_id AND (s.want_reps>cell.want_reps OR "
                               "s.want_items>cell.want_items)",
                               "merging cells", m->err);
    return rk_results_exec(m->db,
                           "UPDATE main.session SET ended_utc_ns=s.ended_utc_ns, "
                           "exit_reason=s.exit_reason FROM src.session s WHERE "
                           "s.session_id=session.session_id AND session.ended_utc_ns IS NULL AND "
                           "s.ended_utc_ns IS NOT NULL",
                           "merging sessions", m->err);
}

static rk_status merge_table(merger *m, const rk_ledger_table *t)
{
    rk_ledger_columns c;
    if (t->kind == RK_LEDGER_CHILD)
        return merge_children(m, t);
    RK_TRY(rk_ledger_columns_read(m->db, t, m->arena, &c, m->err));
    RK_TRY(compare_rows(m, t, &c));
    if (t->kind == RK_LEDGER_ATTEMPT) {
        RK_TRY(insert_rows(m, t, &c, "attempt_id IN temp.merge_fresh"));
        return merge_children(m, &sample_table);
    }
    int of_attempt = !strcmp(t->name, "exclusion");
    RK_TRY(insert_rows(m, t, &c,
                       of_attempt ? "attempt_id IN (SELECT attempt_id FROM main.attempt)" : "1"));
    if (t->kind == RK_LEDGER_CELL || t->kind == RK_LEDGER_SESSION)
        return grow(m, t->kind);
    return RK_OK;
}

static rk_status log_merge(merger *m, const char *source, const char *source_sha256)
{
    char id[RK_UUID_TEXT], added[64];
    json_t *list = json_array();
    for (int32_t i = 0; i < m->out->listed; i++)
        json_array_append_new(list, json_string(m->out->conflict[i]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    snprintf(added, sizeof added, "{\"rows\":%" PRId64 "}", m->out->added);
    rk_status st = rk_results_uuid(id, m->err);
    if (st == RK_OK)
        st = rk_results_run(m->db, "INSERT INTO merge_log VALUES(?,?,?,?,?,?)", "logging the merge",
                            m->err, "tttitt", id, source, source_sha256, rk_clock_utc_ns(), added,
                            text ? text : "[]");
    free(text);
    return st;
}

rk_status rk_merge_attached(rk_results_db *db, const char *source, const char *source_sha256,
                            rk_arena *arena, rk_merge_result *out, rk_error *err)
{
    merger m = {.db = db, .arena = arena, .out = out, .err = err};
    *out = (rk_merge_result){0};
    RK_TRY(rk_results_begin(db, err));
    rk_status st = split_attempts(&m);
    for (const rk_ledger_table *t = rk_ledger_tables; st == RK_OK && t->name; t++)
        st = merge_table(&m, t);
    if (st == RK_OK && out->added)
        st = log_merge(&m, source, source_sha256);
    if (st == RK_OK)
        st = rk_results_exec(db, "DROP TABLE temp.merge_fresh; DROP TABLE temp.merge_common;",
                             "merging", err);
    return rk_results_end(db, st, err);
}

/* Is it a results database, and another one? Its id is in `id`. */
static rk_status check_source(rk_results_db *db, const char *path, char *id, size_t size,
                              rk_error *err)
{
    struct stat a, b;
    rk_results_db *other;
    sqlite3_stmt *s;
    RK_TRY(rk_results_open(&other, path, RK_RESULTS_READ, err));
    rk_status st = rk_results_prepare(other, "SELECT value FROM meta WHERE key='db_id'", &s, err);
    if (st == RK_OK && sqlite3_step(s) == SQLITE_ROW)
        snprintf(id, size, "%s", (const char *)sqlite3_column_text(s, 0));
    rk_results_close(other);
    if (st == RK_OK && !stat(path, &a) && !stat(rk_results_path(db), &b) && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        st = rk_fail(err, RK_E_USAGE, "%s: cannot be merged into itself", path);
    return st;
}

rk_status rk_merge_file(rk_results_db *db, const char *path, rk_arena *arena, rk_merge_result *out,
                        rk_error *err)
{
    char id[64] = "unknown", hash[RK_SHA256_HEX];
    *out = (rk_merge_result){0};
    RK_TRY(check_source(db, path, id, sizeof id, err));
    RK_TRY(rk_sha256_file(path, hash, err));
    RK_TRY(rk_results_run(db, "ATTACH ? AS src", "opening the other database", err, "t", path));
    rk_status st = rk_merge_attached(db, id, hash, arena, out, err);
    sqlite3_exec(rk_results_handle(db), "DETACH src", NULL, NULL, NULL);
    return st;
}
