/* Configurations of both transformers styles; every key that is refused. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "model/model_config.h"

static const char base[] =
    "{\"model_type\":\"llama\",\"vocab_size\":100,\"hidden_size\":64,\"intermediate_size\":160,"
    "\"num_hidden_layers\":3,\"num_attention_heads\":8,\"num_key_value_heads\":2,"
    "\"rms_norm_eps\":1e-5,\"max_position_embeddings\":512,\"bos_token_id\":1,"
    "\"eos_token_id\":2}";

/* `base` with the keys of `patch` set over it (null stays null). */
static rk_status read_patched(const char *patch, const char *generation, rk_config *out,
                              rk_error *err)
{
    json_t *config, *over = NULL, *gen = NULL;
    assert_int_equal(rk_json_parse(base, strlen(base), "base", &config, err), RK_OK);
    if (rk_json_parse(patch, strlen(patch), "patch", &over, err) != RK_OK)
        fail_msg("%s: %s", patch, err->text);
    json_object_update(config, over);
    if (generation)
        assert_int_equal(rk_json_parse(generation, strlen(generation), "gen", &gen, err), RK_OK);
    rk_status st =
        rk_config_of_json(config, "config.json", gen, "generation_config.json", out, err);
    json_decref(config);
    json_decref(over);
    json_decref(gen);
    return st;
}

static rk_config accept(const char *patch, const char *generation)
{
    rk_error err = {0};
    rk_config c;
    if (read_patched(patch, generation, &c, &err) != RK_OK)
        fail_msg("%s: %s", patch, err.text);
    return c;
}

static void test_shape(void **state)
{
    (void)state;
    rk_config c = accept("{}", NULL);
    assert_string_equal(c.family->name, "llama");
    assert_int_equal(c.shape.layers, 3);
    assert_int_equal(c.shape.width, 64);
    assert_int_equal(c.shape.heads, 8);
    assert_int_equal(c.shape.kv_heads, 2);
    assert_int_equal(c.shape.head_dim, 8);
    assert_int_equal(c.shape.ffn_width, 160);
    assert_int_equal(c.shape.vocab, 100);
    assert_int_equal(c.shape.max_position, 512);
    assert_true(c.shape.norm_eps == 1e-5f);
    assert_int_equal(c.tied, RK_TIED_UNSAID);
    assert_int_equal(c.weights_kind, RK_WEIGHTS_TRAINED);
    assert_int_equal(c.bos_id, 1);

    assert_int_equal(accept("{\"num_key_value_heads\":null}", NULL).shape.kv_heads, 8);
    assert_int_equal(accept("{\"head_dim\":24}", NULL).shape.head_dim, 24);
    assert_int_equal(accept("{\"max_position_embeddings\":null}", NULL).shape.max_position, 0);
    assert_int_equal(accept("{\"tie_word_embeddings\":true}", NULL).tied, RK_TIED_YES);
    assert_int_equal(accept("{\"tie_word_embeddings\":false}", NULL).tied, RK_TIED_NO);
    assert_int_equal(accept("{\"weights_origin\":\"random\"}", NULL).weights_kind,
                     RK_WEIGHTS_RANDOM);
}

static void test_ids(void **state)
{
    (void)state;
    rk_config c = accept("{}", NULL);
    assert_int_equal(c.stop_ids, 1);
    assert_int_equal(c.stop_id[0], 2);
    c = accept("{\"eos_token_id\":[5,6,5]}", NULL);
    assert_int_equal(c.stop_ids, 2);
    c = accept("{}", "{\"eos_token_id\":[7,8],\"bos_token_id\":9}");
    assert_int_equal(c.stop_ids, 2);
    assert_int_equal(c.stop_id[0], 7);
    assert_int_equal(c.bos_id, 1);
    c = accept("{\"bos_token_id\":null,\"eos_token_id\":null}", "{\"bos_token_id\":9}");
    assert_int_equal(c.bos_id, 9);
    assert_int_equal(c.stop_ids, 0);
    assert_int_equal(accept("{\"bos_token_id\":null}", NULL).bos_id, -1);
}

