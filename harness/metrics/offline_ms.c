/* offline_ms.c - Building the stored states that the method reads of this context. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = m->offline_ms;
    return m->whole && m->has_offline;
}

const rk_metric rk_metric_offline_ms = {
    "offline_ms",
    "ms",
    "lower",
    "time",
    "Building the stored states that the method reads of this context.",
    value,
};
