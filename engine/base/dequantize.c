/* dequantize.c - block formats to fp32; see dequantize.h.
 *
 * Every product is rounded where ggml's reference rounds it (scale first, then
 * the value, then the offset), so contraction into fused operations is off. The
 * loops are written once and compiled for the baseline and for wider vectors;
 * the choice is made a call, from the CPU's own flags (no ifunc, which the
 * sanitizers cannot resolve early enough). */
#pragma STDC FP_CONTRACT OFF
#include "base/dequantize.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS float float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Exponent rebias by an exact product; 2^112 = 2^(127-15). Infinities and NaNs
 * get the whole exponent back. Branchless, so that runs of F16 vectorise. */
ALWAYS float f16_value(uint16_t bits)
{
    uint32_t magnitude = (uint32_t)(bits & 0x7fff) << 13;
    float f = float_of_bits(magnitude) * 0x1p112f;
    uint32_t out;
    memcpy(&out, &f, sizeof out);
    uint32_t special = (bits & 0x7c00) == 0x7c00 ? 0xffffffffu : 0;
    out = (out & ~special) | ((magnitude | 0x7f800000u) & special);
    return float_of_bits(out | (uint32_t)(bits & 0x8000) << 16);
}

ALWAYS uint16_t load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

ALWAYS uint32_t load32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

ALWAYS void f16_run(const uint8_t *restrict src, float *restrict y, int64_t n)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        uint16_t bits[16];
        memcpy(bits, src + 2 * i, sizeof bits);
        for (int k = 0; k < 16; k++)
            y[i + k] = f16_value(bits[k]);
    }
    for (; i < n; i++)
        y[i] = f16_value(load16(src + 2 * i));
}

ALWAYS void bf16_run(const uint8_t *restrict src, float *restrict y, int64_t n)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        uint16_t bits[16];
        memcpy(bits, src + 2 * i, sizeof bits);
        for (int k = 0; k < 16; k++)
            y[i + k] = float_of_bits((uint32_t)bits[k] << 16);
    }
    for (; i < n; i++)
        y[i] = float_of_bits((uint32_t)load16(src + 2 * i) << 16);
}

ALWAYS void q8_0_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 32, b += 34, y += 32) {
        float d = f16_value(load16(b));
        const int8_t *q = (const int8_t *)(b + 2);
        for (int k = 0; k < 32; k++)
            y[k] = d * (float)q[k];
    }
}

ALWAYS void q4_0_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 32, b += 18, y += 32) {
        float d = f16_value(load16(b));
        const uint8_t *q = b + 2;
        for (int k = 0; k < 16; k++)
            y[k] = d * (float)((int)(q[k] & 15) - 8);
        for (int k = 0; k < 16; k++)
            y[k + 16] = d * (float)((int)(q[k] >> 4) - 8);
    }
}

ALWAYS void q4_1_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 32, b += 20, y += 32) {
        float d = f16_value(load16(b)), m = f16_value(load16(b + 2));
        const uint8_t *q = b + 4;
        for (int k = 0; k < 16; k++)
            y[k] = d * (float)(int)(q[k] & 15) + m;
        for (int k = 0; k < 16; k++)
            y[k + 16] = d * (float)(int)(q[k] >> 4) + m;
    }
}

/* Bit k of `high` is the fifth bit of value k. */
ALWAYS void q5_0_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 32, b += 22, y += 32) {
        float d = f16_value(load16(b));
        uint32_t high = load32(b + 2);
        const uint8_t *q = b + 6;
        for (int k = 0; k < 16; k++)
            y[k] = d * (float)((int)((q[k] & 15u) | ((high >> k & 1u) << 4)) - 16);
        for (int k = 0; k < 16; k++)
            y[k + 16] = d * (float)((int)((q[k] >> 4) | ((high >> (k + 16) & 1u) << 4)) - 16);
    }
}

ALWAYS void q5_1_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 32, b += 24, y += 32) {
        float d = f16_value(load16(b)), m = f16_value(load16(b + 2));
        uint32_t high = load32(b + 4);
        const uint8_t *q = b + 8;
        for (int k = 0; k < 16; k++)
            y[k] = d * (float)(int)((q[k] & 15u) | ((high >> k & 1u) << 4)) + m;
        for (int k = 0; k < 16; k++)
            y[k + 16] = d * (float)(int)((q[k] >> 4) | ((high >> (k + 16) & 1u) << 4)) + m;
    }
}

/* The 8 scales and 8 minima of 6 bits that Q4_K and Q5_K pack into 12 bytes. */
ALWAYS void k_scales(const uint8_t *restrict s, float d, float dmin, float *restrict scale,
                     float *restrict minimum)
{
    for (int j = 0; j < 4; j++) {
        scale[j] = d * (float)(int)(s[j] & 63);
        minimum[j] = dmin * (float)(int)(s[j + 4] & 63);
        scale[j + 4] = d * (float)(int)((s[j + 8] & 15) | (s[j] >> 6) << 4);
        minimum[j + 4] = dmin * (float)(int)((s[j + 8] >> 4) | (s[j + 4] >> 6) << 4);
    }
}

