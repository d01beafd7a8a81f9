/* tensor.c - sizes of the storage formats (GGUF specification, ggml types). */
#include "base/tensor.h"

static const struct {
    const char *name;
    int32_t block;
    size_t bytes;
} formats[RK_DTYPES] = {
    [RK_F32] = {"F32", 1, 4},       [RK_F16] = {"F16", 1, 2},       [RK_BF16] = {"BF16", 1, 2},
    [RK_Q8_0] = {"Q8_0", 32, 34},   [RK_Q4_0] = {"Q4_0", 32, 18},   [RK_Q4_1] = {"Q4_1", 32, 20},
    [RK_Q5_0] = {"Q5_0", 32, 22},   [RK_Q5_1] = {"Q5_1", 32, 24},   [RK_Q4_K] = {"Q4_K", 256, 144},
    [RK_Q5_K] = {"Q5_K", 256, 176}, [RK_Q6_K] = {"Q6_K", 256, 210},
};

const char *rk_dtype_name(rk_dtype t)
{
    return (unsigned)t < RK_DTYPES ? formats[t].name : "?";
}

int32_t rk_dtype_block(rk_dtype t)
{
    return formats[t].block;
}

size_t rk_dtype_block_bytes(rk_dtype t)
{
    return formats[t].bytes;
}

size_t rk_dtype_bytes(rk_dtype t, int64_t n)
{
    return (size_t)(n / formats[t].block) * formats[t].bytes;
}
