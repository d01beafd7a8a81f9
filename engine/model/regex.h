/* regex.h - the regular expressions of tokenizer files, run by PCRE2.
 *
 * Files are written for Oniguruma's Ruby syntax. The common subset is taken as it
 * is; where the two engines differ the pattern is rewritten (\s and \S, which in
 * PCRE2 hold U+180E as well) or refused with the construct named. */
#ifndef RK_MODEL_REGEX_H
#define RK_MODEL_REGEX_H

#include <stddef.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_regex rk_regex;             /* immutable: any number of threads */
typedef struct rk_regex_match rk_regex_match; /* working memory of one thread */

/* `what` names the file in messages. RK_E_UNSUPPORTED for a construct outside the
 * subset, RK_E_FORMAT when PCRE2 finds it malformed. */
rk_status rk_regex_new(rk_regex **out, const char *pattern, size_t n, const char *what,
                       rk_error *err);
void rk_regex_free(rk_regex *r); /* accepts NULL */

rk_status rk_regex_match_new(rk_regex_match **out, rk_error *err);
void rk_regex_match_free(rk_regex_match *m); /* accepts NULL */

/* The first match in well-formed text[0..n) at or behind `from`. *start = n + 1
 * when there is none. Look-behind sees what lies before `from`. */
rk_status rk_regex_find(const rk_regex *r, rk_regex_match *m, const char *text, size_t n,
                        size_t from, size_t *start, size_t *end, rk_error *err);
/* 1 when a match starts exactly at `at`. */
rk_status rk_regex_here(const rk_regex *r, rk_regex_match *m, const char *text, size_t n, size_t at,
                        int *yes, rk_error *err);

RK_C_END

#endif
