/* scorers.c - see scorers.h.
 *
 * Every scorer takes the best over the accepted answers, for F1 and EM apart, as
 * the official scripts do; only RULER reads the list as things to be found. */
#include "scorers.h"

#include <stdlib.h>
#include <string.h>

#include "normalize_answer.h"
#include "python_text.h"

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static rk_status sorted(const rk_normal_answer *a, rk_arena *arena, const char ***out,
                        rk_error *err)
{
    *out = rk_arena_take(arena, (size_t)a->words, sizeof **out, err);
    if (!*out)
        return RK_E_MEMORY;
    if (a->words) {
        memcpy(*out, a->word, (size_t)a->words * sizeof **out);
        qsort(*out, (size_t)a->words, sizeof **out, compare_words);
    }
    return RK_OK;
}

/* F1 of the two bags of words; 0 when they share none. */
static rk_status token_f1(const rk_normal_answer *p, const rk_normal_answer *g, rk_arena *arena,
                          double *f1, rk_error *err)
{
    const char **a, **b;
    int32_t common = 0;
    RK_TRY(sorted(p, arena, &a, err));
    RK_TRY(sorted(g, arena, &b, err));
    for (int32_t i = 0, j = 0; i < p->words && j < g->words;) {
        int order = strcmp(a[i], b[j]);
        common += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    double precision = p->words ? (double)common / p->words : 0.0;
    double recall = g->words ? (double)common / g->words : 0.0;
    *f1 = common ? 2.0 * precision * recall / (precision + recall) : 0.0;
    return RK_OK;
}

static int is_closed_answer(const char *text)
{
    return !strcmp(text, "yes") || !strcmp(text, "no") || !strcmp(text, "noanswer");
}

typedef enum f1_rule { F1_PLAIN, F1_CLOSED_ANSWERS, F1_EMPTY_EQUALS_EMPTY } f1_rule;

static rk_status score_pair(const char *prediction, const char *answer, rk_normal_form form,
                            f1_rule rule, rk_arena *arena, rk_score *out, rk_error *err)
{
    rk_normal_answer p, g;
    RK_TRY(rk_normalize_answer(prediction, form, arena, &p, err));
    RK_TRY(rk_normalize_answer(answer, form, arena, &g, err));
    int equal = !strcmp(p.text, g.text);
    out->em = equal;
    out->f1 = 0.0;
    if (rule == F1_CLOSED_ANSWERS && !equal &&
        (is_closed_answer(p.text) || is_closed_answer(g.text)))
        return RK_OK;
    if (rule == F1_EMPTY_EQUALS_EMPTY && (!p.words || !g.words)) {
        out->f1 = !p.words && !g.words;
        return RK_OK;
    }
    return token_f1(&p, &g, arena, &out->f1, err);
}

static rk_status check_answers(const char *prediction, const char *const *answer, int32_t answers,
                               rk_error *err)
{
    if (!prediction || answers < 1)
        return rk_fail(err, RK_E_ARG, "scoring needs a prediction and at least 1 answer, got %d",
                       (int)answers);
    for (int32_t i = 0; i < answers; i++)
        if (!answer[i])
            return rk_fail(err, RK_E_ARG, "scoring: answer %d of %d is missing", (int)i,
                           (int)answers);
    return RK_OK;
}

static rk_status score_words(const char *prediction, const char *const *answer, int32_t answers,
                             rk_normal_form form, f1_rule rule, rk_score *out, rk_error *err)
{
    rk_arena *arena;
    RK_TRY(check_answers(prediction, answer, answers, err));
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = RK_OK;
    *out = (rk_score){0};
    for (int32_t i = 0; i < answers && st == RK_OK; i++) {
        rk_score one = {0};
        st = score_pair(prediction, answer[i], form, rule, arena, &one, err);
        out->f1 = one.f1 > out->f1 ? one.f1 : out->f1;
        out->em = one.em > out->em ? one.em : out->em;
        rk_arena_reset(arena);
    }
    rk_arena_free(arena);
    return st;
}

static rk_status score_hotpotqa(const char *prediction, const char *const *answer, int32_t answers,
                                rk_score *out, rk_error *err)
{
    return score_words(prediction, answer, answers, RK_NORMAL_SQUAD, F1_CLOSED_ANSWERS, out, err);
}

static rk_status score_musique(const char *prediction, const char *const *answer, int32_t answers,
                               rk_score *out, rk_error *err)
{
    return score_words(prediction, answer, answers, RK_NORMAL_SQUAD, F1_EMPTY_EQUALS_EMPTY, out,
                       err);
}

static rk_status score_squad(const char *prediction, const char *const *answer, int32_t answers,
                             rk_score *out, rk_error *err)
{
    return score_words(prediction, answer, answers, RK_NORMAL_SQUAD, F1_PLAIN, out, err);
}

static rk_status score_triviaqa(const char *prediction, const char *const *answer, int32_t answers,
                                rk_score *out, rk_error *err)
{
    return score_words(prediction, answer, answers, RK_NORMAL_TRIVIAQA, F1_PLAIN, out, err);
}

/* RULER's clean-up, strip, control characters to newline, strip; then lower-case. */
static rk_status ruler_text(const char *text, int clean, rk_arena *arena, const char **out,
                            rk_error *err)
{
    rk_code_points raw, lower;
    RK_TRY(rk_python_text_decode(text, strlen(text), arena, &raw, err));
    for (int pass = 0; clean && pass < 2; pass++) {
        while (raw.n && rk_python_text_is_space(raw.at[raw.n - 1]))
            raw.n--;
        while (raw.n && rk_python_text_is_space(raw.at[0]))
            raw.at++, raw.n--;
        for (size_t i = 0; i < raw.n; i++)
            raw.at[i] = raw.at[i] < 0x20 ? '\n' : raw.at[i];
    }
    RK_TRY(rk_python_text_lower(raw, arena, &lower, err));
    *out = rk_python_text_encode(lower.at, lower.n, arena, err);
    return *out ? RK_OK : RK_E_MEMORY;
}

static rk_status count_found(const char *prediction, const char *const *answer, int32_t answers,
                             int32_t *found, rk_error *err)
{
    rk_arena *arena;
    const char *text, *reference;
    RK_TRY(check_answers(prediction, answer, answers, err));
    RK_TRY(rk_arena_new(&arena, err));
    *found = 0;
    rk_status st = ruler_text(prediction, 1, arena, &text, err);
    for (int32_t i = 0; i < answers && st == RK_OK; i++) {
        st = ruler_text(answer[i], 0, arena, &reference, err);
        if (st == RK_OK)
            *found += strstr(text, reference) != NULL;
    }
    rk_arena_free(arena);
    return st;
}

static rk_status score_ruler_all(const char *prediction, const char *const *answer, int32_t answers,
                                 rk_score *out, rk_error *err)
{
    int32_t found;
    RK_TRY(count_found(prediction, answer, answers, &found, err));
    out->f1 = (double)found / answers;
    out->em = found == answers;
    return RK_OK;
}

static rk_status score_ruler_part(const char *prediction, const char *const *answer,
                                  int32_t answers, rk_score *out, rk_error *err)
{
    int32_t found;
    RK_TRY(count_found(prediction, answer, answers, &found, err));
    out->f1 = out->em = found > 0;
    return RK_OK;
}

static size_t trim(const char **text)
{
    static const char blanks[] = " \t\r\n\v\f";
    *text += strspn(*text, blanks);
    size_t n = strlen(*text);
    while (n && strchr(blanks, (*text)[n - 1]))
        n--;
    return n;
}

static rk_status score_exact(const char *prediction, const char *const *answer, int32_t answers,
                             rk_score *out, rk_error *err)
{
    RK_TRY(check_answers(prediction, answer, answers, err));
    *out = (rk_score){0};
    size_t n = trim(&prediction);
    for (int32_t i = 0; i < answers; i++) {
        const char *wanted = answer[i];
        if (trim(&wanted) == n && !memcmp(wanted, prediction, n))
            out->f1 = out->em = 1.0;
    }
    return RK_OK;
}

const rk_scorer *rk_scorer_find(const char *name)
{
    static const rk_scorer scorers[] = {
        {"hotpotqa", "hotpot_evaluate_v1.py; 2wikimultihop_evaluate_v1.1.py", score_hotpotqa},
        {"musique", "musique metrics/answer.py", score_musique},
        {"longbench_qa", "LongBench metrics.py, qa_f1_score", score_squad},
        {"squad", "SQuAD evaluate-v1.1.py", score_squad},
        {"triviaqa", "TriviaQA triviaqa_evaluation.py", score_triviaqa},
        {"ruler_all", "RULER synthetic/constants.py, string_match_all", score_ruler_all},
        {"ruler_part", "RULER synthetic/constants.py, string_match_part", score_ruler_part},
        {"exact", "bytes equal after trimming blanks", score_exact},
    };
    for (size_t i = 0; name && i < sizeof scorers / sizeof *scorers; i++)
        if (!strcmp(scorers[i].name, name))
            return &scorers[i];
    return NULL;
}
