/* audit.h - do published numbers agree with each other? No machine needed.
 *
 * Rules over the rows of published.h, each by its metric's name:
 *   bounds    f1, em, cosine and shares of one lie in [0, 1], unit % in [0, 100]
 *   f1-em     mean f1 >= mean em on one item set (an exact match has f1 = 1)
 *   grim      a mean of 0/1 scores (em) over the stated n (metric n_items of the
 *             same exp_id and x, series of its own or *) is a multiple of 1/n
 *             (Brown and Heathers 2017, "granularity-related inconsistency of means")
 *   ratio     metric "ratio:M:BASE" of a series is M of BASE / M of the series, and
 *             "gain:M:BASE" is M of the series / M of BASE, both from rows of the
 *             same exp_id, x and origin
 *   mismatch  one number stated by two sources, differently
 * Every comparison allows for rounding: half a unit of the last printed digit. */
#ifndef RK_HARNESS_AUDIT_H
#define RK_HARNESS_AUDIT_H

#include "published.h"

RK_C_BEGIN

typedef struct rk_audit_finding {
    const char *rule; /* as above; static */
    const rk_published_row *row;
    const char *text; /* one clause with the numbers */
} rk_audit_finding;

typedef struct rk_audit {
    const rk_audit_finding *finding;
    int64_t n;
    int64_t checked; /* comparisons made, so that none found means something */
} rk_audit;

/* All memory is in `arena`; findings borrow the rows. */
rk_status rk_audit_run(const rk_published *p, rk_arena *arena, rk_audit *out, rk_error *err);

RK_C_END

#endif
