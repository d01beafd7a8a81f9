/* test_rope.c - rotations over the shared case table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op_cases.h"

static void rope_keep_their_contract(void **state)
{
    (void)state;
    op_run(op_cases_rope);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rope_keep_their_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
