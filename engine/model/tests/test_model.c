/* Opening by path, models without weights, hashes. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden_check.h"
#include "tokenizer_double.h"

static void test_paths(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_model *m;
    assert_int_equal(rk_model_open(&m, "/nonexistent", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "/nonexistent: cannot open the model"));
    assert_null(m);
    assert_int_equal(rk_model_open(&m, GOLDEN "smol/model.safetensors", &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "expected a directory"));
    assert_int_equal(rk_model_open(&m, GOLDEN, &err), RK_E_IO);
    assert_null(m);
    m = golden_open(GOLDEN "smol///");
    assert_string_equal(m->name, "smol");
    rk_model_close(m);
    rk_model_close(NULL);
}

static void test_open_shape(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_model *m;
    const rk_model_shape *s = rk_model_shape_find("qwen3-32b");
    assert_int_equal(rk_model_open_shape(&m, "qwen3-32b", s, &err), RK_OK);
    assert_string_equal(m->name, "qwen3-32b");
    assert_string_equal(m->family, "none");
    assert_int_equal(m->weights_kind, RK_WEIGHTS_NONE);
    assert_int_equal(m->bos_id, -1);
    assert_int_equal(m->rope.rotary_dim, 128);
    assert_true(m->rope.inv_freq[0] == 1 && m->rope.attention_factor == 1);
    assert_null(m->layer[63].wq.data);
    assert_int_equal(m->layer[63].wq.rows, 8192);
    assert_int_equal(m->layer[63].wq.cols, 5120);
    assert_int_equal(m->layer[63].wo.rows, 5120);
    assert_int_equal(m->layer[63].wo.cols, 8192);
    assert_int_equal(m->layer[0].w_down.cols, 25600);
    assert_int_equal(rk_model_check_finite(m, &err), RK_OK);
    char hex[RK_SHA256_HEX];
    assert_int_equal(rk_model_sha256(m, hex, &err), RK_E_ARG);
    rk_model_close(m);
}

static void test_open_shape_refused(void **state)
{
    (void)state;
    rk_model *m;
    rk_error err = {0};
    static const struct {
        rk_model_shape s;
        rk_status status;
    } cases[] = {
        {{0}, RK_E_ARG},
        {{1, 64, 3, 2, 16, 8, 8, 0, 1e-5f}, RK_E_UNSUPPORTED},
        {{1, 64, 4, 2, 15, 8, 8, 0, 1e-5f}, RK_E_UNSUPPORTED},
        {{1, 64, 4, 2, 16, 8, 8, 0, 0}, RK_E_FORMAT},
        {{-1, 64, 4, 2, 16, 8, 8, 0, 1e-5f}, RK_E_ARG},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(rk_model_open_shape(&m, "bad", &cases[i].s, &err), cases[i].status);
        assert_null(m);
    }
}

/* One file: its own hash. Several: the hash of their hashes, a line each. */
static void test_sha256(void **state)
{
    (void)state;
    rk_error err;
    char got[RK_SHA256_HEX], expected[RK_SHA256_HEX], lines[2 * RK_SHA256_HEX];
    rk_model *m = golden_open(GOLDEN "smol");
    assert_int_equal(rk_model_sha256(m, got, &err), RK_OK);
    assert_int_equal(rk_sha256_file(GOLDEN "smol/model.safetensors", expected, &err), RK_OK);
    assert_string_equal(got, expected);
    rk_model_close(m);
    m = golden_open(GOLDEN "llama3");
    assert_int_equal(rk_model_sha256(m, got, &err), RK_OK);
    for (int i = 0; i < 2; i++) {
        char path[512];
        snprintf(path, sizeof path, "%sllama3/model-0000%d-of-00002.safetensors", GOLDEN, i + 1);
        assert_int_equal(rk_sha256_file(path, lines + i * RK_SHA256_HEX, &err), RK_OK);
        lines[(i + 1) * RK_SHA256_HEX - 1] = '\n';
    }
    assert_int_equal(rk_sha256_bytes(lines, sizeof lines, expected, &err), RK_OK);
    assert_string_equal(got, expected);
    rk_model_close(m);
    m = golden_open(GOLDEN "qwen2/model.gguf");
    assert_int_equal(rk_model_sha256(m, got, &err), RK_OK);
    rk_model_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_open_shape),
        cmocka_unit_test(test_open_shape_refused),
        cmocka_unit_test(test_sha256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
