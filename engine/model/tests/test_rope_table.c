/* Tables against closed forms and known bands, and refusals; the fixtures compare
 * with transformers' tables (test_load_safetensors.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/rope_table.h"

static rk_arena *arena;

static int setup(void **state)
{
    (void)state;
    return rk_arena_new(&arena, NULL);
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

static rk_rope build(const rk_rope_spec *spec)
{
    rk_error err = {0};
    rk_rope rope;
    if (rk_rope_build(spec, "f", arena, &rope, &err) != RK_OK)
        fail_msg("%s", err.text);
    return rope;
}

static void test_default_and_linear(void **state)
{
    (void)state;
    rk_rope_spec s = rk_rope_spec_default(8);
    rk_rope plain = build(&s);
    s.kind = RK_ROPE_LINEAR;
    s.factor = 4;
    rk_rope linear = build(&s);
    static const double expected[] = {1, 0.1, 0.01, 0.001}; /* 10000^(-2i/8) */
    assert_int_equal(plain.rotary_dim, 8);
    assert_true(plain.attention_factor == 1 && linear.attention_factor == 1);
    for (int i = 0; i < 4; i++) {
        assert_true(plain.inv_freq[i] == (float)expected[i]);
        assert_true(linear.inv_freq[i] == (float)(expected[i] / 4));
    }
}

/* Llama 3.3: of 64 frequencies 29 stay, 6 blend, 29 are divided by 8. */
static void test_llama3_bands(void **state)
{
    (void)state;
    rk_rope_spec s = rk_rope_spec_default(128);
    s.theta = 500000;
    rk_rope plain = build(&s);
    s.kind = RK_ROPE_LLAMA3;
    s.factor = 8, s.low_freq = 1, s.high_freq = 4, s.original = 8192;
    rk_rope scaled = build(&s);
    int kept = 0, divided = 0;
    for (int i = 0; i < 64; i++) {
        float ratio = plain.inv_freq[i] / scaled.inv_freq[i];
        kept += ratio == 1;
        divided += fabsf(ratio - 8) < 1e-5f;
        assert_true(ratio >= 1 && ratio < 8.0001f);
    }
    assert_int_equal(kept, 29);
    assert_int_equal(divided, 29);
}

/* theta 160000, dims 64, factor 16 over 65536: untouched to 15, divided from 25. */
static void test_yarn_bands(void **state)
{
    (void)state;
    rk_rope_spec s = rk_rope_spec_default(64);
    s.theta = 160000;
    rk_rope plain = build(&s);
    s.kind = RK_ROPE_YARN;
    s.factor = 16, s.original = 65536;
    rk_rope scaled = build(&s);
    for (int i = 0; i < 32; i++) {
        float ratio = plain.inv_freq[i] / scaled.inv_freq[i];
        if (i <= 15)
            assert_true(fabsf(ratio - 1) < 1e-6f);
        else if (i >= 25)
            assert_true(fabsf(ratio - 16) < 1e-5f);
        else
            assert_true(ratio > 1 && ratio < 16);
    }
    assert_true(fabs((double)scaled.attention_factor - (0.1 * log(16) + 1)) < 1e-6);
    s.attention_factor = 1;
    assert_true(build(&s).attention_factor == 1);
}

static void test_yarn_edges(void **state)
{
    (void)state;
    rk_rope_spec s = rk_rope_spec_default(16);
    s.kind = RK_ROPE_YARN;
    s.factor = 0.5, s.original = 4096;
    assert_true(build(&s).attention_factor == 1); /* a factor of 1 or less scales nothing */
    s.factor = 4, s.original = 3;                 /* both bounds clamp to 0 and meet */
    rk_rope r = build(&s);
    for (int i = 0; i < 8; i++)
        assert_true(isfinite(r.inv_freq[i]) && r.inv_freq[i] > 0);
    s.original = 4096, s.truncate = 0;
    rk_rope exact = build(&s);
    s.truncate = 1;
    rk_rope whole = build(&s);
    assert_memory_not_equal(exact.inv_freq, whole.inv_freq, 8 * sizeof(float));
}

static void test_divisor(void **state)
{
    (void)state;
    static const float divisor[] = {1, 2, 4, 8};
    rk_rope_spec s = rk_rope_spec_default(8);
    s.divisor = divisor;
    rk_rope r = build(&s);
    assert_true(r.inv_freq[0] == 1 && r.inv_freq[3] == (float)(0.001 / 8));
}

static void test_refused(void **state)
{
    (void)state;
    static const float zero[] = {1, 0, 1, 1};
    static const struct {
        rk_rope_spec s;
        const char *message;
    } cases[] = {
        {{.dim = 7, .theta = 1e4}, "rope dim: expected an even number, got 7"},
        {{.dim = 0, .theta = 1e4}, "rope dim"},
        {{.dim = 8, .theta = 0}, "rope theta: expected a finite number above 0, got 0"},
        {{.dim = 8, .theta = -1}, "rope theta"},
        {{.dim = 8, .theta = NAN}, "rope theta"},
        {{.dim = 8, .theta = INFINITY}, "rope theta"},
        {{.dim = 8, .theta = 1e4, .kind = RK_ROPE_LINEAR}, "rope factor"},
        {{.dim = 8, .theta = 1e4, .kind = RK_ROPE_LLAMA3, .factor = 8}, "rope original_max"},
        {{.dim = 8, .theta = 1e4, .kind = RK_ROPE_LLAMA3, .factor = 8, .original = 64},
         "low_freq_factor"},
        {{.dim = 8,
          .theta = 1e4,
          .kind = RK_ROPE_LLAMA3,
          .factor = 8,
          .original = 64,
          .low_freq = 4,
          .high_freq = 4},
         "high_freq_factor - low_freq_factor"},
        {{.dim = 8, .theta = 1, .kind = RK_ROPE_YARN, .factor = 8, .original = 64}, "theta - 1"},
        {{.dim = 8, .theta = 1e4, .kind = RK_ROPE_YARN, .factor = 8, .original = 64}, "beta_slow"},
        {{.dim = 8, .theta = 1e4, .divisor = zero}, "rope frequency"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        rk_rope rope;
        rk_rope_spec s = cases[i].s;
        assert_int_equal(rk_rope_build(&s, "f", arena, &rope, &err), RK_E_FORMAT);
        if (!strstr(err.text, cases[i].message))
            fail_msg("expected '%s', got '%s'", cases[i].message, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_and_linear),
        cmocka_unit_test(test_llama3_bands),
        cmocka_unit_test(test_yarn_bands),
        cmocka_unit_test(test_yarn_edges),
        cmocka_unit_test(test_divisor),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
