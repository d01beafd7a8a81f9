/* table.c - see table.h. */
#include "table.h"

#include <csv.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_TEXT = 256, NOTE_TEXT = 1024 };
#define NOTHING "-"

struct rk_table {
    const rk_table_column *column;
    int32_t columns;
    rk_table_cell *cell; /* [rows][columns] */
    int64_t rows, capacity;
    uint64_t only; /* columns that people see */
    rk_arena *arena;
};

static const rk_table_cell empty_cell = {NULL, NAN, NAN, NAN, -1};

rk_status rk_table_new(rk_table **out, const rk_table_column *columns, int32_t n, rk_arena *arena,
                       rk_error *err)
{
    *out = rk_arena_take(arena, 1, sizeof **out, err);
    if (!*out)
        return RK_E_MEMORY;
    **out = (rk_table){.column = columns, .columns = n, .only = UINT64_MAX, .arena = arena};
    return RK_OK;
}

rk_status rk_table_row(rk_table *t, rk_error *err)
{
    if (t->rows == t->capacity) {
        int64_t more = t->capacity ? 2 * t->capacity : 16;
        rk_table_cell *cell =
            rk_arena_take(t->arena, (size_t)(more * t->columns), sizeof *cell, err);
        if (!cell)
            return RK_E_MEMORY;
        if (t->rows)
            memcpy(cell, t->cell, (size_t)(t->rows * t->columns) * sizeof *cell);
        t->cell = cell;
        t->capacity = more;
    }
    for (int32_t c = 0; c < t->columns; c++)
        t->cell[t->rows * t->columns + c] = empty_cell;
    t->rows++;
    return RK_OK;
}

int64_t rk_table_rows(const rk_table *t)
{
    return t->rows;
}

void rk_table_only(rk_table *t, uint64_t columns)
{
    t->only = columns;
}

static rk_table_cell *last(rk_table *t, int32_t column)
{
    return t->cell + (t->rows - 1) * t->columns + column;
}

void rk_table_text(rk_table *t, int32_t column, const char *text)
{
    last(t, column)->text = text;
}

void rk_table_number(rk_table *t, int32_t column, double value, int64_t n)
{
    *last(t, column) = (rk_table_cell){NULL, value, NAN, NAN, n};
}

void rk_table_interval(rk_table *t, int32_t column, const rk_interval *v)
{
    *last(t, column) = (rk_table_cell){NULL, v->est, v->lo, v->hi, v->n};
}

/* ---- one cell as people read it ---- */

static void show(const rk_table_column *c, const rk_table_cell *v, char out[CELL_TEXT])
{
    if (v->text) {
        snprintf(out, CELL_TEXT, "%s", v->text);
        return;
    }
    if (isnan(v->value)) {
        snprintf(out, CELL_TEXT, NOTHING);
        return;
    }
    double least = pow(10, -c->decimals);
    int used = v->value > 0 && v->value < 0.5 * least
                   ? snprintf(out, CELL_TEXT, "<%.*f", c->decimals, least)
                   : snprintf(out, CELL_TEXT, "%.*f", c->decimals, v->value);
    if (c->interval && !isnan(v->lo))
        used += snprintf(out + used, (size_t)(CELL_TEXT - used), " [%.*f, %.*f]", c->decimals,
                         v->lo, c->decimals, v->hi);
    else if (c->interval)
        used += snprintf(out + used, (size_t)(CELL_TEXT - used), " [n too small]");
    if (c->counted && v->n >= 0)
        snprintf(out + used, (size_t)(CELL_TEXT - used), " (%lld)", (long long)v->n);
}

static void show_at(const rk_table *t, int64_t row, int32_t column, char out[CELL_TEXT])
{
    show(t->column + column, t->cell + row * t->columns + column, out);
}

/* A column says nothing when all rows agree, and one row is no comparison. */
static int is_constant(const rk_table *t, int32_t column)
{
    char first[CELL_TEXT], other[CELL_TEXT];
    if (t->rows < 1)
        return 0;
    show_at(t, 0, column, first);
    for (int64_t r = 1; r < t->rows; r++) {
        show_at(t, r, column, other);
        if (strcmp(first, other))
            return 0;
    }
    return t->rows > 1 || !strcmp(first, NOTHING);
}

