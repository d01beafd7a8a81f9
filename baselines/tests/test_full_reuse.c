/* test_full_reuse.c - only the question lives; where chunks' keys stand. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_full_reuse;

static void places_by_hand(void **state)
{
    static const struct {
        const char *options;
        int32_t start[3], question;
    } cases[] = {
        {"", {4, 14, 17}, 28},
        {"positions=assembled compile_prefix=none", {4, 14, 17}, 28},
        {"positions=schema", {4, 15, 26}, 37}, /* slots of the longest chunk, 11 */
        {"positions=local", {4, 4, 4}, 28},    /* behind the prefix, where each was built */
        {"positions=local compile_prefix=none", {0, 0, 0}, 28},
        {"positions=local compile_prefix=bos_keep", {0, 0, 0}, 28},
        {"positions=local compile_prefix=bos_drop", {1, 1, 1}, 28},
        {"positions=local compile_prefix=sink_drop dummies=3", {4, 4, 4}, 28},
        {"positions=local compile_prefix=sink_drop dummies=0", {1, 1, 1}, 28},
    };
    toy t;
    (void)state;
    toy_open(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toy_method(&t, &rk_method_full_reuse, cases[i].options);
        for (int32_t c = 0; c < 3; c++)
            if (t.layout.rope_start[c] != cases[i].start[c] || !t.layout.reuse_chunk[c])
                fail_msg("%s: chunk %d at %d", cases[i].options, c, t.layout.rope_start[c]);
        assert_int_equal(t.layout.question_rope, cases[i].question);
        assert_true(t.layout.reuse_prefix && !t.layout.reuse_question);
        for (int32_t l = 0; l < TOY_LAYERS; l++) {
            toy_plan(&t, l, TOY_LAYERS);
            assert_string_equal(toy_set(&t, &t.plan.rows), "28-31");
        }
        assert_false(toy_asks(&t));
    }
    toy_close(&t);
}

static void refusals(void **state)
{
    toy t;
    rk_error err = {0};
    rk_segment huge[3];
    (void)state;
    toy_open(&t);
    assert_int_equal(toy_configure(&t, &rk_method_full_reuse, "positions=here", &err), RK_E_USAGE);
    assert_int_equal(toy_configure(&t, &rk_method_full_reuse, "dummies=65", &err), RK_E_USAGE);
    toy_method(&t, &rk_method_full_reuse, "positions=schema");
    for (int32_t c = 0; c < 3; c++)
        huge[c] = (rk_segment){NULL, 1 << 29, 0};
    rk_request r = t.request;
    r.chunk = huge;
    assert_int_equal(rk_method_full_reuse.plan_request(&t.method, &r, &t.layout, &err), RK_E_ARG);
    assert_non_null(strstr(err.text, "overflow"));
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_by_hand),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
