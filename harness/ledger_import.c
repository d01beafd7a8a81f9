/* ledger_import.c - the reading half of ledger.h.
 *
 * Files are loaded into an attached database in memory, which has the tables and
 * their rules but starts empty; then merge.c does what it does for any other
 * database. A broken file is found before anything is changed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "db_check.h"
#include "ledger.h"
#include "ledger_csv.h"
#include "ledger_tables.h"

enum { FILE_BYTES_MAX = 512 << 20 };

rk_status rk_ledger_stage(rk_results_db *db, rk_error *err)
{
    static const char begin[] = "CREATE TABLE ";
    sqlite3_stmt *s;
    int rc;
    RK_TRY(rk_results_exec(db, "ATTACH ':memory:' AS src", "opening a stage", err));
    RK_TRY(rk_results_prepare(db,
                              "SELECT sql FROM main.sqlite_schema WHERE type='table' AND name NOT "
                              "LIKE 'sqlite_%' ORDER BY rowid",
                              &s, err));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(s, 0);
        char *text = !strncmp(sql, begin, sizeof begin - 1)
                         ? sqlite3_mprintf("CREATE TABLE src.%s", sql + sizeof begin - 1)
                         : NULL;
        rk_status st = text ? rk_results_exec(db, text, "making a stage", err)
                            : rk_fail(err, RK_E_FORMAT, "%s: a table of another form: %.80s",
                                      rk_results_path(db), sql);
        sqlite3_free(text);
        if (st != RK_OK) {
            sqlite3_reset(s);
            return st;
        }
    }
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? RK_OK : rk_results_fail(db, "reading the schema", err);
}

void rk_ledger_unstage(rk_results_db *db)
{
    if (!sqlite3_get_autocommit(rk_results_handle(db)))
        sqlite3_exec(rk_results_handle(db), "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(rk_results_handle(db), "DETACH src", NULL, NULL, NULL);
}

typedef struct loader {
    rk_results_db *db;
    const rk_ledger_table *table;
    const char *path;
    rk_arena *arena;
    rk_ledger_columns columns;
    sqlite3_stmt *insert, *sample;
    const char **metric; /* behind the columns, attempt.csv only */
    int32_t metrics;
    int header; /* seen */
    int64_t rows;
} loader;

static rk_status take_header(loader *l, int32_t line, const rk_csv_field *f, int32_t n,
                             rk_error *err)
{
    const rk_ledger_columns *c = &l->columns;
    l->header = 1;
    for (int32_t i = 0; i < c->n; i++)
        if (i >= n || !f[i].text || strcmp(f[i].text, c->c[i].name))
            return rk_fail(err, RK_E_FORMAT, "%s:%d: expected column %d to be '%s', got '%s'",
                           l->path, line, i + 1, c->c[i].name,
                           i < n && f[i].text ? f[i].text : "nothing");
    if (n > c->n && l->table->kind != RK_LEDGER_ATTEMPT)
        return rk_fail(err, RK_E_FORMAT, "%s:%d: %d columns, expected %d", l->path, line, n, c->n);
    l->metrics = n - c->n;
    l->metric = rk_arena_take(l->arena, (size_t)l->metrics, sizeof *l->metric, err);
    if (!l->metric)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < l->metrics; i++) {
        const rk_csv_field *name = &f[c->n + i];
        if (!name->n)
            return rk_fail(err, RK_E_FORMAT, "%s:%d: column %d has no name", l->path, line,
                           c->n + i + 1);
        l->metric[i] = rk_arena_text(l->arena, name->text, name->n, err);
        if (!l->metric[i])
            return RK_E_MEMORY;
    }
    return RK_OK;
}

static rk_status parse_int(const loader *l, int32_t line, const char *name, const char *text,
                           int64_t *out, rk_error *err)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || errno || text[0] == ' ' || text[0] == '+')
        return rk_fail(err, RK_E_FORMAT, "%s:%d: %s: expected a whole number, got '%.60s'", l->path,
                       line, name, text);
    *out = v;
    return RK_OK;
}

