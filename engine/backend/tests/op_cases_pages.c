/* op_cases_pages.c - writing, relocating and copying pages, and drift from them. */
#include "op_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { G = 3, PAGES = 24, PAGE = 2 * RK_PAGE_TOKENS };

/* A pool of PAGES pages of NaN, on the host. */
static float *poisoned(op_bench *t, int32_t d)
{
    float *pool = op_take(t, (size_t)(PAGES * PAGE * d), sizeof *pool);
    for (int32_t i = 0; i < PAGES * PAGE * d; i++)
        pool[i] = NAN;
    return pool;
}

/* Bits and all, NaN included. */
static void same_pool(op_bench *t, const char *what, const float *got, const float *expected,
                      int32_t d, float tolerance)
{
    for (int32_t i = 0; i < PAGES * PAGE * d && t->ops->has_values; i++)
        if (isnan(expected[i]) ? !isnan(got[i]) : !(fabsf(got[i] - expected[i]) <= tolerance))
            fail_msg("%s: float %d of page %d is %g, expected %g", what, i % (PAGE * d),
                     i / (PAGE * d), (double)got[i], (double)expected[i]);
}

static void rows_go_to_their_slots(op_bench *t)
{
    enum { D = 6, ROWS = 6, STRIDE = 3 };
    static const int32_t seq[ROWS] = {0, 0, 0, 1, 1, 1}, pos[ROWS] = {0, 63, 64, 5, 127, 130};
    static const int32_t table[2 * G * STRIDE] = {20, 3, 9,  11, 0,  23, 8, 7, 6,
                                                  1,  2, 12, 13, 14, 15, 4, 5, 10};
    float *pool = poisoned(t, D), *k = op_random(t, ROWS * 2 * D, 1),
          *v = op_random(t, ROWS * 2 * D, 1);
    rk_pages p = {.pool = op_upload(t, pool, PAGES * PAGE * D),
                  .table = op_index(t, table, 2 * G * STRIDE),
                  .stride = STRIDE,
                  .sequences = 2,
                  .kv_heads = G,
                  .head_dim = D};
    for (int i = 0; i < ROWS; i++) /* heads 1 and 2 */
        for (int h = 0; h < 2; h++) {
            int page = table[(seq[i] * G + 1 + h) * STRIDE + pos[i] / RK_PAGE_TOKENS];
            float *to = pool + (page * PAGE + pos[i] % RK_PAGE_TOKENS) * D;
            memcpy(to, k + (i * 2 + h) * D, D * sizeof(float));
            memcpy(to + RK_PAGE_TOKENS * D, v + (i * 2 + h) * D, D * sizeof(float));
        }
    OP_MUST(t, t->ops->pages_write(t->b, &p, op_tensor(t, k, ROWS, 2 * D),
                                   op_tensor(t, v, ROWS, 2 * D), 1, 2, op_index(t, seq, ROWS),
                                   op_index(t, pos, ROWS), &t->err));
    same_pool(t, "pages_write", op_read(t, p.pool, PAGES * PAGE * D), pool, D, 0);
    static const int32_t gone[2 * G * STRIDE] = {0, 0, 0, 0, -1, 0};
    p.table = op_index(t, gone, 2 * G * STRIDE);
    if (!t->ops->has_values)
        return;
    assert_int_equal(t->ops->pages_write(t->b, &p, op_tensor(t, k, ROWS, 2 * D),
                                         op_tensor(t, v, ROWS, 2 * D), 1, 2, op_index(t, seq, ROWS),
                                         op_index(t, pos, ROWS), &t->err),
                     RK_E_ARG);
    assert_non_null(strstr(t->err.text, "KV head 1 has no page at position 64"));
}

typedef struct move {
    const char *name;
    int32_t source_start, target_start, tokens, shift, d, dim;
    int skip; /* a head that is not copied, or -1 */
} move;

