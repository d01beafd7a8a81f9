/* test_offline_ms.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_offline_ms;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.whole = 1, .has_offline = 1, .offline_ms = 3}, 1, 3},
        {{.whole = 1, .offline_ms = 3}, 0, 0},
        {{.has_offline = 1, .offline_ms = 3}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_offline_ms, "offline_ms", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
