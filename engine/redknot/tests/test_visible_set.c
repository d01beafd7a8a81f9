/* test_visible_set.c - what a head of a map sees; the paper's worked example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "backend/counters.h"
#include "redknot/visible_set.h"

static rk_head_map *map_of(rk_arena *arena)
{
    rk_head_map *m;
    assert_int_equal(rk_head_map_make("all_local", 2, 4, arena, &m, NULL), RK_OK);
    return m;
}

static void maps_decide_and_defaults_fill(void **state)
{
    (void)state;
    static const struct {
        int cls, distance, sink;
        int32_t window, first;
    } cases[] = {
        {RK_HEAD_LOCAL, -1, -1, 256, 64},  {RK_HEAD_LOCAL, 0, -1, 256, 64},
        {RK_HEAD_LOCAL, 512, -1, 512, 64}, {RK_HEAD_LOCAL, -1, 4, 256, 4},
        {RK_HEAD_LOCAL, 1, 0, 1, 0},       {RK_HEAD_GLOBAL, 512, 4, 0, 0},
        {RK_HEAD_RETRIEVAL, 512, 4, 0, 0}, {RK_HEAD_DENSE, -1, -1, 0, 0},
    };
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    rk_head_map *m = map_of(arena);
    for (int i = 0; i < 8; i++) {
        m->cls[i] = (uint8_t)cases[i].cls;
        m->distance[i] = cases[i].distance;
        m->sink[i] = cases[i].sink;
    }
    for (int i = 0; i < 8; i++) {
        rk_head_rule rule = rk_visible_rule(m, i / 4, i % 4, 256, 64);
        assert_int_equal(rule.window, cases[i].window);
        assert_int_equal(rule.sink, cases[i].first);
        assert_int_equal(rule.masked, 0);
        assert_true(rule.promote_above > 1); /* never, unless asked */
    }
    rk_arena_free(arena);
}

/* Row 1000 with the paper's w = 256, [i - w, i]: keys 744 to 1000, 257 of them, which is
 * window 257; with sink 64 another 64. Published W = 256 would be 745 to 1000. */
static void the_worked_example(void **state)
{
    (void)state;
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    rk_head_map *m = map_of(arena);
    rk_head_rule paper = rk_visible_rule(m, 0, 0, 256 + 1, 64);
    assert_int_equal(1000 - paper.window + 1, 1000 - 256);
    assert_int_equal(rk_visible_keys(1000, 1000, paper.sink, paper.window), 257 + 64);
    m->distance[0] = 256;
    rk_head_rule published = rk_visible_rule(m, 0, 0, 257, 64);
    assert_int_equal(1000 - published.window + 1, 745);
    assert_int_equal(rk_visible_keys(1000, 1000, published.sink, published.window), 256 + 64);
    /* sink and window meet: counted once */
    assert_int_equal(rk_visible_keys(300, 300, 64, 257), 301 - 44 + 44);
    assert_int_equal(rk_visible_keys(100, 100, 64, 257), 101);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_decide_and_defaults_fill),
        cmocka_unit_test(the_worked_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
