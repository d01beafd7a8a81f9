/* test_flops.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_flops;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.whole = 1,
          .report.counters.flops = {[RK_PHASE_PROBE] = 5, [RK_PHASE_FFN] = 7, [RK_PHASE_HEAD] = 1}},
         1,
         13},
        {{.report.counters.flops = {3}}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_flops, "flops", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
