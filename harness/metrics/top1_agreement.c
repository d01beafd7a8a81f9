/* top1_agreement.c - 1 when the first token is the one dense prefill gives. */
#include "measure.h"
#include "agreement.h"

static int value(const rk_measurement *m, double *out)
{
    *out = rk_top1_agreement(m->logits, m->reference, m->vocab);
    return m->logits && m->reference;
}

const rk_metric rk_metric_top1_agreement = {
    "top1_agreement",
    "fraction",
    "higher",
    "quality",
    "1 when the first token is the one dense prefill gives.",
    value,
};
