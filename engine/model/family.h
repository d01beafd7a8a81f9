/* family.h - what one model family adds to the common decoder: names and keys.
 *
 * A family is one file model/families/NAME.c defining `const rk_family_ops
 * rk_family_NAME`; CMake lists them. */
#ifndef RK_MODEL_FAMILY_H
#define RK_MODEL_FAMILY_H

#include "base/json.h"
#include "model/gguf.h"
#include "model/model.h"

RK_C_BEGIN

typedef struct rk_family_ops {
    const char *name;           /* config.json's model_type */
    const char *gguf_arch;      /* general.architecture; families may share one */
    int32_t qkv_bias;           /* 1: q, k, v carry biases */
    int32_t qk_norm;            /* 1: per-head RMS norm of q and k before the rotation */
    int32_t gguf_interleaved;   /* 1: the GGUF converter permuted q and k rows */
    const char *default_system; /* of the chat template; NULL: none */
    /* Keys of config.json that change the arithmetic and that this family would
     * not honour: refuses them by name. May be NULL. */
    rk_status (*check_config)(const json_t *config, const char *path, rk_error *err);
} rk_family_ops;

/* For check_config: refuses a sliding_window that is not null. */
rk_status rk_family_no_window(const json_t *config, const char *path, rk_error *err);

extern const rk_family_ops *const rk_families[];
extern const int32_t rk_families_count;

RK_C_END

#endif
