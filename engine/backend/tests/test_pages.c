/* test_pages.c - writing, relocating, copying pages and drift over the shared case table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op_cases.h"

static void pages_keep_their_contract(void **state)
{
    (void)state;
    op_run(op_cases_pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_keep_their_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
