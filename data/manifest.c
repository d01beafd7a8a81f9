/* manifest.c - see manifest.h. */
#define _POSIX_C_SOURCE 200809L
#include "manifest.h"

#include <csv.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/option.h"

enum { COLUMNS = 7, MAX_BYTES = 1 << 20 };
static const char *const columns[COLUMNS] = {"name",   "kind",  "source", "licence",
                                             "sha256", "bytes", "rows"};

/* What libcsv's callbacks fill. */
typedef struct reading {
    const char *path;
    rk_arena *arena;
    rk_error *err;
    rk_status status;
    rk_manifest_row *row; /* heap while it grows */
    size_t rows, capacity;
    const char *field[COLUMNS];
    int fields, line;
} reading;

static void take_field(void *text, size_t n, void *self)
{
    reading *r = self;
    if (r->status != RK_OK)
        return;
    if (r->fields == COLUMNS) {
        r->status = rk_fail(r->err, RK_E_FORMAT, "%s: line %d: expected %d columns, got more",
                            r->path, r->line + 1, COLUMNS);
        return;
    }
    r->field[r->fields] = rk_arena_text(r->arena, text ? text : "", n, r->err);
    r->status = r->field[r->fields++] ? RK_OK : RK_E_MEMORY;
}

static rk_status check_header(const reading *r)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(r->field[i], columns[i]))
            return rk_fail(r->err, RK_E_FORMAT, "%s: line 1: expected column '%s', got '%.64s'",
                           r->path, columns[i], r->field[i]);
    return RK_OK;
}

static rk_status parse_count(const reading *r, int column, int optional, int64_t *out)
{
    const char *text = r->field[column];
    if (optional && !*text)
        return *out = -1, RK_OK;
    char *end;
    *out = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        return rk_fail(r->err, RK_E_FORMAT, "%s: line %d: %s: expected a count, got '%.64s'",
                       r->path, r->line, columns[column], text);
    return RK_OK;
}

static rk_status add_row(reading *r)
{
    rk_manifest_row row = {r->field[0], r->field[1], r->field[2], r->field[3], r->field[4], 0, 0};
    for (int i = 0; i < 4; i++)
        if (!*r->field[i])
            return rk_fail(r->err, RK_E_FORMAT, "%s: line %d: %s is empty", r->path, r->line,
                           columns[i]);
    if (strlen(row.sha256) != 64 || strspn(row.sha256, "0123456789abcdef") != 64)
        return rk_fail(r->err, RK_E_FORMAT,
                       "%s: line %d: sha256: expected 64 hex digits, got '%.64s'", r->path, r->line,
                       row.sha256);
    RK_TRY(parse_count(r, 5, 0, &row.bytes));
    RK_TRY(parse_count(r, 6, 1, &row.rows));
    RK_TRY(rk_heap_grow((void **)&r->row, &r->capacity, r->rows + 1, sizeof row, r->err));
    r->row[r->rows++] = row;
    return RK_OK;
}

static void take_line(int terminator, void *self)
{
    (void)terminator;
    reading *r = self;
    r->line++;
    if (r->status == RK_OK && r->fields != COLUMNS)
        r->status = rk_fail(r->err, RK_E_FORMAT, "%s: line %d: expected %d columns, got %d",
                            r->path, r->line, COLUMNS, r->fields);
    if (r->status == RK_OK)
        r->status = r->line == 1 ? check_header(r) : add_row(r);
    r->fields = 0;
}

static rk_status parse(reading *r, const char *text, size_t n)
{
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI))
        return rk_fail(r->err, RK_E_MEMORY, "cannot start a CSV parser");
    if (csv_parse(&parser, text, n, take_field, take_line, r) != n ||
        csv_fini(&parser, take_field, take_line, r))
        r->status = rk_fail(r->err, RK_E_FORMAT, "%s: line %d: %s", r->path, r->line + 1,
                            csv_strerror(csv_error(&parser)));
    csv_free(&parser);
    if (r->status == RK_OK && !r->rows)
        r->status = rk_fail(r->err, RK_E_FORMAT, "%s: expected at least one row", r->path);
    return r->status;
}

rk_status rk_manifest_read(const char *path, rk_arena *arena, rk_manifest_row **out, int32_t *rows,
                           rk_error *err)
{
    reading r = {.path = path, .arena = arena, .err = err};
    char *text;
    size_t n;
    RK_TRY(rk_file_read(path, MAX_BYTES, arena, &text, &n, err));
    rk_status st = parse(&r, text, n);
    if (st == RK_OK) {
        *out = rk_arena_take(arena, r.rows, sizeof **out, err);
        st = *out ? RK_OK : RK_E_MEMORY;
    }
    if (st == RK_OK) {
        memcpy(*out, r.row, r.rows * sizeof **out);
        *rows = (int32_t)r.rows;
    }
    free(r.row);
    return st;
}

rk_status rk_manifest_check(const rk_manifest_row *row, const char *directory, rk_arena *arena,
                            rk_manifest_state *state, char got[RK_SHA256_HEX], rk_error *err)
{
    static const char *const endings[] = {"", ".gguf"};
    *state = RK_MANIFEST_ABSENT;
    got[0] = '\0';
    for (int i = 0; i < 2; i++) {
        struct stat info;
        const char *path = rk_arena_printf(arena, err, "%s/%s%s", directory, row->name, endings[i]);
        if (!path)
            return RK_E_MEMORY;
        if (stat(path, &info) || !S_ISREG(info.st_mode))
            continue;
        RK_TRY(rk_sha256_file(path, got, err));
        *state = strcmp(got, row->sha256) ? RK_MANIFEST_DIFFERS : RK_MANIFEST_EQUAL;
        return RK_OK;
    }
    return RK_OK;
}
