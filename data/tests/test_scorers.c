/* test_scorers.c - golden vectors of the official scorers, and Python's values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "scorers.h"

static rk_score score(const char *scorer, const char *prediction, const char *const *answer,
                      int32_t n)
{
    rk_score out;
    const rk_scorer *s = rk_scorer_find(scorer);
    assert_non_null(s);
    assert_string_equal(s->name, scorer);
    assert_int_equal(s->score(prediction, answer, n, &out, NULL), RK_OK);
    return out;
}

/* Produced by the official functions: EM, then F1 of HotpotQA, MuSiQue, LongBench
 * and, where it differs from LongBench's, TriviaQA (-1: not given). */
static void golden_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *prediction, *answer;
        double em, hotpotqa, musique, longbench, triviaqa;
    } cases[] = {
        {"The Eiffel Tower", "Eiffel Tower", 1, 1, 1, 1, -1},
        {"yes", "Yes.", 1, 1, 1, 1, -1},
        {"Yes, they are", "yes", 0, 0, .5, .5, -1},
        {"the", "the", 1, 0, 1, 0, -1},
        {"the a an", "the", 1, 0, 1, 0, -1},
        {"", "Paris", 0, 0, 0, 0, -1},
        {"U.S.A.", "USA", 1, 1, 1, 1, 0},
        {"twenty-one", "twenty one", 0, 0, 0, 0, 1},
        {"O'Brien's", "O Brien s", 0, 0, 0, 0, 1},
        {"A-Team", "team", 0, 0, 0, 0, 1},
        {"an apple a day", "apple day", 1, 1, 1, 1, -1},
        {"1,000", "1000", 1, 1, 1, 1, 0},
        {"x\xe2\x80\x93y", "x y", 0, 0, 0, 0, -1},
        {"Zurich", "Z\xc3\xbcrich", 0, 0, 0, 0, -1},
        {"Paris Paris France", "Paris", 0, .5, .5, .5, -1},
        {"theatre the", "theatre", 1, 1, 1, 1, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *p = cases[i].prediction, *const *a = &cases[i].answer;
        rk_score s = score("hotpotqa", p, a, 1);
        assert_true(s.f1 == cases[i].hotpotqa && s.em == cases[i].em);
        s = score("musique", p, a, 1);
        assert_true(s.f1 == cases[i].musique && s.em == cases[i].em);
        s = score("longbench_qa", p, a, 1);
        assert_true(s.f1 == cases[i].longbench && s.em == cases[i].em);
        s = score("squad", p, a, 1);
        assert_true(s.f1 == cases[i].longbench && s.em == cases[i].em);
        if (cases[i].triviaqa >= 0) {
            s = score("triviaqa", p, a, 1);
            assert_true(s.f1 == cases[i].triviaqa);
        }
    }
}

static void scores_are_pythons(void **state)
{
    (void)state;
    static const char *const names[] = {"hotpotqa", "musique",   "longbench_qa", "squad",
                                        "triviaqa", "ruler_all", "ruler_part"};
    json_t *cases, *c;
    assert_int_equal(
        rk_json_load(RK_TEST_DATA "/fixtures/scorer_cases.json", 1 << 24, &cases, NULL), RK_OK);
    size_t i, compared = 0;
    json_array_foreach(cases, i, c)
    {
        const json_t *answers = json_object_get(c, "answers");
        const char *answer[8];
        int32_t n = (int32_t)json_array_size(answers);
        assert_in_range(n, 1, 8);
        for (int32_t k = 0; k < n; k++)
            answer[k] = json_string_value(json_array_get(answers, (size_t)k));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++, compared++) {
            const json_t *want = json_object_get(c, names[k]);
            rk_score s =
                score(names[k], json_string_value(json_object_get(c, "prediction")), answer, n);
            if (fabs(s.f1 - json_number_value(json_array_get(want, 0))) > 1e-12 ||
                s.em != json_number_value(json_array_get(want, 1)))
                fail_msg("case %zu, %s: f1 %.6f em %.0f", i, names[k], s.f1, s.em);
        }
    }
    assert_true(compared > 1400);
    json_decref(cases);
}

static void exact_trims_blanks_only(void **state)
{
    (void)state;
    const char *answer[] = {" rubber crate and Dallas", " 238"};
    assert_true(score("exact", "rubber crate and Dallas\n", answer, 2).em == 1);
    assert_true(score("exact", " 238", answer, 2).f1 == 1);
    assert_true(score("exact", "Rubber crate and Dallas", answer, 2).em == 0);
    assert_true(score("exact", "23", answer, 2).em == 0);
    assert_true(score("exact", "", answer, 2).em == 0);
}

static void invalid_bytes_are_scored(void **state)
{
    (void)state;
    const char *answer[] = {"caf\xef\xbf\xbd"};
    assert_true(score("squad", "caf\xc3", answer, 1).em == 1);
    assert_true(score("ruler_all", "a caf\xc3", answer, 1).em == 1);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"hotpotqa", "ruler_all", "exact"};
    const char *answer[] = {"x", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rk_score out;
        rk_error err;
        const rk_scorer *s = rk_scorer_find(names[i]);
        assert_int_equal(s->score("x", answer, 0, &out, &err), RK_E_ARG);
        assert_int_equal(s->score(NULL, answer, 1, &out, &err), RK_E_ARG);
        assert_int_equal(s->score("x", answer, 2, &out, &err), RK_E_ARG);
        assert_non_null(strstr(err.text, "answer 1 of 2"));
    }
    assert_null(rk_scorer_find("rouge"));
    assert_null(rk_scorer_find(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_vectors),          cmocka_unit_test(scores_are_pythons),
        cmocka_unit_test(exact_trims_blanks_only), cmocka_unit_test(invalid_bytes_are_scored),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
