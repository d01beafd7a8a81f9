/* compare.h - two methods, two commits or two sessions, and whether they differ.
 *
 * Paired on the same items. Times and rates: ratio of medians with a bootstrap
 * interval, Mann-Whitney beside it. Quality: difference of means, exact McNemar
 * beside it for EM. Intervals are widened for the number of comparisons made
 * (Bonferroni) and the p values adjusted (Holm), so that a clean A/A comparison
 * stays clean. Verdict on B against A:
 *   same            the whole interval lies within the floor
 *   faster, better  the whole interval lies on the good side of no difference
 *   slower, worse   it lies on the bad side
 *   unclear         anything else, or too few items */
#ifndef RK_HARNESS_COMPARE_H
#define RK_HARNESS_COMPARE_H

#include <stdio.h>

#include "query.h"
#include "table.h"

RK_C_BEGIN

typedef enum rk_compare_verdict {
    RK_COMPARE_SAME,
    RK_COMPARE_FASTER,
    RK_COMPARE_SLOWER,
    RK_COMPARE_BETTER,
    RK_COMPARE_WORSE,
    RK_COMPARE_UNCLEAR,
} rk_compare_verdict;
const char *rk_compare_verdict_name(rk_compare_verdict v);

/* The rule alone. `no_difference` is 1 for ratios and 0 for differences; above it
 * B is better. The floor is a fraction for ratios (0.05: within 1/1.05 .. 1.05)
 * and absolute for differences. */
rk_compare_verdict rk_compare_decide(const rk_interval *v, double no_difference, double floor);

typedef struct rk_compare_request {
    const char *a, *b;      /* method names, or beginnings of session ids or commits */
    const char *experiment; /* NULL: all */
    double floor_time;      /* 0.05 */
    double floor_quality;   /* 0.02 */
    rk_table_format format;
} rk_compare_request;

/* Writes the table; *worse counts the comparisons in which B is slower or worse
 * (a command exits with 3 when there are any). RK_E_USAGE: a or b names nothing,
 * or they have no cell in common. */
rk_status rk_compare_write(const char *db, const rk_compare_request *request, FILE *out,
                           int64_t *worse, rk_error *err);

RK_C_END

#endif
