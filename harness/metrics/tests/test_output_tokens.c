/* test_output_tokens.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_output_tokens;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.output_tokens = 4}, 1, 4},
        {{.output_tokens = 0}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_output_tokens, "output_tokens", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
