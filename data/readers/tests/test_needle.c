/* test_needle.c - every asked value stands once, in one passage, at uniform depth. */
#include "tests/reader_kit.h"

#include "scorers.h"

static const struct {
    const char *name, *task;
    int32_t answers, hidden;
} tasks[] = {{"single", "niah_single", 1, 1},
             {"multikey", "niah_multikey", 1, 4},
             {"multivalue", "niah_multivalue", 4, 4},
             {"multiquery", "niah_multiquery", 4, 4}};

static int occurrences(const rk_context *c, const char *text)
{
    int n = 0;
    for (int32_t i = 0; i < c->passages; i++)
        for (const char *at = strstr(c->passage[i].text, text); at; at = strstr(at + 1, text))
            n++;
    return n;
}

static void tasks_hide_what_they_ask(void **state)
{
    (void)state;
    static const char *const types[] = {"number", "word", "uuid"};
    rk_arena *arena = kit_arena();
    for (size_t t = 0; t < 4; t++) {
        for (size_t v = 0; v < 3; v++) {
            const char *settings[] = {"task",     tasks[t].name,         "value_type", types[v],
                                      "haystack", v ? "noise" : "prose", NULL};
            kit_reader k;
            assert_int_equal(kit_open(&k, "needle", NULL, 2000, 4, settings, NULL), RK_OK);
            rk_context c = kit_context(&k, (int64_t)v, arena);
            assert_int_equal(c.items, 1);
            assert_string_equal(c.item[0].task, tasks[t].task);
            assert_int_equal(c.item[0].answers, tasks[t].answers);
            assert_int_equal(c.passages, 8);
            assert_in_range(kit_tokens(&c), 1980, 2000);
            assert_int_equal(occurrences(&c, " kept under "), tasks[t].hidden);
            char all[512] = "";
            for (int32_t i = 0; i < c.item[0].answers; i++) {
                assert_int_equal(occurrences(&c, c.item[0].answer[i]), 1);
                strcat(strcat(all, c.item[0].answer[i]), ", ");
            }
            rk_score score;
            const rk_scorer *s = rk_scorer_find(k.reader.ops->scorer);
            s->score(all, c.item[0].answer, c.item[0].answers, &score, NULL);
            assert_true(score.em == 1);
            s->score(c.item[0].answer[0], c.item[0].answer, c.item[0].answers, &score, NULL);
            assert_true(score.f1 == 1.0 / tasks[t].answers);
            kit_close(&k);
        }
    }
    rk_arena_free(arena);
}

static void a_question_names_what_is_hidden(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    const char *settings[] = {"value_type", "number", NULL};
    assert_int_equal(kit_open(&k, "needle", NULL, 1000, 4, settings, NULL), RK_OK);
    rk_context c = kit_context(&k, 0, arena);
    char name[64], sentence[160];
    assert_int_equal(sscanf(c.item[0].question, "What is the number kept under %63[a-z-]?", name),
                     1);
    snprintf(sentence, sizeof sentence, "The number kept under %s is %s.", name,
             c.item[0].answer[0]);
    assert_int_equal(occurrences(&c, sentence), 1);
    assert_int_equal(strlen(c.item[0].answer[0]), 7);
    kit_close(&k);
    rk_arena_free(arena);
}

static void questions_of_a_context_ask_for_different_names(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    const char *settings[] = {"task", "multiquery", "keys", "3", NULL};
    assert_int_equal(kit_open(&k, "needle", NULL, 4000, 4, settings, NULL), RK_OK);
    k.reader.config.items_per_context = 5;
    rk_context c = kit_context(&k, 0, arena);
    assert_int_equal(c.items, 5);
    assert_int_equal(occurrences(&c, " kept under "), 20);
    for (int32_t i = 0; i < 5; i++)
        for (int32_t j = 0; j < i; j++)
            for (int32_t a = 0; a < 4; a++)
                assert_string_not_equal(c.item[i].answer[a], c.item[j].answer[a]);
    kit_close(&k);
    rk_arena_free(arena);
}

static void depths_are_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 800, BINS = 8 };
    rk_arena *arena = kit_arena();
    kit_reader k;
    int count[BINS] = {0};
    double chi = 0, expected = DRAWS / (double)BINS;
    assert_int_equal(kit_open(&k, "needle", NULL, 800, 4, NULL, NULL), RK_OK);
    for (int i = 0; i < DRAWS; i++) {
        rk_context c = kit_context(&k, i, arena);
        size_t before = 0, all = 0;
        for (int32_t p = 0; p < c.passages; p++) {
            const char *at = strstr(c.passage[p].text, " kept under ");
            assert_int_equal(at != NULL, c.passage[p].gold);
            if (at)
                before = all + (size_t)(at - c.passage[p].text);
            all += strlen(c.passage[p].text);
        }
        count[before * BINS / all]++;
        rk_arena_reset(arena);
    }
    for (int i = 0; i < BINS; i++)
        chi += (count[i] - expected) * (count[i] - expected) / expected;
    assert_true(chi < 24.3); /* 0.1 % point, 7 degrees of freedom */
    kit_close(&k);
    rk_arena_free(arena);
}

static void contexts_are_reproducible(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader a, b;
    assert_int_equal(kit_open(&a, "needle", NULL, 1000, 4, NULL, NULL), RK_OK);
    assert_int_equal(kit_open(&b, "needle", NULL, 1000, 4, NULL, NULL), RK_OK);
    rk_context x = kit_context(&a, 3, arena), other = kit_context(&b, 2, arena);
    rk_context y = kit_context(&b, 3, arena);
    assert_true(kit_same(&x, &y));
    assert_false(kit_same(&x, &other));
    kit_close(&a);
    kit_close(&b);
    rk_arena_free(arena);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    rk_context c;
    rk_error err;
    assert_int_equal(kit_open(&k, "needle", NULL, 0, 4, NULL, &err), RK_E_USAGE);
    kit_close(&k);
    assert_int_equal(kit_open(&k, "needle", NULL, 20, 4, NULL, &err), RK_OK);
    assert_int_equal(k.reader.ops->context(&k.reader, -1, arena, &c, &err), RK_E_ARG);
    k.reader.config.items_per_context = 4;
    assert_int_equal(k.reader.ops->context(&k.reader, 0, arena, &c, &err), RK_E_BUDGET);
    k.reader.config.items_per_context = 100000;
    assert_int_equal(k.reader.ops->context(&k.reader, 0, arena, &c, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "at most 1600 hidden values, got 100000"));
    kit_close(&k);
    rk_reader plain = {.ops = kit_find("needle"),
                       .config = {.target_tokens = 500, .counter = &kit_counter}};
    assert_int_equal(plain.ops->open(&plain, NULL), RK_OK);
    assert_int_equal(plain.ops->context(&plain, 0, arena, &c, NULL), RK_OK);
    plain.ops->close(&plain);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_hide_what_they_ask),
        cmocka_unit_test(a_question_names_what_is_hidden),
        cmocka_unit_test(questions_of_a_context_ask_for_different_names),
        cmocka_unit_test(depths_are_uniform),
        cmocka_unit_test(contexts_are_reproducible),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
