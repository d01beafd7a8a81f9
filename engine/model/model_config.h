/* model_config.h - what config.json or GGUF's keys say of a model, container aside.
 *
 * Keys that change the arithmetic and hold a value we would not honour are
 * refused by name; keys that do not change it are ignored. */
#ifndef RK_MODEL_MODEL_CONFIG_H
#define RK_MODEL_MODEL_CONFIG_H

#include "model/family.h"
#include "model/rope_table.h"

RK_C_BEGIN

enum { RK_CONFIG_BYTES_MAX = 16 << 20 };

typedef enum rk_tied { RK_TIED_UNSAID, RK_TIED_YES, RK_TIED_NO } rk_tied;

typedef struct rk_config {
    const rk_family_ops *family;
    rk_model_shape shape; /* vocab 0: the container does not say (GGUF) */
    rk_rope_spec rope;
    rk_tied tied; /* whether the head is the embedding */
    rk_weights_kind weights_kind;
    int32_t bos_id; /* -1: none */
    int32_t stop_id[RK_STOP_IDS_MAX];
    int32_t stop_ids;
} rk_config;

/* config.json of transformers, versions 4 and 5, already parsed. `generation` is
 * generation_config.json or NULL; its eos_token_id wins. `where` and
 * `generation_where` name the files in messages. A key "weights_origin" of
 * "random" (ours) marks weights that mean nothing. */
rk_status rk_config_of_json(const json_t *config, const char *where, const json_t *generation,
                            const char *generation_where, rk_config *out, rk_error *err);

/* Reads both files of a directory; generation_config.json may be absent. */
rk_status rk_config_read(const char *dir, rk_config *out, rk_error *err);

/* The keys of a GGUF file. rope.divisor is left NULL: the loader fills it from the
 * tensor. "redknot.weights_origin" of "random" (ours) as above. */
rk_status rk_config_of_gguf(const rk_gguf *g, rk_config *out, rk_error *err);

/* Adds a stop id unless it is there; RK_E_UNSUPPORTED past RK_STOP_IDS_MAX. */
rk_status rk_config_add_stop(int32_t *stop_id, int32_t *stop_ids, int64_t id, const char *where,
                             rk_error *err);

/* Checks that hold for every container: heads a multiple of KV heads, even head
 * dim, products inside 31 bits. */
rk_status rk_config_check_shape(const rk_model_shape *s, const char *where, rk_error *err);

RK_C_END

#endif