static void test_rope_of_both_styles(void **state)
{
    (void)state;
    static const struct {
        const char *patch;
        rk_rope_kind kind;
        double theta, factor;
    } cases[] = {
        {"{}", RK_ROPE_DEFAULT, 10000, 1},
        {"{\"rope_theta\":1000000,\"rope_scaling\":null}", RK_ROPE_DEFAULT, 1e6, 1},
        {"{\"rope_theta\":1e6,\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}}", RK_ROPE_LINEAR,
         1e6, 2},
        {"{\"rope_scaling\":{\"type\":\"default\",\"rope_type\":\"linear\",\"factor\":3}}",
         RK_ROPE_LINEAR, 10000, 3},
        {"{\"rope_theta\":5e5,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,"
         "\"low_freq_factor\":1,\"high_freq_factor\":4,\"original_max_position_embeddings\":8192}}",
         RK_ROPE_LLAMA3, 5e5, 8},
        {"{\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":3e4}}", RK_ROPE_DEFAULT,
         3e4, 1},
        {"{\"rope_parameters\":{\"rope_theta\":3e4}}", RK_ROPE_DEFAULT, 3e4, 1},
        {"{\"rope_theta\":7,\"rope_scaling\":{},\"rope_parameters\":{\"rope_type\":\"yarn\","
         "\"rope_theta\":3e4,\"factor\":4,\"partial_rotary_factor\":1.0}}",
         RK_ROPE_YARN, 3e4, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_config c = accept(cases[i].patch, NULL);
        assert_int_equal(c.rope.kind, cases[i].kind);
        assert_true(c.rope.theta == cases[i].theta);
        assert_true(c.rope.factor == cases[i].factor);
        assert_int_equal(c.rope.dim, 8);
    }
}

#define YARN(more)                                                                                 \
    "{\"rope_parameters\":{\"rope_type\":\"yarn\",\"rope_theta\":1e6,\"factor\":4" more "}}"

static void test_yarn_parameters(void **state)
{
    (void)state;
    rk_config c = accept(YARN(""), NULL);
    assert_true(c.rope.original == 512 && c.rope.beta_fast == 32 && c.rope.beta_slow == 1);
    assert_true(c.rope.attention_factor <= 0 && c.rope.truncate == 1);
    c = accept(YARN(",\"original_max_position_embeddings\":64,\"beta_fast\":16,\"beta_slow\":2,"
                    "\"truncate\":false,\"attention_factor\":1.5"),
               NULL);
    assert_true(c.rope.original == 64 && c.rope.beta_fast == 16 && c.rope.beta_slow == 2);
    assert_true(c.rope.attention_factor == 1.5 && c.rope.truncate == 0);
    c = accept(YARN(",\"mscale\":0.7,\"mscale_all_dim\":1.0"), NULL);
    double expected = (0.07 * log(4) + 1) / (0.1 * log(4) + 1);
    assert_true(fabs(c.rope.attention_factor - expected) < 1e-12);
}

/* Values under which a guarded key changes nothing. */
static void test_neutral_values(void **state)
{
    (void)state;
    static const char *const patches[] = {
        "{\"attention_bias\":false,\"mlp_bias\":false,\"hidden_act\":\"silu\"}",
        "{\"sliding_window\":null,\"partial_rotary_factor\":1.0,\"quantization_config\":null}",
        "{\"layer_types\":[\"full_attention\",\"full_attention\",\"full_attention\"]}",
        "{\"layer_types\":null,\"num_experts\":0,\"logit_scale\":1}",
        "{\"model_type\":\"qwen2\",\"sliding_window\":32768,\"use_sliding_window\":false,"
        "\"max_window_layers\":21}",
        "{\"model_type\":\"qwen3\",\"sliding_window\":null,\"use_sliding_window\":false}",
        "{\"model_type\":\"mistral\",\"sliding_window\":null}",
        "{\"pretraining_tp\":1,\"attention_dropout\":0.1,\"anything\":{\"else\":[1]}}",
    };
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++)
        accept(patches[i], NULL);
}

