/* test_prefill_tokens_per_s.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_prefill_tokens_per_s;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.whole = 1, .prompt_tokens = 100, .report.total_ms = 50}, 1, 2000},
        {{.prompt_tokens = 100, .report.total_ms = 50}, 0, 0},
        {{.whole = 1, .prompt_tokens = 100}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_prefill_tokens_per_s, "prefill_tokens_per_s", cases,
                 sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
