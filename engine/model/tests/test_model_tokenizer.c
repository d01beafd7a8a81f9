/* What follows from the tokens of a vocabulary. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "gguf_build.h"
#include "model/loading.h"
#include "tokenizer_double.h"

#define DIR RK_TEST_BUILD "/model_tokenizer_test"
#define FILE_PATH RK_TEST_BUILD "/model_tokenizer_test.gguf"

static rk_model_files files;

static int setup(void **state)
{
    (void)state;
    mkdir(DIR, 0700);
    write_bytes(DIR "/tokenizer.json", "{}", 2);
    return rk_arena_new(&files.arena, NULL);
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(files.arena);
    return 0;
}

static rk_model blank(int32_t bos)
{
    return (rk_model){.shape.vocab = 8, .name = "m", .bos_id = bos, .impl = &files};
}

static void test_styles(void **state)
{
    (void)state;
    static const char smol[] = "You are a helpful AI assistant named SmolLM, trained by "
                               "Hugging Face";
    static const struct {
        const char *words[8];
        const char *family;
        rk_chat_style style;
        int32_t config_bos, bos;
        const char *system;
    } cases[] = {
        {{"a", "<|im_start|>", "[INST]"}, "llama", RK_CHAT_CHATML, 0, -1, smol},
        {{"a", "<|im_start|>"},
         "qwen2",
         RK_CHAT_CHATML,
         0,
         -1,
         "You are Qwen, created by Alibaba "
         "Cloud. You are a helpful "
         "assistant."},
        {{"a", "<|im_start|>"}, "qwen3", RK_CHAT_CHATML, -1, -1, NULL},
        {{"a", "<|start_header_id|>"}, "llama", RK_CHAT_LLAMA3, 1, 1, NULL},
        {{"a", "[INST]"}, "mistral", RK_CHAT_MISTRAL, -1, 2, NULL},
        {{"a", "b"}, "llama", RK_CHAT_NONE, -1, 2, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rk_family_ops *family = NULL;
        for (int32_t k = 0; k < rk_families_count; k++)
            if (!strcmp(rk_families[k]->name, cases[i].family))
                family = rk_families[k];
        assert_non_null(family);
        memcpy(double_source.words, cases[i].words, sizeof double_source.words);
        double_source.bos = 2;
        rk_error err;
        rk_model m = blank(cases[i].config_bos);
        assert_int_equal(rk_load_tokenizer_json(&m, family, DIR, &err), RK_OK);
        assert_int_equal(m.chat, cases[i].style);
        assert_int_equal(m.bos_id, cases[i].bos);
        if (cases[i].system)
            assert_string_equal(m.default_system, cases[i].system);
        else
            assert_null(m.default_system);
        rk_load_tokenizer_close(&m);
        assert_null(m.tokenizer);
        assert_int_equal(double_open, 0);
    }
}

static void test_stop_ids_of_json(void **state)
{
    (void)state;
    rk_error err;
    double_source = (struct rk_tokenizer){.words = {"a", "<|im_end|>", "b"}, .bos = -1, .eos = 2};
    rk_model m = blank(-1);
    assert_int_equal(rk_load_tokenizer_json(&m, rk_families[0], DIR, &err), RK_OK);
    assert_int_equal(m.stop_ids, 1); /* the tokenizer's own, the config had none */
    assert_int_equal(m.stop_id[0], 2);
    rk_load_tokenizer_close(&m);
    m = blank(-1);
    m.stop_id[m.stop_ids++] = 0;
    assert_int_equal(rk_load_tokenizer_json(&m, rk_families[0], DIR, &err), RK_OK);
    assert_int_equal(m.stop_ids, 1); /* the config's list is whole */
    assert_int_equal(m.stop_id[0], 0);
    rk_load_tokenizer_close(&m);
}

static void test_larger_than_the_embedding(void **state)
{
    (void)state;
    rk_error err = {0};
    double_source = (struct rk_tokenizer){.words = {"a", "b", "c"}, .bos = -1, .eos = -1};
    rk_model m = blank(-1);
    m.shape.vocab = 2;
    assert_int_equal(rk_load_tokenizer_json(&m, rk_families[0], DIR, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "ids up to 2, the embedding has 2 rows"));
    rk_load_tokenizer_close(&m);
}

static void test_absent_or_broken(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_model m = blank(3);
    assert_int_equal(rk_load_tokenizer_json(&m, rk_families[0], RK_TEST_BUILD, &err), RK_OK);
    assert_null(m.tokenizer);
    assert_int_equal(m.bos_id, 3);
    double_status = RK_E_FORMAT;
    assert_int_equal(rk_load_tokenizer_json(&m, rk_families[0], DIR, &err), RK_E_FORMAT);
    double_status = RK_OK;
    assert_null(m.tokenizer);
    rk_load_tokenizer_close(&m);
}

static rk_gguf *open_gguf(int model, int bos)
{
    static bytes b;
    rk_gguf *g;
    gguf_head(&b, 0, (uint64_t)(!!model + !!bos));
    if (model)
        gguf_text(&b, "tokenizer.ggml.model", "gpt2");
    if (bos) {
        gguf_key(&b, "tokenizer.ggml.add_bos_token", BOOL);
        put_number(&b, bos > 0, 1);
    }
    write_bytes(FILE_PATH, b.data, b.n);
    assert_int_equal(rk_gguf_open(&g, FILE_PATH, NULL), RK_OK);
    remove(FILE_PATH);
    return g;
}

static void test_gguf(void **state)
{
    (void)state;
    static const struct {
        int model, bos;
        int32_t expected_bos, stops;
    } cases[] = {{0, 0, 4, 0}, {1, 0, 4, 3}, {1, 1, 4, 3}, {1, -1, -1, 3}};
    double_source = (struct rk_tokenizer){
        .words = {"</s>", "<|endoftext|>", "<|im_end|>", "x", "y"}, .bos = 4, .eos = 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err;
        rk_model m = blank(4);
        rk_gguf *g = open_gguf(cases[i].model, cases[i].bos);
        assert_int_equal(rk_load_tokenizer_gguf(&m, rk_families[0], g, &err), RK_OK);
        assert_int_equal(m.tokenizer != NULL, cases[i].model);
        assert_int_equal(m.bos_id, cases[i].expected_bos);
        assert_int_equal(m.stop_ids, cases[i].stops); /* eos and the named ends, not </s> */
        rk_load_tokenizer_close(&m);
        rk_gguf_close(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_stop_ids_of_json),
        cmocka_unit_test(test_larger_than_the_embedding),
        cmocka_unit_test(test_absent_or_broken),
        cmocka_unit_test(test_gguf),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
