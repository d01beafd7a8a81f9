/* test_ffn.c - only the rows that a rule selects run the FFN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "plan_method.h"

static const int32_t chunks[] = {70, 33, 0};

static rk_status plan(const rk_method *m, const rk_request *r, rk_layer_plan *p, rk_error *err)
{
    (void)r, (void)err;
    p->ffn = *(const rk_select *)m->config;
    return RK_OK;
}

static void selected_rows_are_counted(void **state)
{
    (void)state;
    static const int32_t pos[] = {0, 5, 50, 134};
    static const struct {
        rk_select rule;
        uint64_t rows;
    } cases[] = {
        {{.kind = RK_SELECT_ALL, .domain = 7}, 135},
        {{.kind = RK_SELECT_NONE}, 0},
        {{.kind = RK_SELECT_ALL, .domain = RK_DOMAIN_QUESTION}, 11},
        {{.kind = RK_SELECT_SET, .pos = pos, .n = 4, .domain = 7}, 4},
        {{.kind = RK_SELECT_FIRST_K, .amount = 3, .scope = RK_SCOPE_CHUNK, .domain = 2}, 6},
        {{.kind = RK_SELECT_TOP_COUNT, .signal = RK_SIGNAL_TOKEN_MASS, .amount = 20, .domain = 3},
         20},
        {{.kind = RK_SELECT_TOP_MASS, .signal = RK_SIGNAL_OUTPUT_NORM, .amount = 1, .domain = 7},
         135},
    };
    static const rk_method_ops ops = {.name = "ffn", .plan_layer = plan};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    const rk_model_shape *m = &b.model->shape;
    size_t vocab = (size_t)m->vocab;
    float *dense = rk_arena_take(b.arena, vocab, sizeof *dense, NULL);
    float *got = rk_arena_take(b.arena, vocab, sizeof *got, NULL);
    rk_bench_run(&b, "dense", dense, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_counters c;
        rk_error err = {0};
        if (rk_bench_plan(&b, &ops, &cases[i].rule, got, &c, &err) != RK_OK)
            fail_msg("%s", err.text);
        uint64_t rows = cases[i].rows * (uint64_t)m->layers;
        assert_int_equal(c.ffn_tokens, rows);
        assert_true(c.flops[RK_PHASE_FFN] ==
                    6 * rows * (uint64_t)m->width * (uint64_t)m->ffn_width);
        double d = rk_bench_difference(got, dense, vocab);
        assert_true(cases[i].rows == 135 ? d < 2e-5 : d > 1e-4);
    }
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selected_rows_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
