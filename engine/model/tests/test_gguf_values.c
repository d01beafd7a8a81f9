/* Typed access: every stored width, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gguf_build.h"
#include "model/gguf.h"

#define PATH RK_TEST_BUILD "/gguf_values_test.gguf"

static int setup(void **state)
{
    static bytes b;
    static const struct {
        const char *key;
        uint32_t type;
        uint64_t value;
        int size;
    } numbers[] = {
        {"u8", U8, 200, 1},
        {"i8", I8, 0x80, 1},
        {"u16", U16, 60000, 2},
        {"i16", I16, 0x8000, 2},
        {"u32", U32, 4000000000, 4},
        {"i32", I32, 0xffffffff, 4},
        {"u64", U64, 1ull << 62, 8},
        {"big", U64, UINT64_MAX, 8},
        {"i64", I64, UINT64_MAX - 4, 8},
        {"f64", F64, 0x3ff8000000000000, 8}, /* 1.5 */
        {"yes", BOOL, 1, 1},
    };
    gguf_head(&b, 0, sizeof numbers / sizeof *numbers + 6);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        gguf_key(&b, numbers[i].key, numbers[i].type);
        put_number(&b, numbers[i].value, numbers[i].size);
    }
    gguf_f32(&b, "f32", 0.25f);
    gguf_text(&b, "text", "plain");
    gguf_array(&b, "words", STRING, 2);
    put_text(&b, "first");
    put_text(&b, "");
    gguf_array(&b, "ints", I32, 3);
    for (int i = 0; i < 3; i++)
        put_number(&b, (uint32_t)(i - 1), 4);
    gguf_array(&b, "floats", F32, 2);
    put_float(&b, 1.5f);
    put_float(&b, -2);
    gguf_array(&b, "nested", ARRAY, 1);
    put_number(&b, U8, 4);
    put_number(&b, 0, 8);
    write_bytes(PATH, b.data, b.n);
    return rk_gguf_open((rk_gguf **)state, PATH, NULL);
}

static int teardown(void **state)
{
    rk_gguf_close(*state);
    remove(PATH);
    return 0;
}

static void test_integers_widen(void **state)
{
    static const struct {
        const char *key;
        int64_t value;
    } cases[] = {{"u8", 200},         {"i8", -128}, {"u16", 60000}, {"i16", -32768},
                 {"u32", 4000000000}, {"i32", -1},  {"i64", -5},    {"u64", 1ll << 62}};
    rk_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t got = 0;
        double as_float = 0;
        assert_int_equal(rk_gguf_int(*state, cases[i].key, 1, INT64_MIN, INT64_MAX, &got, &err),
                         RK_OK);
        assert_true(got == cases[i].value);
        assert_int_equal(rk_gguf_float(*state, cases[i].key, 1, &as_float, &err), RK_OK);
        assert_true(as_float == (double)got);
    }
}

