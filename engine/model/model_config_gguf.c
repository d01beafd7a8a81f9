/* model_config_gguf.c - the keys of a GGUF file; see model_config.h. Names: gguf-py's
 * constants, prefixed with the architecture. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model_config.h"

enum {
    COUNT_MAX = 1 << 16,
    WIDTH_MAX = 1 << 22,
    POSITION_MAX = 1 << 30,
    KEY_BYTES = 160,
};

typedef struct reader {
    const rk_gguf *g;
    const char *arch;
    rk_error *err;
} reader;

static const char *key_of(const reader *r, const char *suffix, char key[KEY_BYTES])
{
    snprintf(key, KEY_BYTES, "%s.%s", r->arch, suffix);
    return key;
}

static rk_status read_count(const reader *r, const char *suffix, int required, int64_t high,
                            int32_t *out)
{
    char key[KEY_BYTES];
    int64_t value = *out;
    RK_TRY(rk_gguf_int(r->g, key_of(r, suffix, key), required, 1, high, &value, r->err));
    *out = (int32_t)value;
    return RK_OK;
}

static rk_status read_float(const reader *r, const char *suffix, int required, double *out)
{
    char key[KEY_BYTES];
    return rk_gguf_float(r->g, key_of(r, suffix, key), required, out, r->err);
}

/* A count that may also be an array of one value a layer; the layers must agree. */
static rk_status read_layer_count(const reader *r, const char *suffix, int required, int64_t high,
                                  int32_t *out)
{
    char key[KEY_BYTES];
    int64_t n = 0, first = 0, value = 0;
    key_of(r, suffix, key);
    if (!rk_gguf_has(r->g, key) || rk_gguf_array(r->g, key, 0, &n, NULL) != RK_OK)
        return read_count(r, suffix, required, high, out);
    for (int64_t i = 0; i < n; i++) {
        RK_TRY(rk_gguf_array_int(r->g, key, i, &value, r->err));
        first = i ? first : value;
        if (value != first)
            return rk_fail(r->err, RK_E_UNSUPPORTED,
                           "%s: key '%s': expected the same in every layer, got %" PRId64
                           " and %" PRId64,
                           rk_gguf_path(r->g), key, first, value);
    }
    if (first < 1 || first > high)
        return rk_fail(r->err, RK_E_FORMAT, "%s: key '%s': expected 1 to %" PRId64 ", got %" PRId64,
                       rk_gguf_path(r->g), key, high, first);
    *out = (int32_t)first;
    return RK_OK;
}

/* Keys that change the arithmetic, with the value at which they do not. */
static const struct {
    const char *suffix;
    double neutral;
} guarded[] = {
    {"attention.sliding_window", 0},
    {"expert_count", 0},
    {"expert_used_count", 0},
    {"leading_dense_block_count", 0},
    {"logit_scale", 1},
    {"residual_scale", 1},
    {"embedding_scale", 1},
    {"attention.scale", 0},
    {"attention.clamp_kqv", 0},
    {"attention.max_alibi_bias", 0},
    {"attn_logit_softcapping", 0},
    {"final_logit_softcapping", 0},
    {"rope.scale_linear", 1},
    {"nextn_predict_layers", 0},
};

static rk_status check_guarded(const reader *r)
{
    for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) {
        double value = guarded[i].neutral;
        RK_TRY(read_float(r, guarded[i].suffix, 0, &value));
        if (value != guarded[i].neutral)
            return rk_fail(r->err, RK_E_UNSUPPORTED, "%s: key '%s.%s': expected %g, got %g",
                           rk_gguf_path(r->g), r->arch, guarded[i].suffix, guarded[i].neutral,
                           value);
    }
    char key[KEY_BYTES];
    int causal = 1;
    RK_TRY(rk_gguf_bool(r->g, key_of(r, "attention.causal", key), 0, &causal, r->err));
    if (!causal)
        return rk_fail(r->err, RK_E_UNSUPPORTED, "%s: key '%s': expected true, got false",
                       rk_gguf_path(r->g), key);
    int64_t parts = 1;
    RK_TRY(rk_gguf_int(r->g, "split.count", 0, 0, INT64_MAX, &parts, r->err));
    if (parts > 1)
        return rk_fail(r->err, RK_E_UNSUPPORTED,
                       "%s: one of %" PRId64
                       " parts of a split model; join them first (llama.cpp's "
                       "gguf-split --merge)",
                       rk_gguf_path(r->g), parts);
    return RK_OK;
}

