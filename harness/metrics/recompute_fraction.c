/* recompute_fraction.c - Share of (layer, KV head, token) K/V rows of the context that were
 * projected anew. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    double rows = (double)m->layers * m->kv_heads * m->context_tokens;
    double question = (double)m->layers * m->kv_heads * (m->prompt_tokens - m->context_tokens);
    *out = rows > 0 ? ((double)m->report.counters.projected_kv_rows - question) / rows : 0;
    return m->whole && rows > 0;
}

const rk_metric rk_metric_recompute_fraction = {
    "recompute_fraction",
    "fraction",
    "lower",
    "ratio",
    "Share of (layer, KV head, token) K/V rows of the context that were projected anew.",
    value,
};