static void test_integers_refused(void **state)
{
    rk_error err;
    int64_t got = 77;
    assert_int_equal(rk_gguf_int(*state, "u8", 1, 0, 199, &got, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "key 'u8': expected 0 to 199, got 200"));
    assert_int_equal(rk_gguf_int(*state, "big", 1, 0, INT64_MAX, &got, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "a whole number below 2^63"));
    assert_int_equal(rk_gguf_int(*state, "f32", 1, 0, 9, &got, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "got a 32-bit fraction"));
    assert_int_equal(rk_gguf_int(*state, "yes", 1, 0, 9, &got, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_int(*state, "words", 1, 0, 9, &got, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_int(*state, "none", 1, 0, 9, &got, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "key 'none' is missing"));
    assert_int_equal(rk_gguf_int(*state, "none", 0, 0, 9, &got, &err), RK_OK);
    assert_int_equal(got, 77);
}

static void test_floats_bools_texts(void **state)
{
    rk_error err;
    double f = 0;
    int yes = 0;
    rk_gguf_text t = {0};
    assert_int_equal(rk_gguf_float(*state, "f32", 1, &f, &err), RK_OK);
    assert_true(f == 0.25);
    assert_int_equal(rk_gguf_float(*state, "f64", 1, &f, &err), RK_OK);
    assert_true(f == 1.5);
    assert_int_equal(rk_gguf_float(*state, "text", 1, &f, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_float(*state, "none", 1, &f, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_bool(*state, "yes", 1, &yes, &err), RK_OK);
    assert_int_equal(yes, 1);
    assert_int_equal(rk_gguf_bool(*state, "none", 0, &yes, &err), RK_OK);
    assert_int_equal(rk_gguf_bool(*state, "u8", 1, &yes, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "expected a boolean, got an 8-bit number"));
    assert_int_equal(rk_gguf_string(*state, "text", 1, &t, &err), RK_OK);
    assert_int_equal(t.n, 5);
    assert_memory_equal(t.bytes, "plain", 5);
    assert_int_equal(rk_gguf_string(*state, "none", 0, &t, &err), RK_OK);
    assert_int_equal(rk_gguf_string(*state, "u8", 1, &t, &err), RK_E_FORMAT);
}

static void test_arrays(void **state)
{
    rk_error err;
    int64_t n = 0, whole = 0;
    double f = 0;
    rk_gguf_text t = {0};
    assert_int_equal(rk_gguf_array(*state, "words", 1, &n, &err), RK_OK);
    assert_int_equal(n, 2);
    assert_int_equal(rk_gguf_array_string(*state, "words", 0, &t, &err), RK_OK);
    assert_memory_equal(t.bytes, "first", 5);
    assert_int_equal(rk_gguf_array_string(*state, "words", 1, &t, &err), RK_OK);
    assert_int_equal(t.n, 0);
    assert_int_equal(rk_gguf_array_int(*state, "ints", 0, &whole, &err), RK_OK);
    assert_int_equal(whole, -1);
    assert_int_equal(rk_gguf_array_float(*state, "ints", 2, &f, &err), RK_OK);
    assert_true(f == 1);
    assert_int_equal(rk_gguf_array_float(*state, "floats", 1, &f, &err), RK_OK);
    assert_true(f == -2);
    assert_int_equal(rk_gguf_array(*state, "none", 0, &n, &err), RK_OK);
    assert_int_equal(n, 2);
}

static void test_arrays_refused(void **state)
{
    rk_error err;
    int64_t n = 0, whole = 0;
    double f = 0;
    rk_gguf_text t = {0};
    assert_int_equal(rk_gguf_array(*state, "u8", 1, &n, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_array(*state, "none", 1, &n, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_array_string(*state, "words", 2, &t, &err), RK_E_ARG);
    assert_non_null(strstr(err.text, "element 2 of 2"));
    assert_int_equal(rk_gguf_array_int(*state, "ints", -1, &whole, &err), RK_E_ARG);
    assert_int_equal(rk_gguf_array_string(*state, "ints", 0, &t, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_array_int(*state, "floats", 0, &whole, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_array_int(*state, "words", 0, &whole, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_array_float(*state, "words", 0, &f, &err), RK_E_FORMAT);
    assert_int_equal(rk_gguf_array_int(*state, "nested", 0, &whole, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "got an array"));
}

static void test_tensor_numbers(void **state)
{
    rk_error err;
    rk_stored_tensor t;
    assert_int_equal(rk_gguf_tensors(*state), 0);
    assert_int_equal(rk_gguf_tensor_at(*state, 0, &t, &err), RK_E_ARG);
    assert_int_equal(rk_gguf_get(*state, "w", 0, NULL, &t, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "tensor 'w' is missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_widen),     cmocka_unit_test(test_integers_refused),
        cmocka_unit_test(test_floats_bools_texts), cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_arrays_refused),     cmocka_unit_test(test_tensor_numbers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
