/* norm.c - RMS norm and the element-wise operations. */
#include "backend/cpu/cpu.h"

#include <math.h>

RK_SIMD static void norm_run(float *y, const float *x, const float *w, int64_t width, float eps)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < width; i++)
        sum += x[i] * x[i];
    float scale = 1.0f / sqrtf(sum / (float)width + eps);
    for (int64_t i = 0; i < width; i++)
        y[i] = x[i] * scale * w[i];
}

rk_status rk_cpu_rms_norm(rk_backend *b, rk_tensor y, rk_tensor x, const float *w, int32_t width,
                          float eps, rk_error *err)
{
    if (width <= 0 || x.cols % width || x.cols != y.cols || x.rows != y.rows)
        return rk_fail(err, RK_E_ARG, "rms_norm: runs of %d in %lld columns", width,
                       (long long)x.cols);
    int64_t runs = x.rows * (x.cols / width);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (runs > 64)
    for (int64_t i = 0; i < runs; i++)
        norm_run(y.data + i * width, x.data + i * width, w, width, eps);
    return RK_OK;
}

/* exp by 2^n * p(r), |r| <= ln2/2, degree-6 polynomial: relative error < 2e-7 on
 * [-87, 88]; below that the result is 0, as in expf to fp32 precision. */
static inline float exp_fast(float x)
{
    float c = x > 88.0f ? 88.0f : x < -87.0f ? -87.0f : x;
    float n = rintf(c * 1.44269504f);
    float r = c - n * 0.693359375f + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    int32_t whole = n >= -126.0f ? (int32_t)n : -126; /* NaN lives on in p */
    union {
        int32_t i;
        float f;
    } two_n = {(whole + 127) << 23};
    return x < -87.0f ? 0.0f : p * two_n.f;
}

RK_SIMD float rk_cpu_exp_sum(float *x, int64_t n, float max)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        float e = exp_fast(x[i] - max);
        x[i] = e;
        sum += e;
    }
    return sum;
}

RK_SIMD static void swiglu_run(float *gate, const float *up, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        gate[i] = gate[i] / (1.0f + exp_fast(-gate[i])) * up[i];
}

rk_status rk_cpu_swiglu(rk_backend *b, rk_tensor gate, rk_tensor up, rk_error *err)
{
    (void)err;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (gate.rows > 8)
    for (int64_t i = 0; i < gate.rows; i++)
        swiglu_run(gate.data + i * gate.cols, up.data + i * up.cols, gate.cols);
    return RK_OK;
}

rk_status rk_cpu_add(rk_backend *b, rk_tensor x, rk_tensor y, rk_error *err)
{
    (void)err;
    int64_t n = x.rows * x.cols;
#pragma omp parallel for simd schedule(static) num_threads(b->threads) if (n > 65536)
    for (int64_t i = 0; i < n; i++)
        x.data[i] += y.data[i];
    return RK_OK;
}
