/* recompute_fraction.c - Share of (layer, KV head, token) K/V rows of chunks that were
 * projected anew. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    double rows = (double)m->layers * m->kv_heads * m->chunk_tokens;
    *out = rows > 0 ? (double)m->report.counters.projected_chunk_kv_rows / rows : 0;
    return m->whole && rows > 0;
}

const rk_metric rk_metric_recompute_fraction = {
    "recompute_fraction",
    "fraction",
    "lower",
    "ratio",
    "Share of (layer, KV head, token) K/V rows of chunks that were projected anew.",
    value,
};
