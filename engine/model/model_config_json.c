/* model_config_json.c - config.json and generation_config.json; see model_config.h. */
#define _POSIX_C_SOURCE 200809L
#include "model/model_config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    COUNT_MAX = 1 << 16, /* layers, heads: far above any model, far below overflow */
    WIDTH_MAX = 1 << 22,
    VOCAB_MAX = 1 << 26,
    POSITION_MAX = 1 << 30,
};

/* Keys that change the arithmetic: refused unless null, absent or neutral. */
typedef enum neutral { IS_FALSE, IS_ZERO, IS_ONE, IS_ABSENT, IS_SILU } neutral;

static const struct {
    const char *key;
    neutral neutral;
} guarded[] = {
    {"attention_bias", IS_FALSE},
    {"mlp_bias", IS_FALSE},
    {"use_sliding_window", IS_FALSE},
    {"partial_rotary_factor", IS_ONE},
    {"rotary_pct", IS_ONE},
    {"quantization_config", IS_ABSENT},
    {"hidden_act", IS_SILU},
    {"hidden_activation", IS_SILU},
    {"num_experts", IS_ZERO},
    {"num_local_experts", IS_ZERO},
    {"attn_logit_softcapping", IS_ABSENT},
    {"final_logit_softcapping", IS_ABSENT},
    {"logit_scale", IS_ONE},
    {"logits_scaling", IS_ONE},
    {"embedding_multiplier", IS_ONE},
    {"residual_multiplier", IS_ONE},
    {"attention_multiplier", IS_ABSENT},
    {"query_pre_attn_scalar", IS_ABSENT},
    {"clip_qkv", IS_ABSENT},
    {"no_rope_layers", IS_ABSENT},
    {"is_encoder_decoder", IS_FALSE},
    {"add_cross_attention", IS_FALSE},
    {"attention_chunk_size", IS_ABSENT},
    {"text_config", IS_ABSENT},
};

static const char *const neutral_text[] = {
    [IS_FALSE] = "false", [IS_ZERO] = "0",        [IS_ONE] = "1",
    [IS_ABSENT] = "null", [IS_SILU] = "\"silu\"",
};

static int is_neutral(const json_t *v, neutral n)
{
    switch (n) {
    case IS_FALSE:
        return json_is_false(v);
    case IS_ZERO:
        return json_is_number(v) && json_number_value(v) == 0;
    case IS_ONE:
        return json_is_number(v) && json_number_value(v) == 1;
    case IS_ABSENT:
        return 0;
    case IS_SILU:
        return json_is_string(v) && !strcmp(json_string_value(v), "silu");
    }
    return 0;
}

/* A short rendering of a value for a message. */
static void value_text(const json_t *v, char *out, size_t bytes)
{
    if (json_is_string(v))
        snprintf(out, bytes, "\"%.60s\"", json_string_value(v));
    else if (json_is_integer(v))
        snprintf(out, bytes, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v))
        snprintf(out, bytes, "%g", json_real_value(v));
    else if (json_is_boolean(v))
        snprintf(out, bytes, "%s", json_is_true(v) ? "true" : "false");
    else
        snprintf(out, bytes, "%s", rk_json_kind(v));
}

static rk_status unsupported(const json_t *v, const char *key, const char *expected,
                             const char *where, rk_error *err)
{
    char got[80];
    value_text(v, got, sizeof got);
    return rk_fail(err, RK_E_UNSUPPORTED, "%s: key '%s': expected %s, got %s", where, key, expected,
                   got);
}

static rk_status check_guarded(const json_t *config, const char *where, rk_error *err)
{
    for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) {
        const json_t *v = json_object_get(config, guarded[i].key);
        if (v && !json_is_null(v) && !is_neutral(v, guarded[i].neutral))
            return unsupported(v, guarded[i].key, neutral_text[guarded[i].neutral], where, err);
    }
    const json_t *types = json_object_get(config, "layer_types");
    if (types && !json_is_null(types) && !json_is_array(types))
        return unsupported(types, "layer_types", "an array", where, err);
    for (size_t i = 0; i < json_array_size(types); i++) {
        const json_t *v = json_array_get(types, i);
        if (!json_is_string(v) || strcmp(json_string_value(v), "full_attention"))
            return unsupported(v, "layer_types", "\"full_attention\" throughout", where, err);
    }
    return RK_OK;
}