static const struct {
    const char *patch;
    rk_status status;
    const char *message;
} refused[] = {
    {"{\"model_type\":\"gemma3\"}", RK_E_UNSUPPORTED,
     "key 'model_type': expected one of llama, mistral, qwen2, qwen3, got 'gemma3'"},
    {"{\"model_type\":null}", RK_E_FORMAT, "key 'model_type' is missing"},
    {"{\"model_type\":3}", RK_E_FORMAT, "key 'model_type': expected a string"},
    {"{\"attention_bias\":true}", RK_E_UNSUPPORTED,
     "key 'attention_bias': expected false, got true"},
    {"{\"mlp_bias\":true}", RK_E_UNSUPPORTED, "key 'mlp_bias'"},
    {"{\"attention_bias\":0}", RK_E_UNSUPPORTED, "key 'attention_bias': expected false, got 0"},
    {"{\"sliding_window\":4096}", RK_E_UNSUPPORTED,
     "key 'sliding_window': expected null, got 4096"},
    {"{\"model_type\":\"mistral\",\"sliding_window\":4096}", RK_E_UNSUPPORTED,
     "key 'sliding_window'"},
    {"{\"sliding_window\":\"4096\"}", RK_E_FORMAT, "key 'sliding_window': expected a whole"},
    {"{\"model_type\":\"qwen2\",\"use_sliding_window\":true}", RK_E_UNSUPPORTED,
     "key 'use_sliding_window': expected false, got true"},
    {"{\"layer_types\":[\"full_attention\",\"sliding_attention\"]}", RK_E_UNSUPPORTED,
     "key 'layer_types': expected \"full_attention\" throughout, got \"sliding_attention\""},
    {"{\"layer_types\":[1]}", RK_E_UNSUPPORTED, "key 'layer_types'"},
    {"{\"layer_types\":\"full_attention\"}", RK_E_UNSUPPORTED, "expected an array"},
    {"{\"partial_rotary_factor\":0.5}", RK_E_UNSUPPORTED,
     "key 'partial_rotary_factor': expected 1, got 0.5"},
    {"{\"rope_parameters\":{\"rope_theta\":1e4,\"partial_rotary_factor\":0.25}}", RK_E_UNSUPPORTED,
     "key 'partial_rotary_factor': expected 1, got 0.25"},
    {"{\"quantization_config\":{\"bits\":4}}", RK_E_UNSUPPORTED,
     "key 'quantization_config': expected null, got an object"},
    {"{\"hidden_act\":\"gelu\"}", RK_E_UNSUPPORTED,
     "key 'hidden_act': expected \"silu\", got \"gelu\""},
    {"{\"num_local_experts\":8}", RK_E_UNSUPPORTED, "key 'num_local_experts': expected 0, got 8"},
    {"{\"final_logit_softcapping\":30.0}", RK_E_UNSUPPORTED, "key 'final_logit_softcapping'"},
    {"{\"text_config\":{}}", RK_E_UNSUPPORTED, "key 'text_config'"},
    {"{\"rope_scaling\":{\"rope_type\":\"dynamic\",\"factor\":2}}", RK_E_UNSUPPORTED,
     "key 'rope_type': expected default, linear, llama3 or yarn, got 'dynamic'"},
    {"{\"rope_scaling\":{\"type\":\"longrope\"}}", RK_E_UNSUPPORTED, "got 'longrope'"},
    {"{\"rope_scaling\":{\"type\":\"linear\"}}", RK_E_FORMAT, "key 'factor' is missing"},
    {"{\"rope_scaling\":{\"type\":\"linear\",\"factor\":\"2\"}}", RK_E_FORMAT, "key 'factor'"},
    {"{\"rope_scaling\":{\"type\":\"llama3\",\"factor\":8}}", RK_E_FORMAT,
     "key 'low_freq_factor' is missing"},
    {"{\"rope_scaling\":\"linear\"}", RK_E_UNSUPPORTED, "key 'rope_scaling': expected an object"},
    {"{\"rope_parameters\":[]}", RK_E_UNSUPPORTED, "key 'rope_parameters': expected an object"},
    {"{\"rope_parameters\":{\"full_attention\":{\"rope_theta\":1}}}", RK_E_UNSUPPORTED,
     "got one a layer type ('full_attention')"},
    {YARN(",\"attention_factor\":0"), RK_E_FORMAT, "key 'attention_factor'"},
    {"{\"vocab_size\":0}", RK_E_FORMAT, "key 'vocab_size': expected 1 to 67108864, got 0"},
    {"{\"vocab_size\":null}", RK_E_FORMAT, "key 'vocab_size' is missing"},
    {"{\"hidden_size\":-64}", RK_E_FORMAT, "key 'hidden_size'"},
    {"{\"hidden_size\":9223372036854775807}", RK_E_FORMAT, "key 'hidden_size'"},
    {"{\"num_hidden_layers\":2.5}", RK_E_FORMAT, "expected a whole number, got a fraction"},
    {"{\"num_attention_heads\":7}", RK_E_UNSUPPORTED, "hidden_size 64 is no multiple of 7 heads"},
    {"{\"num_attention_heads\":7,\"head_dim\":16}", RK_E_UNSUPPORTED, "got 7 and 2"},
    {"{\"num_key_value_heads\":3}", RK_E_UNSUPPORTED, "got 8 and 3"},
    {"{\"head_dim\":15}", RK_E_UNSUPPORTED, "an even head dim, got 15"},
    {"{\"rms_norm_eps\":null}", RK_E_FORMAT, "key 'rms_norm_eps' is missing"},
    {"{\"rms_norm_eps\":0}", RK_E_FORMAT, "epsilon"},
    {"{\"eos_token_id\":\"2\"}", RK_E_FORMAT, "key 'eos_token_id'"},
    {"{\"eos_token_id\":[1,\"2\"]}", RK_E_FORMAT, "element 1: expected a whole number"},
    {"{\"eos_token_id\":[0,1,2,3,4,5,6,7,8]}", RK_E_UNSUPPORTED, "at most 8"},
    {"{\"eos_token_id\":-1}", RK_E_FORMAT, "eos token id"},
    {"{\"bos_token_id\":-1}", RK_E_FORMAT, "key 'bos_token_id'"},
    {"{\"tie_word_embeddings\":1}", RK_E_FORMAT, "key 'tie_word_embeddings'"},
    {"{\"weights_origin\":\"stolen\"}", RK_E_FORMAT, "expected trained or random, got 'stolen'"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        rk_error err = {0};
        rk_config c;
        rk_status st = read_patched(refused[i].patch, NULL, &c, &err);
        if (st != refused[i].status || !strstr(err.text, refused[i].message) ||
            strncmp(err.text, "config.json: ", 13))
            fail_msg("%s: expected %s with '%s', got %s: %s", refused[i].patch,
                     rk_status_name(refused[i].status), refused[i].message, rk_status_name(st),
                     err.text);
    }
    rk_error err = {0};
    rk_config c;
    assert_int_equal(read_patched("{}", "{\"eos_token_id\":1.5}", &c, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "generation_config.json: key 'eos_token_id'"));
}

