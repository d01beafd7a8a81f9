/* test_signals.c - which rows and heads make a token important changes what is chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "plan_method.h"

static const int32_t chunks[] = {70, 33, 0};

static void unasked_signals_cost_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int scores;
    } cases[] = {
        {"redknot head_map=random:0.5:3 window=30", 0},
        {"redknot head_map=random:0.5:3 window=30 ffn_share=0.2 signal=output_norm dense_until=0",
         0},
        {"redknot head_map=random:0.5:3 window=30 ffn_share=0.2 dense_until=99", 0},
        {"redknot head_map=random:0.5:3 window=30 ffn_share=0.2 dense_until=0", 1},
        {"redknot head_map=all_local window=30 ffn_share=0.2 dense_until=0", 1},
    };
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_counters c;
        rk_bench_run(&b, cases[i].method, NULL, NULL, &c);
        assert_int_equal(c.flops[RK_PHASE_SELECT] > 0, cases[i].scores);
    }
    rk_bench_close(&b);
}

/* FLOPs of scoring: 2 D a (query head, row, key). Question rows 124..134 see pos + 1. */
static void scoring_is_charged_by_rows_and_heads(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        int32_t first, last, all_heads;
    } cases[] = {{"mass_rows=question mass_heads=all", 124, 134, 1},
                 {"mass_rows=question mass_heads=global", 124, 134, 1},
                 {"mass_rows=last_n mass_last_n=20 mass_heads=all", 115, 134, 1},
                 {"mass_rows=all mass_heads=all", 21, 134, 1}};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    const rk_model_shape *m = &b.model->shape;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_counters c;
        uint64_t pairs = 0;
        char *text = rk_arena_printf(b.arena, NULL,
                                     "redknot head_map=all_global ffn_share=0.2 dense_until=0 %s",
                                     cases[i].option);
        rk_bench_run(&b, text, NULL, NULL, &c);
        for (int32_t pos = cases[i].first; pos <= cases[i].last; pos++)
            pairs += (uint64_t)pos + 1;
        assert_true(c.flops[RK_PHASE_SELECT] ==
                    2 * pairs * (uint64_t)(m->heads * m->head_dim * m->layers));
    }
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unasked_signals_cost_nothing),
        cmocka_unit_test(scoring_is_charged_by_rows_and_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
