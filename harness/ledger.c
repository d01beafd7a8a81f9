/* ledger.c - the writing half of ledger.h. */
#define _POSIX_C_SOURCE 200809L
#include "ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger_csv.h"
#include "ledger_tables.h"

typedef struct writer {
    rk_results_db *db;
    const char *directory;
    rk_arena *arena;
    const char **metric; /* [metrics] columns of attempt.csv, sorted */
    int64_t metrics;
    int64_t rows[64]; /* of each table */
    rk_error *err;
} writer;

/* Which rows: sel_cell, sel_attempt, sel_session in temp. */
static rk_status choose(writer *w, const rk_ledger_filter *f)
{
    RK_TRY(rk_results_exec(w->db,
                           "CREATE TEMP TABLE sel_cell(cell_id TEXT PRIMARY KEY) WITHOUT ROWID;"
                           "CREATE TEMP TABLE sel_attempt(attempt_id TEXT PRIMARY KEY) WITHOUT "
                           "ROWID;"
                           "CREATE TEMP TABLE sel_session(session_id TEXT PRIMARY KEY) WITHOUT "
                           "ROWID;",
                           "choosing rows", w->err));
    RK_TRY(rk_results_run(w->db,
                          "INSERT INTO sel_attempt SELECT a.attempt_id FROM main.attempt a JOIN "
                          "main.cell c ON c.cell_id=a.cell_id WHERE a.state<>'running' AND "
                          "(?1 IS NULL OR c.exp_id=?1) AND (?2 IS NULL OR a.session_id=?2)",
                          "choosing attempts", w->err, "tt", f->experiment, f->session));
    RK_TRY(rk_results_run(w->db,
                          "INSERT INTO sel_cell SELECT cell_id FROM main.cell c WHERE (?1 IS NULL "
                          "OR exp_id=?1) AND (?2 IS NULL OR cell_id IN (SELECT cell_id FROM "
                          "main.attempt WHERE session_id=?2 UNION SELECT cell_id FROM "
                          "main.cell_state WHERE session_id=?2))",
                          "choosing cells", w->err, "tt", f->experiment, f->session));
    return rk_results_run(w->db,
                          "INSERT INTO sel_session SELECT session_id FROM main.attempt WHERE "
                          "attempt_id IN sel_attempt UNION SELECT session_id FROM main.cell_state "
                          "WHERE cell_id IN sel_cell AND (?1 IS NULL OR session_id=?1)",
                          "choosing sessions", w->err, "t", f->session);
}

static rk_status read_metrics(writer *w)
{
    sqlite3_stmt *s;
    int64_t n = 0;
    int found, rc;
    RK_TRY(rk_results_int(w->db,
                          "SELECT count(DISTINCT metric) FROM main.sample WHERE attempt_id IN "
                          "sel_attempt",
                          &n, &found, w->err, ""));
    w->metric = rk_arena_take(w->arena, (size_t)n, sizeof *w->metric, w->err);
    if (!w->metric)
        return RK_E_MEMORY;
    RK_TRY(rk_results_prepare(w->db,
                              "SELECT DISTINCT metric FROM main.sample WHERE attempt_id IN "
                              "sel_attempt ORDER BY metric",
                              &s, w->err));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW && w->metrics < n) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        w->metric[w->metrics] = rk_arena_text(w->arena, name, strlen(name), w->err);
        if (!w->metric[w->metrics++])
            return RK_E_MEMORY;
    }
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? RK_OK : rk_results_fail(w->db, "reading metrics", w->err);
}

static void write_blob(FILE *out, const unsigned char *bytes, int n)
{
    if (!n)
        fputs("\"\"", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%02x", bytes[i]);
}

static void write_value(FILE *out, sqlite3_stmt *s, int i)
{
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(s, i));
        break;
    case SQLITE_FLOAT:
        rk_csv_write_real(out, sqlite3_column_double(s, i));
        break;
    case SQLITE_BLOB:
        write_blob(out, sqlite3_column_blob(s, i), sqlite3_column_bytes(s, i));
        break;
    default:
        rk_csv_write_text(out, (const char *)sqlite3_column_text(s, i),
                          (size_t)sqlite3_column_bytes(s, i));
    }
}

