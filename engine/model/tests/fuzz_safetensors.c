/* Any bytes as a .safetensors file: refused, or every tensor can be read whole. An
 * input that starts with '{' is taken as a header, with its length in front and 64
 * bytes of data behind, so that the fuzzer need not guess lengths. */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "fuzz_input.h"
#include "model/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { DATA_BYTES = 64 };

/* 8 bytes of length, the header, the data; the caller frees it. */
static uint8_t *with_length(const uint8_t *header, size_t n)
{
    uint8_t *file = calloc(1, 8 + n + DATA_BYTES);
    if (!file)
        abort();
    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)((uint64_t)n >> (8 * i));
    memcpy(file + 8, header, n);
    return file;
}

static const char *input_path(const uint8_t *data, size_t n)
{
    if (!n || data[0] != '{')
        return fuzz_path(data, n);
    uint8_t *file = with_length(data, n);
    const char *path = fuzz_path(file, 8 + n + DATA_BYTES);
    free(file);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rk_error err;
    rk_safetensors *s;
    rk_stored_tensor t;
    if (rk_safetensors_open(&s, input_path(data, n), &err) != RK_OK)
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
