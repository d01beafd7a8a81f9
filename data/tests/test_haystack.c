/* test_haystack.c - lengths, places of needles and distinct passages. */
#include "tests/reader_kit.h"

#include "haystack.h"

static rk_haystack stack_of(rk_haystack_style style, int64_t target, int64_t passage)
{
    return (rk_haystack){.style = style,
                         .target_tokens = target,
                         .passage_tokens = passage,
                         .counter = &kit_counter,
                         .what = "test"};
}

static void lengths_are_reached(void **state)
{
    (void)state;
    static const struct {
        int64_t target, passage;
        int32_t passages;
    } cases[] = {{100, 256, 1}, {1000, 256, 4}, {4096, 256, 16}, {10000, 77, 130}};
    rk_arena *arena = kit_arena();
    rk_rng rng;
    rk_rng_init(&rng, 1, "t");
    for (int style = 0; style < 2; style++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            rk_haystack h = stack_of((rk_haystack_style)style, cases[i].target, cases[i].passage);
            rk_context c = {.passages = rk_haystack_passages(&h)};
            assert_int_equal(c.passages, cases[i].passages);
            assert_int_equal(rk_haystack_build(&h, NULL, 0, &rng, arena, &c.passage, NULL), RK_OK);
            assert_in_range(kit_tokens(&c), cases[i].target - 16, cases[i].target);
            for (int32_t p = 0; p < c.passages; p++) {
                assert_int_equal(c.passage[p].gold, 0);
                for (int32_t k = 0; k < p; k++)
                    assert_string_not_equal(c.passage[p].text, c.passage[k].text);
            }
        }
    }
    rk_arena_free(arena);
}

static void needles_stand_where_they_should(void **state)
{
    (void)state;
    static const rk_needle needles[] = {
        {"FIRST.", 1, 0.0}, {"LAST.", 1, 0.999}, {"MIDDLE.", 1, 0.5}, {"OTHER.", 3, 0.2}};
    rk_arena *arena = kit_arena();
    rk_rng rng;
    rk_passage *p;
    rk_haystack h = stack_of(RK_HAYSTACK_PROSE, 1000, 250);
    rk_rng_init(&rng, 2, "t");
    assert_int_equal(rk_haystack_build(&h, needles, 4, &rng, arena, &p, NULL), RK_OK);
    const char *first = strstr(p[1].text, "FIRST."), *last = strstr(p[1].text, "LAST.\n");
    const char *middle = strstr(p[1].text, " MIDDLE. ");
    assert_ptr_equal(first, p[1].text + strlen("Passage:\n"));
    assert_true(last && middle && first < middle && middle < last);
    double share = (double)(middle - p[1].text) / (double)strlen(p[1].text);
    assert_true(share > 0.35 && share < 0.65);
    assert_non_null(strstr(p[3].text, "OTHER."));
    for (int i = 0; i < 4; i++)
        assert_int_equal(p[i].gold, i == 1 || i == 3);
    rk_arena_free(arena);
}

static void names_differ(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    rk_rng rng;
    rk_error err;
    const char **name;
    rk_rng_init(&rng, 2, "t");
    assert_int_equal(rk_haystack_names(RK_HAYSTACK_NAMES, &rng, arena, &name, NULL), RK_OK);
    for (int i = 0; i < RK_HAYSTACK_NAMES; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(name[i], name[k]))
                fail_msg("%s twice", name[i]);
    assert_int_equal(rk_haystack_names(RK_HAYSTACK_NAMES + 1, &rng, arena, &name, &err),
                     RK_E_BUDGET);
    rk_arena_free(arena);
}

static void crowded_passages_are_refused(void **state)
{
    (void)state;
    static const rk_needle needle = {"One two three four five six seven eight nine ten.", 0, 0.5};
    rk_arena *arena = kit_arena();
    rk_rng rng;
    rk_passage *p;
    rk_error err;
    rk_haystack h = stack_of(RK_HAYSTACK_NOISE, 12, 256);
    rk_rng_init(&rng, 2, "t");
    assert_int_equal(rk_haystack_build(&h, &needle, 1, &rng, arena, &p, &err), RK_E_BUDGET);
    assert_string_equal(err.text,
                        "test: a passage needs 15 tokens for what is hidden in it, it has 12");
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_reached),
        cmocka_unit_test(needles_stand_where_they_should),
        cmocka_unit_test(names_differ),
        cmocka_unit_test(crowded_passages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
