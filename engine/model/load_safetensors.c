/* load_safetensors.c - a directory of transformers' layout: names of tensors are
 * those of modeling_llama, mistral, qwen2 and qwen3, which agree. */
#include <stdio.h>
#include <string.h>

#include "model/loading.h"

enum { NAME_BYTES = 128 };

typedef struct loader {
    rk_model *m;
    const rk_safetensors *s;
    int32_t layer;
    rk_error *err;
} loader;

static rk_status get(const loader *l, const char *name, int64_t rows, int64_t cols,
                     rk_stored_tensor *out)
{
    int64_t shape[2] = {rows, cols};
    return rk_safetensors_get(l->s, name, cols ? 2 : 1, shape, out, l->err);
}

static const char *layer_name(const loader *l, const char *part, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "model.layers.%d.%s", l->layer, part);
    return name;
}

static rk_status weight(const loader *l, const char *part, int64_t rows, int64_t cols,
                        rk_weight *out)
{
    char name[NAME_BYTES];
    rk_stored_tensor t;
    RK_TRY(get(l, layer_name(l, part, name), rows, cols, &t));
    *out = rk_load_weight(l->m, &t);
    return RK_OK;
}

static rk_status floats(const loader *l, const char *part, int64_t n, const float **out)
{
    char name[NAME_BYTES];
    rk_stored_tensor t;
    RK_TRY(get(l, layer_name(l, part, name), n, 0, &t));
    return rk_load_floats(l->m, &t, out, l->err);
}

static rk_status load_layer(loader *l, const rk_family_ops *family)
{
    const rk_model_shape *s = &l->m->shape;
    rk_layer_weights *w = &l->m->layer[l->layer];
    int64_t c = s->width, f = s->ffn_width, d = s->head_dim;
    int64_t q = s->heads * d, kv = s->kv_heads * d;
    RK_TRY(floats(l, "input_layernorm.weight", c, &w->attn_norm));
    RK_TRY(floats(l, "post_attention_layernorm.weight", c, &w->ffn_norm));
    RK_TRY(weight(l, "self_attn.q_proj.weight", q, c, &w->wq));
    RK_TRY(weight(l, "self_attn.k_proj.weight", kv, c, &w->wk));
    RK_TRY(weight(l, "self_attn.v_proj.weight", kv, c, &w->wv));
    RK_TRY(weight(l, "self_attn.o_proj.weight", c, q, &w->wo));
    RK_TRY(weight(l, "mlp.gate_proj.weight", f, c, &w->w_gate));
    RK_TRY(weight(l, "mlp.up_proj.weight", f, c, &w->w_up));
    RK_TRY(weight(l, "mlp.down_proj.weight", c, f, &w->w_down));
    if (family->qkv_bias) {
        RK_TRY(floats(l, "self_attn.q_proj.bias", q, &w->bq));
        RK_TRY(floats(l, "self_attn.k_proj.bias", kv, &w->bk));
        RK_TRY(floats(l, "self_attn.v_proj.bias", kv, &w->bv));
    }
    if (family->qk_norm) {
        RK_TRY(floats(l, "self_attn.q_norm.weight", d, &w->q_norm));
        RK_TRY(floats(l, "self_attn.k_norm.weight", d, &w->k_norm));
    }
    return RK_OK;
}

/* The parts of a layer that the family's arithmetic does not have: a file that
 * holds one (say, a bias of o_proj) would be computed wrongly. */
static rk_status check_unread(const loader *l, const rk_family_ops *family)
{
    static const struct {
        const char *part;
        int bias, norm; /* belongs to families with biases, with q and k norms */
    } parts[] = {
        {"self_attn.q_proj.bias", 1, 0},
        {"self_attn.k_proj.bias", 1, 0},
        {"self_attn.v_proj.bias", 1, 0},
        {"self_attn.o_proj.bias", 0, 0},
        {"self_attn.q_norm.weight", 0, 1},
        {"self_attn.k_norm.weight", 0, 1},
        {"mlp.gate_proj.bias", 0, 0},
        {"mlp.up_proj.bias", 0, 0},
        {"mlp.down_proj.bias", 0, 0},
        {"self_attn.sinks", 0, 0},
        {"pre_feedforward_layernorm.weight", 0, 0},
    };
    char name[NAME_BYTES];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int read = (parts[i].bias && family->qkv_bias) || (parts[i].norm && family->qk_norm);
        if (!read && rk_safetensors_has(l->s, layer_name(l, parts[i].part, name)))
            return rk_fail(l->err, RK_E_UNSUPPORTED,
                           "tensor '%s' is in the weights, but family %s has no place for it", name,
                           family->name);
    }
    snprintf(name, sizeof name, "model.layers.%d.input_layernorm.weight", l->m->shape.layers);
    if (rk_safetensors_has(l->s, name))
        return rk_fail(l->err, RK_E_FORMAT,
                       "tensor '%s' is in the weights, but num_hidden_layers is %d", name,
                       l->m->shape.layers);
    return RK_OK;
}

/* lm_head, or the embedding. A tied file that holds both must hold the same. */
static rk_status load_head(const loader *l, rk_tied tied)
{
    rk_model *m = l->m;
    rk_stored_tensor t, e;
    int present = rk_safetensors_has(l->s, "lm_head.weight");
    if (!present && tied != RK_TIED_NO) {
        m->head = m->embedding;
        return RK_OK;
    }
    RK_TRY(get(l, "lm_head.weight", m->shape.vocab, m->shape.width, &t));
    if (tied == RK_TIED_YES) {
        RK_TRY(get(l, "model.embed_tokens.weight", m->shape.vocab, m->shape.width, &e));
        size_t bytes = rk_dtype_bytes(t.dtype, t.shape[0] * t.shape[1]);
        if (t.dtype != e.dtype || memcmp(t.data, e.data, bytes))
            return rk_fail(l->err, RK_E_FORMAT,
                           "tie_word_embeddings is true, but lm_head.weight differs from "
                           "model.embed_tokens.weight");
        m->head = m->embedding;
        return RK_OK;
    }
    m->head = rk_load_weight(m, &t);
    return RK_OK;
}

static rk_status load_tensors(loader *l, const rk_config *c)
{
    rk_model *m = l->m;
    rk_stored_tensor t;
    RK_TRY(get(l, "model.embed_tokens.weight", m->shape.vocab, m->shape.width, &t));
    m->embedding = rk_load_weight(m, &t);
    RK_TRY(get(l, "model.norm.weight", m->shape.width, 0, &t));
    RK_TRY(rk_load_floats(m, &t, &m->final_norm, l->err));
    RK_TRY(load_head(l, c->tied));
    for (l->layer = 0; l->layer < m->shape.layers; l->layer++) {
        RK_TRY(load_layer(l, c->family));
        RK_TRY(check_unread(l, c->family));
    }
    return RK_OK;
}

rk_status rk_load_safetensors(rk_model *m, const char *dir, rk_error *err)
{
    rk_config c;
    rk_model_files *files = m->impl;
    RK_TRY(rk_config_read(dir, &c, err));
    RK_TRY(rk_safetensors_open(&files->safetensors, dir, err));
    files->paths = rk_safetensors_files(files->safetensors, &files->path);
    RK_TRY(rk_load_config(m, &c, dir, err));
    loader l = {.m = m, .s = files->safetensors, .err = err};
    RK_TRY(load_tensors(&l, &c));
    return rk_load_tokenizer_json(m, c.family, dir, err);
}
