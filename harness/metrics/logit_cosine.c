/* logit_cosine.c - Cosine of the first token's logits with those of dense prefill. */
#include "measure.h"
#include "agreement.h"

static int value(const rk_measurement *m, double *out)
{
    *out = rk_logit_cosine(m->logits, m->reference, m->vocab);
    return m->logits && m->reference;
}

const rk_metric rk_metric_logit_cosine = {
    "logit_cosine",
    "fraction",
    "higher",
    "quality",
    "Cosine of the first token's logits with those of dense prefill.",
    value,
};
