/* loading.h - what the files of the loader share: model.c (open, close),
 * load_safetensors.c, load_gguf.c and model_tokenizer.c. */
#ifndef RK_MODEL_LOADING_H
#define RK_MODEL_LOADING_H

#include "base/arena.h"
#include "model/model_config.h"

RK_C_BEGIN

/* rk_model.impl */
typedef struct rk_model_files {
    rk_arena *arena; /* everything but the maps: tables, float copies, names */
    rk_safetensors *safetensors;
    rk_gguf *gguf;
    const char *const *path; /* [paths] weight files, by name */
    int32_t paths;
} rk_model_files;

/* Fill shape, rope, weights and ids of `m`, whose impl holds an arena. On failure
 * rk_model_close ends what was opened. */
rk_status rk_load_safetensors(rk_model *m, const char *dir, rk_error *err);
rk_status rk_load_gguf(rk_model *m, const char *path, rk_error *err);

/* Takes shape, family, rope, ids of `c` over into `m` and makes m->layer. */
rk_status rk_load_config(rk_model *m, const rk_config *c, const char *where, rk_error *err);

/* A weight as it lies in the file; adds its bytes to m->weights_bytes. */
rk_weight rk_load_weight(rk_model *m, const rk_stored_tensor *t);
/* A vector of norm weights or biases as floats in the model's arena. */
rk_status rk_load_floats(rk_model *m, const rk_stored_tensor *t, const float **out, rk_error *err);

/* The tokenizer beside the weights (dir/tokenizer.json) or in the file, if any,
 * then BOS, stop ids, chat style and default system text that follow from it. */
rk_status rk_load_tokenizer_json(rk_model *m, const rk_family_ops *family, const char *dir,
                                 rk_error *err);
rk_status rk_load_tokenizer_gguf(rk_model *m, const rk_family_ops *family, const rk_gguf *g,
                                 rk_error *err);
void rk_load_tokenizer_close(rk_model *m);

RK_C_END

#endif
