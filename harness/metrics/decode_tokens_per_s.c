/* decode_tokens_per_s.c - Tokens after the first over the time they took. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = m->decode_ms > 0 ? m->decoded * 1e3 / m->decode_ms : 0;
    return m->decoded > 0 && m->decode_ms > 0;
}

const rk_metric rk_metric_decode_tokens_per_s = {
    "decode_tokens_per_s",
    "tokens/s",
    "higher",
    "rate",
    "Tokens after the first over the time they took.",
    value,
};
