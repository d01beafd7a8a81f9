/* test_reports_world.c - the rules that every drawn world keeps. */
#include "tests/reader_kit.h"

#include "reports_world.h"

static void worlds_keep_their_rules(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {{9, 3, 8}, {12, 3, 8}, {119, 12, 28}, {498, 25, 60}};
    rk_arena *arena = kit_arena();
    rk_rng rng;
    rk_rng_init(&rng, 3, "worlds");
    int levels[5] = {0};
    for (int draw = 0; draw < 80; draw++) {
        const int32_t *s = sizes[draw % 4];
        rk_reports_world w;
        assert_int_equal(rk_reports_world_draw(&rng, s[0], s[1], s[2], arena, &w, NULL), RK_OK);
        int32_t length = 0;
        for (int32_t i = 0; i < w.sentences; i++) {
            assert_non_null(w.text[i]);
            int next = i > 0 && w.document[i] != w.document[i - 1];
            assert_true(i == 0 ? w.document[0] == 0 : w.document[i] - w.document[i - 1] == next);
            assert_true(!next || (length >= s[1] && length <= s[2]));
            length = next ? 1 : length + 1;
        }
        assert_true(length <= s[2] && w.document[w.sentences - 1] == w.documents - 1);
        for (int32_t i = 0; i < w.boxes; i++) {
            const rk_reports_box *b = &w.box[i];
            levels[b->level]++;
            if (!b->level)
                continue;
            const rk_reports_box *source = &w.box[b->source];
            assert_int_equal(source->level, b->level - 1);
            assert_string_equal(source->item, b->item);
            assert_true(w.document[source->sentence] < w.document[b->sentence]);
        }
        for (int32_t i = 0; i < w.meanings; i++) {
            int32_t before = w.meaning[i].previous;
            assert_true(before < i);
            assert_true(!w.meaning[i].crosses || before >= 0);
            if (before >= 0)
                assert_string_equal(w.meaning[before].alias, w.meaning[i].alias);
        }
        for (int32_t i = 0; i < w.doors; i++) {
            const rk_reports_meaning *m = &w.meaning[w.door[i].meaning];
            if (!w.door[i].askable)
                continue;
            assert_string_equal(m->alias, w.door[i].alias);
            assert_true(w.document[m->sentence] < w.document[w.door[i].sentence]);
        }
        rk_arena_reset(arena);
    }
    for (int l = 0; l < 5; l++)
        assert_true(levels[l] > 0);
    rk_arena_free(arena);
}

static void forms_are_rendered(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    const char *word[] = {"Ira", "Rome", "7"};
    assert_string_equal(rk_reports_render("{0} lives in {1}.", word, arena, NULL),
                        "Ira lives in Rome.");
    assert_string_equal(rk_reports_render("{2}{2}{0}", word, arena, NULL), "77Ira");
    assert_string_equal(rk_reports_render("", word, arena, NULL), "");
    rk_arena_free(arena);
}

static void impossible_worlds_are_refused(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    rk_rng rng;
    rk_reports_world w;
    rk_error err;
    rk_rng_init(&rng, 3, "worlds");
    assert_int_equal(rk_reports_world_draw(&rng, 8, 3, 8, arena, &w, &err), RK_E_ARG);
    assert_int_equal(rk_reports_world_draw(&rng, 20, 0, 8, arena, &w, &err), RK_E_ARG);
    assert_int_equal(rk_reports_world_draw(&rng, 20, 8, 3, arena, &w, &err), RK_E_ARG);
    assert_string_equal(err.text, "a world needs 9 sentences or more, got 20 in documents of 8-3");
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_keep_their_rules),
        cmocka_unit_test(forms_are_rendered),
        cmocka_unit_test(impossible_worlds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
