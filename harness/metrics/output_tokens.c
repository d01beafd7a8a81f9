/* output_tokens.c - Tokens generated, the one that ended it included. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = (double)m->output_tokens;
    return m->output_tokens > 0;
}

const rk_metric rk_metric_output_tokens = {
    "output_tokens", "tokens", "none", "count", "Tokens generated, the one that ended it included.",
    value,
};
