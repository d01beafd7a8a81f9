/* ledger_csv.h - CSV of the ledger: NULL, text and numbers told apart.
 *
 * An empty field is NULL, a quoted empty one is an empty text. Lines end in \n;
 * text is quoted only where it must be, so the same rows give the same bytes. */
#ifndef RK_HARNESS_LEDGER_CSV_H
#define RK_HARNESS_LEDGER_CSV_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

RK_C_BEGIN

enum { RK_CSV_FIELDS_MAX = 4096, RK_CSV_ROW_BYTES_MAX = 64 << 20 };

typedef struct rk_csv_field {
    const char *text; /* NUL-terminated, no NUL inside; NULL: the field is empty */
    size_t n;
} rk_csv_field;

/* Called for each row with the number of its first line; fields are borrowed. */
typedef rk_status (*rk_csv_row)(void *self, int32_t line, const rk_csv_field *field, int32_t n,
                                rk_error *err);

/* Reads a whole file in memory. RK_E_FORMAT "<path>:<line>: ...": a quote out of
 * place, a NUL byte, a last line without its end, too many fields. A failure of
 * `row` ends the reading and is passed up. */
rk_status rk_csv_read(const char *text, size_t n, const char *path, rk_csv_row row, void *self,
                      rk_error *err);

/* One field without separator; text NULL writes nothing. Failures stay in ferror(). */
void rk_csv_write_text(FILE *out, const char *text, size_t n);
/* The shortest decimal text that reads back as `value`. */
void rk_csv_write_real(FILE *out, double value);
const char *rk_csv_real(double value, char *buffer, size_t size);

RK_C_END

#endif
