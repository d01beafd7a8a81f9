/* test_attend_plain.c - the plain loops: visibility by hand, and one softmax by hand.
 *
 * The shared case table runs them too (test_attend.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "backend/cpu/cpu.h"

static void visibility_is_sink_and_window(void **state)
{
    (void)state;
    static const struct {
        int32_t key, pos, limit, sink, window, from, seen;
    } cases[] = {
        {0, 0, 0, 0, 0, 0, 1},           {5, 5, 5, 0, 0, 0, 1},
        {6, 5, 5, 0, 0, 0, 0},           {5, 5, 5, 0, 1, 0, 1},
        {4, 5, 5, 0, 1, 0, 0},           {3, 1000, 1000, 4, 257, 0, 1},
        {4, 1000, 1000, 4, 257, 0, 0},   {744, 1000, 1000, 4, 257, 0, 1},
        {743, 1000, 1000, 4, 257, 0, 0}, {8, 5, 9, 0, 0, 0, 1},
        {8, 5, 9, 0, 2, 0, 1},           {2, 5, 5, 0, 0, 3, 0},
        {3, 5, 5, 0, 0, 3, 1},           {1, 900, 900, 4, 10, 3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rk_cpu_visible(cases[i].key, cases[i].pos, cases[i].limit, cases[i].sink,
                                        cases[i].window, cases[i].from),
                         cases[i].seen);
}

/* One head of dim 2, keys 0 and 1; scores 0 and ln 3: weights 1/4 and 3/4. */
static void a_softmax_by_hand(void **state)
{
    (void)state;
    static float pool[2 * RK_PAGE_TOKENS * 2];
    int32_t seq = 0, pos = 1, table = 0, sink = 0, window = 0;
    float q[2] = {(float)log(3) * 2, 0}, out[2] = {9, 9}, lse = 9;
    pool[2] = 1; /* key 1 */
    for (int i = 0; i < 2; i++) {
        pool[2 * RK_PAGE_TOKENS + 2 * i] = i ? 8 : 4;
        pool[2 * RK_PAGE_TOKENS + 2 * i + 1] = i ? -4 : 4;
    }
    const rk_rows rows = {1, &seq, &pos, &pos, &pos};
    const rk_attend a = {.q = {q, 1, 2},
                         .out = {out, 1, 2},
                         .rows = &rows,
                         .pages = {pool, &table, 1, 1, 1, 2},
                         .views = {&sink, &window},
                         .heads = 1,
                         .scale = 0.5f,
                         .lse = &lse};
    rk_cpu_attend_plain(&a);
    assert_true(fabsf(out[0] - 7) < 1e-6f && fabsf(out[1] + 2) < 1e-6f);
    assert_true(fabsf(lse - logf(4)) < 1e-6f);
    table = -1; /* nothing is there: zero, and a log-sum of nothing */
    rk_cpu_attend_plain(&a);
    assert_true(out[0] == 0 && out[1] == 0 && lse == -INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visibility_is_sink_and_window),
        cmocka_unit_test(a_softmax_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
