/* rows.c - gathering, scattering and scanning rows. */
#include "backend/cpu/cpu.h"

#include <math.h>
#include <string.h>

#include "backend/charge.h"

rk_status rk_cpu_rows_gather(rk_backend *b, rk_tensor y, rk_tensor x, const int32_t *row,
                             rk_error *err)
{
    (void)err;
    size_t bytes = (size_t)x.cols * sizeof(float);
    for (int64_t i = 0; i < y.rows; i++)
        memcpy(y.data + i * y.cols, x.data + row[i] * x.cols, bytes);
    rk_charge_rows(&b->counters, y.rows, y.cols, 2, sizeof(float));
    return RK_OK;
}

rk_status rk_cpu_rows_add(rk_backend *b, rk_tensor x, rk_tensor y, const int32_t *row,
                          rk_error *err)
{
    (void)err;
    for (int64_t i = 0; i < y.rows; i++) {
        float *to = x.data + row[i] * x.cols;
        const float *from = y.data + i * y.cols;
        for (int64_t c = 0; c < x.cols; c++)
            to[c] += from[c];
    }
    rk_charge_rows(&b->counters, y.rows, y.cols, 3, sizeof(float));
    return RK_OK;
}

rk_status rk_cpu_row_norm(rk_backend *b, rk_tensor x, const rk_tensor *y, const int32_t *pos,
                          float *out, rk_error *err)
{
    (void)err;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (x.rows > 64)
    for (int64_t i = 0; i < x.rows; i++) {
        const float *u = x.data + i * x.cols, *v = y ? y->data + i * x.cols : NULL;
        float sum = 0;
        for (int64_t c = 0; c < x.cols; c++) {
            float d = v ? u[c] - v[c] : u[c];
            sum += d * d;
        }
        out[pos[i]] = sqrtf(sum);
    }
    return RK_OK;
}

rk_status rk_cpu_argmax(rk_backend *b, rk_tensor x, int32_t *index, rk_error *err)
{
    (void)b, (void)err;
    for (int64_t i = 0; i < x.rows; i++) {
        const float *v = x.data + i * x.cols;
        int64_t best = 0;
        for (int64_t c = 1; c < x.cols; c++)
            if (v[c] > v[best])
                best = c;
        index[i] = (int32_t)best;
    }
    return RK_OK;
}

/* x - x is 0 for finite x and NaN otherwise, and vectorises. */
RK_SIMD static int row_is_finite(const float *x, int64_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] - x[i];
    return sum == 0;
}

rk_status rk_cpu_find_nonfinite(rk_backend *b, rk_tensor x, int64_t *bad, rk_error *err)
{
    (void)b, (void)err;
    *bad = -1;
    for (int64_t i = 0; i < x.rows && *bad < 0; i++)
        if (!row_is_finite(x.data + i * x.cols, x.cols))
            *bad = i;
    return RK_OK;
}
