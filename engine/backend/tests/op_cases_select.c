/* op_cases_select.c - selection rules: every kind, scope, domain and bound.
 *
 * The request: prefix 0-2, chunks 3-6, 7-11, 12-13, question 14-16. Expected rows are
 * written out by hand, as letters: row 0 is 'a'. */
#include "op_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { N = 17 };

static rk_segment chunks[] = {{NULL, 4, 3}, {NULL, 5, 7}, {NULL, 2, 12}};
static const rk_request request = {
    .prefix = {NULL, 3, 0}, .chunk = chunks, .chunks = 3, .question = {NULL, 3, 14}, .tokens = N};

/* positions           0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 */
static const float drift[N] = {9, 1, 1, 2, 5, 5, 0, 5, 1, 8, 0, 0, 2, 2, 9, 0, 7};
static const float mass[N] = {0, 0, 0, .4f, .1f, 0, 0, .2f, .1f, .1f, 0, 0, 0, .1f, 0, 0, 0};
static const float broken[N] = {NAN, 1, NAN, 2, NAN, 5, NAN, 4, NAN, NAN, 3, 0, -1, NAN, 1, NAN, 0};

static const int32_t listed[] = {0, 4, 5, 11, 12, 15, 40};

#define TOP(signal_, amount_, scope_, domain_)                                                     \
    {                                                                                              \
        .kind = RK_SELECT_TOP_COUNT, .signal = RK_SIGNAL_##signal_, .amount = amount_,             \
        .scope = RK_SCOPE_##scope_, .domain = RK_DOMAIN_##domain_                                  \
    }
#define MASS(signal_, amount_, domain_)                                                            \
    {                                                                                              \
        .kind = RK_SELECT_TOP_MASS, .signal = RK_SIGNAL_##signal_, .amount = amount_,              \
        .domain = RK_DOMAIN_##domain_                                                              \
    }
#define RUN(kind_, amount_, scope_, domain_)                                                       \
    {                                                                                              \
        .kind = RK_SELECT_##kind_, .amount = amount_, .scope = RK_SCOPE_##scope_,                  \
        .domain = RK_DOMAIN_##domain_                                                              \
    }

static const rk_select heads_and_question[] = {RUN(FIRST_K, 1, CHUNK, CHUNKS),
                                               RUN(ALL, 0, PROMPT, QUESTION),
                                               TOP(KV_DRIFT, 1, PROMPT, CHUNKS)};
static const rk_select nested[] = {
    {.kind = RK_SELECT_UNION, .child = heads_and_question, .children = 2},
    {.kind = RK_SELECT_SET, .pos = listed, .n = 7, .domain = RK_DOMAIN_PREFIX}};

typedef struct select_case {
    rk_select rule;
    const char *rows; /* expected, over all 17 rows */
    int32_t scored;   /* the backend needs values */
} select_case;