static rk_status find_family(const json_t *config, const char *where, const rk_family_ops **out,
                             rk_error *err)
{
    const char *type = NULL;
    RK_TRY(rk_json_text(config, "model_type", where, 1, &type, err));
    char known[200] = "";
    for (int32_t i = 0; i < rk_families_count; i++) {
        if (!strcmp(type, rk_families[i]->name)) {
            *out = rk_families[i];
            return RK_OK;
        }
        size_t at = strlen(known);
        snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", rk_families[i]->name);
    }
    return rk_fail(err, RK_E_UNSUPPORTED, "%s: key 'model_type': expected one of %s, got '%.60s'",
                   where, known, type);
}

static rk_status read_count(const json_t *config, const char *key, const char *where, int required,
                            int64_t high, int32_t *out, rk_error *err)
{
    int64_t value = *out;
    RK_TRY(rk_json_int(config, key, where, required, 1, high, &value, err));
    *out = (int32_t)value;
    return RK_OK;
}

static rk_status read_shape(const json_t *config, const char *where, rk_model_shape *s,
                            rk_error *err)
{
    double eps = 0;
    RK_TRY(read_count(config, "num_hidden_layers", where, 1, COUNT_MAX, &s->layers, err));
    RK_TRY(read_count(config, "hidden_size", where, 1, WIDTH_MAX, &s->width, err));
    RK_TRY(read_count(config, "num_attention_heads", where, 1, COUNT_MAX, &s->heads, err));
    RK_TRY(read_count(config, "intermediate_size", where, 1, WIDTH_MAX, &s->ffn_width, err));
    RK_TRY(read_count(config, "vocab_size", where, 1, VOCAB_MAX, &s->vocab, err));
    RK_TRY(rk_json_float(config, "rms_norm_eps", where, 1, &eps, err));
    s->norm_eps = (float)eps;
    s->kv_heads = s->heads;
    RK_TRY(read_count(config, "num_key_value_heads", where, 0, COUNT_MAX, &s->kv_heads, err));
    RK_TRY(read_count(config, "head_dim", where, 0, COUNT_MAX, &s->head_dim, err));
    if (!s->head_dim) {
        if (s->width % s->heads)
            return rk_fail(err, RK_E_UNSUPPORTED,
                           "%s: key 'head_dim' is missing and hidden_size %d is no multiple of %d "
                           "heads",
                           where, s->width, s->heads);
        s->head_dim = s->width / s->heads;
    }
    RK_TRY(read_count(config, "max_position_embeddings", where, 0, POSITION_MAX, &s->max_position,
                      err));
    return rk_config_check_shape(s, where, err);
}

static rk_status rope_kind(const json_t *rope, const char *where, rk_rope_kind *kind, rk_error *err)
{
    static const char *const names[] = {"default", "linear", "llama3", "yarn"};
    const char *type = NULL;
    RK_TRY(rk_json_text(rope, "type", where, 0, &type, err)); /* before 4.45 */
    RK_TRY(rk_json_text(rope, "rope_type", where, 0, &type, err));
    *kind = RK_ROPE_DEFAULT;
    if (!type)
        return RK_OK;
    for (int i = 0; i < 4; i++) {
        if (!strcmp(type, names[i])) {
            *kind = (rk_rope_kind)i;
            return RK_OK;
        }
    }
    return rk_fail(err, RK_E_UNSUPPORTED,
                   "%s: key 'rope_type': expected default, linear, llama3 or yarn, got '%.60s'",
                   where, type);
}

/* 0.1 m ln(factor) + 1 of YaRN, for the ratio that DeepSeek-style files give. */
static double yarn_scale(double factor, double m)
{
    return factor > 1 ? 0.1 * m * log(factor) + 1 : 1;
}

