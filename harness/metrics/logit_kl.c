/* logit_kl.c - KL(dense || method) of the first token's distribution. */
#include "measure.h"
#include "agreement.h"

static int value(const rk_measurement *m, double *out)
{
    *out = rk_logit_kl(m->logits, m->reference, m->vocab);
    return m->logits && m->reference;
}

const rk_metric rk_metric_logit_kl = {
    "logit_kl", "nat", "lower", "quality", "KL(dense || method) of the first token's distribution.",
    value,
};
