/* quality.h - what may be said about answers, and how answers changed.
 *
 * Quality is never reported on weights made up at random, nor where no weights
 * were executed; times, counts and bytes are. */
#ifndef RK_HARNESS_QUALITY_H
#define RK_HARNESS_QUALITY_H

#include "query.h"

RK_C_BEGIN

/* 1: the metric judges answers or logits (f1, em, agreement, logit distance). */
int rk_quality_metric(const char *metric);

/* 1: the point ran on trained weights. */
int rk_quality_known(const rk_query_point *p);

/* Answers right under the method (a) and under the reference (b); right = 1. */
typedef struct rk_flips {
    int64_t both, gained, lost, neither; /* gained: wrong to right */
    double p;                            /* exact McNemar */
} rk_flips;
rk_flips rk_quality_flips(const rk_pairs *right);

/* The rows of `from` whose item has a score above 0 in `reference`, in `arena`:
 * what is left when the items that the reference itself fails are taken out. */
rk_status rk_quality_answered(const rk_series *from, const rk_series *reference, rk_arena *arena,
                              rk_series *out, rk_error *err);

RK_C_END

#endif
