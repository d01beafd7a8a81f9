/* test_logit_cosine.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_logit_cosine;

static const float up[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const float axis[] = {1, 0};

static void values(void **state)
{
    const metric_case cases[] = {
        {{.logits = up, .reference = up, .vocab = 12}, 1, 1},
        {{.logits = axis, .reference = up, .vocab = 2}, 1, 0},
        {{.reference = up, .vocab = 12}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_logit_cosine, "logit_cosine", cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