ALWAYS void q4_k_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 256, b += 144) {
        float s[8], m[8];
        k_scales(b + 4, f16_value(load16(b)), f16_value(load16(b + 2)), s, m);
        const uint8_t *q = b + 16;
        for (int g = 0; g < 4; g++, q += 32, y += 64) {
            float s0 = s[2 * g], m0 = m[2 * g], s1 = s[2 * g + 1], m1 = m[2 * g + 1];
            for (int k = 0; k < 32; k++)
                y[k] = s0 * (float)(int)(q[k] & 15) - m0;
            for (int k = 0; k < 32; k++)
                y[k + 32] = s1 * (float)(int)(q[k] >> 4) - m1;
        }
    }
}

ALWAYS void q5_k_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 256, b += 176) {
        float s[8], m[8];
        k_scales(b + 4, f16_value(load16(b)), f16_value(load16(b + 2)), s, m);
        const uint8_t *high = b + 16, *q = b + 48;
        for (int g = 0; g < 4; g++, q += 32, y += 64) {
            float s0 = s[2 * g], m0 = m[2 * g], s1 = s[2 * g + 1], m1 = m[2 * g + 1];
            for (int k = 0; k < 32; k++)
                y[k] = s0 * (float)(int)((q[k] & 15) | (high[k] >> (2 * g) & 1) << 4) - m0;
            for (int k = 0; k < 32; k++)
                y[k + 32] = s1 * (float)(int)((q[k] >> 4) | (high[k] >> (2 * g + 1) & 1) << 4) - m1;
        }
    }
}

/* 32 values of Q6_K: four low bits already in place, two high bits at `shift`. */
ALWAYS void q6_k_part(const uint8_t *restrict low, int low_shift, const uint8_t *restrict high,
                      int shift, float s0, float s1, float *restrict y)
{
    for (int k = 0; k < 16; k++)
        y[k] = s0 * (float)((int)((low[k] >> low_shift & 15) | (high[k] >> shift & 3) << 4) - 32);
    for (int k = 16; k < 32; k++)
        y[k] = s1 * (float)((int)((low[k] >> low_shift & 15) | (high[k] >> shift & 3) << 4) - 32);
}

ALWAYS void q6_k_run(const uint8_t *restrict b, float *restrict y, int64_t n)
{
    for (int64_t i = 0; i < n; i += 256, b += 210) {
        float d = f16_value(load16(b + 208)), s[16];
        const int8_t *sc = (const int8_t *)(b + 192);
        for (int k = 0; k < 16; k++)
            s[k] = d * (float)sc[k];
        for (int half = 0; half < 2; half++, y += 128) {
            const uint8_t *low = b + 64 * half, *high = b + 128 + 32 * half;
            const float *t = s + 8 * half;
            q6_k_part(low, 0, high, 0, t[0], t[1], y);
            q6_k_part(low + 32, 0, high, 2, t[2], t[3], y + 32);
            q6_k_part(low, 4, high, 4, t[4], t[5], y + 64);
            q6_k_part(low + 32, 4, high, 6, t[6], t[7], y + 96);
        }
    }
}

ALWAYS void dequantize_run(rk_dtype t, const void *src, float *y, int64_t n)
{
    switch (t) {
    case RK_F32:
        memcpy(y, src, (size_t)n * sizeof *y);
        break;
    case RK_F16:
        f16_run(src, y, n);
        break;
    case RK_BF16:
        bf16_run(src, y, n);
        break;
    case RK_Q8_0:
        q8_0_run(src, y, n);
        break;
    case RK_Q4_0:
        q4_0_run(src, y, n);
        break;
    case RK_Q4_1:
        q4_1_run(src, y, n);
        break;
    case RK_Q5_0:
        q5_0_run(src, y, n);
        break;
    case RK_Q5_1:
        q5_1_run(src, y, n);
        break;
    case RK_Q4_K:
        q4_k_run(src, y, n);
        break;
    case RK_Q5_K:
        q5_k_run(src, y, n);
        break;
    case RK_Q6_K:
        q6_k_run(src, y, n);
        break;
    case RK_DTYPES:
        break;
    }
}

static void dequantize_baseline(rk_dtype t, const void *src, float *y, int64_t n)
{
    dequantize_run(t, src, y, n);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void dequantize_avx2(rk_dtype t, const void *src, float *y,
                                                            int64_t n)
{
    dequantize_run(t, src, y, n);
}

__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) static void
dequantize_avx512(rk_dtype t, const void *src, float *y, int64_t n)
{
    dequantize_run(t, src, y, n);
}
#endif

void rk_dequantize(rk_dtype t, const void *src, float *y, int64_t n)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        dequantize_avx512(t, src, y, n);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        dequantize_avx2(t, src, y, n);
        return;
    }
#endif
    dequantize_baseline(t, src, y, n);
}

float rk_f16_to_f32(uint16_t bits)
{
    return f16_value(bits);
}

float rk_bf16_to_f32(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}
