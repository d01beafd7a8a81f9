/* Any bytes as a .gguf file: refused, or every tensor and string can be read, and
 * its keys make a configuration or a message. */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/hash.h"
#include "fuzz_input.h"
#include "model/model_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_tensors(const rk_gguf *g)
{
    rk_error err;
    rk_stored_tensor t;
    for (int64_t i = 0; i < rk_gguf_tensors(g); i++) {
        if (rk_gguf_tensor_at(g, i, &t, &err) != RK_OK)
            continue;
        int64_t values = 1;
        for (int32_t k = 0; k < t.rank; k++)
            values *= t.shape[k];
        rk_hash_bytes(t.data, rk_dtype_bytes(t.dtype, values), 0);
    }
}

static void read_arrays(const rk_gguf *g)
{
    static const char *const keys[] = {"tokenizer.ggml.tokens", "tokenizer.ggml.scores",
                                       "tokenizer.ggml.token_type"};
    rk_error err;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        int64_t count = 0, whole;
        double fraction;
        rk_gguf_text text;
        rk_gguf_array(g, keys[k], 0, &count, &err);
        for (int64_t i = 0; i < count && i < 64; i++) {
            if (rk_gguf_array_string(g, keys[k], i, &text, &err) == RK_OK)
                rk_hash_bytes(text.bytes, text.n, 0);
            rk_gguf_array_int(g, keys[k], i, &whole, &err);
            rk_gguf_array_float(g, keys[k], i, &fraction, &err);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rk_error err;
    rk_gguf *g;
    rk_config c;
    if (rk_gguf_open(&g, fuzz_path(data, n), &err) != RK_OK)
        return 0;
    read_tensors(g);
    read_arrays(g);
    rk_config_of_gguf(g, &c, &err);
    rk_gguf_close(g);
    return 0;
}
