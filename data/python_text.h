/* python_text.h - strings as Python 3 sees them: code points, str.lower,
 * str.isspace and the word characters of `re`.
 *
 * The official scorers are Python scripts, so a C port gives their numbers only
 * with their idea of a letter and of white space. Category and case data come
 * from utf8proc; the differences from it are listed in python_text.c. Checked
 * over all code points against data/fixtures/python_text.csv. */
#ifndef RK_DATA_PYTHON_TEXT_H
#define RK_DATA_PYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

/* Unicode code points, in an arena. */
typedef struct rk_code_points {
    uint32_t *at; /* [n] */
    size_t n;
} rk_code_points;

/* Decodes UTF-8; every maximal invalid part becomes U+FFFD, as
 * bytes.decode("utf-8", "replace") does. */
rk_status rk_python_text_decode(const char *text, size_t n, rk_arena *arena, rk_code_points *out,
                                rk_error *err);
/* NUL-terminated UTF-8 in the arena; NULL with `err` filled on failure. */
char *rk_python_text_encode(const uint32_t *at, size_t n, rk_arena *arena, rk_error *err);

/* str.lower(): simple mappings, U+0130 to two code points, final sigma by its
 * neighbours. */
rk_status rk_python_text_lower(rk_code_points in, rk_arena *arena, rk_code_points *out,
                               rk_error *err);

int rk_python_text_is_space(uint32_t c); /* str.isspace, str.split, str.strip */
int rk_python_text_is_word(uint32_t c);  /* \w of re: letters, numbers, underscore; no marks */

RK_C_END

#endif
