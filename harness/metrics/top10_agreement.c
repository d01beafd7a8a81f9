/* top10_agreement.c - Share of dense prefill's ten best first tokens among the method's ten best.
 */
#include "measure.h"
#include "agreement.h"

static int value(const rk_measurement *m, double *out)
{
    *out = rk_top_agreement(m->logits, m->reference, m->vocab, 10);
    return m->logits && m->reference;
}

const rk_metric rk_metric_top10_agreement = {
    "top10_agreement",
    "fraction",
    "higher",
    "quality",
    "Share of dense prefill's ten best first tokens among the method's ten best.",
    value,
};
