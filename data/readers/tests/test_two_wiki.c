/* test_two_wiki.c - the invented file, damaged files, and the real one where it is. */
#include "tests/qa_reader_cases.h"

#define FIXTURE RK_TEST_DATA "/fixtures/readers/two_wiki.jsonl"

static void records_become_items(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    assert_int_equal(kit_open(&k, "two_wiki", FIXTURE, 0, 1, NULL, NULL), RK_OK);
    assert_int_equal(k.reader.ops->contexts(&k.reader), 6);
    qa_check_all(&k, 1);
    rk_context c = kit_context(&k, 0, arena);
    assert_string_equal(c.item[0].task, "compositional");
    assert_int_equal(c.item[0].hops, 2);
    int found = 0;
    for (int32_t i = 0; i < c.passages; i++)
        found += !strcmp(c.passage[i].text,
                         "Passage:\nArdle\nArdle is a town on the river ARDLE. It lives from "
                         "copper, which is sold at the weekly market. It was founded by Mina "
                         "Tolk.\n");
    assert_int_equal(found, 1);
    kit_close(&k);
    rk_arena_free(arena);
}

static void damage_is_named(void **state)
{
    (void)state;
    qa_check_damage("two_wiki", FIXTURE, NULL);
}

static void real_file(void **state)
{
    (void)state;
    qa_check_real("two_wiki", NULL, 300, 1);
    qa_check_real_filled("two_wiki", 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_become_items),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(real_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
