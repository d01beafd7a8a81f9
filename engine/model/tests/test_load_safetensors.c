/* Every golden fixture: shape, ids, rotary table and weights; then directories
 * whose parts do not fit each other. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "byte_file.h"
#include "golden_check.h"
#include "tokenizer_double.h"

static const struct {
    const char *name, *family;
    rk_model_shape shape;
    rk_dtype dtype;
    int tied, biases, norms, files;
} fixtures[] = {
    {"llama3", "llama", {3, 64, 8, 2, 16, 160, 320, 512, 1e-5f}, RK_F32, 0, 0, 0, 2},
    {"smol", "llama", {2, 48, 3, 1, 16, 128, 320, 256, 1e-5f}, RK_F32, 1, 0, 0, 1},
    {"mistral", "mistral", {2, 64, 4, 2, 24, 144, 320, 256, 1e-5f}, RK_F32, 0, 0, 0, 1},
    {"qwen2", "qwen2", {2, 112, 7, 1, 16, 176, 320, 256, 1e-6f}, RK_F16, 1, 1, 0, 1},
    {"qwen3", "qwen3", {2, 64, 4, 2, 32, 160, 320, 256, 1e-6f}, RK_BF16, 0, 0, 1, 1},
    {"qwen3_yarn", "qwen3", {2, 64, 4, 2, 32, 160, 320, 256, 1e-6f}, RK_BF16, 0, 0, 1, 1},
};

static void test_fixtures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", GOLDEN, fixtures[i].name);
        rk_model *m = golden_open(path);
        assert_string_equal(m->name, fixtures[i].name);
        assert_string_equal(m->family, fixtures[i].family);
        assert_memory_equal(&m->shape, &fixtures[i].shape, sizeof m->shape);
        assert_int_equal(m->weights_kind, RK_WEIGHTS_RANDOM);
        assert_int_equal(m->embedding.dtype, fixtures[i].dtype);
        assert_int_equal(m->head.data == m->embedding.data, fixtures[i].tied);
        assert_int_equal(m->layer[0].bq != NULL, fixtures[i].biases);
        assert_int_equal(m->layer[0].q_norm != NULL, fixtures[i].norms);
        assert_int_equal(m->bos_id, 1);
        assert_int_equal(m->stop_ids, 2); /* generation_config.json wins */
        assert_int_equal(m->stop_id[1], 3);
        assert_null(m->tokenizer);
        check_samples(m, fixtures[i].name);
        check_rope(m, fixtures[i].name);
        rk_error err;
        assert_int_equal(rk_model_check_finite(m, &err), RK_OK);
        rk_model_close(m);
    }
}

static void test_weights_bytes(void **state)
{
    (void)state;
    rk_model *m = golden_open(GOLDEN "smol");
    /* embedding, final norm, two layers: norms, q and o, k and v, three of the FFN */
    size_t values = 320 * 48 + 48 + 2 * (2 * 48 + 2 * 48 * 48 + 2 * 16 * 48 + 3 * 128 * 48);
    assert_int_equal(m->weights_bytes, 4 * values);
    rk_model_close(m);
}

/* A one-layer model of width 4 as text: header of tensors in order, all F32. */
typedef struct tensor_row {
    const char *name;
    int rows, cols; /* cols 0: a vector */
} tensor_row;

#define LAYER "model.layers.0."
static const tensor_row whole[] = {
    {"model.embed_tokens.weight", 6, 4},     {"model.norm.weight", 4, 0},
    {LAYER "input_layernorm.weight", 4, 0},  {LAYER "post_attention_layernorm.weight", 4, 0},
    {LAYER "self_attn.q_proj.weight", 4, 4}, {LAYER "self_attn.k_proj.weight", 2, 4},
    {LAYER "self_attn.v_proj.weight", 2, 4}, {LAYER "self_attn.o_proj.weight", 4, 4},
    {LAYER "mlp.gate_proj.weight", 8, 4},    {LAYER "mlp.up_proj.weight", 8, 4},
    {LAYER "mlp.down_proj.weight", 4, 8},
};

#define DIR RK_TEST_BUILD "/load_test"

static void write_config(const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"model_type\":\"llama\",\"vocab_size\":6,\"hidden_size\":4,"
             "\"intermediate_size\":8,\"num_hidden_layers\":1,\"num_attention_heads\":2,"
             "\"num_key_value_heads\":1,\"rms_norm_eps\":1e-5%s}",
             more);
    write_bytes(DIR "/config.json", text, strlen(text));
}

/* `whole` without `drop`, with `add` after it. Values count up, one a float. */
static void write_weights(const char *drop, const tensor_row *add)
{
    static bytes b;
    char header[4096] = "{";
    size_t at = 1, data = 0;
    for (size_t i = 0; i <= sizeof whole / sizeof *whole; i++) {
        const tensor_row *r = i < sizeof whole / sizeof *whole ? &whole[i] : add;
        if (!r || (r != add && drop && !strcmp(r->name, drop)))
            continue;
        size_t n = 4u * (size_t)r->rows * (size_t)(r->cols ? r->cols : 1);
        char shape[32];
        snprintf(shape, sizeof shape, r->cols ? "%d,%d" : "%d", r->rows, r->cols);
        at += (size_t)snprintf(header + at, sizeof header - at,
                               "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],"
                               "\"data_offsets\":[%zu,%zu]}",
                               at > 1 ? "," : "", r->name, shape, data, data + n);
        data += n;
    }
    header[at++] = '}';
    b.n = 0;
    put_number(&b, at, 8);
    put(&b, header, at);
    for (size_t i = 0; i < data / 4; i++)
        put_float(&b, (float)i);
    write_bytes(DIR "/model.safetensors", b.data, b.n);
}