static rk_status read_yarn(const json_t *rope, const char *where, rk_rope_spec *r, rk_error *err)
{
    double scale = 0, scale_all = 0;
    RK_TRY(rk_json_float(rope, "beta_fast", where, 0, &r->beta_fast, err));
    RK_TRY(rk_json_float(rope, "beta_slow", where, 0, &r->beta_slow, err));
    RK_TRY(rk_json_bool(rope, "truncate", where, &r->truncate, err));
    RK_TRY(rk_json_float(rope, "mscale", where, 0, &scale, err));
    RK_TRY(rk_json_float(rope, "mscale_all_dim", where, 0, &scale_all, err));
    if (scale != 0 && scale_all != 0)
        r->attention_factor = yarn_scale(r->factor, scale) / yarn_scale(r->factor, scale_all);
    const json_t *given = json_object_get(rope, "attention_factor");
    RK_TRY(rk_json_float(rope, "attention_factor", where, 0, &r->attention_factor, err));
    if (given && !json_is_null(given) && !(r->attention_factor > 0))
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'attention_factor': expected a number above 0, got %g", where,
                       r->attention_factor);
    return RK_OK;
}

/* rope_theta stands at the top (v4) or inside rope_parameters (v5), the scaling in
 * rope_scaling (v4) or rope_parameters (v5); the inner theta and, as in transformers
 * 5, rope_scaling win. */
static rk_status read_rope(const json_t *config, const char *where, const rk_model_shape *s,
                           rk_rope_spec *r, rk_error *err)
{
    *r = rk_rope_spec_default(s->head_dim);
    RK_TRY(rk_json_float(config, "rope_theta", where, 0, &r->theta, err));
    const char *key = "rope_scaling";
    const json_t *rope = json_object_get(config, key);
    if (!json_object_size(rope)) {
        if (rope && !json_is_null(rope) && !json_is_object(rope))
            return unsupported(rope, key, "an object", where, err);
        key = "rope_parameters";
        rope = json_object_get(config, key);
    }
    if (!rope || json_is_null(rope))
        return RK_OK;
    if (!json_is_object(rope))
        return unsupported(rope, key, "an object", where, err);
    for (void *at = json_object_iter((json_t *)rope); at;
         at = json_object_iter_next((json_t *)rope, at))
        if (json_is_object(json_object_iter_value(at)))
            return rk_fail(err, RK_E_UNSUPPORTED,
                           "%s: key '%s': expected one set of parameters, got one a layer type "
                           "('%.60s')",
                           where, key, json_object_iter_key(at));
    RK_TRY(rope_kind(rope, where, &r->kind, err));
    RK_TRY(rk_json_float(rope, "rope_theta", where, 0, &r->theta, err));
    double partial = 1;
    RK_TRY(rk_json_float(rope, "partial_rotary_factor", where, 0, &partial, err));
    if (partial != 1)
        return unsupported(json_object_get(rope, "partial_rotary_factor"), "partial_rotary_factor",
                           "1", where, err);
    if (r->kind == RK_ROPE_DEFAULT)
        return RK_OK;
    RK_TRY(rk_json_float(rope, "factor", where, 1, &r->factor, err));
    r->original = s->max_position;
    RK_TRY(rk_json_float(rope, "original_max_position_embeddings", where, 0, &r->original, err));
    if (r->kind == RK_ROPE_LLAMA3) {
        RK_TRY(rk_json_float(rope, "low_freq_factor", where, 1, &r->low_freq, err));
        RK_TRY(rk_json_float(rope, "high_freq_factor", where, 1, &r->high_freq, err));
    }
    return r->kind == RK_ROPE_YARN ? read_yarn(rope, where, r, err) : RK_OK;
}

