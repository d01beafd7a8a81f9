/* test_cpu_rows.c - gathers, norms and scans of rows over the shared case table (cpu/rows.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op_cases.h"

static void rows_keep_their_contract(void **state)
{
    (void)state;
    op_run(op_cases_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_their_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