static rk_status read_shape(const reader *r, rk_model_shape *s)
{
    double eps = 0;
    const char *where = rk_gguf_path(r->g);
    RK_TRY(read_count(r, "block_count", 1, COUNT_MAX, &s->layers));
    RK_TRY(read_count(r, "embedding_length", 1, WIDTH_MAX, &s->width));
    RK_TRY(read_layer_count(r, "feed_forward_length", 1, WIDTH_MAX, &s->ffn_width));
    RK_TRY(read_layer_count(r, "attention.head_count", 1, COUNT_MAX, &s->heads));
    s->kv_heads = s->heads;
    RK_TRY(read_layer_count(r, "attention.head_count_kv", 0, COUNT_MAX, &s->kv_heads));
    RK_TRY(read_float(r, "attention.layer_norm_rms_epsilon", 1, &eps));
    s->norm_eps = (float)eps;
    RK_TRY(read_count(r, "context_length", 0, POSITION_MAX, &s->max_position));
    RK_TRY(read_count(r, "attention.key_length", 0, COUNT_MAX, &s->head_dim));
    if (!s->head_dim) {
        if (s->width % s->heads)
            return rk_fail(r->err, RK_E_UNSUPPORTED,
                           "%s: key '%s.attention.key_length' is missing and width %d is no "
                           "multiple of %d heads",
                           where, r->arch, s->width, s->heads);
        s->head_dim = s->width / s->heads;
    }
    int32_t value_length = s->head_dim, rotary = s->head_dim;
    RK_TRY(read_count(r, "attention.value_length", 0, COUNT_MAX, &value_length));
    RK_TRY(read_count(r, "rope.dimension_count", 0, COUNT_MAX, &rotary));
    if (value_length != s->head_dim)
        return rk_fail(r->err, RK_E_UNSUPPORTED,
                       "%s: key '%s.attention.value_length': expected %d like the keys, got %d",
                       where, r->arch, s->head_dim, value_length);
    if (rotary != s->head_dim)
        return rk_fail(r->err, RK_E_UNSUPPORTED,
                       "%s: key '%s.rope.dimension_count': expected %d like the head dim, got %d",
                       where, r->arch, s->head_dim, rotary);
    return rk_config_check_shape(s, where, r->err);
}

static int text_is(const rk_gguf_text *t, const char *text)
{
    return t->n == strlen(text) && !memcmp(t->bytes, text, t->n);
}

static rk_status read_rope(const reader *r, const rk_model_shape *s, rk_rope_spec *rope)
{
    char key[KEY_BYTES];
    rk_gguf_text type = {.bytes = "none", .n = 4};
    *rope = rk_rope_spec_default(s->head_dim);
    RK_TRY(read_float(r, "rope.freq_base", 0, &rope->theta));
    RK_TRY(rk_gguf_string(r->g, key_of(r, "rope.scaling.type", key), 0, &type, r->err));
    if (text_is(&type, "none"))
        return RK_OK;
    if (!text_is(&type, "linear") && !text_is(&type, "yarn"))
        return rk_fail(r->err, RK_E_UNSUPPORTED,
                       "%s: key '%s': expected none, linear or yarn, got '%.*s'",
                       rk_gguf_path(r->g), key, (int)(type.n < 60 ? type.n : 60), type.bytes);
    RK_TRY(read_float(r, "rope.scaling.factor", 1, &rope->factor));
    if (text_is(&type, "linear")) {
        rope->kind = RK_ROPE_LINEAR;
        return RK_OK;
    }
    rope->kind = RK_ROPE_YARN;
    rope->original = s->max_position;
    RK_TRY(read_float(r, "rope.scaling.original_context_length", 0, &rope->original));
    RK_TRY(read_float(r, "rope.scaling.yarn_beta_fast", 0, &rope->beta_fast));
    RK_TRY(read_float(r, "rope.scaling.yarn_beta_slow", 0, &rope->beta_slow));
    /* Here the key multiplies YaRN's own factor (ggml), it does not replace it. */
    double multiplier = 1;
    RK_TRY(read_float(r, "rope.scaling.attn_factor", 0, &multiplier));
    if (!(multiplier > 0))
        return rk_fail(r->err, RK_E_FORMAT,
                       "%s: key '%s.rope.scaling.attn_factor': expected a number above 0, got %g",
                       rk_gguf_path(r->g), r->arch, multiplier);
    rope->attention_factor = multiplier * (rope->factor > 1 ? 0.1 * log(rope->factor) + 1 : 1);
    return RK_OK;
}

