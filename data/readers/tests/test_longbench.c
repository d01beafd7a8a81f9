/* test_longbench.c - prompts come apart into what they were made of. */
#include "tests/qa_reader_cases.h"

#define READERS RK_TEST_DATA "/fixtures/readers/"

static void prompts_come_apart(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    assert_int_equal(
        kit_open(&k, "longbench", READERS "longbench_hotpotqa.jsonl", 0, 1, NULL, NULL), RK_OK);
    assert_int_equal(k.reader.ops->contexts(&k.reader), 4);
    qa_check_all(&k, 0);
    rk_context c = kit_context(&k, 0, arena);
    assert_string_equal(c.instruction, "Use the passages.\n\n");
    assert_string_equal(c.item[0].question, "Where was the founder of Ardle born?");
    assert_string_equal(c.question_form, "\nUse the passages above.\n\nQuestion: %s\nAnswer:");
    assert_string_equal(c.item[0].task, "hotpotqa");
    assert_int_equal(c.passages, 4);
    assert_string_equal(c.passage[1].title, "Mina Tolk");
    assert_string_equal(c.passage[1].text, "Passage:\nMina Tolk\nMina Tolk was a traveller. The "
                                           "birthplace of Mina Tolk is Dunsey.\n");
    kit_close(&k);
    rk_arena_free(arena);
}

static void upstream_records_get_our_prompt(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    const char *settings[] = {"task", "musique", NULL};
    assert_int_equal(
        kit_open(&k, "longbench", READERS "longbench_musique.jsonl", 0, 1, settings, NULL), RK_OK);
    qa_check_all(&k, 0);
    rk_context c = kit_context(&k, 2, arena);
    assert_string_equal(c.id, "up2");
    assert_null(c.instruction);
    assert_null(c.question_form);
    assert_int_equal(c.item[0].answers, 2);
    assert_int_equal(c.passages, 4);
    kit_close(&k);
    rk_arena_free(arena);
}

static void examples_keep_their_passages(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    const char *settings[] = {"task", "triviaqa", NULL};
    assert_int_equal(
        kit_open(&k, "longbench", READERS "longbench_triviaqa.jsonl", 0, 1, settings, NULL), RK_OK);
    qa_check_all(&k, 1);
    rk_context c = kit_context(&k, 0, arena);
    assert_int_equal(c.passages, 3);
    assert_int_equal(c.passage[0].gold, 0);
    assert_int_equal(c.passage[2].gold, 1);
    assert_string_equal(c.question_form, "Question:\n%s\nAnswer:\n");
    assert_string_equal(c.item[0].question, "What does Ardle sell?");
    assert_non_null(
        strstr(c.passage[0].text, "Question:\nWhat does Brimmow sell?\nAnswer:\nsalt\n"));
    assert_null(strstr(c.passage[2].text, "Question:"));
    kit_close(&k);
    rk_arena_free(arena);
}

static void other_prompts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *task, *expected;
    } cases[] = {
        {"{\"prompt\":\"x\",\"answers\":[\"a\"],\"dataset\":\"musique\"}", "hotpotqa",
         "key 'dataset': expected 'hotpotqa' (option task), got 'musique'"},
        {"{\"prompt\":\"x\",\"answers\":[\"a\"],\"dataset\":\"musique\"}", "musique",
         "expected the prompt to end in a question"},
        {"{\"prompt\":\"x\\n\\nQuestion: "
         "q\\nAnswer:\",\"answers\":[\"a\"],\"dataset\":\"musique\"}",
         "musique", "expected passages headed 'Passage 1:'"},
        {"{\"prompt\":\"x\\n\\nQuestion: q\",\"answers\":[\"a\"],\"dataset\":\"musique\"}",
         "musique", "expected the prompt to end in a question"},
        {"{\"prompt\":\"Passage 1:\\nx\\n\\n%s\\n\\nQuestion: q\\nAnswer:\",\"answers\":[\"a\"],"
         "\"dataset\":\"musique\"}",
         "musique", "expected the prompt to end in a question"},
        {"{\"prompt\":\"x\\n\\nQuestion: q\\nAnswer:\",\"answers\":[],\"dataset\":\"musique\"}",
         "musique", "key 'answers': expected at least 1"},
        {"{\"_id\":\"1\",\"input\":\"q\",\"context\":\"x\",\"answers\":[\"a\"],\"dataset\":"
         "\"triviaqa\"}",
         "triviaqa", "read from finished prompts"},
        {"{\"_id\":\"1\",\"input\":\"q\",\"context\":\"x\",\"answers\":[\"a\"],\"dataset\":"
         "\"2wikimqa\"}",
         "2wikimqa", "expected passages headed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = kit_file(cases[i].line, strlen(cases[i].line));
        const char *settings[] = {"task", cases[i].task, NULL};
        kit_reader k;
        rk_error err = {0};
        assert_int_equal(kit_open(&k, "longbench", path, 0, 1, settings, &err), RK_E_FORMAT);
        if (!strstr(err.text, cases[i].expected))
            fail_msg("case %zu: %s", i, err.text);
        kit_close(&k);
        remove(path);
        free(path);
    }
}

static void damage_is_named(void **state)
{
    (void)state;
    qa_check_damage("longbench", READERS "longbench_hotpotqa.jsonl", NULL);
}

static void real_files(void **state)
{
    (void)state;
    static const struct {
        const char *task;
        int64_t contexts;
        int gold;
    } cases[] = {{"hotpotqa", 13, 0}, {"2wikimqa", 13, 0}, {"musique", 7, 0}, {"triviaqa", 12, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[] = {"task", cases[i].task, NULL};
        qa_check_real("longbench", settings, cases[i].contexts, cases[i].gold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prompts_come_apart),
        cmocka_unit_test(upstream_records_get_our_prompt),
        cmocka_unit_test(examples_keep_their_passages),
        cmocka_unit_test(other_prompts_are_refused),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
