/* attend_plain.c - attention in plain loops: the definition the fast one is tested by. */
#include "backend/cpu/cpu.h"

#include <math.h>

int rk_cpu_visible(int32_t key, int32_t pos, int32_t limit, int32_t sink, int32_t window,
                   int32_t from)
{
    if (key > limit || key < from)
        return 0;
    return window == 0 || key < sink || key > pos - window;
}

/* One row of one query head: online softmax in double over visible, present keys. */
static void attend_row(const rk_attend *a, int64_t t, int32_t head)
{
    int32_t d = a->pages.head_dim, kv = head / (a->heads / a->pages.kv_heads);
    int32_t seq = a->rows->seq[t], pos = a->rows->pos[t], limit = a->rows->limit[t];
    int64_t view = (int64_t)seq * a->pages.kv_heads + kv;
    const float *q = a->q.data + t * a->q.cols + (int64_t)head * d;
    float *out = a->out.data + t * a->out.cols + (int64_t)head * d;
    double max = -INFINITY, sum = 0;
    for (int32_t i = 0; i < d; i++)
        out[i] = 0;
    for (int32_t key = 0; key <= limit; key++) {
        int32_t page = rk_cpu_page(&a->pages, seq, kv, key / RK_PAGE_TOKENS);
        if (page < 0 || !rk_cpu_visible(key, pos, limit, a->views.sink[view], a->views.window[view],
                                        a->key_from))
            continue;
        int64_t slot = (int64_t)(key % RK_PAGE_TOKENS) * d;
        const float *k = rk_cpu_keys(&a->pages, page) + slot;
        const float *v = rk_cpu_values(&a->pages, page) + slot;
        double score = 0;
        for (int32_t i = 0; i < d; i++)
            score += (double)q[i] * (double)k[i];
        score *= (double)a->scale;
        double grown = score > max ? score : max, keep = exp(max - grown), w = exp(score - grown);
        for (int32_t i = 0; i < d; i++)
            out[i] = (float)((double)out[i] * keep + w * (double)v[i]);
        sum = sum * keep + w;
        max = grown;
    }
    for (int32_t i = 0; i < d; i++)
        out[i] = sum == 0 ? 0 : (float)((double)out[i] / sum); /* a NaN stays */
    if (a->lse)
        a->lse[t * a->heads + head] = sum == 0 ? -INFINITY : (float)(max + log(sum));
}

void rk_cpu_attend_plain(const rk_attend *a)
{
    for (int64_t t = 0; t < a->q.rows; t++)
        for (int32_t head = 0; head < a->heads; head++)
            attend_row(a, t, head);
}
