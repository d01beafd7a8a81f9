/* utf8.h - characters in UTF-8 text, and a growing text buffer.
 *
 * Owns: decoding, the repair of ill-formed text and Unicode's White_Space.
 * Every other tokenizer part is given well-formed UTF-8 only. */
#ifndef RK_MODEL_UTF8_H
#define RK_MODEL_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

#define RK_UTF8_BAD UINT32_MAX

/* Bytes of the character at text[0] (n >= 1) and its code point. At an ill-formed
 * place *code is RK_UTF8_BAD and the result is the length of the maximal subpart
 * (Unicode 3.9, table 3-8), at least 1. */
size_t rk_utf8_next(const char *text, size_t n, uint32_t *code);

/* Start of the character that ends at text[n) (n >= 1), in well-formed text. */
size_t rk_utf8_previous(const char *text, size_t n);

/* Unicode's White_Space: 25 code points, stable since Unicode 6.3. */
int rk_utf8_is_space(uint32_t code);

/* Text that grows; start from {0}. Not NUL-terminated unless stated. */
typedef struct rk_text {
    char *bytes; /* heap */
    size_t n, capacity;
} rk_text;

rk_status rk_text_add(rk_text *t, const char *bytes, size_t n, rk_error *err);
rk_status rk_text_add_code(rk_text *t, uint32_t code, rk_error *err);
void rk_text_free(rk_text *t); /* leaves {0} */

/* The first `needle` (m >= 1 bytes) in text[0..n), or NULL. */
const char *rk_text_find(const char *text, size_t n, const char *needle, size_t m);

/* Each ill-formed maximal subpart becomes U+FFFD. *text and *n stay as they are
 * when nothing is ill-formed, else they point into `room`. */
rk_status rk_utf8_repair(const char **text, size_t *n, rk_text *room, rk_error *err);

RK_C_END

#endif
