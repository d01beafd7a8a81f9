/* test_prefix_cache.c - system prompt and first chunk from the store, the rest computed. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_prefix_cache;

static void hit_by_hand(void **state)
{
    toy t;
    (void)state;
    toy_open(&t);
    toy_method(&t, &rk_method_prefix_cache, "");
    assert_true(t.layout.reuse_prefix && t.layout.reuse_chunk[0]);
    assert_false(t.layout.reuse_chunk[1] || t.layout.reuse_chunk[2] || t.layout.reuse_question);
    for (int32_t l = 0; l < TOY_LAYERS; l++) {
        toy_plan(&t, l, TOY_LAYERS);
        assert_string_equal(toy_set(&t, &t.plan.rows), "14-31");
    }
    assert_true(t.method.ops->flags & RK_METHOD_EXACT);
    assert_false(toy_asks(&t));
    /* A state is looked up by the compile prefix: an exact hit needs the real one. */
    assert_int_equal(((const rk_compile *)t.method.config)->prefix, RK_COMPILE_SYSPREFIX);
    toy_close(&t);
}

static void without_chunks_the_prefix_is_the_hit(void **state)
{
    toy t;
    rk_error err = {0};
    int32_t id[6] = {0};
    (void)state;
    toy_open(&t);
    assert_int_equal(rk_request_build(&t.request, (rk_ids_span){id, 4}, NULL, 0,
                                      (rk_ids_span){id + 4, 2}, t.arena, &err),
                     RK_OK);
    t.method = (rk_method){.ops = &rk_method_prefix_cache, .shape = &t.shape};
    toy_plan(&t, 0, TOY_LAYERS);
    assert_int_equal(t.plan.rows.from, 4);
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hit_by_hand),
                                       cmocka_unit_test(without_chunks_the_prefix_is_the_hit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
