/* Values against PyPI gguf (data/fixtures/make_gguf_blocks.py), bit for bit, and
 * every f16 against the definition of the format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/dequantize.h"
#include "base/json.h"

static uint32_t word(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* One record at an odd address and in pieces, so that neither alignment nor the
 * length of a run matters. */
static void check_record(rk_dtype t, const char *raw, uint32_t bytes, const char *expected,
                         uint32_t n)
{
    int32_t block = rk_dtype_block(t);
    assert_int_equal(rk_dtype_bytes(t, n), bytes);
    char *shifted = malloc(bytes + 1);
    float *y = malloc(n * sizeof *y), *pieces = malloc(n * sizeof *pieces);
    memcpy(shifted + 1, raw, bytes);
    rk_dequantize(t, shifted + 1, y, n);
    for (uint32_t i = 0; i < n; i += (uint32_t)block)
        rk_dequantize(t, shifted + 1 + rk_dtype_bytes(t, i), pieces + i, block);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t want = word(expected + 4 * i), got, got_piece;
        memcpy(&got, y + i, sizeof got);
        memcpy(&got_piece, pieces + i, sizeof got_piece);
        int nan = (want & 0x7fffffff) > 0x7f800000;
        if (nan ? !isnan(y[i]) || !isnan(pieces[i]) : got != want || got_piece != want)
            fail_msg("%s value %u: expected %08x, got %08x and %08x", rk_dtype_name(t), i, want,
                     got, got_piece);
    }
    free(shifted);
    free(y);
    free(pieces);
}

static void test_blocks_equal_reference(void **state)
{
    (void)state;
    rk_arena *arena;
    rk_error err;
    char *text;
    size_t n, seen = 0;
    assert_int_equal(rk_arena_new(&arena, &err), RK_OK);
    assert_int_equal(
        rk_file_read(RK_TEST_DATA "/fixtures/gguf_blocks.bin", 1 << 20, arena, &text, &n, &err),
        RK_OK);
    for (size_t at = 0; at < n; seen++) {
        assert_true(at + 12 <= n);
        uint32_t dtype = word(text + at), values = word(text + at + 4), bytes = word(text + at + 8);
        assert_true(dtype < RK_DTYPES && at + 12 + bytes + 4u * values <= n);
        check_record((rk_dtype)dtype, text + at + 12, bytes, text + at + 12 + bytes, values);
        at += 12 + bytes + 4u * values;
    }
    assert_int_equal(seen, RK_DTYPES - 1);
    rk_arena_free(arena);
}

static double f16_defined(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    double sign = h & 0x8000 ? -1 : 1;
    if (exponent == 0)
        return sign * ldexp(mantissa, -24);
    return sign * ldexp(1024 + mantissa, exponent - 25);
}

static void test_every_f16(void **state)
{
    (void)state;
    uint16_t *all = malloc(65536 * sizeof *all);
    float *y = malloc(65536 * sizeof *y);
    for (int i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    rk_dequantize(RK_F16, all, y, 65536);
    for (int i = 0; i < 65536; i++) {
        float one = rk_f16_to_f32((uint16_t)i);
        assert_memory_equal(&one, y + i, sizeof one);
        if ((i & 0x7c00) != 0x7c00) {
            assert_true((double)one == f16_defined((uint16_t)i));
            assert_int_equal(signbit(one) != 0, i >> 15);
        } else if (i & 1023) {
            assert_true(isnan(one));
        } else {
            assert_true(isinf(one) && (signbit(one) != 0) == i >> 15);
        }
    }
    free(all);
    free(y);
}

static void test_plain_types(void **state)
{
    (void)state;
    float in[37], out[37];
    uint16_t half[37];
    for (int i = 0; i < 37; i++) {
        in[i] = (float)(i - 18) * 0.37f;
        uint32_t bits;
        memcpy(&bits, in + i, sizeof bits);
        half[i] = (uint16_t)(bits >> 16);
    }
    rk_dequantize(RK_F32, in, out, 37);
    assert_memory_equal(in, out, sizeof in);
    rk_dequantize(RK_BF16, half, out, 37); /* 37: the tail past a run of 16 */
    for (int i = 0; i < 37; i++) {
        uint32_t bits;
        memcpy(&bits, out + i, sizeof bits);
        assert_int_equal(bits, (uint32_t)half[i] << 16);
        assert_true(rk_bf16_to_f32(half[i]) == out[i]);
    }
}

static void test_zero_values_touch_nothing(void **state)
{
    (void)state;
    for (int t = 0; t < RK_DTYPES; t++) {
        float guard = 42;
        rk_dequantize((rk_dtype)t, &guard, &guard, 0);
        assert_true(guard == 42);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_equal_reference),
        cmocka_unit_test(test_every_f16),
        cmocka_unit_test(test_plain_types),
        cmocka_unit_test(test_zero_values_touch_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
