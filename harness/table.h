/* table.h - a table of numbers with their n and intervals, in four formats.
 *
 * text, md and latex are for people: a number is written `value [lo, hi] (n)`,
 * what is not there is a dash, columns that say the same in every row are taken
 * out and named once above the table, a number too small for its digits is "<0.001". csv is for
 * programs: every column stays, and a number is spread over NAME, NAME_lo, NAME_hi and NAME_n. */
#ifndef RK_HARNESS_TABLE_H
#define RK_HARNESS_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/status.h"
#include "stats.h"

RK_C_BEGIN

typedef enum rk_table_format {
    RK_TABLE_TEXT,
    RK_TABLE_MD,
    RK_TABLE_CSV,
    RK_TABLE_LATEX,
} rk_table_format;
#define RK_TABLE_FORMATS "text|md|csv|latex" /* choices of an option row, in this order */

typedef struct rk_table_column {
    const char *name; /* csv key, "ttft_ms" */
    const char *head; /* what people read, "TTFT ms" */
    int32_t decimals; /* of numbers; -1: text column */
    int32_t interval; /* 1: has lo and hi */
    int32_t counted;  /* 1: has an n of its own */
} rk_table_column;

typedef struct rk_table_cell {
    const char *text;     /* text column, or a word in place of a number; NULL: number */
    double value, lo, hi; /* NaN: not there */
    int64_t n;            /* -1: not there */
} rk_table_cell;

typedef struct rk_table rk_table;

/* `columns` are borrowed and outlive the table; the rest is in `arena`. */
rk_status rk_table_new(rk_table **out, const rk_table_column *columns, int32_t n, rk_arena *arena,
                       rk_error *err);
/* Appends an empty row. */
rk_status rk_table_row(rk_table *t, rk_error *err);
int64_t rk_table_rows(const rk_table *t);

/* Set a cell of the last row. Texts are borrowed until the table is written. */
void rk_table_text(rk_table *t, int32_t column, const char *text);
void rk_table_number(rk_table *t, int32_t column, double value, int64_t n);
void rk_table_interval(rk_table *t, int32_t column, const rk_interval *v);

/* Text, md and latex write only the columns whose bit is set (bit 0 = column 0), so
 * that a wide table can be written in parts; csv always writes all. At first all
 * are set. */
void rk_table_only(rk_table *t, uint64_t columns);

/* `title` (NULL: none) goes above in text, md and latex. In csv `header` says
 * whether to write the line of names, so that tables of one kind can follow each
 * other in a file. RK_E_IO when the stream fails. */
rk_status rk_table_write(const rk_table *t, rk_table_format format, const char *title, int header,
                         FILE *out, rk_error *err);

/* A line of prose around tables: as it is in text and md, "# " in csv, escaped in
 * latex. */
void rk_table_note(FILE *out, rk_table_format format, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

RK_C_END

#endif
