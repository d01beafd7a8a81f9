/* ttft_ms.c - Token ids handed over to the first token id on the host. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = m->report.total_ms;
    return m->whole;
}

const rk_metric rk_metric_ttft_ms = {
    "ttft_ms", "ms", "lower", "time", "Token ids handed over to the first token id on the host.",
    value,
};
