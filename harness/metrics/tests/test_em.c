/* test_em.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_em;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.has_quality = 1, .score.em = 1}, 1, 1},
        {{.has_quality = 1, .score.f1 = 1}, 1, 0},
        {{.score.em = 1}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_em, "em", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
