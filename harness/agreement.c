/* agreement.c - see agreement.h. */
#include "agreement.h"

#include <math.h>

enum { K_MAX = 64 };

/* The k largest, descending, lower index first among equals. */
static int32_t best_of(const float *x, int32_t n, int32_t k, int32_t *out)
{
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t at = found;
        while (at > 0 && x[i] > x[out[at - 1]])
            at--;
        if (at >= k)
            continue;
        for (int32_t j = found < k ? found : k - 1; j > at; j--)
            out[j] = out[j - 1];
        out[at] = i;
        found += found < k;
    }
    return found;
}

double rk_top_agreement(const float *a, const float *reference, int32_t vocab, int32_t k)
{
    int32_t x[K_MAX], y[K_MAX], common = 0;
    if (!a || !reference || k > K_MAX)
        return 0;
    int32_t n = best_of(a, vocab, k, x), m = best_of(reference, vocab, k, y);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < m; j++)
            common += x[i] == y[j];
    return (double)common / k;
}

double rk_top1_agreement(const float *a, const float *reference, int32_t vocab)
{
    return rk_top_agreement(a, reference, vocab, 1);
}

double rk_logit_cosine(const float *a, const float *reference, int32_t vocab)
{
    double dot = 0, aa = 0, rr = 0;
    if (!a || !reference)
        return 0;
    for (int32_t i = 0; i < vocab; i++) {
        dot += (double)a[i] * (double)reference[i];
        aa += (double)a[i] * (double)a[i];
        rr += (double)reference[i] * (double)reference[i];
    }
    return aa > 0 && rr > 0 ? dot / sqrt(aa * rr) : 0;
}

static double log_sum(const float *x, int32_t n)
{
    double max = -INFINITY, sum = 0;
    for (int32_t i = 0; i < n; i++)
        max = fmax(max, (double)x[i]);
    for (int32_t i = 0; i < n; i++)
        sum += exp((double)x[i] - max);
    return max + log(sum);
}

double rk_logit_kl(const float *a, const float *reference, int32_t vocab)
{
    if (!a || !reference)
        return 0;
    double la = log_sum(a, vocab), lr = log_sum(reference, vocab), kl = 0;
    for (int32_t i = 0; i < vocab; i++) {
        double p = exp((double)reference[i] - lr);
        kl += p * (((double)reference[i] - lr) - ((double)a[i] - la));
    }
    return kl > 0 ? kl : 0; /* rounding can go below */
}
