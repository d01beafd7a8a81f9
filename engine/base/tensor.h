/* tensor.h - dtypes, borrowed views and the shape letters of every comment:
 *
 *   T new tokens   N tokens in the prompt   L layers    C model width
 *   H query heads  G KV heads               D head dim  F FFN width
 *   V vocabulary   P tokens a page (64)     S sink      W local window */
#ifndef RK_BASE_TENSOR_H
#define RK_BASE_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

/* Storage formats of weights and activations. The quantised ones are GGUF
 * blocks along the row: 32 values (Q8_0 .. Q5_1) or 256 (the K formats). */
typedef enum rk_dtype {
    RK_F32,
    RK_F16,
    RK_BF16,
    RK_Q8_0,
    RK_Q4_0,
    RK_Q4_1,
    RK_Q5_0,
    RK_Q5_1,
    RK_Q4_K,
    RK_Q5_K,
    RK_Q6_K,
    RK_DTYPES /* how many there are */
} rk_dtype;

const char *rk_dtype_name(rk_dtype t);
int32_t rk_dtype_block(rk_dtype t);      /* values a block; 1 for plain types */
size_t rk_dtype_block_bytes(rk_dtype t); /* bytes a block */
/* Bytes of `n` values; n must be a multiple of the block. */
size_t rk_dtype_bytes(rk_dtype t, int64_t n);

/* A weight matrix as it lies in the file: `rows` outputs of `cols` inputs,
 * row-major (y[o] = sum_i w[o][i] x[i]). Borrowed; `data` is host memory for
 * the CPU backend, a backend address otherwise, NULL when there is no weight
 * (or when the backend only counts). May be unaligned for its dtype. */
typedef struct rk_weight {
    const void *data;
    rk_dtype dtype;
    int64_t rows, cols;
} rk_weight;

RK_C_END

#endif
