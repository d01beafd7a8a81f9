/* test_qa_set.c - what the question-answering readers share, through HotpotQA's. */
#include "tests/reader_kit.h"

#include "qa_set.h"

#define FIXTURE RK_TEST_DATA "/fixtures/readers/hotpotqa.jsonl"

static void items_are_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *items, *require_gold;
        int64_t contexts;
        const char *first;
    } cases[] = {
        {"all", "true", 8, "inv0"}, {"all", "false", 9, "inv0"}, {"2-4", "true", 3, "inv2"},
        {"5", "true", 1, "inv5"},   {"6-8", "true", 2, "inv6"},  {"6-8", "false", 3, "inv6"},
        {"8", "false", 1, "inv8"},
    };
    rk_arena *arena = kit_arena();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[] = {"items", cases[i].items, "require_gold", cases[i].require_gold,
                                  NULL};
        kit_reader k;
        assert_int_equal(kit_open(&k, "hotpotqa", FIXTURE, 0, 1, settings, NULL), RK_OK);
        assert_int_equal(k.reader.ops->contexts(&k.reader), cases[i].contexts);
        assert_string_equal(kit_context(&k, 0, arena).id, cases[i].first);
        kit_close(&k);
    }
    rk_arena_free(arena);
}

static void bad_items_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *items;
        rk_status status;
        const char *text;
    } cases[] = {
        {"", RK_E_USAGE, "items: expected all, 17 or 200-399, got ''"},
        {"x", RK_E_USAGE, "got 'x'"},
        {"-3", RK_E_USAGE, "got '-3'"},
        {"3-", RK_E_USAGE, "got '3-'"},
        {"3-1", RK_E_USAGE, "got '3-1'"},
        {"1-2x", RK_E_USAGE, "got '1-2x'"},
        {"0-9", RK_E_USAGE, "hotpotqa.jsonl has 0-8"},
        {"99999999999999999999", RK_E_USAGE, "has 0-8"},
        {"8", RK_E_FORMAT, "no question with all its supporting passages"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[] = {"items", cases[i].items, NULL};
        kit_reader k;
        rk_error err = {0};
        assert_int_equal(kit_open(&k, "hotpotqa", FIXTURE, 0, 1, settings, &err), cases[i].status);
        if (!strstr(err.text, cases[i].text))
            fail_msg("case %zu: %s", i, err.text);
        assert_null(k.reader.state);
        kit_close(&k);
    }
}

static void a_split_sees_the_same_contexts(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader all, part;
    const char *settings[] = {"items", "3-6", NULL};
    assert_int_equal(kit_open(&all, "hotpotqa", FIXTURE, 300, 5, NULL, NULL), RK_OK);
    assert_int_equal(kit_open(&part, "hotpotqa", FIXTURE, 300, 5, settings, NULL), RK_OK);
    rk_context a = kit_context(&all, 4, arena), b = kit_context(&part, 1, arena);
    assert_true(kit_same(&a, &b));
    assert_true(kit_tokens(&a) <= 300 && kit_tokens(&a) >= 270);
    /* and whatever was asked before does not matter */
    rk_context again = kit_context(&all, 4, arena), other = kit_context(&all, 5, arena);
    assert_true(kit_same(&a, &again));
    assert_false(kit_same(&a, &other));
    kit_close(&all);
    kit_close(&part);
    rk_arena_free(arena);
}

static void indices_outside_are_refused(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    rk_context c;
    rk_error err;
    assert_int_equal(kit_open(&k, "hotpotqa", FIXTURE, 0, 1, NULL, NULL), RK_OK);
    assert_int_equal(k.reader.ops->context(&k.reader, 8, arena, &c, &err), RK_E_ARG);
    assert_int_equal(k.reader.ops->context(&k.reader, -1, arena, &c, &err), RK_E_ARG);
    assert_string_equal(err.text, "hotpotqa: context -1 of 8");
    kit_close(&k);
    kit_close(&k); /* closing twice is closing once */
    rk_arena_free(arena);
}

