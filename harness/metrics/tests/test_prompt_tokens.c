/* test_prompt_tokens.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_prompt_tokens;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.prompt_tokens = 128}, 1, 128},
        {{.prompt_tokens = 0}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_prompt_tokens, "prompt_tokens", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
