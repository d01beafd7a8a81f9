/* claims.h - what a paper states, against what was measured.
 *
 * A claim is "METRIC of one cell = value +- tolerance". METRIC is
 *   ttft_speedup      median ttft_ms of the reference / that of the method (above 1: faster)
 *   NAME_reduction    the same ratio of medians for any NAME (flops, kv_bytes ...)
 *   NAME_delta        mean of the method - mean of the reference, on the same items
 *   NAME_ratio        mean of the method / mean of the reference
 *   NAME              mean of the method (no "no effect", so no direction)
 * where NAME is a metric of the database. `where` fixes axes, "model=tiny context=4K
 * method=redknot", and may name another reference, "vs=cacheblend" (default: the
 * reference method, dense).
 *
 * Status, from the 95 % interval [lo, hi] and the band value +- tolerance:
 *   untestable      no rows, too few items for an interval, or quality on random weights
 *   reproduced      [lo, hi] meets the band
 *   direction-only  else, and [lo, hi] excludes "no effect" on the claimed side
 *   contradicted    else, and [lo, hi] excludes it on the other side
 *   not-reproduced  else
 * A reproduced verdict is weak when the interval is compatible with the opposite
 * reading too: it holds "no effect" while the band does not, or it is wider than
 * the band of a no-effect claim. */
#ifndef RK_HARNESS_CLAIMS_H
#define RK_HARNESS_CLAIMS_H

#include <stdint.h>

#include "query.h"

RK_C_BEGIN

typedef enum rk_claim_status {
    RK_CLAIM_REPRODUCED,
    RK_CLAIM_DIRECTION_ONLY,
    RK_CLAIM_NOT_REPRODUCED,
    RK_CLAIM_CONTRADICTED,
    RK_CLAIM_UNTESTABLE,
} rk_claim_status;

/* "reproduced", "direction-only" ...: the words of the `verdict` table. */
const char *rk_claim_status_name(rk_claim_status s);

/* One [claim] line of an experiment; texts borrowed. */
typedef struct rk_claim_input {
    const char *experiment; /* exp_id; NULL or "": any */
    const char *metric;     /* as above */
    const char *where;      /* "axis=value axis=value ..." */
    double value;
    double tolerance;   /* absolute, or a fraction of |value| when `relative` */
    int32_t relative;   /* 1: tolerance is a fraction, 0.1 for 10 % */
    const char *source; /* where it is stated; "" unknown */
} rk_claim_input;

typedef struct rk_claim_verdict {
    rk_claim_status status;
    int32_t weak;
    rk_interval got;         /* NaN where there is nothing */
    double band_lo, band_hi; /* value +- tolerance */
    double no_effect;        /* 1, 0, or NaN: the metric has none */
    char why[200];           /* one clause a person understands */
} rk_claim_verdict;

/* The predicate alone: pure, no database. got->lo NaN means too few items. */
void rk_claim_decide(double value, double tolerance, int relative, double no_effect,
                     const rk_interval *got, rk_claim_verdict *out);

/* Finds the cell and its reference in the query's points and decides. Errors only
 * for a claim that cannot be read (RK_E_USAGE) or a broken database. */
rk_status rk_claim_check(rk_query *q, const rk_claim_input *claim, rk_claim_verdict *out,
                         rk_error *err);

RK_C_END

#endif
