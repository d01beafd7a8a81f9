/* test_sgemm_probe.c - a rate a machine can have, and nearly the same twice. */
#include "cmocka_all.h"

#include "sgemm_probe.h"

static void gives_a_rate(void **state)
{
    (void)state;
    double first = rk_sgemm_probe(), second = rk_sgemm_probe();
    assert_true(first > 1e7 && first < 1e16); /* FLOPs a second, not a time or a count */
    assert_true(second > first / 20 && second < first * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_a_rate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