/* K of one token at rotary position p: the definition, in fp64. */
static void key_at(float *to, const float *raw, int32_t d, int32_t dim, const float *freq,
                   int32_t p)
{
    for (int32_t i = 0; i < d; i++)
        to[i] = raw[i];
    for (int32_t i = 0; i < dim / 2; i++) {
        double angle = (double)p * (double)freq[i], u = raw[i], v = raw[i + dim / 2];
        to[i] = (float)(u * cos(angle) - v * sin(angle));
        to[i + dim / 2] = (float)(u * sin(angle) + v * cos(angle));
    }
}

static const int32_t source_table[G * 4] = {20, 3, 9, 1, 11, 0, 23, 2, 8, 7, 6, 12};
static const int32_t target_table[G * 4] = {13, 14, 15, 4, 5, 10, 16, 17, 18, 19, 21, 22};

/* Source pages as built at p_off, and in `expected` also what building at p_on gives. */
static void build_both(op_bench *t, const move *m, const float *freq, float *pool, float *expected)
{
    int32_t d = m->d, built = 1000;
    for (int32_t h = 0; h < G; h++)
        for (int32_t i = 0; i < m->tokens; i++) {
            float *raw = op_random(t, (size_t)d, 1), *v = op_random(t, (size_t)d, 1);
            int32_t from = m->source_start + i, to = m->target_start + i;
            size_t a = (size_t)((source_table[h * 4 + from / RK_PAGE_TOKENS] * PAGE +
                                 from % RK_PAGE_TOKENS) *
                                d);
            size_t z =
                (size_t)((target_table[h * 4 + to / RK_PAGE_TOKENS] * PAGE + to % RK_PAGE_TOKENS) *
                         d);
            key_at(pool + a, raw, d, m->dim, freq, built + i);
            memcpy(pool + a + RK_PAGE_TOKENS * d, v, (size_t)d * sizeof *v);
            memcpy(expected + a, pool + a, (size_t)d * sizeof *v);
            memcpy(expected + a + RK_PAGE_TOKENS * d, v, (size_t)d * sizeof *v);
            if (h == m->skip)
                continue;
            key_at(expected + z, raw, d, m->dim, freq, built + i + m->shift);
            memcpy(expected + z + RK_PAGE_TOKENS * d, v, (size_t)d * sizeof *v);
        }
}

static rk_relocate relocation(op_bench *t, const move *m, const float *freq, float *pool)
{
    static const uint8_t heads[G][G] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    return (rk_relocate){
        .source = op_index(t, source_table, G * 4),
        .source_stride = 4,
        .source_start = m->source_start,
        .target = op_index(t, target_table, G * 4),
        .target_stride = 4,
        .target_start = m->target_start,
        .tokens = m->tokens,
        .heads = G,
        .head = m->skip < 0 ? NULL : heads[m->skip],
        .shift = m->shift,
        .pool = op_upload(t, pool, (size_t)(PAGES * PAGE * m->d)),
        .head_dim = m->d,
        .rotation = {op_upload(t, freq, (size_t)m->dim / 2), m->dim, 1.3f}, /* factor unused */
    };
}

static void relocated_is_rebuilt(op_bench *t)
{
    static const move moves[] = {
        {"one token", 0, 0, 1, 64, 6, 6, -1},
        {"over pages", 10, 60, 150, 77, 16, 16, -1},
        {"backwards", 63, 1, 100, -500, 16, 16, 1},
        {"part of the dims rotates", 3, 130, 100, 4000, 24, 16, 2},
        {"equal offset", 5, 5, 130, 0, 16, 16, 0},
        {"plain copy elsewhere", 0, 70, 128, 0, 64, 64, -1},
        {"far", 0, 0, 65, 100000, 64, 64, -1},
        {"nothing", 0, 0, 0, 9, 16, 16, -1},
    };
    for (size_t c = 0; c < sizeof moves / sizeof *moves; c++) {
        const move *m = &moves[c];
        float *freq = op_take(t, (size_t)m->dim / 2, sizeof *freq);
        for (int32_t i = 0; i < m->dim / 2; i++)
            freq[i] = (float)pow(10000, -2.0 * i / m->dim);
        float *pool = poisoned(t, m->d), *expected = poisoned(t, m->d);
        build_both(t, m, freq, pool, expected);
        rk_relocate r = relocation(t, m, freq, pool);
        OP_MUST(t, t->ops->relocate(t->b, &r, &t->err));
        same_pool(t, m->name, op_read(t, r.pool, (size_t)(PAGES * PAGE * m->d)), expected, m->d,
                  m->shift ? 2e-6f : 0);
    }
}