/* The metric columns of one attempt; `s` gives metric, idx, value, item_no of it in
 * order. An idx is written only where it is not the next one. */
static rk_status write_samples(writer *w, FILE *out, sqlite3_stmt *s, const char *attempt)
{
    RK_TRY(rk_results_bind(w->db, s, w->err, "t", attempt));
    int rc = sqlite3_step(s);
    for (int64_t m = 0; m < w->metrics; m++) {
        int64_t next = 0;
        fputc(',', out);
        while (rc == SQLITE_ROW && !strcmp((const char *)sqlite3_column_text(s, 0), w->metric[m])) {
            int64_t idx = sqlite3_column_int64(s, 1);
            if (sqlite3_column_int(s, 3))
                return rk_fail(w->err, RK_E_UNSUPPORTED,
                               "attempt %s: a sample of another item than the attempt's", attempt);
            if (next)
                fputc(';', out);
            if (idx != next)
                fprintf(out, "%" PRId64 ":", idx);
            rk_csv_write_real(out, sqlite3_column_double(s, 2));
            next = idx + 1;
            rc = sqlite3_step(s);
        }
    }
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? RK_OK : rk_results_fail(w->db, "reading samples", w->err);
}

static char *select_text(const rk_ledger_table *t, const rk_ledger_columns *c)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int32_t i = 0; i < c->n; i++)
        sqlite3_str_appendf(text, "%s\"%w\"", i ? "," : "SELECT ", c->c[i].name);
    sqlite3_str_appendf(text, " FROM main.\"%w\" WHERE %s ORDER BY %s", t->name, t->where,
                        t->order);
    return sqlite3_str_finish(text);
}

static void write_header(writer *w, FILE *out, const rk_ledger_table *t, const rk_ledger_columns *c)
{
    for (int32_t i = 0; i < c->n; i++)
        fprintf(out, "%s%s", i ? "," : "", c->c[i].name);
    for (int64_t m = 0; t->kind == RK_LEDGER_ATTEMPT && m < w->metrics; m++) {
        fputc(',', out);
        rk_csv_write_text(out, w->metric[m], strlen(w->metric[m]));
    }
    fputc('\n', out);
}

static rk_status write_rows(writer *w, FILE *out, const rk_ledger_table *t,
                            const rk_ledger_columns *c, sqlite3_stmt *s, int64_t *rows)
{
    sqlite3_stmt *samples = NULL;
    int rc;
    if (t->kind == RK_LEDGER_ATTEMPT)
        RK_TRY(rk_results_prepare(w->db,
                                  "SELECT s.metric, s.idx, s.value, s.item_no IS NOT NULL AND "
                                  "s.item_no<>a.item_no FROM main.sample s JOIN main.attempt a ON "
                                  "a.attempt_id=s.attempt_id WHERE s.attempt_id=? ORDER BY "
                                  "s.metric, s.idx",
                                  &samples, w->err));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        if (!*rows)
            write_header(w, out, t, c);
        for (int32_t i = 0; i < c->n; i++) {
            if (i)
                fputc(',', out);
            write_value(out, s, i);
        }
        if (samples)
            RK_TRY(write_samples(w, out, samples, (const char *)sqlite3_column_text(s, 0)));
        fputc('\n', out);
        ++*rows;
    }
    return rc == SQLITE_DONE ? RK_OK : rk_results_fail(w->db, "exporting", w->err);
}

static rk_status path_of(writer *w, const char *name, const char *suffix, const char **out)
{
    *out = rk_arena_printf(w->arena, w->err, "%s/%s.csv%s", w->directory, name, suffix);
    return *out ? RK_OK : RK_E_MEMORY;
}

