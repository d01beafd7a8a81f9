/* model_shapes.c - published shapes, for runs that need no weights.
 *
 * Source: each model's config.json on its hub; parameter totals that follow from
 * them equal the published ones (tests). */
#include <string.h>

#include "model/model.h"

static const struct {
    const char *name;
    rk_model_shape shape;
} shapes[] = {
    /* name               layers width heads kv   D    ffn    vocab  positions eps */
    {"mistral-7b", {32, 4096, 32, 8, 128, 14336, 32768, 32768, 1e-5f}},
    {"llama-3.1-8b", {32, 4096, 32, 8, 128, 14336, 128256, 131072, 1e-5f}},
    {"llama-3.3-70b", {80, 8192, 64, 8, 128, 28672, 128256, 131072, 1e-5f}},
    {"qwen3-32b", {64, 5120, 64, 8, 128, 25600, 151936, 40960, 1e-6f}},
    {"qwen3-8b", {36, 4096, 32, 8, 128, 12288, 151936, 40960, 1e-6f}},
    {"qwen3-4b", {36, 2560, 32, 8, 128, 9728, 151936, 40960, 1e-6f}},
    {"qwen3-1.7b", {28, 2048, 16, 8, 128, 6144, 151936, 40960, 1e-6f}},
    {"qwen3-0.6b", {28, 1024, 16, 8, 128, 3072, 151936, 40960, 1e-6f}},
    {"qwen2.5-1.5b", {28, 1536, 12, 2, 128, 8960, 151936, 32768, 1e-6f}},
    {"qwen2.5-0.5b", {24, 896, 14, 2, 64, 4864, 151936, 32768, 1e-6f}},
    {"smollm2-135m", {30, 576, 9, 3, 64, 1536, 49152, 8192, 1e-5f}},
};

const rk_model_shape *rk_model_shape_find(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(name, shapes[i].name))
            return &shapes[i].shape;
    return NULL;
}
