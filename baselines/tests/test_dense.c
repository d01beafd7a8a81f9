/* test_dense.c - every default of the interface, and nothing of its own. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_dense;

static void is_every_default(void **state)
{
    toy t;
    (void)state;
    toy_open(&t);
    toy_method(&t, &rk_method_dense, "");
    assert_ptr_equal(rk_method_find("dense"), &rk_method_dense);
    assert_int_equal(t.method.ops->flags, RK_METHOD_EXACT);
    assert_false(t.layout.reuse_prefix || t.layout.reuse_question || t.layout.compact);
    for (int32_t c = 0; c < 3; c++)
        assert_false(t.layout.reuse_chunk[c]);
    for (int32_t l = 0; l < TOY_LAYERS; l++) {
        toy_plan(&t, l, TOY_LAYERS);
        assert_string_equal(toy_set(&t, &t.plan.rows), "0-31");
        assert_string_equal(toy_set(&t, &t.plan.ffn), "0-31");
        for (int32_t h = 0; h < TOY_HEADS; h++) {
            assert_int_equal(t.plan.head[h].window, 0);
            assert_string_equal(toy_set(&t, &t.plan.refresh[h]), "0-31");
        }
    }
    assert_false(toy_asks(&t));
    toy_close(&t);
}

static void takes_no_options(void **state)
{
    toy t;
    rk_error err = {0};
    (void)state;
    toy_open(&t);
    assert_null(rk_method_dense.options);
    assert_int_equal(rk_method_dense.config_size, 0);
    assert_int_equal(toy_configure(&t, &rk_method_dense, "", &err), RK_OK);
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_every_default),
                                       cmocka_unit_test(takes_no_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