/* Moves the written file in place, or away when it has no rows. */
static rk_status settle(writer *w, FILE *f, const char *from, const char *to, int64_t rows,
                        rk_status st)
{
    int bad = fflush(f) != 0 || ferror(f);
    bad |= fclose(f) != 0;
    if (st == RK_OK && bad)
        st = rk_fail(w->err, RK_E_IO, "%s: writing failed: %s", from, strerror(errno));
    if (st == RK_OK && rows && rename(from, to))
        st = rk_fail(w->err, RK_E_IO, "%s: cannot be put in place: %s", to, strerror(errno));
    if (st != RK_OK || !rows)
        unlink(from);
    if (st == RK_OK && !rows && unlink(to) && errno != ENOENT)
        st = rk_fail(w->err, RK_E_IO, "%s: cannot be removed: %s", to, strerror(errno));
    return st;
}

static rk_status write_table(writer *w, const rk_ledger_table *t, int64_t *rows)
{
    rk_ledger_columns c;
    sqlite3_stmt *s = NULL;
    const char *from, *to;
    RK_TRY(rk_ledger_columns_read(w->db, t, w->arena, &c, w->err));
    RK_TRY(path_of(w, t->name, ".part", &from));
    RK_TRY(path_of(w, t->name, "", &to));
    char *sql = select_text(t, &c);
    rk_status st = RK_OK;
    if (!sql || sqlite3_prepare_v2(rk_results_handle(w->db), sql, -1, &s, NULL) != SQLITE_OK)
        st = rk_results_fail(w->db, "exporting", w->err);
    FILE *f = st == RK_OK ? fopen(from, "w") : NULL;
    if (st == RK_OK && !f)
        st = rk_fail(w->err, RK_E_IO, "%s: cannot be written: %s", from, strerror(errno));
    if (f) {
        st = write_rows(w, f, t, &c, s, rows);
        st = settle(w, f, from, to, *rows, st);
    }
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return st;
}

static rk_status write_manifest(writer *w)
{
    const char *from, *to;
    RK_TRY(path_of(w, "ledger", ".part", &from));
    RK_TRY(path_of(w, "ledger", "", &to));
    FILE *f = fopen(from, "w");
    if (!f)
        return rk_fail(w->err, RK_E_IO, "%s: cannot be written: %s", from, strerror(errno));
    fprintf(f, "table,rows\nformat,1\n");
    for (int i = 0; rk_ledger_tables[i].name; i++)
        if (w->rows[i])
            fprintf(f, "%s,%" PRId64 "\n", rk_ledger_tables[i].name, w->rows[i]);
    return settle(w, f, from, to, 1, RK_OK);
}

static rk_status write_all(writer *w, const rk_ledger_filter *filter, int64_t *attempts)
{
    int found;
    RK_TRY(choose(w, filter));
    RK_TRY(rk_results_int(w->db, "SELECT count(*) FROM sel_cell", attempts, &found, w->err, ""));
    if (!*attempts)
        return rk_fail(w->err, RK_E_USAGE, "%s: no results of %s%s%s", rk_results_path(w->db),
                       filter->experiment ? filter->experiment : "any experiment",
                       filter->session ? " in session " : "",
                       filter->session ? filter->session : "");
    RK_TRY(read_metrics(w));
    if (mkdir(w->directory, 0777) && errno != EEXIST)
        return rk_fail(w->err, RK_E_IO, "%s: cannot be made: %s", w->directory, strerror(errno));
    for (int i = 0; rk_ledger_tables[i].name; i++) {
        RK_TRY(write_table(w, &rk_ledger_tables[i], &w->rows[i]));
        if (rk_ledger_tables[i].kind == RK_LEDGER_ATTEMPT)
            *attempts = w->rows[i];
    }
    return write_manifest(w);
}

/* One read transaction: a run that goes on meanwhile does not tear the export. */
rk_status rk_ledger_export(rk_results_db *db, const char *directory, const rk_ledger_filter *filter,
                           int64_t *attempts, rk_error *err)
{
    static const rk_ledger_filter everything = {0};
    writer w = {.db = db, .directory = directory, .err = err};
    RK_TRY(rk_arena_new(&w.arena, err));
    rk_status st = rk_results_exec(db, "BEGIN", "exporting", err);
    if (st == RK_OK) {
        st = write_all(&w, filter ? filter : &everything, attempts);
        sqlite3_exec(rk_results_handle(db), "ROLLBACK", NULL, NULL, NULL);
    }
    rk_arena_free(w.arena);
    return st;
}
