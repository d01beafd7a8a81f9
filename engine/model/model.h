/* model.h - a loaded model: shapes, weights, rotary table, tokenizer.
 *
 * Owns: what a decoder-only GQA transformer needs to run, whatever container it
 * came from. Does not own: how it runs (adapter/, backend/). Families (names of
 * tensors, which keys are read) are one file each in model/families/.
 *
 * Internal layout, whatever the file says: rotary pairs are half-split
 * (x[i], x[i + D/2]); GGUF files of architecture `llama` store q and k rows
 * interleaved and are put back in order at load (reference: transformers'
 * Llama and llama.cpp's converter differ by exactly this permutation). */
#ifndef RK_MODEL_MODEL_H
#define RK_MODEL_MODEL_H

#include <stdint.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/tensor.h"
#include "model/tokenizer.h"

RK_C_BEGIN

/* K(p_on) = R(p_on - p_off) K(p_off): scaled frequencies do not depend on the
 * position, so one rotation by the difference relocates a key. */
typedef struct rk_rope {
    const float *inv_freq;  /* [rotary_dim / 2] radians a position; scaling already in */
    int32_t rotary_dim;     /* even, <= D; the dims past it do not rotate */
    float attention_factor; /* multiplies cos and sin once (YaRN); 1 otherwise. A
                             * relocation must not apply it again. */
} rk_rope;

typedef struct rk_model_shape {
    int32_t layers;       /* L */
    int32_t width;        /* C */
    int32_t heads;        /* H query heads */
    int32_t kv_heads;     /* G; H is a multiple of G */
    int32_t head_dim;     /* D, even */
    int32_t ffn_width;    /* F */
    int32_t vocab;        /* V rows of the embedding, padding rows included */
    int32_t max_position; /* trained context length; 0 when the file does not say */
    float norm_eps;
} rk_model_shape;

/* One decoder layer. NULL pointers and weights without data: the family has none. */
typedef struct rk_layer_weights {
    const float *attn_norm, *ffn_norm; /* [C] */
    rk_weight wq, wk, wv;              /* [H*D,C] [G*D,C] [G*D,C] */
    const float *bq, *bk, *bv;         /* [H*D] [G*D] [G*D], Qwen2 only */
    const float *q_norm, *k_norm;      /* [D], before the rotation, Qwen3 only */
    rk_weight wo;                      /* [C,H*D] */
    rk_weight w_gate, w_up, w_down;    /* [F,C] [F,C] [C,F] */
} rk_layer_weights;

typedef enum rk_chat_style {
    RK_CHAT_NONE,
    RK_CHAT_CHATML,
    RK_CHAT_LLAMA3,
    RK_CHAT_MISTRAL
} rk_chat_style;

typedef enum rk_weights_kind {
    RK_WEIGHTS_TRAINED,
    RK_WEIGHTS_RANDOM,
    RK_WEIGHTS_NONE
} rk_weights_kind;

enum { RK_STOP_IDS_MAX = 8 };

typedef struct rk_model {
    rk_model_shape shape;
    rk_rope rope;
    rk_weight embedding, head; /* [V,C]; head = embedding when tied */
    const float *final_norm;   /* [C] */
    rk_layer_weights *layer;   /* [L] */
    const char *name;          /* base name of the directory or file */
    const char *family;        /* "llama", "mistral", "qwen2", "qwen3" */
    rk_weights_kind weights_kind;
    size_t weights_bytes;    /* as stored */
    rk_tokenizer *tokenizer; /* owned; NULL when the model has none */
    rk_chat_style chat;
    const char *default_system; /* system text of the family's template, or NULL */
    int32_t bos_id;             /* starts every prompt; -1: none does (ChatML) */
    int32_t stop_id[RK_STOP_IDS_MAX];
    int32_t stop_ids;
    void *impl; /* maps and copies; the loader's own */
} rk_model;

/* Opens a directory (config.json + model.safetensors or its shards) or a .gguf
 * file. A tokenizer.json beside the weights is read when there is one (a broken
 * one is an error, an absent one is not). Errors name the file and the key or
 * tensor, what was expected and what came. */
rk_status rk_model_open(rk_model **out, const char *path, rk_error *err);

/* A model without weights, for the `count` backend: shapes (family "none", stored
 * as bf16, head tied) and a plain RoPE. */
rk_status rk_model_open_shape(rk_model **out, const char *name, const rk_model_shape *shape,
                              rk_error *err);

/* A shape known by name ("qwen3-32b", "mistral-7b", "llama-3.3-70b",
 * "llama-3.1-8b", ...), NULL when there is none. Source: each model's published
 * config.json. */
const rk_model_shape *rk_model_shape_find(const char *name);

void rk_model_close(rk_model *m); /* accepts NULL and partly built models */

/* SHA-256 of the weight file; of several, that of their digests as lines of hex in
 * name order. Reads them whole (about a second a GB), so only provenance asks. */
rk_status rk_model_sha256(const rk_model *m, char hex[RK_SHA256_HEX], rk_error *err);

/* Refuses non-finite weights: scans every tensor and names the first bad one
 * ("layers.3.w_up row 17 is not finite"), with RK_E_NUMERIC. */
rk_status rk_model_check_finite(const rk_model *m, rk_error *err);

RK_C_END

#endif
