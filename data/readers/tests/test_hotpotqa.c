/* test_hotpotqa.c - the invented file, damaged files, and the real one where it is. */
#include "tests/qa_reader_cases.h"

#define FIXTURE RK_TEST_DATA "/fixtures/readers/hotpotqa.jsonl"

static void records_become_items(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    assert_int_equal(kit_open(&k, "hotpotqa", FIXTURE, 0, 1, NULL, NULL), RK_OK);
    qa_check_all(&k, 1);
    rk_context c = kit_context(&k, 1, arena);
    assert_string_equal(c.item[0].question, "Where was the founder of Brimmow born?");
    assert_string_equal(c.item[0].answer[0], "Elmar");
    assert_string_equal(c.item[0].task, "bridge");
    assert_int_equal(c.item[0].hops, 2);
    assert_int_equal(c.item[0].distance, -1);
    assert_int_equal(c.passages, 6);
    int gold = 0, found = 0;
    for (int32_t i = 0; i < c.passages; i++) {
        gold += c.passage[i].gold;
        found += !strcmp(c.passage[i].text,
                         "Passage:\nOren Vasse\nOren Vasse was a traveller. The birthplace of "
                         "Oren Vasse is Elmar.\n") &&
                 c.passage[i].gold;
    }
    assert_int_equal(gold, 2);
    assert_int_equal(found, 1);
    kit_close(&k);
    rk_arena_free(arena);
}

static void defaults_serve_without_options(void **state)
{
    (void)state;
    rk_reader r = {.ops = kit_find("hotpotqa"), .config = {.path = FIXTURE}};
    assert_int_equal(r.ops->open(&r, NULL), RK_OK);
    assert_int_equal(r.ops->contexts(&r), 8);
    r.ops->close(&r);
}

static void damage_is_named(void **state)
{
    (void)state;
    qa_check_damage("hotpotqa", FIXTURE, NULL);
}

static void real_file(void **state)
{
    (void)state;
    const char *all[] = {"require_gold", "false", "items", "0-68", NULL};
    qa_check_real("hotpotqa", all, 69, 0);
    qa_check_real("hotpotqa", NULL, 122, 1);
    qa_check_real_filled("hotpotqa", 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_become_items),
        cmocka_unit_test(defaults_serve_without_options),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(real_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