static void relocation_names_absent_pages(op_bench *t)
{
    static const move m = {"", 0, 0, 70, 5, 16, 16, -1};
    static const int32_t gone[G * 4] = {13, 14, 0, 0, 5, -1, 0, 0, 18, 19, 0, 0};
    const float freq[8] = {1};
    if (!t->ops->has_values)
        return;
    rk_relocate r = relocation(t, &m, freq, poisoned(t, 16));
    r.target = op_index(t, gone, G * 4);
    assert_int_equal(t->ops->relocate(t->b, &r, &t->err), RK_E_ARG);
    assert_non_null(strstr(t->err.text, "relocate: KV head 1 has no page at position 64"));
    assert_int_equal(t->ops->relocate(t->b, &r, NULL), RK_E_ARG);
}

static void pages_copy_whole(op_bench *t)
{
    enum { D = 5 };
    float *pool = op_random(t, PAGES * PAGE * D, 1);
    float *at = op_upload(t, pool, PAGES * PAGE * D);
    OP_MUST(t, t->ops->page_copy(t->b, at, D, 7, 21, &t->err));
    memcpy(pool + 7 * PAGE * D, pool + 21 * PAGE * D, PAGE * D * sizeof *pool);
    same_pool(t, "page_copy", op_read(t, at, PAGES * PAGE * D), pool, D, 0);
}

static void drift_is_squared_distance(op_bench *t)
{
    enum { D = 6, ROWS = 5, STRIDE = 4, N = 200 };
    static const int32_t pos[ROWS] = {1, 64, 65, 127, 190}, seq[ROWS] = {0};
    float *pool = op_random(t, PAGES * PAGE * D, 1);
    float *k = op_random(t, ROWS * G * D, 1), *v = op_random(t, ROWS * G * D, 1);
    rk_pages p = {.pool = op_upload(t, pool, PAGES * PAGE * D),
                  .table = op_index(t, source_table, G * STRIDE),
                  .stride = STRIDE,
                  .sequences = 1,
                  .kv_heads = G,
                  .head_dim = D};
    for (int use = 1; use < 4; use++) {
        double expected[N];
        for (int i = 0; i < N; i++)
            expected[i] = 7.5;
        for (int i = 0; i < ROWS; i++) {
            expected[pos[i]] = 0;
            for (int c = 0; c < G * D; c++) {
                int page = source_table[c / D * STRIDE + pos[i] / RK_PAGE_TOKENS];
                const float *stored = pool + (page * PAGE + pos[i] % RK_PAGE_TOKENS) * D + c % D;
                double dk = (double)k[i * G * D + c] - (double)stored[0];
                double dv = (double)v[i * G * D + c] - (double)stored[RK_PAGE_TOKENS * D];
                expected[pos[i]] += (use & 1 ? dk * dk : 0) + (use & 2 ? dv * dv : 0);
            }
        }
        float *out = op_memory(t, N);
        OP_MUST(t, t->ops->kv_drift(t->b, &p, op_tensor(t, k, ROWS, G * D),
                                    op_tensor(t, v, ROWS, G * D), op_index(t, seq, ROWS),
                                    op_index(t, pos, ROWS), use & 1, use & 2, out, &t->err));
        op_near(t, "kv_drift", op_read(t, out, N), expected, N, 1e-6);
    }
}

const op_case op_cases_pages[] = {
    {"rows to slots", rows_go_to_their_slots},
    {"relocated = rebuilt", relocated_is_rebuilt},
    {"absent pages", relocation_names_absent_pages},
    {"whole pages", pages_copy_whole},
    {"drift", drift_is_squared_distance},
    {NULL, NULL},
};
