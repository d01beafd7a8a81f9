/* test_tensor.c - sizes of every storage format, against the GGUF specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "base/tensor.h"

static const struct {
    rk_dtype dtype;
    const char *name;
    int32_t block;
    size_t bytes;
} formats[] = {
    {RK_F32, "F32", 1, 4},
    {RK_F16, "F16", 1, 2},
    {RK_BF16, "BF16", 1, 2},
    {RK_Q8_0, "Q8_0", 32, 2 + 32},
    {RK_Q4_0, "Q4_0", 32, 2 + 16},
    {RK_Q4_1, "Q4_1", 32, 2 + 2 + 16},
    {RK_Q5_0, "Q5_0", 32, 2 + 4 + 16},
    {RK_Q5_1, "Q5_1", 32, 2 + 2 + 4 + 16},
    {RK_Q4_K, "Q4_K", 256, 2 + 2 + 12 + 128},
    {RK_Q5_K, "Q5_K", 256, 2 + 2 + 12 + 32 + 128},
    {RK_Q6_K, "Q6_K", 256, 128 + 64 + 16 + 2},
};

static void every_format_has_its_size(void **state)
{
    (void)state;
    assert_int_equal(sizeof formats / sizeof *formats, RK_DTYPES);
    for (size_t i = 0; i < RK_DTYPES; i++) {
        rk_dtype t = formats[i].dtype;
        assert_string_equal(rk_dtype_name(t), formats[i].name);
        assert_int_equal(rk_dtype_block(t), formats[i].block);
        assert_int_equal(rk_dtype_block_bytes(t), formats[i].bytes);
        assert_int_equal(rk_dtype_bytes(t, 0), 0);
        assert_int_equal(rk_dtype_bytes(t, 512),
                         512u / (size_t)formats[i].block * formats[i].bytes);
    }
}

static void large_counts_do_not_wrap(void **state)
{
    (void)state;
    assert_true(rk_dtype_bytes(RK_F32, (int64_t)1 << 33) == (size_t)1 << 35);
    assert_true(rk_dtype_bytes(RK_Q4_K, (int64_t)1 << 34) == ((size_t)1 << 26) * 144);
}

static void unknown_formats_have_no_name(void **state)
{
    (void)state;
    assert_string_equal(rk_dtype_name(RK_DTYPES), "?");
    assert_string_equal(rk_dtype_name((rk_dtype)77), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_its_size),
        cmocka_unit_test(large_counts_do_not_wrap),
        cmocka_unit_test(unknown_formats_have_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
