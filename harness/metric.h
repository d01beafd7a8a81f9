/* metric.h - what is measured, one metric a file in harness/metrics/.
 *
 * A metric turns what one attempt left behind (rk_measurement, measure.h) into a
 * number. Files define `const rk_metric rk_metric_NAME`; CMake lists them, and
 * the rows of the database's `metric` table come from this list. */
#ifndef RK_HARNESS_METRIC_H
#define RK_HARNESS_METRIC_H

#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

typedef struct rk_measurement rk_measurement; /* harness/measure.h */

typedef struct rk_metric {
    const char *name;   /* the file's name without .c; a sample's metric */
    const char *unit;   /* "ms", "fraction", "tokens", "FLOP", "bytes", ... */
    const char *better; /* "lower", "higher", "none" */
    const char *kind;   /* "time", "rate", "size", "count", "quality", "ratio" */
    const char *doc;    /* one sentence, with its source */
    /* 1 and *out when the attempt has this metric, 0 when it has not. */
    int (*value)(const rk_measurement *m, double *out);
} rk_metric;

extern const rk_metric *const rk_metrics[];
extern const int32_t rk_metrics_count;

RK_C_END

#endif
