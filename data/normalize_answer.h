/* normalize_answer.h - answers in the form the official scorers compare.
 *
 * SQUAD (also HotpotQA, 2Wiki, MuSiQue, LongBench-en): lower-case, delete ASCII
 * punctuation, blank the words a/an/the, split on white space. TRIVIAQA:
 * underscores and punctuation (with the quotes U+2018 U+2019 U+00B4 and the
 * backtick) become blanks instead, so "A-Team" stays two words. */
#ifndef RK_DATA_NORMALIZE_ANSWER_H
#define RK_DATA_NORMALIZE_ANSWER_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

typedef enum rk_normal_form { RK_NORMAL_SQUAD, RK_NORMAL_TRIVIAQA } rk_normal_form;

typedef struct rk_normal_answer {
    const char *text;        /* the words joined by one blank */
    const char *const *word; /* [words], in order */
    int32_t words;
} rk_normal_answer;

/* Invalid UTF-8 in `answer` counts as U+FFFD. All memory in `arena`. */
rk_status rk_normalize_answer(const char *answer, rk_normal_form form, rk_arena *arena,
                              rk_normal_answer *out, rk_error *err);

RK_C_END

#endif
