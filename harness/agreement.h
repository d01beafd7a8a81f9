/* agreement.h - how near two distributions over the next token are. */
#ifndef RK_HARNESS_AGREEMENT_H
#define RK_HARNESS_AGREEMENT_H

#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

/* All take logits [vocab]; computed in double. NULL arguments give 0. */
double rk_top1_agreement(const float *a, const float *reference, int32_t vocab);
/* Overlap of the k best of both, over k; the lower id wins ties. k <= 64. */
double rk_top_agreement(const float *a, const float *reference, int32_t vocab, int32_t k);
double rk_logit_cosine(const float *a, const float *reference, int32_t vocab);
/* KL(softmax(reference) || softmax(a)), in nats. */
double rk_logit_kl(const float *a, const float *reference, int32_t vocab);

RK_C_END

#endif
