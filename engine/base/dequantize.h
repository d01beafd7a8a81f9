/* dequantize.h - any storage format to fp32, a run of values at a time.
 *
 * Formulas: GGUF block formats as specified by ggml (reference of PyPI `gguf`,
 * which the tests compare with bit for bit). The CPU matrix product calls this
 * on panels of rows, so weights stay memory-mapped as stored. */
#ifndef RK_BASE_DEQUANTIZE_H
#define RK_BASE_DEQUANTIZE_H

#include <stdint.h>

#include "base/tensor.h"

RK_C_BEGIN

/* `n` values (a multiple of the dtype's block) from `src` (any alignment) to
 * y[n]. Pure; thread-safe. */
void rk_dequantize(rk_dtype t, const void *src, float *y, int64_t n);

float rk_f16_to_f32(uint16_t bits);
float rk_bf16_to_f32(uint16_t bits);

RK_C_END

#endif
