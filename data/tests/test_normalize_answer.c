/* test_normalize_answer.c - both normal forms, by hand and from Python. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "normalize_answer.h"

static void check(rk_arena *arena, const char *text, rk_normal_form form, const char *expected)
{
    rk_normal_answer out;
    assert_int_equal(rk_normalize_answer(text, form, arena, &out, NULL), RK_OK);
    assert_string_equal(out.text, expected);
}

static void rules_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *text, *squad, *triviaqa;
    } cases[] = {
        {"", "", ""},
        {"The Eiffel  Tower", "eiffel tower", "eiffel tower"},
        {"A-Team", "ateam", "team"},
        {"U.S.A.", "usa", "u s"},
        {"1,000", "1000", "1 000"},
        {"the_end", "theend", "end"},
        {"\xc3\xa9"
         "a b",
         "\xc3\xa9"
         "a b",
         "\xc3\xa9"
         "a b"},
        {"a a\ta", "", ""},
        {"another than", "another than", "another than"},
        {"x\xe2\x80\x93y", "x\xe2\x80\x93y", "x\xe2\x80\x93y"},
        {"\xe2\x80\x98n\xe2\x80\x99", "\xe2\x80\x98n\xe2\x80\x99", "n"},
        {"the \xff", "\xef\xbf\xbd", "\xef\xbf\xbd"},
    };
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(arena, cases[i].text, RK_NORMAL_SQUAD, cases[i].squad);
        check(arena, cases[i].text, RK_NORMAL_TRIVIAQA, cases[i].triviaqa);
    }
    rk_arena_free(arena);
}

static void words_are_in_order(void **state)
{
    (void)state;
    rk_arena *arena;
    rk_normal_answer out;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_normalize_answer(" Paris, the  City ", RK_NORMAL_SQUAD, arena, &out, NULL),
                     RK_OK);
    assert_int_equal(out.words, 2);
    assert_string_equal(out.word[0], "paris");
    assert_string_equal(out.word[1], "city");
    rk_arena_free(arena);
}

static void forms_are_pythons(void **state)
{
    (void)state;
    json_t *cases;
    rk_arena *arena;
    assert_int_equal(
        rk_json_load(RK_TEST_DATA "/fixtures/scorer_cases.json", 1 << 24, &cases, NULL), RK_OK);
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    size_t i;
    json_t *c;
    json_array_foreach(cases, i, c)
    {
        const char *text = json_string_value(json_object_get(c, "prediction"));
        check(arena, text, RK_NORMAL_SQUAD, json_string_value(json_object_get(c, "squad_form")));
        check(arena, text, RK_NORMAL_TRIVIAQA,
              json_string_value(json_object_get(c, "triviaqa_form")));
    }
    assert_true(i > 200);
    rk_arena_free(arena);
    json_decref(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_by_hand),
        cmocka_unit_test(words_are_in_order),
        cmocka_unit_test(forms_are_pythons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
