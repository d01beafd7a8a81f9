/* spec_list.h - lists and ranges of experiment files, checked by an option row. */
#ifndef RK_HARNESS_SPEC_LIST_H
#define RK_HARNESS_SPEC_LIST_H

#include "base/arena.h"
#include "base/option.h"

RK_C_BEGIN

/* Checks one value against a row of an option table, wherever the row's field
 * lies. *canonical (may be NULL) is its text as the table would print it. */
rk_status rk_spec_value(const rk_option *row, const char *text, rk_arena *arena,
                        const char **canonical, rk_error *err);

/* "a, b", and for whole numbers "8K..64K*2", "1..4+1", "1..4": at most `most`
 * values, none empty, none twice, each checked and canonical. */
rk_status rk_spec_list(const rk_option *row, const char *text, int32_t most, rk_arena *arena,
                       const char *const **out, int32_t *n, rk_error *err);

/* Splits at commas and trims; an empty text gives n = 0, an empty entry an error. */
rk_status rk_spec_words(const char *text, const char *what, int32_t most, rk_arena *arena,
                        const char *const **out, int32_t *n, rk_error *err);

/* `n` bytes without blanks at both ends, in the arena. */
char *rk_spec_trim(const char *text, size_t n, rk_arena *arena, rk_error *err);

RK_C_END

#endif