/* ---- escapes ---- */

static void put_escaped(FILE *out, rk_table_format format, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (format == RK_TABLE_MD && *c == '|')
            fputs("\\|", out);
        else if (format == RK_TABLE_LATEX && strchr("&%$#_{}", *c))
            fprintf(out, "\\%c", *c);
        else if (format == RK_TABLE_LATEX && *c == '~')
            fputs("\\textasciitilde{}", out);
        else if (format == RK_TABLE_LATEX && *c == '^')
            fputs("\\textasciicircum{}", out);
        else if (format == RK_TABLE_LATEX && *c == '\\')
            fputs("\\textbackslash{}", out);
        else
            fputc(*c, out);
    }
}

void rk_table_note(FILE *out, rk_table_format format, const char *fmt, ...)
{
    char line[NOTE_TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (format == RK_TABLE_CSV)
        fputs("# ", out);
    put_escaped(out, format, line);
    fputs(format == RK_TABLE_MD || format == RK_TABLE_LATEX ? "\n\n" : "\n", out);
}

/* ---- formats ---- */

static void write_constants(const rk_table *t, const int32_t *hidden, rk_table_format format,
                            FILE *out)
{
    char line[NOTE_TEXT] = "", text[CELL_TEXT];
    size_t used = 0;
    for (int32_t c = 0; c < t->columns && used < sizeof line; c++) {
        if (!hidden[c] || !(t->only >> c & 1))
            continue;
        show_at(t, 0, c, text);
        if (strcmp(text, NOTHING))
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s = %s", used ? "; " : "",
                                     t->column[c].head, text);
    }
    if (used)
        rk_table_note(out, format, "Same in every row: %s.", line);
}

/* Printed width: bytes that start a UTF-8 sequence. */
static int width_of(const char *text)
{
    int n = 0;
    for (const char *c = text; *c; c++)
        n += ((unsigned char)*c & 0xc0) != 0x80;
    return n;
}

static void put_padded(FILE *out, const char *text, int width, int left, const char *gap)
{
    int pad = width - width_of(text);
    fputs(gap, out);
    if (left)
        fprintf(out, "%s%*s", text, pad > 0 ? pad : 0, "");
    else
        fprintf(out, "%*s%s", pad > 0 ? pad : 0, "", text);
}

static void write_text(const rk_table *t, const int32_t *hidden, const int *width, FILE *out)
{
    char text[CELL_TEXT];
    for (int64_t r = -1; r < t->rows; r++) {
        const char *gap = "  ";
        for (int32_t c = 0; c < t->columns; c++) {
            if (hidden[c])
                continue;
            if (r < 0)
                snprintf(text, sizeof text, "%s", t->column[c].head);
            else
                show_at(t, r, c, text);
            put_padded(out, text, width[c], t->column[c].decimals < 0, gap);
        }
        fputc('\n', out);
    }
}

