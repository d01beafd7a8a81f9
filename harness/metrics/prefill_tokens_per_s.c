/* prefill_tokens_per_s.c - Prompt tokens over TTFT. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = m->report.total_ms > 0 ? m->prompt_tokens * 1e3 / m->report.total_ms : 0;
    return m->whole && m->report.total_ms > 0;
}

const rk_metric rk_metric_prefill_tokens_per_s = {
    "prefill_tokens_per_s", "tokens/s", "higher", "rate", "Prompt tokens over TTFT.", value,
};
