/* ledger_csv.c - see ledger_csv.h. libcsv splits and quotes. */
#include "ledger_csv.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

typedef struct reader {
    const char *path;
    rk_csv_row row;
    void *self;
    int32_t line, row_line; /* now; where the row began */
    char *bytes;            /* of the row's fields */
    size_t used, room;
    size_t *at; /* [fields] offset into bytes; SIZE_MAX: NULL */
    size_t fields, field_room;
    rk_csv_field *field;
    size_t view_room;
    rk_status status;
    rk_error *err;
} reader;

#define REFUSE(r, ...) ((r)->status = rk_fail((r)->err, RK_E_FORMAT, __VA_ARGS__))

static void on_field(void *text, size_t n, void *self)
{
    reader *r = self;
    if (r->status != RK_OK)
        return;
    if (r->fields == RK_CSV_FIELDS_MAX || n > RK_CSV_ROW_BYTES_MAX - r->used) {
        REFUSE(r, "%s:%d: more than %d fields or %d bytes in a row", r->path, r->row_line,
               RK_CSV_FIELDS_MAX, RK_CSV_ROW_BYTES_MAX);
        return;
    }
    if (text && memchr(text, 0, n)) {
        REFUSE(r, "%s:%d: a NUL byte in field %zu", r->path, r->row_line, r->fields + 1);
        return;
    }
    r->status = rk_heap_grow((void **)&r->bytes, &r->room, r->used + n + 1, 1, r->err);
    if (r->status == RK_OK)
        r->status =
            rk_heap_grow((void **)&r->at, &r->field_room, r->fields + 1, sizeof *r->at, r->err);
    if (r->status != RK_OK)
        return;
    r->at[r->fields++] = text ? r->used : SIZE_MAX;
    if (text && n)
        memcpy(r->bytes + r->used, text, n);
    r->bytes[r->used + n] = '\0';
    r->used += n + 1;
}

static void on_row(int terminator, void *self)
{
    reader *r = self;
    (void)terminator;
    if (r->status != RK_OK)
        return;
    r->status =
        rk_heap_grow((void **)&r->field, &r->view_room, r->fields, sizeof *r->field, r->err);
    if (r->status != RK_OK)
        return;
    for (size_t i = 0; i < r->fields; i++) {
        const char *text = r->at[i] == SIZE_MAX ? NULL : r->bytes + r->at[i];
        r->field[i] = (rk_csv_field){.text = text, .n = text ? strlen(text) : 0};
    }
    r->status = r->row(r->self, r->row_line, r->field, (int32_t)r->fields, r->err);
    r->fields = r->used = 0;
    r->row_line = r->line + 1;
}

/* Line by line, so that callbacks know where they are. */
static void feed(reader *r, struct csv_parser *p, const char *text, size_t n)
{
    for (const char *end = text + n; text < end && r->status == RK_OK;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline ? newline + 1 : end) - text);
        r->line++;
        if (!r->fields && !r->used)
            r->row_line = p->pstate <= 1 ? r->line : r->row_line;
        if (csv_parse(p, text, length, on_field, on_row, r) != length && r->status == RK_OK)
            REFUSE(r, "%s:%d: %s", r->path, r->line, csv_strerror(csv_error(p)));
        text += length;
    }
}

rk_status rk_csv_read(const char *text, size_t n, const char *path, rk_csv_row row, void *self,
                      rk_error *err)
{
    struct csv_parser p;
    reader r = {.path = path, .row = row, .self = self, .row_line = 1, .err = err};
    if (!n)
        return rk_fail(err, RK_E_FORMAT, "%s:1: the file is empty", path);
    if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_EMPTY_IS_NULL))
        return rk_fail(err, RK_E_MEMORY, "%s: out of memory: a CSV parser", path);
    feed(&r, &p, text, n);
    if (r.status == RK_OK && csv_fini(&p, on_field, on_row, &r) && r.status == RK_OK)
        REFUSE(&r, "%s:%d: a quoted field has no end", path, r.row_line);
    if (r.status == RK_OK && text[n - 1] != '\n')
        REFUSE(&r, "%s:%d: the last line has no end; the file is cut off", path, r.line);
    csv_free(&p);
    free(r.bytes);
    free(r.at);
    free(r.field);
    return r.status;
}

void rk_csv_write_text(FILE *out, const char *text, size_t n)
{
    if (!text)
        return;
    int quote =
        !n || text[0] == ' ' || text[n - 1] == ' ' || text[0] == '\t' || text[n - 1] == '\t';
    for (size_t i = 0; i < n && !quote; i++)
        quote = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    if (quote)
        csv_fwrite(out, text, n);
    else
        fwrite(text, 1, n, out);
}

const char *rk_csv_real(double value, char *buffer, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

void rk_csv_write_real(FILE *out, double value)
{
    char text[40];
    fputs(rk_csv_real(value, text, sizeof text), out);
}
