/* test_dense_masked.c - every row and key computed, the head map only masks. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_dense_masked;

static void heads_follow_the_map(void **state)
{
    uint8_t cls[TOY_LAYERS * TOY_HEADS] = {RK_HEAD_GLOBAL,    RK_HEAD_LOCAL, RK_HEAD_LOCAL,
                                           RK_HEAD_RETRIEVAL, RK_HEAD_DENSE, RK_HEAD_LOCAL,
                                           RK_HEAD_LOCAL,     RK_HEAD_LOCAL};
    int32_t distance[] = {-1, 12, 0, -1, -1, -1, 5, 0}, sink[] = {-1, 2, -1, -1, -1, 0, -1, 9};
    rk_head_map map = {TOY_LAYERS, TOY_HEADS, cls, distance, sink, "toy"};
    static const int32_t window[] = {0, 12, 7, 0, 0, 7, 5, 7};
    static const int32_t first[] = {0, 2, 3, 0, 0, 0, 3, 9};
    toy t;
    (void)state;
    toy_open(&t);
    t.method.head_map = &map;
    toy_method(&t, &rk_method_dense_masked, "window=7 sink=3");
    for (int32_t l = 0; l < TOY_LAYERS; l++) {
        toy_plan(&t, l, TOY_LAYERS);
        assert_string_equal(toy_set(&t, &t.plan.rows), "0-31");
        for (int32_t h = 0; h < TOY_HEADS; h++) {
            assert_int_equal(t.plan.head[h].window, window[l * TOY_HEADS + h]);
            assert_int_equal(t.plan.head[h].sink, first[l * TOY_HEADS + h]);
            assert_int_equal(t.plan.head[h].masked, 1);
            assert_true(t.plan.head[h].promote_above > 1);
            assert_string_equal(toy_set(&t, &t.plan.refresh[h]), "0-31");
        }
    }
    assert_false(t.layout.reuse_prefix || t.layout.reuse_chunk[0]);
    assert_false(toy_asks(&t));
    toy_close(&t);
}

static void defaults_and_refusals(void **state)
{
    toy t;
    rk_error err = {0};
    uint8_t cls[TOY_LAYERS * TOY_HEADS] = {0};
    int32_t none[TOY_LAYERS * TOY_HEADS] = {-1, -1, -1, -1, -1, -1, -1, -1};
    rk_head_map map = {TOY_LAYERS, TOY_HEADS, cls, none, none, "toy"};
    (void)state;
    toy_open(&t);
    t.method.head_map = &map;
    toy_method(&t, &rk_method_dense_masked, "");
    toy_plan(&t, 0, TOY_LAYERS);
    assert_int_equal(t.plan.head[0].window, 256);
    assert_int_equal(t.plan.head[0].sink, 64);
    assert_true(rk_method_dense_masked.flags & RK_METHOD_NEEDS_HEAD_MAP);
    assert_int_equal(toy_configure(&t, &rk_method_dense_masked, "window=0", &err), RK_E_USAGE);
    assert_int_equal(toy_configure(&t, &rk_method_dense_masked, "window=-3", &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "window"));
    assert_int_equal(toy_configure(&t, &rk_method_dense_masked, "sink=-1", &err), RK_E_USAGE);
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(heads_follow_the_map),
                                       cmocka_unit_test(defaults_and_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
