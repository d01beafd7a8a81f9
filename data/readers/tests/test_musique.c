/* test_musique.c - the invented file, damaged files, and the real one where it is. */
#include "tests/qa_reader_cases.h"

#define FIXTURE RK_TEST_DATA "/fixtures/readers/musique.jsonl"

static void records_become_items(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    assert_int_equal(kit_open(&k, "musique", FIXTURE, 0, 1, NULL, NULL), RK_OK);
    assert_int_equal(k.reader.ops->contexts(&k.reader), 6);
    qa_check_all(&k, 1);
    rk_context two = kit_context(&k, 1, arena), three = kit_context(&k, 2, arena);
    assert_string_equal(two.item[0].task, "2hop");
    assert_int_equal(two.item[0].hops, 2);
    assert_int_equal(two.item[0].answers, 2);
    assert_string_equal(two.item[0].answer[1], "Elmar town");
    assert_string_equal(three.item[0].task, "3hop1");
    assert_int_equal(three.item[0].hops, 3);
    int gold = 0;
    for (int32_t i = 0; i < three.passages; i++)
        gold += three.passage[i].gold;
    assert_int_equal(gold, 3);
    kit_close(&k);
    rk_arena_free(arena);
}

static void damage_is_named(void **state)
{
    (void)state;
    qa_check_damage("musique", FIXTURE, NULL);
}

static void other_records_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"{\"id\":\"x\"}", "key 'id': expected 2hop__"},
        {"{\"id\":\"2hop__1\",\"answerable\":false}", "expected an answerable question"},
        {"{\"id\":\"2hop__1\",\"question\":\"q\",\"answer\":\"a\",\"paragraphs\":[]}",
         "key 'paragraphs': expected at least 1 entries"},
        {"{\"id\":\"2hop__1\",\"question\":\"q\",\"answer\":\"a\",\"paragraphs\":[{\"title\":"
         "\"t\",\"paragraph_text\":\"p\",\"is_supporting\":1}]}",
         "key 'is_supporting': expected a boolean"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = kit_file(cases[i].line, strlen(cases[i].line));
        kit_reader k;
        rk_error err = {0};
        assert_int_equal(kit_open(&k, "musique", path, 0, 1, NULL, &err), RK_E_FORMAT);
        if (!strstr(err.text, cases[i].expected))
            fail_msg("%s", err.text);
        kit_close(&k);
        remove(path);
        free(path);
    }
}

static void real_file(void **state)
{
    (void)state;
    qa_check_real("musique", NULL, 140, 1);
    qa_check_real_filled("musique", 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_become_items),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(other_records_are_refused),
        cmocka_unit_test(real_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
