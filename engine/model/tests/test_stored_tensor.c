#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/safetensors.h"

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        int32_t rank;
        int64_t shape[4];
        const char *message; /* NULL: accepted */
    } cases[] = {
        {2, {3, 5}, NULL},
        {2, {-1, 5}, NULL},
        {2, {-1, -1}, NULL},
        {2, {5, 3}, "f: tensor 't': expected shape [5, 3], got [3, 5]"},
        {2, {-1, 4}, "expected shape [any, 4], got [3, 5]"},
        {1, {15}, "expected shape [15], got [3, 5]"},
        {3, {3, 5, 1}, "expected shape [3, 5, 1], got [3, 5]"},
        {0, {0}, "expected shape [], got [3, 5]"},
    };
    rk_stored_tensor t = {.name = "t", .rank = 2, .shape = {3, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        rk_status st = rk_stored_tensor_check(&t, "f", cases[i].rank, cases[i].shape, &err);
        assert_int_equal(st, cases[i].message ? RK_E_FORMAT : RK_OK);
        if (cases[i].message)
            assert_non_null(strstr(err.text, cases[i].message));
    }
}

static void test_longest_shape_fits_the_message(void **state)
{
    (void)state;
    rk_error err = {0};
    int64_t most = INT64_MAX;
    rk_stored_tensor t = {.name = "t", .rank = 4, .shape = {most, most, most, most}};
    assert_int_equal(rk_stored_tensor_check(&t, "f", 4, (int64_t[]){most, most, most, 1}, &err),
                     RK_E_FORMAT);
    assert_non_null(strstr(err.text, "9223372036854775807, 1]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_longest_shape_fits_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
