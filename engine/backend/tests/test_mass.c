/* test_mass.c - attention mass over the shared case table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op_cases.h"

static void mass_keep_their_contract(void **state)
{
    (void)state;
    op_run(op_cases_mass);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_keep_their_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
