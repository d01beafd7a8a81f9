/* test_count.c - the backend without arithmetic: real row lists, no float memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "op_cases.h"

static const rk_backend_ops *const ops = &rk_backend_count;

static void float_memory_does_not_exist(void **state)
{
    (void)state;
    rk_backend *b;
    const rk_backend_config config = {0};
    assert_int_equal(ops->open(&b, &config, NULL), RK_OK);
    void *p = b;
    assert_int_equal(ops->alloc(b, (size_t)1 << 50, &p, NULL), RK_OK);
    assert_null(p);
    float there = 3;
    assert_int_equal(ops->download(b, &there, NULL, 100, NULL), RK_OK);
    assert_true(there == 3);
    assert_int_equal(ops->fill(b, NULL, (size_t)1 << 40, 1, NULL), RK_OK);
    ops->release(b, NULL);
    ops->close(b);
    ops->close(NULL);
}

static void row_lists_are_real(void **state)
{
    (void)state;
    static const int32_t values[] = {4, 5, 6, 7}, pick[] = {3, 1};
    op_bench t;
    const rk_backend_config config = {0};
    op_bench_open(&t, ops, &config);
    int32_t got[2], *out = op_index(&t, pick, 2);
    OP_MUST(&t,
            ops->gather_index(t.b, out, op_index(&t, values, 4), op_index(&t, pick, 2), 2, &t.err));
    OP_MUST(&t, ops->download_index(t.b, got, out, 2, &t.err));
    assert_int_equal(got[0], 7);
    assert_int_equal(got[1], 5);
    op_bench_close(&t);
}

static void nothing_is_measured(void **state)
{
    (void)state;
    op_bench t;
    const rk_backend_config config = {0};
    op_bench_open(&t, ops, &config);
    int32_t index[2] = {9, 9};
    int64_t bad = 5;
    double ms[RK_PHASES] = {1, 1};
    OP_MUST(&t, ops->argmax(t.b, (rk_tensor){NULL, 2, 1000}, index, &t.err));
    OP_MUST(&t, ops->find_nonfinite(t.b, (rk_tensor){NULL, 2, 1000}, &bad, &t.err));
    ops->phase(t.b, RK_PHASE_FFN);
    OP_MUST(&t, ops->times(t.b, ms, &t.err));
    assert_int_equal(index[0] + index[1], 0);
    assert_int_equal(bad, -1);
    for (int i = 0; i < RK_PHASES; i++)
        assert_true(ms[i] == 0);
    assert_int_equal(rk_counters_flops(ops->counters(t.b)), 0);
    op_bench_close(&t);
}

/* Shapes that no machine holds. */
static void huge_products_are_counted(void **state)
{
    (void)state;
    op_bench t;
    const rk_backend_config config = {0};
    op_bench_open(&t, ops, &config);
    const rk_weight w = {NULL, RK_BF16, 28672, 8192};
    rk_tensor x = {NULL, 1 << 20, 8192}, y = {NULL, 1 << 20, 28672};
    OP_MUST(&t, ops->matmul(t.b, y, x, &w, NULL, RK_PHASE_FFN, &t.err));
    assert_true(ops->counters(t.b)->flops[RK_PHASE_FFN] == (uint64_t)2 * 28672 * 8192 << 20);
    y.rows--;
    assert_int_equal(ops->matmul(t.b, y, x, &w, NULL, RK_PHASE_FFN, &t.err), RK_E_ARG);
    op_bench_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_memory_does_not_exist),
        cmocka_unit_test(row_lists_are_real),
        cmocka_unit_test(nothing_is_measured),
        cmocka_unit_test(huge_products_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
