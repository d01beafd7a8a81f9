/* flops.c - FLOPs executed by the prefill, counted where they were done. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = (double)rk_counters_flops(&m->report.counters);
    return m->whole;
}

const rk_metric rk_metric_flops = {
    "flops",
    "FLOP",
    "lower",
    "count",
    "FLOPs executed by the prefill, counted where they were done.",
    value,
};
