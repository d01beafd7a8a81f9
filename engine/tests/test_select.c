/* test_select.c - what a rule says of itself; how it resolves: backend/tests/test_resolve.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "select.h"

static void only_an_unbounded_all_is_all(void **state)
{
    (void)state;
    const rk_select child = {.kind = RK_SELECT_ALL, .domain = RK_DOMAIN_PROMPT};
    const struct {
        rk_select rule;
        int all;
    } cases[] = {
        {{.kind = RK_SELECT_ALL, .domain = 7}, 1},
        {{.kind = RK_SELECT_ALL, .domain = 7, .from = -3}, 1},
        {{.kind = RK_SELECT_ALL, .domain = 7, .from = 1}, 0},
        {{.kind = RK_SELECT_ALL, .domain = 7, .to = 100}, 0},
        {{.kind = RK_SELECT_ALL, .domain = 3}, 0},
        {{.kind = RK_SELECT_NONE, .domain = 7}, 0},
        {{.kind = RK_SELECT_TOP_MASS, .amount = 2, .domain = 7}, 0},
        {{.kind = RK_SELECT_UNION, .child = &child, .children = 1, .domain = 7}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rk_select_is_all(&cases[i].rule), cases[i].all);
    for (int32_t domain = 0; domain < 8; domain++) {
        rk_select s = rk_select_all(domain);
        assert_int_equal(rk_select_is_all(&s), domain == RK_DOMAIN_PROMPT);
    }
}

static void signals_are_found_in_every_child(void **state)
{
    (void)state;
    const rk_select scored[] = {
        {.kind = RK_SELECT_TOP_COUNT, .signal = RK_SIGNAL_KV_DRIFT},
        {.kind = RK_SELECT_TOP_MASS, .signal = RK_SIGNAL_TOKEN_MASS},
        {.kind = RK_SELECT_FIRST_K, .signal = RK_SIGNAL_QUERY_MASS}, /* reads none */
    };
    const rk_select inner = {.kind = RK_SELECT_UNION, .child = scored + 1, .children = 2};
    const rk_select both[] = {scored[0], inner};
    const rk_select outer = {.kind = RK_SELECT_UNION, .child = both, .children = 2};
    assert_int_equal(rk_select_signals(&scored[0]), 1u << RK_SIGNAL_KV_DRIFT);
    assert_int_equal(rk_select_signals(&scored[2]), 0);
    assert_int_equal(rk_select_signals(&inner), 1u << RK_SIGNAL_TOKEN_MASS);
    assert_int_equal(rk_select_signals(&outer),
                     1u << RK_SIGNAL_KV_DRIFT | 1u << RK_SIGNAL_TOKEN_MASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_an_unbounded_all_is_all),
        cmocka_unit_test(signals_are_found_in_every_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
