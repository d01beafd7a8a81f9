/* published.c - see published.h. */
#define _POSIX_C_SOURCE 200809L
#include "published.h"

#include <csv.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/option.h"

enum { COLUMNS = 10, FILE_BYTES = 4 << 20, FILES_MOST = 256 };

static const char *const column_names[COLUMNS] = {
    "exp_id", "series", "x", "metric", "value", "unit", "origin", "locator", "provenance", "hw"};
static const char *const origins[] = {"paper-text", "paper-figure", "blog", "repo-json"};

typedef struct reader {
    rk_arena *arena;
    rk_published_row *row;
    size_t n, capacity;
    const char *file; /* base name */
    int64_t line;
    const char *field[COLUMNS]; /* of the line being read */
    int32_t fields;
    rk_status status;
    rk_error *err;
} reader;

static void fail(reader *r, const char *what, const char *got)
{
    r->status = rk_fail(r->err, RK_E_FORMAT, "%s line %lld: %s, got '%s'", r->file,
                        (long long)r->line, what, got);
}

static void on_field(void *data, size_t n, void *self)
{
    reader *r = self;
    if (r->status != RK_OK)
        return;
    if (r->fields == COLUMNS) {
        fail(r, "expected 10 columns", "more");
        return;
    }
    r->field[r->fields] = rk_arena_text(r->arena, data ? data : "", data ? n : 0, r->err);
    if (!r->field[r->fields++])
        r->status = RK_E_MEMORY;
}

static int known_origin(const char *text)
{
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        if (!strcmp(text, origins[i]))
            return 1;
    return 0;
}

static int32_t decimals_of(const char *text)
{
    const char *dot = strchr(text, '.');
    return dot ? (int32_t)strspn(dot + 1, "0123456789") : 0;
}

static void check_header(reader *r)
{
    for (int32_t i = 0; i < COLUMNS && r->status == RK_OK; i++)
        if (i >= r->fields || strcmp(r->field[i], column_names[i]))
            r->status =
                rk_fail(r->err, RK_E_FORMAT, "%s line 1: expected column %d to be %s, got '%s'",
                        r->file, i + 1, column_names[i], i < r->fields ? r->field[i] : "");
}

static void add_row(reader *r)
{
    const char **f = r->field;
    double value;
    if (r->fields != COLUMNS) {
        fail(r, "expected 10 columns", "fewer");
        return;
    }
    if (rk_parse_float(f[4], "value", &value, NULL) != RK_OK)
        fail(r, "expected a number as value", f[4]);
    else if (!known_origin(f[6]))
        fail(r, "expected origin paper-text, paper-figure, blog or repo-json", f[6]);
    else if (!f[8][0] || f[8][strspn(f[8], "MAHSXD")])
        fail(r, "expected provenance of the letters M A H S X D", f[8]);
    else if (!f[0][0] || !f[1][0] || !f[3][0] || !f[7][0])
        fail(r, "expected exp_id, series, metric and locator to be filled", "an empty one");
    if (r->status == RK_OK)
        r->status = rk_heap_grow((void **)&r->row, &r->capacity, r->n + 1, sizeof *r->row, r->err);
    if (r->status == RK_OK)
        r->row[r->n++] =
            (rk_published_row){f[0], f[1], f[2], f[3],    value,  decimals_of(f[4]), f[5], f[6],
                               f[7], f[8], f[9], r->file, r->line};
}

static void on_row(int end, void *self)
{
    reader *r = self;
    (void)end;
    if (r->status == RK_OK && r->line == 1)
        check_header(r);
    else if (r->status == RK_OK)
        add_row(r);
    r->fields = 0;
    r->line++;
}

static rk_status read_file(reader *r, const char *path)
{
    char *text;
    size_t n;
    RK_TRY(rk_file_read(path, FILE_BYTES, r->arena, &text, &n, r->err));
    const char *slash = strrchr(path, '/');
    r->file =
        rk_arena_text(r->arena, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path), r->err);
    if (!r->file)
        return RK_E_MEMORY;
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI))
        return rk_fail(r->err, RK_E_MEMORY, "%s: no memory for the csv parser", path);
    r->line = 1;
    r->fields = 0;
    r->status = RK_OK;
    if (csv_parse(&parser, text, n, on_field, on_row, r) != n ||
        csv_fini(&parser, on_field, on_row, r) != 0) {
        if (r->status == RK_OK)
            r->status = rk_fail(r->err, RK_E_FORMAT, "%s line %lld: %s", r->file,
                                (long long)r->line, csv_strerror(csv_error(&parser)));
    }
    csv_free(&parser);
    return r->status;
}

static int csv_name(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 4 && !strcmp(e->d_name + n - 4, ".csv");
}

static rk_status read_directory(reader *r, const char *path)
{
    struct dirent **entry = NULL;
    int n = scandir(path, &entry, csv_name, alphasort);
    if (n < 0)
        return rk_fail(r->err, RK_E_IO, "cannot list the directory %s", path);
    rk_status status = RK_OK;
    for (int i = 0; i < n; i++) {
        const char *file = rk_arena_printf(r->arena, r->err, "%s/%s", path, entry[i]->d_name);
        if (status == RK_OK)
            status = file ? read_file(r, file) : RK_E_MEMORY;
        free(entry[i]);
    }
    free(entry);
    return status;
}

