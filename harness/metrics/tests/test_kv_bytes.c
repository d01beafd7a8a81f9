/* test_kv_bytes.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_kv_bytes;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.whole = 1, .report.kv_bytes = 4096}, 1, 4096},
        {{.report.kv_bytes = 4096}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_kv_bytes, "kv_bytes", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