static const select_case cases[] = {
    {RUN(ALL, 0, PROMPT, PROMPT), "abcdefghijklmnopq", 0},
    {RUN(ALL, 0, PROMPT, PREFIX), "abc", 0},
    {RUN(ALL, 0, PROMPT, CHUNKS), "defghijklmn", 0},
    {RUN(ALL, 0, PROMPT, QUESTION), "opq", 0},
    {RUN(ALL, 0, PROMPT, CONTEXT), "abcdefghijklmn", 0},
    {RUN(ALL, 0, CHUNK, CHUNKS), "defghijklmn", 0},
    {{.kind = RK_SELECT_ALL, .domain = 0}, "", 0},
    {{.kind = RK_SELECT_ALL, .domain = 7, .from = 5, .to = 8}, "fgh", 0},
    {{.kind = RK_SELECT_ALL, .domain = 7, .from = 15}, "pq", 0},
    {{.kind = RK_SELECT_ALL, .domain = 7, .to = 2}, "ab", 0},
    {{.kind = RK_SELECT_ALL, .domain = 7, .from = 8, .to = 8}, "", 0},
    {{.kind = RK_SELECT_ALL, .domain = 7, .from = 99}, "", 0},
    {RUN(NONE, 5, PROMPT, PROMPT), "", 0},
    {{.kind = RK_SELECT_SET, .pos = listed, .n = 7, .domain = 7}, "aeflmp", 0},
    {{.kind = RK_SELECT_SET, .pos = listed, .n = 7, .domain = 2}, "eflm", 0},
    {{.kind = RK_SELECT_SET, .pos = listed, .n = 7, .domain = 7, .from = 5, .to = 12}, "fl", 0},
    {{.kind = RK_SELECT_SET, .pos = listed, .n = 0, .domain = 7}, "", 0},
    {RUN(FIRST_K, 2, PROMPT, CHUNKS), "de", 0},
    {RUN(FIRST_K, 2, CHUNK, CHUNKS), "dehimn", 0},
    {RUN(FIRST_K, 3, CHUNK, CHUNKS), "defhijmn", 0},
    {RUN(FIRST_K, 1e9, CHUNK, CHUNKS), "defghijklmn", 0},
    {RUN(FIRST_K, 0, CHUNK, CHUNKS), "", 0},
    {RUN(FIRST_K, 1, CHUNK, PROMPT), "adhmo", 0},
    {RUN(LAST_N, 2, PROMPT, CONTEXT), "mn", 0},
    {RUN(LAST_N, 2, CHUNK, CHUNKS), "fgklmn", 0},
    {RUN(LAST_N, 0, PROMPT, PROMPT), "", 0},
    {RUN(LAST_N, 1e9, PROMPT, QUESTION), "opq", 0},
    {RUN(FIRST_K, 5, PROMPT, PREFIX), "abc", 0},
    {{.kind = RK_SELECT_UNION}, "", 0},
    {{.kind = RK_SELECT_UNION, .child = heads_and_question, .children = 3}, "dhjmopq", 1},
    {{.kind = RK_SELECT_UNION, .child = nested, .children = 2}, "adhmopq", 0},
    {TOP(KV_DRIFT, 1, PROMPT, CHUNKS), "j", 1},
    {TOP(KV_DRIFT, 2, PROMPT, CHUNKS), "ej", 1}, /* 5 at e, f, h: the lowest */
    {TOP(KV_DRIFT, 3, PROMPT, CHUNKS), "efj", 1},
    {TOP(KV_DRIFT, 4, PROMPT, CHUNKS), "efhj", 1},
    {TOP(KV_DRIFT, 1, CHUNK, CHUNKS), "ejm", 1},
    {TOP(KV_DRIFT, 2, CHUNK, CHUNKS), "efhjmn", 1},
    {TOP(KV_DRIFT, 0, PROMPT, CHUNKS), "", 0},
    {TOP(KV_DRIFT, 11, PROMPT, CHUNKS), "defghijklmn", 0},
    {TOP(KV_DRIFT, 1e12, PROMPT, CHUNKS), "defghijklmn", 0},
    {TOP(KV_DRIFT, 2.9, PROMPT, PROMPT), "ao", 1}, /* whole tokens only */
    {TOP(KV_DRIFT, 3, PROMPT, QUESTION), "opq", 0},
    {TOP(HIDDEN_DRIFT, 5, PROMPT, PROMPT), "bdfhk", 1}, /* NaN at a, c, e ... never wins */
    {TOP(HIDDEN_DRIFT, 1, CHUNK, CHUNKS), "fhm", 1},
    {TOP(HIDDEN_DRIFT, 2, CHUNK, CHUNKS), "dfhkmn", 1}, /* n is NaN: only when nothing else is */
    {MASS(TOKEN_MASS, 0, CONTEXT), "", 0},
    {MASS(TOKEN_MASS, 0.1, CONTEXT), "d", 1},
    {MASS(TOKEN_MASS, 0.39, CONTEXT), "d", 1},
    {MASS(TOKEN_MASS, 0.45, CONTEXT), "dh", 1}, /* the crossing token is kept */
    {MASS(TOKEN_MASS, 0.65, CONTEXT), "deh", 1},
    {MASS(TOKEN_MASS, 0.95, CONTEXT), "dehijn", 1},
    {MASS(TOKEN_MASS, 1, CONTEXT), "abcdefghijklmn", 0}, /* zero mass too */
    {MASS(TOKEN_MASS, 1.5, CHUNKS), "defghijklmn", 0},
    {MASS(TOKEN_MASS, 0.5, QUESTION), "", 1},   /* no mass at all: nothing reaches a share */
    {MASS(HIDDEN_DRIFT, 0.5, CHUNKS), "fh", 1}, /* NaN and negatives hold no mass: 5 + 4 of 14 */
    {MASS(HIDDEN_DRIFT, 0.99, CHUNKS), "dfhk", 1},
};

