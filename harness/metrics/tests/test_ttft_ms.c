/* test_ttft_ms.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_ttft_ms;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.whole = 1, .report.total_ms = 12.5}, 1, 12.5},
        {{.report.total_ms = 12.5}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_ttft_ms, "ttft_ms", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
