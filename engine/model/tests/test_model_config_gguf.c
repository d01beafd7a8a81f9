/* Keys of GGUF files: what is read, and every key that is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gguf_build.h"
#include "model/model_config.h"

#define PATH RK_TEST_BUILD "/config_gguf_test.gguf"

typedef struct extra {
    const char *key;
    uint32_t type;
    double number;
    const char *text;
} extra;

/* A plausible llama; a row of `more` with a key of the base replaces it, one with
 * type ARRAY leaves it out. */
static const extra base[] = {
    {"general.architecture", STRING, 0, "llama"},
    {"llama.block_count", U32, 3, NULL},
    {"llama.embedding_length", U32, 64, NULL},
    {"llama.feed_forward_length", U32, 160, NULL},
    {"llama.attention.head_count", U32, 8, NULL},
    {"llama.attention.head_count_kv", U32, 2, NULL},
    {"llama.attention.layer_norm_rms_epsilon", F32, 1e-5, NULL},
    {"llama.context_length", U32, 512, NULL},
};

static void put_extra(bytes *b, const extra *e)
{
    if (e->type == STRING)
        gguf_text(b, e->key, e->text);
    else if (e->type == F32)
        gguf_f32(b, e->key, (float)e->number);
    else if (e->type == BOOL)
        gguf_key(b, e->key, BOOL), put_number(b, e->number != 0, 1);
    else
        gguf_u32(b, e->key, (uint32_t)e->number);
}

static const extra *find(const extra *more, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(more[i].key, key))
            return &more[i];
    return NULL;
}

static rk_status read_with(const extra *more, int n, rk_config *out, rk_error *err)
{
    static bytes b;
    uint64_t keys = 0;
    gguf_head(&b, 0, 0);
    for (size_t i = 0; i < sizeof base / sizeof *base; i++)
        if (!find(more, n, base[i].key))
            put_extra(&b, &base[i]), keys++;
    for (int i = 0; i < n; i++)
        if (more[i].type != ARRAY)
            put_extra(&b, &more[i]), keys++;
    b.data[16] = (uint8_t)keys;
    write_bytes(PATH, b.data, b.n);
    rk_gguf *g;
    assert_int_equal(rk_gguf_open(&g, PATH, err), RK_OK);
    rk_status st = rk_config_of_gguf(g, out, err);
    rk_gguf_close(g);
    remove(PATH);
    return st;
}

static rk_config accept(const extra *more, int n)
{
    rk_error err = {0};
    rk_config c;
    if (read_with(more, n, &c, &err) != RK_OK)
        fail_msg("%s", err.text);
    return c;
}

static void test_shape(void **state)
{
    (void)state;
    rk_config c = accept(NULL, 0);
    assert_string_equal(c.family->name, "llama");
    assert_int_equal(c.family->gguf_interleaved, 1);
    assert_int_equal(c.shape.layers, 3);
    assert_int_equal(c.shape.width, 64);
    assert_int_equal(c.shape.ffn_width, 160);
    assert_int_equal(c.shape.heads, 8);
    assert_int_equal(c.shape.kv_heads, 2);
    assert_int_equal(c.shape.head_dim, 8);
    assert_int_equal(c.shape.max_position, 512);
    assert_int_equal(c.shape.vocab, 0);
    assert_true(c.shape.norm_eps == 1e-5f);
    assert_int_equal(c.bos_id, -1);
    assert_int_equal(c.stop_ids, 0);
    assert_true(c.rope.theta == 10000 && c.rope.kind == RK_ROPE_DEFAULT && !c.rope.divisor);
}

static void test_options(void **state)
{
    (void)state;
    extra more[] = {
        {"llama.attention.key_length", U32, 24, NULL},
        {"llama.attention.value_length", U32, 24, NULL},
        {"llama.rope.dimension_count", U32, 24, NULL},
        {"llama.rope.freq_base", F32, 500000, NULL},
        {"llama.rope.scaling.type", STRING, 0, "yarn"},
        {"llama.rope.scaling.factor", F32, 4, NULL},
        {"llama.rope.scaling.original_context_length", U32, 128, NULL},
        {"llama.rope.scaling.attn_factor", F32, 2, NULL},
        {"tokenizer.ggml.bos_token_id", U32, 5, NULL},
        {"tokenizer.ggml.eos_token_id", U32, 6, NULL},
        {"tokenizer.ggml.eot_token_id", U32, 7, NULL},
        {"redknot.weights_origin", STRING, 0, "random"},
        {"llama.attention.sliding_window", U32, 0, NULL},
        {"llama.attention.causal", BOOL, 1, NULL},
    };
    rk_config c = accept(more, sizeof more / sizeof *more);
    assert_int_equal(c.shape.head_dim, 24);
    assert_true(c.rope.kind == RK_ROPE_YARN && c.rope.theta == 500000 && c.rope.factor == 4);
    assert_true(c.rope.original == 128 && c.rope.dim == 24);
    assert_true(fabs(c.rope.attention_factor - 2 * (0.1 * log(4) + 1)) < 1e-12);
    assert_int_equal(c.bos_id, 5);
    assert_int_equal(c.stop_ids, 2);
    assert_int_equal(c.weights_kind, RK_WEIGHTS_RANDOM);
    more[4].text = "linear";
    assert_int_equal(accept(more, sizeof more / sizeof *more).rope.kind, RK_ROPE_LINEAR);
    extra none = {"llama.attention.head_count_kv", ARRAY, 0, NULL};
    assert_int_equal(accept(&none, 1).shape.kv_heads, 8);
}

