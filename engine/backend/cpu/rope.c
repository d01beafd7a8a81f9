/* rope.c - rotary positions, half-split pairs (i, i + dim/2).
 *
 * Angles are formed in double: position times frequency reaches 1e5 radians,
 * where a float product is already wrong in the second decimal, and relocation
 * relies on R(a) R(b) = R(a + b). */
#include "backend/cpu/cpu.h"

#include <math.h>

rk_status rk_cpu_rope_table(rk_backend *b, rk_tensor table, const int32_t *rope, rk_rotation r,
                            rk_error *err)
{
    if (table.cols != r.dim || r.dim % 2)
        return rk_fail(err, RK_E_ARG, "rope_table: rotary dim %d, %lld columns", r.dim,
                       (long long)table.cols);
    int32_t half = r.dim / 2;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (table.rows > 64)
    for (int64_t t = 0; t < table.rows; t++) {
        float *row = table.data + t * table.cols;
        for (int32_t i = 0; i < half; i++) {
            double angle = (double)rope[t] * (double)r.inv_freq[i];
            row[i] = (float)cos(angle) * r.factor;
            row[i + half] = (float)sin(angle) * r.factor;
        }
    }
    return RK_OK;
}

RK_SIMD static void rotate_head(float *head, const float *cosine, const float *sine, int32_t half)
{
    for (int32_t i = 0; i < half; i++) {
        float u = head[i], v = head[i + half];
        head[i] = u * cosine[i] - v * sine[i];
        head[i + half] = u * sine[i] + v * cosine[i];
    }
}

rk_status rk_cpu_rope(rk_backend *b, rk_tensor x, int32_t head_dim, rk_tensor table, rk_error *err)
{
    if (x.cols % head_dim || table.cols > head_dim || table.rows != x.rows)
        return rk_fail(err, RK_E_ARG, "rope: rotary dim %lld, head dim %d, %lld columns",
                       (long long)table.cols, head_dim, (long long)x.cols);
    int32_t half = (int32_t)table.cols / 2;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (x.rows > 16)
    for (int64_t t = 0; t < x.rows; t++) {
        const float *cosine = table.data + t * table.cols;
        for (float *head = x.data + t * x.cols; head < x.data + (t + 1) * x.cols; head += head_dim)
            rotate_head(head, cosine, cosine + half, half);
    }
    return RK_OK;
}
