/* Any bytes as a .safetensors file: refused, or every tensor can be read whole. */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/hash.h"
#include "fuzz_input.h"
#include "model/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rk_error err;
    rk_safetensors *s;
    rk_stored_tensor t;
    if (rk_safetensors_open(&s, fuzz_path(data, n), &err) != RK_OK)
        return 0;
    for (int64_t i = 0; i < rk_safetensors_count(s); i++) {
        const rk_stored_tensor *at = rk_safetensors_at(s, i);
        if (rk_safetensors_get(s, at->name, at->rank, at->shape, &t, &err) != RK_OK)
            continue;
        int64_t values = 1;
        for (int32_t k = 0; k < t.rank; k++)
            values *= t.shape[k];
        rk_hash_bytes(t.data, rk_dtype_bytes(t.dtype, values), 0);
    }
    rk_safetensors_close(s);
    return 0;
}