static rk_status find_family(const rk_gguf *g, const rk_family_ops **out, rk_error *err)
{
    rk_gguf_text arch = {0};
    RK_TRY(rk_gguf_string(g, "general.architecture", 1, &arch, err));
    char known[200] = "";
    for (int32_t i = 0; i < rk_families_count; i++) {
        if (text_is(&arch, rk_families[i]->gguf_arch)) {
            *out = rk_families[i];
            return RK_OK;
        }
        if (i && !strcmp(rk_families[i]->gguf_arch, rk_families[i - 1]->gguf_arch))
            continue; /* families that share an architecture are neighbours by name */
        size_t at = strlen(known);
        snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", rk_families[i]->gguf_arch);
    }
    return rk_fail(err, RK_E_UNSUPPORTED,
                   "%s: key 'general.architecture': expected one of %s, got '%.*s'",
                   rk_gguf_path(g), known, (int)(arch.n < 60 ? arch.n : 60), arch.bytes);
}

static rk_status read_tokens(const rk_gguf *g, rk_config *out, rk_error *err)
{
    static const char *const stops[] = {"tokenizer.ggml.eos_token_id",
                                        "tokenizer.ggml.eot_token_id",
                                        "tokenizer.ggml.eom_token_id"};
    int64_t bos = -1;
    RK_TRY(rk_gguf_int(g, "tokenizer.ggml.bos_token_id", 0, 0, INT32_MAX, &bos, err));
    out->bos_id = (int32_t)bos;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        int64_t id = -1;
        RK_TRY(rk_gguf_int(g, stops[i], 0, 0, INT32_MAX, &id, err));
        if (id >= 0)
            RK_TRY(rk_config_add_stop(out->stop_id, &out->stop_ids, id, rk_gguf_path(g), err));
    }
    return RK_OK;
}

static rk_status read_origin(const rk_gguf *g, rk_config *out, rk_error *err)
{
    rk_gguf_text origin = {.bytes = "trained", .n = 7};
    RK_TRY(rk_gguf_string(g, "redknot.weights_origin", 0, &origin, err));
    if (!text_is(&origin, "trained") && !text_is(&origin, "random"))
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'redknot.weights_origin': expected trained or random",
                       rk_gguf_path(g));
    out->weights_kind = text_is(&origin, "random") ? RK_WEIGHTS_RANDOM : RK_WEIGHTS_TRAINED;
    return RK_OK;
}

rk_status rk_config_of_gguf(const rk_gguf *g, rk_config *out, rk_error *err)
{
    *out = (rk_config){.bos_id = -1};
    RK_TRY(find_family(g, &out->family, err));
    reader r = {.g = g, .arch = out->family->gguf_arch, .err = err};
    RK_TRY(check_guarded(&r));
    RK_TRY(read_shape(&r, &out->shape));
    RK_TRY(read_rope(&r, &out->shape, &out->rope));
    RK_TRY(read_tokens(g, out, err));
    return read_origin(g, out, err);
}
