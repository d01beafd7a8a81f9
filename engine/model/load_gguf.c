/* load_gguf.c - a GGUF file: names of tensors are gguf-py's.
 *
 * Architecture `llama` has the rows of each q and k head permuted so that its
 * rotation pairs neighbours (llama.cpp's converter); they are put back in
 * half-split order here. Rows move whole, so this holds for quantised rows too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dequantize.h"
#include "model/loading.h"

enum { NAME_BYTES = 128 };

typedef struct loader {
    rk_model *m;
    const rk_gguf *g;
    int32_t layer;
    rk_error *err;
} loader;

static rk_status get(const loader *l, const char *name, int64_t rows, int64_t cols,
                     rk_stored_tensor *out)
{
    int64_t shape[2] = {rows, cols};
    return rk_gguf_get(l->g, name, cols ? 2 : 1, shape, out, l->err);
}

static const char *layer_name(const loader *l, const char *part, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "blk.%d.%s", l->layer, part);
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

/* Row 2i + s of a head in the file is row s D/2 + i of the half-split layout. */
static rk_status split_halves(const loader *l, int32_t heads, rk_weight *w)
{
    int32_t d = l->m->shape.head_dim;
    size_t row = rk_dtype_bytes(w->dtype, w->cols);
    rk_model_files *files = l->m->impl;
    uint8_t *copy = rk_arena_take(files->arena, (size_t)w->rows, row, l->err);
    if (!copy)
        return RK_E_MEMORY;
    const uint8_t *stored = w->data;
    for (int32_t h = 0; h < heads; h++)
        for (int32_t r = 0; r < d; r++) {
            size_t from = (size_t)h * d + r, to = (size_t)h * d + (r & 1) * (d / 2) + r / 2;
            memcpy(copy + to * row, stored + from * row, row);
        }
    w->data = copy;
    return RK_OK;
}

static rk_status load_layer(loader *l, const rk_family_ops *family)
{
    const rk_model_shape *s = &l->m->shape;
    rk_layer_weights *w = &l->m->layer[l->layer];
    int64_t c = s->width, f = s->ffn_width, d = s->head_dim;
    int64_t q = s->heads * d, kv = s->kv_heads * d;
    RK_TRY(floats(l, "attn_norm.weight", c, &w->attn_norm));
    RK_TRY(floats(l, "ffn_norm.weight", c, &w->ffn_norm));
    RK_TRY(weight(l, "attn_q.weight", q, c, &w->wq));
    RK_TRY(weight(l, "attn_k.weight", kv, c, &w->wk));
    RK_TRY(weight(l, "attn_v.weight", kv, c, &w->wv));
    RK_TRY(weight(l, "attn_output.weight", c, q, &w->wo));
    RK_TRY(weight(l, "ffn_gate.weight", f, c, &w->w_gate));
    RK_TRY(weight(l, "ffn_up.weight", f, c, &w->w_up));
    RK_TRY(weight(l, "ffn_down.weight", c, f, &w->w_down));
    if (family->gguf_interleaved) {
        RK_TRY(split_halves(l, s->heads, &w->wq));
        RK_TRY(split_halves(l, s->kv_heads, &w->wk));
    }
    if (family->qkv_bias) {
        RK_TRY(floats(l, "attn_q.bias", q, &w->bq));
        RK_TRY(floats(l, "attn_k.bias", kv, &w->bk));
        RK_TRY(floats(l, "attn_v.bias", kv, &w->bv));
    }
    if (family->qk_norm) {
        RK_TRY(floats(l, "attn_q_norm.weight", d, &w->q_norm));
        RK_TRY(floats(l, "attn_k_norm.weight", d, &w->k_norm));
    }
    return RK_OK;
}

/* Tensors the family's arithmetic has no place for. */
static rk_status check_unread(const loader *l, const rk_family_ops *family)
{
    static const struct {
        const char *part;
        int bias, norm;
    } parts[] = {
        {"attn_qkv.weight", 0, 0},    {"attn_q.bias", 1, 0},          {"attn_k.bias", 1, 0},
        {"attn_v.bias", 1, 0},        {"attn_output.bias", 0, 0},     {"attn_q_norm.weight", 0, 1},
        {"attn_k_norm.weight", 0, 1}, {"ffn_gate.bias", 0, 0},        {"ffn_up.bias", 0, 0},
        {"ffn_down.bias", 0, 0},      {"ffn_gate_exps.weight", 0, 0}, {"attn_sinks.weight", 0, 0},
    };
    char name[NAME_BYTES];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int read = (parts[i].bias && family->qkv_bias) || (parts[i].norm && family->qk_norm);
        if (!read && rk_gguf_has_tensor(l->g, layer_name(l, parts[i].part, name)))
            return rk_fail(l->err, RK_E_UNSUPPORTED,
                           "%s: tensor '%s' is there, but architecture %s has no place for it",
                           rk_gguf_path(l->g), name, family->gguf_arch);
    }
    snprintf(name, sizeof name, "blk.%d.attn_norm.weight", l->m->shape.layers);
    if (rk_gguf_has_tensor(l->g, name))
        return rk_fail(l->err, RK_E_FORMAT, "%s: tensor '%s' is there, but block_count is %d",
                       rk_gguf_path(l->g), name, l->m->shape.layers);
    return RK_OK;
}

