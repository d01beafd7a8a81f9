/* test_decode_tokens_per_s.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_decode_tokens_per_s;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.decoded = 5, .decode_ms = 20}, 1, 250},
        {{.decoded = 0, .decode_ms = 20}, 0, 0},
        {{.decoded = 5, .decode_ms = 0}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_decode_tokens_per_s, "decode_tokens_per_s", cases,
                 sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