static rk_status parse_real(const loader *l, int32_t line, const char *name, const char *text,
                            char **end, double *out, rk_error *err)
{
    *out = strtod(text, end);
    if (*end == text || *out - *out != 0) /* a NaN or an infinity differs from itself so */
        return rk_fail(err, RK_E_FORMAT, "%s:%d: %s: expected a finite number, got '%.60s'",
                       l->path, line, name, text);
    return RK_OK;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static rk_status bind_blob(loader *l, int32_t line, int i, const rk_csv_field *f, rk_error *err)
{
    unsigned char *bytes = malloc(f->n / 2 + 1);
    if (!bytes)
        return rk_fail(err, RK_E_MEMORY, "out of memory: %zu bytes", f->n / 2);
    int bad = f->n % 2 != 0;
    for (size_t k = 0; !bad && k + 1 < f->n; k += 2) {
        int high = hex_digit(f->text[k]), low = hex_digit(f->text[k + 1]);
        bad |= high < 0 || low < 0;
        bytes[k / 2] = (unsigned char)(high * 16 + low);
    }
    if (bad) {
        free(bytes);
        return rk_fail(err, RK_E_FORMAT, "%s:%d: %s: expected bytes in hexadecimal", l->path, line,
                       l->columns.c[i].name);
    }
    sqlite3_bind_blob(l->insert, i + 1, bytes, (int)(f->n / 2), free);
    return RK_OK;
}

static rk_status bind_field(loader *l, int32_t line, int i, const rk_csv_field *f, rk_error *err)
{
    const rk_ledger_column *c = &l->columns.c[i];
    int64_t integer;
    double real;
    char *end;
    if (!f->text)
        return sqlite3_bind_null(l->insert, i + 1), RK_OK;
    switch (c->type) {
    case 'i':
        RK_TRY(parse_int(l, line, c->name, f->text, &integer, err));
        sqlite3_bind_int64(l->insert, i + 1, integer);
        return RK_OK;
    case 'r':
        RK_TRY(parse_real(l, line, c->name, f->text, &end, &real, err));
        if (*end)
            return rk_fail(err, RK_E_FORMAT, "%s:%d: %s: expected a number, got '%.60s'", l->path,
                           line, c->name, f->text);
        sqlite3_bind_double(l->insert, i + 1, real);
        return RK_OK;
    case 'b':
        return bind_blob(l, line, i, f, err);
    default:
        sqlite3_bind_text(l->insert, i + 1, f->text, (int)f->n, SQLITE_TRANSIENT);
        return RK_OK;
    }
}

/* One insert; SQLite's own rules (types, references, checks) speak with the line. */
static rk_status step(loader *l, sqlite3_stmt *s, int32_t line, rk_error *err)
{
    int rc = sqlite3_step(s);
    sqlite3_reset(s);
    if (rc == SQLITE_DONE)
        return RK_OK;
    const char *why = sqlite3_errmsg(rk_results_handle(l->db));
    return (rc & 0xff) == SQLITE_CONSTRAINT
               ? rk_fail(err, RK_E_FORMAT, "%s:%d: %s", l->path, line, why)
               : rk_results_fail(l->db, "importing", err);
}

/* "1.5;2.5;7:0.25": values of idx 0, 1, 7. */
static rk_status take_samples(loader *l, int32_t line, const char *metric, const char *text,
                              const rk_csv_field *row, rk_error *err)
{
    int64_t idx = 0, item;
    RK_TRY(parse_int(l, line, "item_no", row[3].text ? row[3].text : "", &item, err));
    for (const char *at = text; at;) {
        char *end;
        double value;
        size_t part = strcspn(at, ";"), colon = strcspn(at, ":");
        if (colon < part) {
            char number[24];
            snprintf(number, sizeof number, "%.*s", (int)(colon < 23 ? colon : 23), at);
            RK_TRY(parse_int(l, line, metric, number, &idx, err));
            at += colon + 1;
        }
        RK_TRY(parse_real(l, line, metric, at, &end, &value, err));
        if (*end && *end != ';')
            return rk_fail(err, RK_E_FORMAT,
                           "%s:%d: %s: expected numbers joined by ';', got '%.60s'", l->path, line,
                           metric, text);
        RK_TRY(
            rk_results_bind(l->db, l->sample, err, "ttiid", row[0].text, metric, idx, item, value));
        RK_TRY(step(l, l->sample, line, err));
        idx += idx < INT64_MAX;
        at = *end ? end + 1 : NULL;
    }
    return RK_OK;
}

static rk_status take_row(void *self, int32_t line, const rk_csv_field *f, int32_t n, rk_error *err)
{
    loader *l = self;
    if (!l->header)
        return take_header(l, line, f, n, err);
    if (n != l->columns.n + l->metrics)
        return rk_fail(err, RK_E_FORMAT, "%s:%d: %d fields, expected %d", l->path, line, n,
                       l->columns.n + l->metrics);
    for (int32_t i = 0; i < l->columns.n; i++)
        RK_TRY(bind_field(l, line, i, &f[i], err));
    RK_TRY(step(l, l->insert, line, err));
    for (int32_t m = 0; m < l->metrics; m++)
        if (f[l->columns.n + m].text)
            RK_TRY(take_samples(l, line, l->metric[m], f[l->columns.n + m].text, f, err));
    l->rows++;
    return RK_OK;
}

static rk_status prepare(loader *l, rk_error *err)
{
    sqlite3 *handle = rk_results_handle(l->db);
    sqlite3_str *text = sqlite3_str_new(handle);
    sqlite3_str_appendf(text, "INSERT INTO src.\"%w\"(", l->table->name);
    for (int32_t i = 0; i < l->columns.n; i++)
        sqlite3_str_appendf(text, "%s\"%w\"", i ? "," : "", l->columns.c[i].name);
    sqlite3_str_appendall(text, ") VALUES(");
    for (int32_t i = 0; i < l->columns.n; i++)
        sqlite3_str_appendall(text, i ? ",?" : "?");
    sqlite3_str_appendall(text, ")");
    char *sql = sqlite3_str_finish(text);
    int rc = sql ? sqlite3_prepare_v2(handle, sql, -1, &l->insert, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc == SQLITE_OK && l->table->kind == RK_LEDGER_ATTEMPT)
        rc = sqlite3_prepare_v2(handle,
                                "INSERT INTO src.sample(attempt_id,metric,idx,item_no,value) "
                                "VALUES(?,?,?,?,?)",
                                -1, &l->sample, NULL);
    return rc == SQLITE_OK ? RK_OK : rk_results_fail(l->db, "importing", err);
}

static const rk_ledger_table *table_find(const char *name)
{
    for (const rk_ledger_table *t = rk_ledger_tables; t->name; t++)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

rk_status rk_ledger_load(rk_results_db *db, const char *table, const char *text, size_t n,
                         const char *path, int64_t *rows, rk_error *err)
{
    loader l = {.db = db, .table = table_find(table), .path = path};
    if (!l.table)
        return rk_fail(err, RK_E_FORMAT, "%s: unknown table '%s'", path, table);
    RK_TRY(rk_arena_new(&l.arena, err));
    rk_status st = rk_ledger_columns_read(db, l.table, l.arena, &l.columns, err);
    if (st == RK_OK)
        st = prepare(&l, err);
    if (st == RK_OK)
        st = rk_csv_read(text, n, path, take_row, &l, err);
    sqlite3_finalize(l.insert);
    sqlite3_finalize(l.sample);
    rk_arena_free(l.arena);
    *rows = l.rows;
    return st;
}

/* ledger.csv: which tables there are, and how long. */
typedef struct manifest {
    const char *path;
    int32_t lines;
    int64_t rows[64];
} manifest;

static rk_status take_manifest(void *self, int32_t line, const rk_csv_field *f, int32_t n,
                               rk_error *err)
{
    manifest *m = self;
    const char *name = n == 2 && f[0].text ? f[0].text : "",
               *rows = n == 2 && f[1].text ? f[1].text : "";
    if (m->lines++ == 0)
        return !strcmp(name, "table") && !strcmp(rows, "rows")
                   ? RK_OK
                   : rk_fail(err, RK_E_FORMAT, "%s:%d: expected 'table,rows'", m->path, line);
    if (m->lines == 2)
        return !strcmp(name, "format") && !strcmp(rows, "1")
                   ? RK_OK
                   : rk_fail(err, RK_E_FORMAT, "%s:%d: expected 'format,1', got '%.40s,%.40s'",
                             m->path, line, name, rows);
    const rk_ledger_table *t = table_find(name);
    char *end;
    long long count = strtoll(rows, &end, 10);
    if (!t || end == rows || *end || count < 1)
        return rk_fail(err, RK_E_FORMAT, "%s:%d: expected a table and its rows, got '%.40s,%.40s'",
                       m->path, line, name, rows);
    m->rows[t - rk_ledger_tables] = count;
    return RK_OK;
}

typedef struct import {
    rk_results_db *db;
    const char *directory;
    rk_arena *files; /* reset after each one */
    char hashes[64 * RK_SHA256_HEX];
    size_t hashed;
    rk_error *err;
} import;

static rk_status read_file(import *im, const char *name, const char **path, char **text, size_t *n)
{
    *path = rk_arena_printf(im->files, im->err, "%s/%s.csv", im->directory, name);
    if (!*path)
        return RK_E_MEMORY;
    RK_TRY(rk_file_read(*path, FILE_BYTES_MAX, im->files, text, n, im->err));
    if (im->hashed + RK_SHA256_HEX > sizeof im->hashes)
        return RK_OK;
    RK_TRY(rk_sha256_bytes(*text, *n, im->hashes + im->hashed, im->err));
    im->hashed += RK_SHA256_HEX - 1;
    return RK_OK;
}

static rk_status load_table(import *im, const rk_ledger_table *t, int64_t expected)
{
    const char *path;
    char *text;
    size_t n;
    int64_t rows;
    rk_arena_reset(im->files);
    RK_TRY(read_file(im, t->name, &path, &text, &n));
    RK_TRY(rk_ledger_load(im->db, t->name, text, n, path, &rows, im->err));
    if (rows != expected)
        return rk_fail(im->err, RK_E_FORMAT, "%s: %" PRId64 " rows; ledger.csv says %" PRId64, path,
                       rows, expected);
    return RK_OK;
}

static rk_status load_all(import *im)
{
    manifest m = {0};
    const char *path;
    char *text;
    size_t n;
    RK_TRY(read_file(im, "ledger", &path, &text, &n));
    m.path = path;
    RK_TRY(rk_csv_read(text, n, path, take_manifest, &m, im->err));
    RK_TRY(rk_results_exec(im->db, "BEGIN", "importing", im->err));
    for (int i = 0; rk_ledger_tables[i].name; i++)
        if (m.rows[i])
            RK_TRY(load_table(im, &rk_ledger_tables[i], m.rows[i]));
    return rk_results_exec(im->db, "COMMIT", "importing", im->err);
}

rk_status rk_ledger_import(rk_results_db *db, const char *directory, rk_arena *arena,
                           rk_merge_result *out, rk_error *err)
{
import im = {.db = db, .directory = directory, .err = err };
    char hash[RK_SHA256_HEX];
    *out = (rk_merge_result){0};
    RK_TRY(rk_arena_new(&im.files, err));
    rk_status st = rk_ledger_stage(db, err);
    if (st == RK_OK)
        st = load_all(&im);
    if (st == RK_OK)
        st = rk_db_check_ids(db, "src", directory, err);
    if (st == RK_OK)
        st = rk_sha256_bytes(im.hashes, im.hashed, hash, err);
    if (st == RK_OK)
        st = rk_merge_attached(db, "ledger", hash, arena, out, err);
    rk_ledger_unstage(db);
    rk_arena_free(im.files);
    return st;
}