static rk_status load_tensors(loader *l, const rk_config *c)
{
    rk_model *m = l->m;
    rk_stored_tensor t;
    RK_TRY(get(l, "token_embd.weight", m->shape.vocab, m->shape.width, &t));
    m->embedding = rk_load_weight(m, &t);
    RK_TRY(get(l, "output_norm.weight", m->shape.width, 0, &t));
    RK_TRY(rk_load_floats(m, &t, &m->final_norm, l->err));
    m->head = m->embedding;
    /* A separate head may be stored in another type than the embedding it was
     * tied to: taking the embedding would be slightly wrong. */
    if (rk_gguf_has_tensor(l->g, "output.weight")) {
        RK_TRY(get(l, "output.weight", m->shape.vocab, m->shape.width, &t));
        m->head = rk_load_weight(m, &t);
    }
    for (l->layer = 0; l->layer < m->shape.layers; l->layer++) {
        RK_TRY(check_unread(l, c->family));
        RK_TRY(load_layer(l, c->family));
    }
    return RK_OK;
}

/* V from the embedding's rows; what the keys say of it must agree. */
static rk_status read_vocab(const rk_gguf *g, rk_config *c, rk_error *err)
{
    char key[64];
    rk_stored_tensor t;
    int64_t shape[2] = {-1, c->shape.width}, tokens = 0;
    RK_TRY(rk_gguf_get(g, "token_embd.weight", 2, shape, &t, err));
    if (t.shape[0] > INT32_MAX)
        return rk_fail(err, RK_E_FORMAT, "%s: tensor 'token_embd.weight': too many rows",
                       rk_gguf_path(g));
    c->shape.vocab = (int32_t)t.shape[0];
    int64_t vocab = c->shape.vocab;
    snprintf(key, sizeof key, "%s.vocab_size", c->family->gguf_arch);
    RK_TRY(rk_gguf_int(g, key, 0, vocab, vocab, &vocab, err));
    RK_TRY(rk_gguf_array(g, "tokenizer.ggml.tokens", 0, &tokens, err));
    if (tokens > vocab)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'tokenizer.ggml.tokens': expected at most the %lld rows of the "
                       "embedding, got %lld",
                       rk_gguf_path(g), (long long)vocab, (long long)tokens);
    return RK_OK;
}

/* Llama 3.1's scaling comes as a table that divides the plain frequencies. */
static rk_status read_divisor(rk_model *m, const rk_gguf *g, rk_config *c, rk_error *err)
{
    static const char name[] = "rope_freqs.weight";
    rk_stored_tensor t;
    int64_t n = c->shape.head_dim / 2;
    size_t before = m->weights_bytes;
    if (!rk_gguf_has_tensor(g, name))
        return RK_OK;
    if (c->rope.kind != RK_ROPE_DEFAULT)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: both %s and rope.scaling.type are there",
                       rk_gguf_path(g), name);
    RK_TRY(rk_gguf_get(g, name, 1, &n, &t, err));
    RK_TRY(rk_load_floats(m, &t, &c->rope.divisor, err));
    m->weights_bytes = before; /* a table, not a weight */
    for (int64_t i = 0; i < n; i++)
        if (!(c->rope.divisor[i] > 0) || !isfinite(c->rope.divisor[i]))
            return rk_fail(err, RK_E_FORMAT,
                           "%s: tensor '%s': value %lld: expected a finite number "
                           "above 0, got %g",
                           rk_gguf_path(g), name, (long long)i, (double)c->rope.divisor[i]);
    return RK_OK;
}

rk_status rk_load_gguf(rk_model *m, const char *path, rk_error *err)
{
    rk_config c;
    rk_model_files *files = m->impl;
    RK_TRY(rk_gguf_open(&files->gguf, path, err));
    const char **paths = rk_arena_take(files->arena, 1, sizeof *paths, err);
    if (!paths)
        return RK_E_MEMORY;
    paths[0] = rk_gguf_path(files->gguf);
    files->path = paths;
    files->paths = 1;
    RK_TRY(rk_config_of_gguf(files->gguf, &c, err));
    RK_TRY(read_vocab(files->gguf, &c, err));
    RK_TRY(read_divisor(m, files->gguf, &c, err));
    RK_TRY(rk_load_config(m, &c, path, err));
    loader l = {.m = m, .g = files->gguf, .err = err};
    RK_TRY(load_tensors(&l, &c));
    return rk_load_tokenizer_gguf(m, c.family, files->gguf, err);
}