/* head_count_kv as an array of one value a layer. */
static rk_status read_layers(int n, int last, rk_config *out, rk_error *err)
{
    static bytes b;
    gguf_head(&b, 0, sizeof base / sizeof *base);
    for (size_t i = 0; i < sizeof base / sizeof *base; i++)
        if (strcmp(base[i].key, "llama.attention.head_count_kv"))
            put_extra(&b, &base[i]);
    gguf_array(&b, "llama.attention.head_count_kv", I32, (uint64_t)n);
    for (int i = 0; i < n; i++)
        put_number(&b, i == n - 1 ? (uint64_t)last : 4, 4);
    write_bytes(PATH, b.data, b.n);
    rk_gguf *g;
    assert_int_equal(rk_gguf_open(&g, PATH, err), RK_OK);
    rk_status st = rk_config_of_gguf(g, out, err);
    rk_gguf_close(g);
    remove(PATH);
    return st;
}

static void test_values_a_layer(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_config c;
    assert_int_equal(read_layers(3, 4, &c, &err), RK_OK);
    assert_int_equal(c.shape.kv_heads, 4);
    assert_int_equal(read_layers(3, 2, &c, &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "expected the same in every layer, got 4 and 2"));
    assert_int_equal(read_layers(0, 0, &c, &err), RK_E_FORMAT);
    assert_int_equal(read_layers(1, 0, &c, &err), RK_E_FORMAT);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        extra e;
        rk_status status;
        const char *message;
    } cases[] = {
        {{"general.architecture", STRING, 0, "gpt2"},
         RK_E_UNSUPPORTED,
         "expected one of llama, qwen2, qwen3, got 'gpt2'"},
        {{"general.architecture", ARRAY, 0, NULL},
         RK_E_FORMAT,
         "'general.architecture' is missing"},
        {{"general.architecture", U32, 1, NULL}, RK_E_FORMAT, "expected a string"},
        {{"llama.block_count", ARRAY, 0, NULL}, RK_E_FORMAT, "'llama.block_count' is missing"},
        {{"llama.block_count", U32, 0, NULL}, RK_E_FORMAT, "expected 1 to 65536, got 0"},
        {{"llama.block_count", U32, 4e9, NULL}, RK_E_FORMAT, "expected 1 to 65536"},
        {{"llama.embedding_length", F32, 64, NULL}, RK_E_FORMAT, "expected a whole number"},
        {{"llama.attention.head_count", U32, 7, NULL}, RK_E_UNSUPPORTED, "no multiple of 7 heads"},
        {{"llama.attention.head_count_kv", U32, 3, NULL}, RK_E_UNSUPPORTED, "got 8 and 3"},
        {{"llama.attention.layer_norm_rms_epsilon", ARRAY, 0, NULL}, RK_E_FORMAT, "is missing"},
        {{"llama.attention.value_length", U32, 4, NULL},
         RK_E_UNSUPPORTED,
         "expected 8 like the keys, got 4"},
        {{"llama.rope.dimension_count", U32, 4, NULL},
         RK_E_UNSUPPORTED,
         "expected 8 like the head dim, got 4"},
        {{"llama.attention.sliding_window", U32, 4096, NULL},
         RK_E_UNSUPPORTED,
         "'llama.attention.sliding_window': expected 0, got 4096"},
        {{"llama.expert_count", U32, 8, NULL}, RK_E_UNSUPPORTED, "'llama.expert_count'"},
        {{"llama.logit_scale", F32, 0.5, NULL}, RK_E_UNSUPPORTED, "'llama.logit_scale'"},
        {{"llama.attention.causal", BOOL, 0, NULL}, RK_E_UNSUPPORTED, "expected true, got false"},
        {{"llama.rope.scaling.type", STRING, 0, "longrope"}, RK_E_UNSUPPORTED, "got 'longrope'"},
        {{"llama.rope.scaling.type", STRING, 0, "yarn"}, RK_E_FORMAT, "scaling.factor' is missing"},
        {{"split.count", U32, 3, NULL}, RK_E_UNSUPPORTED, "one of 3 parts of a split model"},
        {{"tokenizer.ggml.bos_token_id", F32, 1, NULL}, RK_E_FORMAT, "bos_token_id"},
        {{"redknot.weights_origin", STRING, 0, "x"}, RK_E_FORMAT, "weights_origin"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        rk_config c;
        rk_status st = read_with(&cases[i].e, 1, &c, &err);
        if (st != cases[i].status || !strstr(err.text, cases[i].message) ||
            strncmp(err.text, PATH, strlen(PATH)))
            fail_msg("%s: expected %s with '%s', got %s: %s", cases[i].e.key,
                     rk_status_name(cases[i].status), cases[i].message, rk_status_name(st),
                     err.text);
    }
    const extra zero[] = {{"llama.rope.scaling.type", STRING, 0, "yarn"},
                          {"llama.rope.scaling.factor", F32, 4, NULL},
                          {"llama.rope.scaling.attn_factor", F32, 0, NULL}};
    rk_error err = {0};
    rk_config c;
    assert_int_equal(read_with(zero, 3, &c, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "attn_factor': expected a number above 0, got 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_values_a_layer),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
