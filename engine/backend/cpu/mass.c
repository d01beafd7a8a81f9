/* mass.c - attention mass as a signal: what keys receive, what the window's edge gets.
 *
 * A second pass over Q and K: scores, softmax, column sums. With normalise_range
 * the softmax runs over [from, to) alone (ProphetKV, arXiv 2602.02579, stage I). */
#include "backend/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/charge.h"
#include "base/arena.h"

RK_SIMD static float dot(const float *x, const float *y, int32_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Probabilities of one (row, query head) over keys [0, limit], into p; 0 where a
 * key is invisible or outside [from, to). */
static void probabilities(const rk_attend *a, int64_t t, int32_t head, int32_t from, int32_t to,
                          float *p)
{
    int32_t d = a->pages.head_dim, kv = head / (a->heads / a->pages.kv_heads);
    int32_t seq = a->rows->seq[t], pos = a->rows->pos[t], limit = a->rows->limit[t];
    int64_t view = (int64_t)seq * a->pages.kv_heads + kv;
    const float *q = a->q.data + t * a->q.cols + (int64_t)head * d;
    float max = -INFINITY;
    for (int32_t key = 0; key <= limit; key++) {
        int32_t page = rk_cpu_page(&a->pages, seq, kv, key / RK_PAGE_TOKENS);
        p[key] = -INFINITY;
        if (page < 0 || key < from || key >= to ||
            !rk_cpu_visible(key, pos, limit, a->views.sink[view], a->views.window[view],
                            a->key_from))
            continue;
        p[key] = a->scale *
                 dot(q, rk_cpu_keys(&a->pages, page) + (int64_t)(key % RK_PAGE_TOKENS) * d, d);
        max = p[key] > max ? p[key] : max;
    }
    if (max == -INFINITY) {
        memset(p, 0, ((size_t)limit + 1) * sizeof(float));
        return;
    }
    float sum = rk_cpu_exp_sum(p, (int64_t)limit + 1, max);
    for (int32_t key = 0; key <= limit; key++)
        p[key] /= sum;
}

static int32_t highest_limit(const rk_rows *rows, int32_t first, int32_t count)
{
    int32_t high = 0;
    for (int32_t i = first; i < first + count; i++)
        high = rows->limit[i] > high ? rows->limit[i] : high;
    return high;
}

rk_status rk_cpu_mass(rk_backend *b, const rk_mass *m, rk_error *err)
{
    const rk_attend *a = m->attend;
    int32_t group = a->heads / a->pages.kv_heads, senders = 0;
    for (int32_t g = 0; g < a->pages.kv_heads; g++)
        senders += m->kv_head[g] ? group : 0;
    if (m->row_count == 0 || senders == 0)
        return RK_OK;
    size_t keys = (size_t)highest_limit(a->rows, m->row_first, m->row_count) + 1;
    RK_TRY(rk_cpu_scratch(b, 2 * keys, err));
    memset(b->scratch, 0, (size_t)b->threads * b->scratch_floats * sizeof(float));
    int32_t low = m->normalise_range ? m->from : 0, high = m->normalise_range ? m->to : INT32_MAX;
#pragma omp parallel for collapse(2) schedule(static) num_threads(b->threads)
    for (int32_t head = 0; head < a->heads; head++)
        for (int32_t i = m->row_first; i < m->row_first + m->row_count; i++) {
            if (!m->kv_head[head / group])
                continue;
            float *sum = rk_cpu_thread_scratch(b), *p = sum + keys;
            probabilities(a, i, head, low, high, p);
            for (int32_t key = 0; key <= a->rows->limit[i]; key++)
                sum[key] += p[key];
        }
    for (int32_t t = 0; t < b->threads; t++)
        for (int32_t key = m->from; key < m->to && (size_t)key < keys; key++)
            m->mass[key] += m->weight * b->scratch[(size_t)t * b->scratch_floats + (size_t)key];
    rk_charge_mass(&b->counters, m, sizeof(float));
    return RK_OK;
}

/* Share of one row's probability, over its group, that falls on the P oldest keys
 * of its window. 0 where no key is hidden: then there is nothing beyond the edge. */
static double edge_of_row(const rk_attend *a, int32_t i, int32_t kv, int32_t window, int32_t sink,
                          float *p)
{
    int32_t group = a->heads / a->pages.kv_heads, oldest = a->rows->pos[i] - window + 1;
    double edge = 0;
    if (oldest <= sink)
        return 0;
    for (int32_t h = kv * group; h < (kv + 1) * group; h++) {
        probabilities(a, i, h, 0, INT32_MAX, p);
        for (int32_t key = oldest; key < oldest + RK_PAGE_TOKENS && key <= a->rows->limit[i]; key++)
            edge += (double)p[key];
    }
    return edge;
}

rk_status rk_cpu_edge_mass(rk_backend *b, const rk_attend *a, int32_t seq, int32_t first,
                           int32_t count, float *edge, rk_error *err)
{
    int32_t kv_heads = a->pages.kv_heads, group = a->heads / kv_heads;
    if (count <= 0)
        return rk_fail(err, RK_E_ARG, "edge_mass: no probe rows");
    float *p = rk_heap_take((size_t)highest_limit(a->rows, first, count) + 1, sizeof *p, err);
    if (!p)
        return RK_E_MEMORY;
    for (int32_t kv = 0; kv < kv_heads; kv++) {
        int32_t window = a->views.window[(int64_t)seq * kv_heads + kv];
        int32_t sink = a->views.sink[(int64_t)seq * kv_heads + kv];
        double sum = 0;
        for (int32_t i = first; window > 0 && i < first + count; i++)
            sum += edge_of_row(a, i, kv, window, sink, p);
        edge[kv] = (float)(sum / ((double)count * group));
    }
    rk_charge_edge_mass(&b->counters, a, seq, first, count, sizeof(float));
    free(p);
    return RK_OK;
}