static int setup(void **state)
{
    (void)state;
    mkdir(DIR, 0700);
    remove(DIR "/tokenizer.json");
    write_config("");
    write_weights(NULL, NULL);
    return 0;
}

static void refuse(rk_status status, const char *message)
{
    rk_error err = {0};
    rk_model *m;
    rk_status st = rk_model_open(&m, DIR, &err);
    assert_null(m);
    if (st != status || !strstr(err.text, message))
        fail_msg("expected %s with '%s', got %s: %s", rk_status_name(status), message,
                 rk_status_name(st), err.text);
}

static void test_each_missing_tensor(void **state)
{
    (void)state;
    rk_model_close(golden_open(DIR));
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char message[128];
        snprintf(message, sizeof message, "tensor '%s' is missing", whole[i].name);
        write_weights(whole[i].name, NULL);
        refuse(RK_E_FORMAT, message);
    }
}

static void test_each_wrong_shape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        tensor_row wrong = whole[i];
        wrong.rows++;
        write_weights(whole[i].name, &wrong);
        refuse(RK_E_FORMAT, "expected shape [");
    }
}

static void test_unexpected_tensors(void **state)
{
    (void)state;
    static const char *const extra[] = {LAYER "self_attn.q_proj.bias",
                                        LAYER "self_attn.o_proj.bias", LAYER "mlp.up_proj.bias",
                                        LAYER "self_attn.q_norm.weight", LAYER "self_attn.sinks"};
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
        write_weights(NULL, &(tensor_row){extra[i], 4, 0});
        refuse(RK_E_UNSUPPORTED, extra[i]);
    }
    write_weights(NULL, &(tensor_row){"model.layers.1.input_layernorm.weight", 4, 0});
    refuse(RK_E_FORMAT, "num_hidden_layers is 1");
    write_weights(NULL, &(tensor_row){"model.layers.0.self_attn.rotary_emb.inv_freq", 1, 0});
    rk_model_close(golden_open(DIR)); /* old exports carry it; it is no weight */
}

static void test_head_tied_or_not(void **state)
{
    (void)state;
    rk_model *m = golden_open(DIR);
    assert_ptr_equal(m->head.data, m->embedding.data);
    rk_model_close(m);
    write_config(",\"tie_word_embeddings\":false");
    refuse(RK_E_FORMAT, "tensor 'lm_head.weight' is missing");
    write_weights(NULL, &(tensor_row){"lm_head.weight", 6, 4});
    m = golden_open(DIR);
    assert_ptr_not_equal(m->head.data, m->embedding.data);
    rk_model_close(m);
    write_config(",\"tie_word_embeddings\":true");
    refuse(RK_E_FORMAT, "lm_head.weight differs from model.embed_tokens.weight");
    write_config("");
    m = golden_open(DIR);
    assert_ptr_not_equal(m->head.data, m->embedding.data);
    rk_model_close(m);
}

static void test_config_against_the_rest(void **state)
{
    (void)state;
    write_config(",\"bos_token_id\":6");
    refuse(RK_E_FORMAT, "BOS id 6 is outside the vocabulary of 6");
    write_config(",\"rope_theta\":0");
    refuse(RK_E_FORMAT, "rope theta");
    write_config(",\"model_type\":\"llama\"");
    refuse(RK_E_FORMAT, "duplicate");
    remove(DIR "/config.json");
    refuse(RK_E_IO, "config.json");
    write_config("");
    remove(DIR "/model.safetensors");
    refuse(RK_E_IO, "found neither");
}

static void test_tokenizer_beside_the_weights(void **state)
{
    (void)state;
    write_bytes(DIR "/tokenizer.json", "{}", 2);
    rk_model *m = golden_open(DIR);
    assert_non_null(m->tokenizer);
    rk_model_close(m);
    assert_int_equal(double_open, 0);
    double_status = RK_E_FORMAT;
    refuse(RK_E_FORMAT, "/tokenizer.json: broken tokenizer");
    double_status = RK_OK;
    assert_int_equal(double_open, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures),
        cmocka_unit_test(test_weights_bytes),
        cmocka_unit_test_setup(test_each_missing_tensor, setup),
        cmocka_unit_test_setup(test_each_wrong_shape, setup),
        cmocka_unit_test_setup(test_unexpected_tensors, setup),
        cmocka_unit_test_setup(test_head_tied_or_not, setup),
        cmocka_unit_test_setup(test_config_against_the_rest, setup),
        cmocka_unit_test_setup(test_tokenizer_beside_the_weights, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
