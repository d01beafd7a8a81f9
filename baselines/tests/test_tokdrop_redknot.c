/* test_tokdrop_redknot.c - what stays in the prompt, by hand. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_tokdrop_redknot;

static void survivors_by_hand(void **state)
{
    static const struct {
        const char *options, *rows;
    } cases[] = {
        {"ratio=0", "0-7 28-31"},   /* the context's first four, prefix, question */
        {"ratio=0.1", "0-7 26-31"}, /* floor(2.4) more */
        {"", "0-7 25-31"},          /* 0.15: floor(3.6) */
        {"ratio=1", "0-31"},
    };
    toy t;
    (void)state;
    toy_open(&t);
    for (int32_t i = 0; i < TOY_TOKENS; i++)
        t.signal[RK_SIGNAL_HIDDEN_DRIFT][i] = (float)(i < 28 ? i : 0);
    t.signal[RK_SIGNAL_HIDDEN_DRIFT][0] = 1000; /* the prefix is not scored */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy_method(&t, &rk_method_tokdrop_redknot, cases[i].options);
        assert_true(t.layout.compact);
        assert_false(t.layout.reuse_prefix || t.layout.reuse_chunk[0]);
        toy_plan(&t, 0, TOY_LAYERS);
        if (strcmp(toy_set(&t, &t.plan.rows), cases[i].rows))
            fail_msg("%s: %s", cases[i].options, t.set);
        toy_plan(&t, 1, TOY_LAYERS);
        assert_true(rk_select_is_all(&t.plan.rows) && rk_select_is_all(&t.plan.ffn));
    }
    assert_int_equal(t.method.ops->probe(&t.method), RK_PROBE_HIDDEN_DRIFT);
    assert_false(t.method.ops->flags & (RK_METHOD_REUSES | RK_METHOD_EXACT));
    assert_false(toy_asks(&t)); /* the selector sees the context alone */
    toy_close(&t);
}

static void refusals(void **state)
{
    toy t;
    rk_error err = {0};
    (void)state;
    toy_open(&t);
    assert_int_equal(toy_configure(&t, &rk_method_tokdrop_redknot, "ratio=2", &err), RK_E_USAGE);
    assert_int_equal(toy_configure(&t, &rk_method_tokdrop_redknot, "compile_prefix=none", &err),
                     RK_E_USAGE); /* it reuses nothing */
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(survivors_by_hand),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
