/* test_prophetkv.c - the floor(ratio N) chunk tokens that the question looks at most. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_prophetkv;

/* Mass rises with the position inside a chunk; prefix and question are highest and
 * must neither be chosen nor counted. */
static void fill(toy *t)
{
    float *mass = t->signal[RK_SIGNAL_QUERY_MASS];
    for (int32_t i = 0; i < TOY_TOKENS; i++)
        mass[i] = i < 4 || i >= 28 ? 100 : 1;
    mass[6] = 5;
    mass[15] = 4;
    mass[27] = 3;
    mass[20] = 3;
}

static void rows_by_hand(void **state)
{
    static const struct {
        const char *options, *rows;
    } cases[] = {
        {"ratio=0", "28-31"},
        {"ratio=0.04", "28-31"},           /* floor(0.96) = 0 */
        {"ratio=0.05", "6 28-31"},         /* floor(1.2) */
        {"ratio=0.125", "6 15 20 28-31"},  /* 3: of the equal 20 and 27 the lower */
        {"ratio=0.17", "6 15 20 27-31"},   /* 4 */
        {"ratio=0.25", "4-6 15 20 27-31"}, /* 6: equal ones from the front */
        {"", "6 15 20 27-31"},             /* 0.2: floor(4.8) */
        {"ratio=1", "4-31"},
    };
    toy t;
    (void)state;
    toy_open(&t);
    fill(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy_method(&t, &rk_method_prophetkv, cases[i].options);
        toy_plan(&t, 0, TOY_LAYERS);
        if (strcmp(toy_set(&t, &t.plan.rows), cases[i].rows))
            fail_msg("%s: %s", cases[i].options, t.set);
        toy_plan(&t, 1, TOY_LAYERS); /* one set for all layers */
        assert_true(rk_select_is_all(&t.plan.rows) && rk_select_is_all(&t.plan.attend));
        assert_int_equal(t.plan.mask, RK_MASK_CAUSAL);
        assert_true(t.layout.reuse_prefix && t.layout.reuse_chunk[2] && !t.layout.reuse_question);
    }
    toy_close(&t);
}

static void probes_and_refusals(void **state)
{
    toy t;
    rk_error err = {0};
    (void)state;
    toy_open(&t);
    toy_method(&t, &rk_method_prophetkv, "");
    assert_int_equal(t.method.ops->probe(&t.method), RK_PROBE_QUERY);
    assert_true(toy_asks(&t));
    toy_method(&t, &rk_method_prophetkv, "query_state=isolated");
    assert_int_equal(t.method.ops->probe(&t.method), RK_PROBE_QUERY_ISOLATED);
    assert_int_equal(toy_configure(&t, &rk_method_prophetkv, "ratio=1.01", &err), RK_E_USAGE);
    assert_int_equal(toy_configure(&t, &rk_method_prophetkv, "ratio=-0.1", &err), RK_E_USAGE);
    assert_int_equal(toy_configure(&t, &rk_method_prophetkv, "query_state=x", &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "suffix|isolated"));
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_by_hand),
                                       cmocka_unit_test(probes_and_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
