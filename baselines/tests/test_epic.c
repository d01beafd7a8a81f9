/* test_epic.c - the first k tokens of every chunk and the question, by hand. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_epic;

static void rows_by_hand(void **state)
{
    static const struct {
        const char *options, *rows;
    } cases[] = {
        {"k=2", "4-5 14-15 17-18 28-31"},
        {"k=0", "28-31"},
        {"k=3", "4-6 14-19 28-31"},
        {"k=4", "4-7 14-20 28-31"}, /* the middle chunk of 3 is recomputed whole */
        {"k=100", "4-31"},          /* the prefix never */
        {"", "4-31"},               /* default 16 */
    };
    toy t;
    (void)state;
    toy_open(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy_method(&t, &rk_method_epic, cases[i].options);
        toy_plan(&t, 0, TOY_LAYERS);
        assert_string_equal(toy_set(&t, &t.plan.rows), cases[i].rows);
        toy_plan(&t, 1, TOY_LAYERS); /* chosen once */
        assert_true(rk_select_is_all(&t.plan.rows));
        assert_true(rk_select_is_all(&t.plan.attend) && rk_select_is_all(&t.plan.ffn));
        assert_int_equal(t.plan.mask, RK_MASK_CAUSAL);
    }
    assert_true(t.layout.reuse_prefix && !t.layout.reuse_question);
    assert_true(t.layout.reuse_chunk[0] && t.layout.reuse_chunk[1] && t.layout.reuse_chunk[2]);
    assert_int_equal(t.layout.rope_start[1], 14);
    assert_false(toy_asks(&t));
    toy_close(&t);
}

static void refusals(void **state)
{
    toy t;
    rk_error err = {0};
    (void)state;
    toy_open(&t);
    assert_int_equal(toy_configure(&t, &rk_method_epic, "k=-1", &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "k: expected"));
    assert_int_equal(toy_configure(&t, &rk_method_epic, "ratio=1", &err), RK_E_USAGE);
    assert_int_equal(toy_configure(&t, &rk_method_epic, "compile_prefix=bos", &err), RK_E_USAGE);
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_by_hand), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
