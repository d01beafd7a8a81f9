/* qwen3.c - Qwen3 dense: q and k are normalised a head before the rotation, and
 * heads x head dim may exceed the width. sliding_window: as in qwen2.c. */
#include "model/family.h"

const rk_family_ops rk_family_qwen3 = {
    .name = "qwen3",
    .gguf_arch = "qwen3",
    .qk_norm = 1,
};
