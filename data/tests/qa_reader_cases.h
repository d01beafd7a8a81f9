/* qa_reader_cases.h - one set of checks for every reader of questions and
 * passages, on its invented fixture and, where REDKNOT_DATA names a directory
 * with the real files, on those. Static functions (reader_kit.h). */
#ifndef RK_DATA_TESTS_QA_READER_CASES_H
#define RK_DATA_TESTS_QA_READER_CASES_H

#include "tests/reader_kit.h"

#include "scorers.h"

/* Every context: unique ids, marked gold passages, an answer its own scorer takes. */
static inline void qa_check_all(kit_reader *k, int wants_gold)
{
    int64_t n = k->reader.ops->contexts(&k->reader);
    const rk_scorer *scorer = rk_scorer_find(k->reader.ops->scorer);
    assert_non_null(scorer);
    rk_arena *arena = kit_arena();
    for (int64_t i = 0; i < n; i++) {
        rk_context c = kit_context(k, i, arena);
        rk_score score;
        int gold = 0;
        assert_int_equal(c.items, 1);
        assert_true(c.item[0].answers >= 1 && c.item[0].question[0] && c.item[0].task[0]);
        assert_int_equal(
            scorer->score(c.item[0].answer[0], c.item[0].answer, c.item[0].answers, &score, NULL),
            RK_OK);
        assert_true(score.em == 1);
        for (int32_t p = 0; p < c.passages; p++) {
            gold += c.passage[p].gold;
            assert_int_equal(strncmp(c.passage[p].text, "Passage:\n", 9), 0);
        }
        assert_true(!wants_gold || gold >= 1);
        rk_arena_reset(arena);
    }
    rk_arena_free(arena);
}

/* Each line of a valid file cut short, and other damage, is one clear error. */
static inline void qa_check_damage(const char *name, const char *fixture,
                                   const char *const *settings)
{
    rk_arena *arena = kit_arena();
    FILE *f = fopen(fixture, "rb");
    assert_non_null(f);
    static char text[1 << 16];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    size_t line = (size_t)((char *)memchr(text, '\n', n) - text);
    for (size_t cut = 1; cut < line; cut += 1 + line / 97) {
        char *path = kit_file(text, line + 1 + cut);
        kit_reader k;
        rk_error err = {0};
        assert_int_equal(kit_open(&k, name, path, 0, 1, settings, &err), RK_E_FORMAT);
        assert_non_null(strstr(err.text, ": line 2: "));
        assert_non_null(strstr(err.text, path));
        kit_close(&k);
        remove(path);
        free(path);
    }
    char kept = text[line / 2];
    text[line / 2] = (char)0xff;
    char *path = kit_file(text, line);
    kit_reader k;
    rk_error err = {0};
    assert_int_equal(kit_open(&k, name, path, 0, 1, settings, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, ": line 1: "));
    kit_close(&k);
    text[line / 2] = kept;
    remove(path);
    free(path);
    rk_arena_free(arena);
}

/* The real files: how many contexts, and one filled to 4K. */
static inline void qa_check_real(const char *name, const char *const *settings, int64_t contexts,
                                 int wants_gold)
{
    const char *data = getenv("REDKNOT_DATA");
    if (!data)
        skip();
    kit_reader k;
    rk_error err = {0};
    if (kit_open(&k, name, data, 0, 1, settings, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(k.reader.ops->contexts(&k.reader), contexts);
    qa_check_all(&k, wants_gold);
    kit_close(&k);
}

static inline void qa_check_real_filled(const char *name, int64_t tokens)
{
    const char *data = getenv("REDKNOT_DATA");
    if (!data)
        skip();
    rk_arena *arena = kit_arena();
    kit_reader k;
    assert_int_equal(kit_open(&k, name, data, tokens, 1, NULL, NULL), RK_OK);
    for (int64_t i = 0; i < k.reader.ops->contexts(&k.reader); i++) {
        rk_context c = kit_context(&k, i, arena);
        int64_t got = kit_tokens(&c);
        assert_true(got <= tokens && got >= tokens * 9 / 10);
        rk_arena_reset(arena);
    }
    kit_close(&k);
    rk_arena_free(arena);
}

#endif
