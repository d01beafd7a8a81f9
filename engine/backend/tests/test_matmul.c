/* test_matmul.c - matrix products and the embedding look-up over the shared case table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op_cases.h"

static void matmul_keep_their_contract(void **state)
{
    (void)state;
    op_run(op_cases_matmul);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matmul_keep_their_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