static int by_row_key(const void *x, const void *y)
{
    const rk_published_row *a = *(const rk_published_row *const *)x;
    const rk_published_row *b = *(const rk_published_row *const *)y;
    int d = strcmp(a->exp_id, b->exp_id);
    d = d ? d : strcmp(a->series, b->series);
    d = d ? d : strcmp(a->x, b->x);
    d = d ? d : strcmp(a->metric, b->metric);
    return d ? d : strcmp(a->origin, b->origin);
}

static rk_status check_keys(const reader *r)
{
    const rk_published_row **order = rk_heap_take(r->n, sizeof *order, r->err);
    if (!order)
        return RK_E_MEMORY;
    for (size_t i = 0; i < r->n; i++)
        order[i] = r->row + i;
    if (r->n > 1)
        qsort(order, r->n, sizeof *order, by_row_key);
    rk_status status = RK_OK;
    for (size_t i = 1; i < r->n && status == RK_OK; i++)
        if (by_row_key(order + i - 1, order + i) == 0)
            status = rk_fail(
                r->err, RK_E_FORMAT, "%s line %lld: %s %s %s %s is also at %s line %lld",
                order[i]->file, (long long)order[i]->line, order[i]->exp_id, order[i]->series,
                order[i]->x, order[i]->metric, order[i - 1]->file, (long long)order[i - 1]->line);
    free(order);
    return status;
}

rk_status rk_published_read(const char *path, rk_arena *arena, rk_published *out, rk_error *err)
{
    *out = (rk_published){0};
    struct stat st;
    if (stat(path, &st) != 0)
        return rk_fail(err, RK_E_IO, "cannot read the published values at %s", path);
    reader r = {.arena = arena, .err = err};
    rk_status status = S_ISDIR(st.st_mode) ? read_directory(&r, path) : read_file(&r, path);
    if (status == RK_OK)
        status = check_keys(&r);
    rk_published_row *kept = NULL;
    if (status == RK_OK)
        kept = rk_arena_take(arena, r.n, sizeof *kept, err);
    if (kept && r.n)
        memcpy(kept, r.row, r.n * sizeof *kept);
    free(r.row);
    if (!kept)
        return status ? status : RK_E_MEMORY;
    *out = (rk_published){kept, (int64_t)r.n};
    return RK_OK;
}

/* ---- into a database ---- */

static rk_status db_fail(sqlite3 *db, rk_error *err)
{
    return rk_fail(err, RK_E_IO, "storing published values: %s", sqlite3_errmsg(db));
}

static rk_status insert_rows(const rk_published *p, sqlite3 *db, sqlite3_stmt *s, rk_error *err)
{
    for (int64_t i = 0; i < p->n; i++) {
        const rk_published_row *r = p->row + i;
        const char *text[] = {r->exp_id, r->series,  r->x,          r->metric, r->unit,
                              r->origin, r->locator, r->provenance, r->hw};
        for (int k = 0; k < 9; k++)
            sqlite3_bind_text(s, k + 1, text[k], -1, SQLITE_STATIC);
        sqlite3_bind_double(s, 10, r->value);
        if (sqlite3_step(s) != SQLITE_DONE)
            return db_fail(db, err);
        sqlite3_reset(s);
    }
    return RK_OK;
}

rk_status rk_published_store(const rk_published *p, sqlite3 *db, const char *schema, rk_error *err)
{
    static const char temp_sql[] =
        "CREATE TEMP TABLE IF NOT EXISTS published(exp_id TEXT, series TEXT, x TEXT, metric TEXT,"
        " value REAL, value_hi REAL, unit TEXT, origin TEXT, locator TEXT, hw TEXT, tol_rel REAL,"
        " tol_abs REAL, PRIMARY KEY(exp_id, series, x, metric, origin))";
    int temp = !strcmp(schema, "temp");
    if (!temp && strcmp(schema, "main"))
        return rk_fail(err, RK_E_ARG, "published values go to main or temp, not '%s'", schema);
    if (temp && sqlite3_exec(db, temp_sql, NULL, NULL, NULL) != SQLITE_OK)
        return db_fail(db, err);
    char sql[320];
    snprintf(sql, sizeof sql,
             "INSERT OR REPLACE INTO %s.published(exp_id, series, x, metric, unit, origin, locator,"
             " hw, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7 || ' [' || ?8 || ']', ?9, ?10)",
             schema);
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        return db_fail(db, err);
    /* One transaction when the caller has none: thousands of rows, one sync. */
    int own = sqlite3_get_autocommit(db);
    rk_status status = RK_OK;
    if (own && sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        status = db_fail(db, err);
    if (status == RK_OK)
        status = insert_rows(p, db, s, err);
    sqlite3_finalize(s);
    if (own && !sqlite3_get_autocommit(db) &&
        sqlite3_exec(db, status == RK_OK ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK &&
        status == RK_OK)
        status = db_fail(db, err);
    return status;
}
