/* test_recompute_fraction.c - values by hand, and attempts that have none. */
#include "metric_cases.h"

extern const rk_metric rk_metric_recompute_fraction;

static void values(void **state)
{
    const metric_case cases[] = {
        {{.whole = 1,
          .layers = 2,
          .kv_heads = 4,
          .chunk_tokens = 90,
          .report.counters.projected_chunk_kv_rows = 720},
         1,
         1},
        {{.whole = 1, .layers = 2, .kv_heads = 4, .chunk_tokens = 90}, 1, 0},
        {{.whole = 1,
          .layers = 2,
          .kv_heads = 4,
          .chunk_tokens = 90,
          .report.counters = {.projected_kv_rows = 300, .projected_chunk_kv_rows = 180}},
         1,
         0.25},
        {{.layers = 2,
          .kv_heads = 4,
          .chunk_tokens = 90,
          .report.counters.projected_chunk_kv_rows = 720},
         0,
         0},
        {{.whole = 1, .layers = 2, .kv_heads = 4}, 0, 0},
    };
    (void)state;
    metric_check(&rk_metric_recompute_fraction, "recompute_fraction", cases,
                 sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