static void a_missing_file_is_an_error(void **state)
{
    (void)state;
    kit_reader k;
    rk_error err;
    assert_int_equal(kit_open(&k, "hotpotqa", NULL, 0, 1, NULL, &err), RK_E_USAGE);
    kit_close(&k);
    assert_int_equal(kit_open(&k, "hotpotqa", "no/such/dir", 0, 1, NULL, &err), RK_E_IO);
    kit_close(&k);
}

static void passages_are_laid_out(void **state)
{
    (void)state;
    static const struct {
        const char *title, *text, *expected;
    } cases[] = {
        {"Ardle", "A town.", "Passage:\nArdle\nA town.\n"},
        {NULL, "A town.\n\n ", "Passage:\nA town.\n"},
        {"T", "", "Passage:\nT\n\n"},
    };
    rk_arena *arena = kit_arena();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_passage p = {0};
        assert_int_equal(rk_qa_passage(&p, cases[i].title, cases[i].text, arena, NULL), RK_OK);
        assert_string_equal(p.text, cases[i].expected);
    }
    rk_arena_free(arena);
}

static void answers_are_listed(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    json_t *aliases = json_loads("[\"b\",\"c\"]", 0, NULL), *bad = json_loads("[\"b\",3]", 0, NULL);
    rk_item item = {0}, none = {0};
    rk_error err;
    assert_int_equal(rk_qa_answers("a", aliases, "w", arena, &item, NULL), RK_OK);
    assert_int_equal(item.answers, 3);
    assert_string_equal(item.answer[0], "a");
    assert_string_equal(item.answer[2], "c");
    assert_int_equal(rk_qa_answers(NULL, bad, "w", arena, &none, &err), RK_E_FORMAT);
    assert_string_equal(err.text, "w: answers: expected texts, got a whole number in entry 2");
    json_decref(aliases);
    json_decref(bad);
    rk_arena_free(arena);
}

static void titled_sentences(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    json_t *good = json_loads("{\"context\":[[\"A\",[\"One.\",\"Two.\",\" Three.\"]],[\"B\",[]]],"
                              "\"supporting_facts\":[[\"A\",0],[\"C\",1]]}",
                              0, NULL);
    rk_qa_record out = {0};
    assert_int_equal(rk_qa_titled_sentences(good, "w", arena, &out, NULL), RK_OK);
    assert_int_equal(out.passages, 2);
    assert_string_equal(out.passage[0].text, "Passage:\nA\nOne. Two. Three.\n");
    assert_int_equal(out.passage[0].gold, 1);
    assert_int_equal(out.passage[1].gold, 0);
    assert_int_equal(out.gold_missing, 1);
    json_decref(good);
    static const char *const bad[] = {
        "{\"supporting_facts\":[[\"A\",0]]}",
        "{\"context\":[[\"A\",[\"x\"]]]}",
        "{\"context\":[[\"A\"]],\"supporting_facts\":[[\"A\",0]]}",
        "{\"context\":[[\"A\",[1]]],\"supporting_facts\":[[\"A\",0]]}",
        "{\"context\":[[3,[\"x\"]]],\"supporting_facts\":[[\"A\",0]]}",
        "{\"context\":[[\"A\",[\"x\"]]],\"supporting_facts\":[[7,0]]}",
        "{\"context\":[[\"A\",[\"x\"]]],\"supporting_facts\":[]}",
        "{\"context\":{},\"supporting_facts\":[[\"A\",0]]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *record = json_loads(bad[i], 0, NULL);
        rk_qa_record r = {0};
        rk_error err = {0};
        assert_int_equal(rk_qa_titled_sentences(record, "w: line 1", arena, &r, &err), RK_E_FORMAT);
        assert_int_equal(strncmp(err.text, "w: line 1: key '", 16), 0);
        json_decref(record);
    }
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_chosen),
        cmocka_unit_test(bad_items_are_refused),
        cmocka_unit_test(a_split_sees_the_same_contexts),
        cmocka_unit_test(indices_outside_are_refused),
        cmocka_unit_test(a_missing_file_is_an_error),
        cmocka_unit_test(passages_are_laid_out),
        cmocka_unit_test(answers_are_listed),
        cmocka_unit_test(titled_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
