/* qwen2.c - Qwen2 and Qwen2.5: biases of q, k and v. A sliding_window in the
 * file counts only with use_sliding_window, which is refused for every family. */
#include "model/family.h"

const rk_family_ops rk_family_qwen2 = {
    .name = "qwen2",
    .gguf_arch = "qwen2",
    .qkv_bias = 1,
    .default_system = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
};