#define DIR RK_TEST_BUILD "/config_test"

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_directory(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_config c;
    mkdir(DIR, 0700);
    remove(DIR "/config.json");
    remove(DIR "/generation_config.json");
    assert_int_equal(rk_config_read(DIR, &c, &err), RK_E_IO);
    assert_non_null(strstr(err.text, DIR "/config.json: cannot open"));
    write_text(DIR "/config.json", base);
    assert_int_equal(rk_config_read(DIR, &c, &err), RK_OK);
    write_text(DIR "/generation_config.json", "{\"eos_token_id\":[7,8]}");
    assert_int_equal(rk_config_read(DIR, &c, &err), RK_OK);
    assert_int_equal(c.stop_id[1], 8);
    write_text(DIR "/generation_config.json", "[]");
    assert_int_equal(rk_config_read(DIR, &c, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "expected an object, got an array"));
    write_text(DIR "/generation_config.json", "{");
    assert_int_equal(rk_config_read(DIR, &c, &err), RK_E_FORMAT);
    write_text(DIR "/config.json", "[1]");
    remove(DIR "/generation_config.json");
    assert_int_equal(rk_config_read(DIR, &c, &err), RK_E_FORMAT);
    remove(DIR "/config.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_rope_of_both_styles),
        cmocka_unit_test(test_yarn_parameters),
        cmocka_unit_test(test_neutral_values),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
