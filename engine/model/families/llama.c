/* llama.c - Llama 2 and 3, SmolLM2. In GGUF the architecture also stands for
 * Mistral; the converter permutes q and k rows of all of them. */
#include "model/family.h"

static rk_status check_config(const json_t *config, const char *path, rk_error *err)
{
    return rk_family_no_window(config, path, err);
}

const rk_family_ops rk_family_llama = {
    .name = "llama",
    .gguf_arch = "llama",
    .gguf_interleaved = 1,
    .check_config = check_config,
};