static void write_md(const rk_table *t, const int32_t *hidden, FILE *out)
{
    char text[CELL_TEXT];
    for (int64_t r = -2; r < t->rows; r++) {
        fputc('|', out);
        for (int32_t c = 0; c < t->columns; c++) {
            if (hidden[c])
                continue;
            if (r == -1) {
                fputs(t->column[c].decimals < 0 ? " --- |" : " ---: |", out);
                continue;
            }
            if (r < 0)
                snprintf(text, sizeof text, "%s", t->column[c].head);
            else
                show_at(t, r, c, text);
            fputc(' ', out);
            put_escaped(out, RK_TABLE_MD, text);
            fputs(" |", out);
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void write_latex(const rk_table *t, const int32_t *hidden, FILE *out)
{
    char text[CELL_TEXT];
    fputs("\\begin{tabular}{", out);
    for (int32_t c = 0; c < t->columns; c++)
        if (!hidden[c])
            fputc(t->column[c].decimals < 0 ? 'l' : 'r', out);
    fputs("}\n\\hline\n", out);
    for (int64_t r = -1; r < t->rows; r++) {
        const char *gap = "";
        for (int32_t c = 0; c < t->columns; c++) {
            if (hidden[c])
                continue;
            fputs(gap, out);
            gap = " & ";
            if (r < 0)
                snprintf(text, sizeof text, "%s", t->column[c].head);
            else
                show_at(t, r, c, text);
            put_escaped(out, RK_TABLE_LATEX, text);
        }
        fputs(r < 0 ? " \\\\\n\\hline\n" : " \\\\\n", out);
    }
    fputs("\\hline\n\\end{tabular}\n\n", out);
}

static void csv_field(FILE *out, const char *gap, const char *text)
{
    fputs(gap, out);
    if (text[strcspn(text, ",\"\n\r")])
        csv_fwrite(out, text, strlen(text));
    else
        fputs(text, out);
}

static void csv_number(FILE *out, double v)
{
    char text[40] = "";
    if (!isnan(v))
        snprintf(text, sizeof text, "%.9g", v);
    csv_field(out, ",", text);
}

static void write_csv(const rk_table *t, int header, FILE *out)
{
    for (int32_t c = 0; header && c < t->columns; c++) {
        const rk_table_column *k = t->column + c;
        fprintf(out, "%s%s", c ? "," : "", k->name);
        if (k->interval)
            fprintf(out, ",%s_lo,%s_hi", k->name, k->name);
        if (k->counted)
            fprintf(out, ",%s_n", k->name);
    }
    if (header)
        fputc('\n', out);
    for (int64_t r = 0; r < t->rows; r++) {
        for (int32_t c = 0; c < t->columns; c++) {
            const rk_table_column *k = t->column + c;
            const rk_table_cell *v = t->cell + r * t->columns + c;
            char text[40] = "";
            if (!v->text && !isnan(v->value))
                snprintf(text, sizeof text, "%.9g", v->value);
            csv_field(out, c ? "," : "", v->text ? v->text : text);
            if (k->interval)
                csv_number(out, v->lo), csv_number(out, v->hi);
            if (k->counted)
                csv_number(out, v->n < 0 || v->text ? NAN : (double)v->n);
        }
        fputc('\n', out);
    }
}

static void write_people(const rk_table *t, rk_table_format format, const int32_t *hidden,
                         int *width, FILE *out)
{
    char text[CELL_TEXT];
    switch (format) {
    case RK_TABLE_TEXT:
        for (int32_t c = 0; c < t->columns; c++) {
            width[c] = width_of(t->column[c].head);
            for (int64_t r = 0; r < t->rows; r++) {
                show_at(t, r, c, text);
                width[c] = width_of(text) > width[c] ? width_of(text) : width[c];
            }
        }
        write_text(t, hidden, width, out);
        fputc('\n', out);
        break;
    case RK_TABLE_MD:
        write_md(t, hidden, out);
        break;
    case RK_TABLE_LATEX:
        write_latex(t, hidden, out);
        break;
    case RK_TABLE_CSV:
        break;
    }
}

rk_status rk_table_write(const rk_table *t, rk_table_format format, const char *title, int header,
                         FILE *out, rk_error *err)
{
    if (format == RK_TABLE_CSV) {
        write_csv(t, header, out);
    } else {
        int32_t *hidden = rk_heap_take((size_t)t->columns, sizeof *hidden, err);
        int *width = rk_heap_take((size_t)t->columns, sizeof *width, err);
        if (!hidden || !width) {
            free(hidden);
            free(width);
            return RK_E_MEMORY;
        }
        for (int32_t c = 0; c < t->columns; c++)
            hidden[c] = is_constant(t, c) || !(t->only >> c & 1);
        if (title)
            rk_table_note(out, format, "%s%s", format == RK_TABLE_MD ? "### " : "", title);
        write_constants(t, hidden, format, out);
        write_people(t, format, hidden, width, out);
        free(hidden);
        free(width);
    }
    if (ferror(out))
        return rk_fail(err, RK_E_IO, "writing a table failed");
    return RK_OK;
}