/* A whole number, or a list of them; the list replaces what was there. */
static rk_status read_stops(const json_t *object, const char *where, rk_config *out, rk_error *err)
{
    const json_t *v = json_object_get(object, "eos_token_id");
    if (!v || json_is_null(v))
        return RK_OK;
    out->stop_ids = 0;
    if (json_is_integer(v))
        return rk_config_add_stop(out->stop_id, &out->stop_ids, json_integer_value(v), where, err);
    if (!json_is_array(v))
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'eos_token_id': expected a whole number or a list of them, got %s",
                       where, rk_json_kind(v));
    for (size_t i = 0; i < json_array_size(v); i++) {
        const json_t *id = json_array_get(v, i);
        if (!json_is_integer(id))
            return rk_fail(err, RK_E_FORMAT,
                           "%s: key 'eos_token_id': element %zu: expected a whole number, got %s",
                           where, i, rk_json_kind(id));
        RK_TRY(
            rk_config_add_stop(out->stop_id, &out->stop_ids, json_integer_value(id), where, err));
    }
    return RK_OK;
}

static rk_status read_bos(const json_t *object, const char *where, rk_config *out, rk_error *err)
{
    int64_t id = out->bos_id;
    RK_TRY(rk_json_int(object, "bos_token_id", where, 0, 0, INT32_MAX, &id, err));
    out->bos_id = (int32_t)id;
    return RK_OK;
}

static rk_status read_origin(const json_t *config, const char *where, rk_config *out, rk_error *err)
{
    const char *origin = "trained";
    RK_TRY(rk_json_text(config, "weights_origin", where, 0, &origin, err));
    out->weights_kind = RK_WEIGHTS_TRAINED;
    if (!strcmp(origin, "random"))
        out->weights_kind = RK_WEIGHTS_RANDOM;
    else if (strcmp(origin, "trained"))
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'weights_origin': expected trained or random, got '%.60s'", where,
                       origin);
    return RK_OK;
}

rk_status rk_config_of_json(const json_t *config, const char *where, const json_t *generation,
                            const char *generation_where, rk_config *out, rk_error *err)
{
    *out = (rk_config){.bos_id = -1};
    RK_TRY(find_family(config, where, &out->family, err));
    RK_TRY(check_guarded(config, where, err));
    if (out->family->check_config)
        RK_TRY(out->family->check_config(config, where, err));
    RK_TRY(read_shape(config, where, &out->shape, err));
    RK_TRY(read_rope(config, where, &out->shape, &out->rope, err));
    const json_t *tie = json_object_get(config, "tie_word_embeddings");
    if (tie && !json_is_null(tie)) {
        int tied = 0;
        RK_TRY(rk_json_bool(config, "tie_word_embeddings", where, &tied, err));
        out->tied = tied ? RK_TIED_YES : RK_TIED_NO;
    }
    RK_TRY(read_bos(config, where, out, err));
    RK_TRY(read_stops(config, where, out, err));
    RK_TRY(read_origin(config, where, out, err));
    if (!generation)
        return RK_OK;
    if (out->bos_id < 0)
        RK_TRY(read_bos(generation, generation_where, out, err));
    return read_stops(generation, generation_where, out, err);
}

rk_status rk_config_read(const char *dir, rk_config *out, rk_error *err)
{
    rk_arena *arena = NULL;
    json_t *config = NULL, *generation = NULL;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = RK_E_MEMORY;
    char *path = rk_arena_printf(arena, err, "%s/config.json", dir);
    char *generation_path = rk_arena_printf(arena, err, "%s/generation_config.json", dir);
    if (!path || !generation_path)
        goto done;
    st = rk_json_load(path, RK_CONFIG_BYTES_MAX, &config, err);
    if (st == RK_OK && !access(generation_path, F_OK))
        st = rk_json_load(generation_path, RK_CONFIG_BYTES_MAX, &generation, err);
    if (st == RK_OK && generation && !json_is_object(generation))
        st = rk_fail(err, RK_E_FORMAT, "%s: expected an object, got %s", generation_path,
                     rk_json_kind(generation));
    if (st == RK_OK)
        st = rk_config_of_json(config, path, generation, generation_path, out, err);
done:
    json_decref(config);
    json_decref(generation);
    rk_arena_free(arena);
    return st;
}
