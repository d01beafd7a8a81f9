/* mistral.c - Mistral 7B from v0.2 on, which attends without a window; the head
 * dim may differ from width / heads. */
#include "model/family.h"

static rk_status check_config(const json_t *config, const char *path, rk_error *err)
{
    return rk_family_no_window(config, path, err);
}

const rk_family_ops rk_family_mistral = {
    .name = "mistral",
    .gguf_arch = "llama",
    .gguf_interleaved = 1,
    .check_config = check_config,
};
