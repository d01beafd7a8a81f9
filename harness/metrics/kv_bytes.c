/* kv_bytes.c - K/V bytes the session physically holds after the prefill. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = (double)m->report.kv_bytes;
    return m->whole;
}

const rk_metric rk_metric_kv_bytes = {
    "kv_bytes",
    "bytes",
    "lower",
    "size",
    "K/V bytes the session physically holds after the prefill.",
    value,
};
