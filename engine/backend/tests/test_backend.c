/* test_backend.c - finding a backend, windows on weights and tensors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/backend.h"

static void backends_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(rk_backend_find("cpu"), &rk_backend_cpu);
    assert_ptr_equal(rk_backend_find("count"), &rk_backend_count);
    assert_null(rk_backend_find("gpu"));
    assert_null(rk_backend_find(""));
    assert_null(rk_backend_find("CPU"));
}

/* A missing operation would only show as a crash in a rare plan. */
static void every_operation_is_there(void **state)
{
    (void)state;
    static const rk_backend_ops *const all[] = {&rk_backend_cpu, &rk_backend_count};
    for (size_t b = 0; b < 2; b++) {
        assert_non_null(all[b]->name);
        assert_true(all[b]->activation_bytes > 0);
        const void *functions[(sizeof **all - offsetof(rk_backend_ops, open)) / sizeof(void *)];
        memcpy(functions, &all[b]->open, sizeof functions);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            assert_non_null(functions[i]);
    }
}

static void rows_of_a_weight_lie_in_blocks(void **state)
{
    (void)state;
    static const struct {
        rk_dtype dtype;
        int64_t cols, first;
        size_t offset;
    } cases[] = {{RK_F32, 3, 2, 24},
                 {RK_BF16, 5, 3, 30},
                 {RK_Q8_0, 64, 2, 136},
                 {RK_Q4_K, 512, 1, 288},
                 {RK_Q6_K, 256, 0, 0}};
    const char data[400] = "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_weight w = {data, cases[i].dtype, 9, cases[i].cols};
        rk_weight part = rk_weight_rows(&w, cases[i].first, 4);
        assert_ptr_equal(part.data, data + cases[i].offset);
        assert_int_equal(part.rows, 4);
        assert_int_equal(part.cols, cases[i].cols);
        w.data = NULL;
        assert_null(rk_weight_rows(&w, cases[i].first, 4).data);
    }
    float x[12];
    rk_tensor part = rk_tensor_rows((rk_tensor){x, 4, 3}, 1, 2);
    assert_ptr_equal(part.data, x + 3);
    assert_int_equal(part.rows, 2);
    assert_null(rk_tensor_rows((rk_tensor){NULL, 4, 3}, 1, 2).data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backends_are_found_by_name),
        cmocka_unit_test(every_operation_is_there),
        cmocka_unit_test(rows_of_a_weight_lie_in_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
