/* prompt_tokens.c - Tokens of the prompt. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = m->prompt_tokens;
    return m->prompt_tokens > 0;
}

const rk_metric rk_metric_prompt_tokens = {
    "prompt_tokens", "tokens", "none", "count", "Tokens of the prompt.", value,
};
