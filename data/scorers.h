/* scorers.h - the official answer scorers, by data set.
 *
 * Normalisation and token F1 exactly as the data sets' own scripts (SQuAD v1.1
 * normalisation over Unicode; HotpotQA's yes/no rule; MuSiQue's empty rule;
 * RULER's substring match). Golden vectors are in data/tests/test_scorers.c. */
#ifndef RK_DATA_SCORERS_H
#define RK_DATA_SCORERS_H

#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_score {
    double f1; /* 0..1; ruler_all: the share of references found; ruler_part: 1 when any is */
    double em; /* 0 or 1; ruler_all: 1 when all references are found */
} rk_score;

typedef struct rk_scorer {
    const char *name;
    const char *source; /* the official script whose numbers it gives */
    /* The best over `answers` (>= 1) accepted answers; RULER's: references to be
     * found. RK_E_ARG: no prediction, no answer. Thread-safe. */
    rk_status (*score)(const char *prediction, const char *const *answer, int32_t answers,
                       rk_score *out, rk_error *err);
} rk_scorer;

/* "hotpotqa" (also 2Wiki), "musique", "longbench_qa", "squad", "triviaqa",
 * "ruler_all", "ruler_part", "exact" (bytes equal after trimming blanks).
 * NULL when there is none of that name. */
const rk_scorer *rk_scorer_find(const char *name);

RK_C_END

#endif
