/* test_probe.c - passes before layer 0 are charged to the probe and leave no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "engine_impl.h"
#include "plan_method.h"

static const int32_t chunks[] = {70, 33, 0};

static void probes_are_charged_apart(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int32_t rows;   /* through every layer of the probe; 0: none */
        uint64_t pairs; /* (row, key) */
    } cases[] = {{"dense", 0, 0},
                 {"epic k=3", 0, 0},
                 {"prophetkv ratio=0.3", 11, 11 * 124 + 66},
                 {"prophetkv ratio=0.3 query_state=isolated", 11, 66},
                 {"tokdrop_redknot", 124 + 103, 124 * 125 / 2 + 70 * 71 / 2 + 33 * 34 / 2}};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    const rk_model_shape *m = &b.model->shape;
    uint64_t row = 2 * (uint64_t)m->width *
                   (uint64_t)((2 * m->heads + 2 * m->kv_heads) * m->head_dim + 3 * m->ffn_width);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_counters c;
        rk_bench_run(&b, cases[i].method, NULL, NULL, &c);
        uint64_t linear = row * (uint64_t)cases[i].rows * (uint64_t)m->layers;
        uint64_t attention = 4 * cases[i].pairs * (uint64_t)(m->heads * m->head_dim * m->layers);
        assert_true(c.flops[RK_PHASE_PROBE] == linear + attention);
    }
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

/* An isolated question attends to itself alone: fewer pairs than a suffix. */
static void an_isolated_question_multiplies_less(void **state)
{
    (void)state;
    rk_bench b;
    rk_counters suffix, isolated;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    rk_bench_run(&b, "prophetkv ratio=0", NULL, NULL, &suffix);
    rk_bench_run(&b, "prophetkv ratio=0 query_state=isolated", NULL, NULL, &isolated);
    const rk_model_shape *m = &b.model->shape;
    assert_int_equal(suffix.attended_pairs - isolated.attended_pairs,
                     11 * 124 * m->heads * m->layers);
    rk_bench_close(&b);
}

static void hidden_states_can_be_read(void **state)
{
    (void)state;
    rk_bench b;
    float *hidden;
    rk_error err = {0};
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    assert_int_equal(rk_engine_hidden(b.e, (rk_ids_span){b.request.prefix.id, 21}, &hidden, &err),
                     RK_OK);
    size_t n = 21 * (size_t)b.model->shape.width, moved = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(hidden[i] - hidden[i] == 0);
        moved += hidden[i] != 0;
    }
    assert_true(moved > n / 2);
    b.e->ops->release(b.e->b, hidden);
    const int32_t bad = -1;
    assert_int_equal(rk_engine_hidden(b.e, (rk_ids_span){&bad, 1}, &hidden, &err), RK_E_ARG);
    assert_null(hidden);
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_are_charged_apart),
        cmocka_unit_test(an_isolated_question_multiplies_less),
        cmocka_unit_test(hidden_states_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
