/* pages.c - K/V pages: writing rows, relocating stored segments, drift. */
#include "backend/cpu/cpu.h"

#include <math.h>
#include <string.h>

#include "backend/charge.h"

static rk_status absent(rk_error *err, const char *op, int32_t head, int32_t pos)
{
    return rk_fail(err, RK_E_ARG, "%s: KV head %d has no page at position %d", op, head, pos);
}

rk_status rk_cpu_pages_write(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                             int32_t head_first, int32_t heads, const int32_t *seq,
                             const int32_t *pos, rk_error *err)
{
    int32_t d = p->head_dim;
    size_t bytes = (size_t)d * sizeof(float);
    for (int64_t i = 0; i < k.rows; i++)
        for (int32_t h = 0; h < heads; h++) {
            int32_t page = rk_cpu_page(p, seq[i], head_first + h, pos[i] / RK_PAGE_TOKENS);
            if (page < 0)
                return absent(err, "pages_write", head_first + h, pos[i]);
            int64_t slot = (int64_t)(pos[i] % RK_PAGE_TOKENS) * d;
            memcpy(rk_cpu_keys(p, page) + slot, k.data + i * k.cols + (int64_t)h * d, bytes);
            memcpy(rk_cpu_values(p, page) + slot, v.data + i * v.cols + (int64_t)h * d, bytes);
        }
    rk_charge_rows(&b->counters, k.rows, (int64_t)heads * d, 4, sizeof(float));
    return RK_OK;
}

static void rotate_copy(float *to, const float *from, int32_t d, int32_t half, const float *cosine,
                        const float *sine)
{
    for (int32_t i = 0; i < half; i++) {
        float u = from[i], v = from[i + half];
        to[i] = u * cosine[i] - v * sine[i];
        to[i + half] = u * sine[i] + v * cosine[i];
    }
    for (int32_t i = 2 * half; i < d; i++)
        to[i] = from[i];
}

static rk_status relocate_head(const rk_relocate *r, int32_t head, const float *cosine,
                               const float *sine, rk_error *err)
{
    const int32_t *source = r->source + (int64_t)head * r->source_stride;
    const int32_t *target = r->target + (int64_t)head * r->target_stride;
    rk_pages p = {.pool = r->pool, .head_dim = r->head_dim};
    int32_t d = r->head_dim, half = r->shift ? r->rotation.dim / 2 : 0;
    for (int32_t i = 0; i < r->tokens; i++) {
        int32_t from = r->source_start + i, to = r->target_start + i;
        int32_t from_page = source[from / RK_PAGE_TOKENS], to_page = target[to / RK_PAGE_TOKENS];
        if (from_page < 0 || to_page < 0)
            return absent(err, "relocate", head, to);
        int64_t a = (int64_t)(from % RK_PAGE_TOKENS) * d, z = (int64_t)(to % RK_PAGE_TOKENS) * d;
        rotate_copy(rk_cpu_keys(&p, to_page) + z, rk_cpu_keys(&p, from_page) + a, d, half, cosine,
                    sine);
        memcpy(rk_cpu_values(&p, to_page) + z, rk_cpu_values(&p, from_page) + a,
               (size_t)d * sizeof(float));
    }
    return RK_OK;
}

rk_status rk_cpu_relocate(rk_backend *b, const rk_relocate *r, rk_error *err)
{
    int32_t half = r->rotation.dim / 2;
    RK_TRY(rk_cpu_scratch(b, (size_t)r->rotation.dim + 2, err));
    float *cosine = b->scratch, *sine = cosine + half;
    for (int32_t i = 0; i < half; i++) {
        double angle = (double)r->shift * (double)r->rotation.inv_freq[i];
        cosine[i] = (float)cos(angle);
        sine[i] = (float)sin(angle);
    }
    rk_status st = RK_OK;
#pragma omp parallel for schedule(dynamic) num_threads(b->threads)
    for (int32_t h = 0; h < r->heads; h++) {
        if (r->head && !r->head[h])
            continue;
        rk_error local = {0};
        if (relocate_head(r, h, cosine, sine, &local) != RK_OK) {
#pragma omp critical
            {
                if (err)
                    *err = local;
                st = local.status;
            }
        }
    }
    if (st == RK_OK)
        rk_charge_relocate(&b->counters, r, sizeof(float));
    return st;
}

rk_status rk_cpu_page_copy(rk_backend *b, float *pool, int32_t head_dim, int32_t to, int32_t from,
                           rk_error *err)
{
    (void)err;
    size_t floats = (size_t)2 * RK_PAGE_TOKENS * (size_t)head_dim;
    memcpy(pool + (size_t)to * floats, pool + (size_t)from * floats, floats * sizeof(float));
    rk_charge_rows(&b->counters, 2 * RK_PAGE_TOKENS, head_dim, 2, sizeof(float));
    return RK_OK;
}

static float squared_distance(const float *a, const float *b, int32_t n)
{
    float sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

rk_status rk_cpu_kv_drift(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                          const int32_t *seq, const int32_t *pos, int use_k, int use_v, float *out,
                          rk_error *err)
{
    int32_t d = p->head_dim;
    for (int64_t i = 0; i < k.rows; i++) {
        float sum = 0;
        int64_t slot = (int64_t)(pos[i] % RK_PAGE_TOKENS) * d;
        for (int32_t h = 0; h < p->kv_heads; h++) {
            int32_t page = rk_cpu_page(p, seq[i], h, pos[i] / RK_PAGE_TOKENS);
            if (page < 0)
                return absent(err, "kv_drift", h, pos[i]);
            int64_t at = i * k.cols + (int64_t)h * d;
            if (use_k)
                sum += squared_distance(k.data + at, rk_cpu_keys(p, page) + slot, d);
            if (use_v)
                sum += squared_distance(v.data + at, rk_cpu_values(p, page) + slot, d);
        }
        out[pos[i]] = sum;
    }
    rk_charge_rows(&b->counters, k.rows, k.cols, 2 * (!!use_k + !!use_v), sizeof(float));
    return RK_OK;
}
