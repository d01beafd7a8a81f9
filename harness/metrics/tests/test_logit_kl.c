/* test_logit_kl.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_logit_kl;

static const float up[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const float down[] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
static const float axis[] = {1, 0};
static const float even[] = {0, 0};

static void values(void **state)
{
    const metric_case cases[] = {
        {{.logits = down, .reference = down, .vocab = 12}, 1, 0},
        {{.logits = axis, .reference = even, .vocab = 2},
         1,
         0.5 * log(0.5 * (exp(1) + 1) / exp(1)) + 0.5 * log(0.5 * (exp(1) + 1))},
        {{.logits = up, .vocab = 12}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_logit_kl, "logit_kl", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