static void input(op_bench *t, rk_select_input *in, const rk_select *rule, const int32_t *pos,
                  int32_t n)
{
    *in = (rk_select_input){.rule = rule, .request = &request, .n = n, .row_base = 100};
    in->pos = op_index(t, pos, (size_t)n);
    in->signal[RK_SIGNAL_KV_DRIFT] = op_upload(t, drift, N);
    in->signal[RK_SIGNAL_TOKEN_MASS] = op_upload(t, mass, N);
    in->signal[RK_SIGNAL_HIDDEN_DRIFT] = op_upload(t, broken, N);
}

static void check(op_bench *t, const select_case *c, size_t index, const int32_t *pos, int32_t n,
                  const char *expected)
{
    rk_select_input in;
    int32_t got[N + 1] = {0}, count = -1, zero[N] = {0};
    input(t, &in, &c->rule, pos, n);
    int32_t *row = op_index(t, zero, N);
    OP_MUST(t, t->ops->select(t->b, &in, row, &count, &t->err));
    OP_MUST(t, t->ops->download_index(t->b, got, row, (size_t)count, &t->err));
    if (c->scored && !t->ops->has_values)
        return;
    char text[N + 1] = "";
    for (int32_t i = 0; i < count; i++)
        text[i] = (char)('a' + got[i] - 100);
    if (strcmp(text, expected))
        fail_msg("%s: case %zu selects '%s', expected '%s'", t->ops->name, index, text, expected);
}

static void rules_select_by_the_table(op_bench *t)
{
    int32_t pos[N];
    for (int32_t i = 0; i < N; i++)
        pos[i] = i;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        check(t, &cases[c], c, pos, N, cases[c].rows);
}

/* Rows that live no longer: rules work on what lives, row numbers are of the live ones. */
static void rules_see_live_rows_only(op_bench *t)
{
    static const int32_t pos[] = {1, 4, 5, 8, 13, 14, 16};
    static const select_case sparse[] = {
        {RUN(ALL, 0, PROMPT, CHUNKS), "bcde", 0},
        {RUN(FIRST_K, 1, CHUNK, CHUNKS), "bde", 0},
        {RUN(LAST_N, 1, CHUNK, CHUNKS), "cde", 0},
        {RUN(LAST_N, 3, PROMPT, PROMPT), "efg", 0},
        {TOP(KV_DRIFT, 2, PROMPT, CHUNKS), "bc", 1},
        {{.kind = RK_SELECT_SET, .pos = listed, .n = 7, .domain = 7}, "bc", 0},
        {{.kind = RK_SELECT_ALL, .domain = 7, .from = 5, .to = 14}, "cde", 0},
    };
    for (size_t c = 0; c < sizeof sparse / sizeof *sparse; c++)
        check(t, &sparse[c], c, pos, 7, sparse[c].rows);
    for (size_t c = 0; c < sizeof sparse / sizeof *sparse; c++)
        check(t, &sparse[c], c, pos, 0, ""); /* no row at all */
}

static void unmeasured_signals_are_named(op_bench *t)
{
    static const rk_select rule = TOP(QUERY_MASS, 3, PROMPT, CHUNKS);
    static const rk_select outer = {.kind = RK_SELECT_UNION, .child = &rule, .children = 1};
    const int32_t pos[N] = {0};
    rk_select_input in;
    int32_t count, *row = op_index(t, pos, N);
    input(t, &in, &outer, pos, 1);
    if (!t->ops->has_values)
        return;
    assert_int_equal(t->ops->select(t->b, &in, row, &count, &t->err), RK_E_ARG);
    assert_non_null(strstr(t->err.text, "which was not measured"));
}

const op_case op_cases_select[] = {
    {"the table of rules", rules_select_by_the_table},
    {"live rows", rules_see_live_rows_only},
    {"unmeasured signals", unmeasured_signals_are_named},
    {NULL, NULL},
};
