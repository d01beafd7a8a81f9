/* test_null_executor.c - layout of its made-up data; the harness's own cost. */
#define _GNU_SOURCE
#include "run_cases.h"

#include "base/clock.h"

static void layout(void **state)
{
    const rk_executor_ops *x = &rk_null_executor_ops;
    rk_null_executor null = {.items_per_context = 4, .items = 10};
    int64_t contexts, first, count;
    rk_point p = {0};
    (void)state;
    assert_int_equal(x->layout(&null, &p, 100, &contexts, NULL), RK_OK);
    assert_int_equal(contexts, 3);
    x->items(&null, &p, 100, 2, &first, &count, NULL);
    assert_int_equal(first, 8);
    assert_int_equal(count, 2);
    x->layout(&null, &p, 5, &contexts, NULL);
    assert_int_equal(contexts, 2);
    x->items(&null, &p, 5, 1, &first, &count, NULL);
    assert_int_equal(count, 1);
}

static void values_differ_by_everything(void **state)
{
    (void)state;
    double v = rk_null_value("a", 1, 2, 3);
    assert_true(v == rk_null_value("a", 1, 2, 3));
    assert_true(v != rk_null_value("b", 1, 2, 3) && v != rk_null_value("a", 2, 2, 3));
    assert_true(v != rk_null_value("a", 1, 3, 3) && v != rk_null_value("a", 1, 2, 4));
}

/* What the harness adds to an attempt: two commits. A wide limit, as disks differ. */
static void overhead(void **state)
{
    char path[600];
    const char *directory = run_directory();
    run_case c;
    (void)state;
    snprintf(path, sizeof path, "%s/r.sqlite", directory);
    run_open(&c, NULL, path);
    int64_t begun = rk_clock_ns();
    assert_int_equal(run_run(&c), RK_OK);
    double ms = (double)(rk_clock_ns() - begun) / 1e6 / (double)c.result.attempts_ok;
    print_message("%.3f ms of harness an attempt\n", ms);
    assert_true(ms < 200);
    /* None of it inside the measured span. */
    assert_true(run_int(c.db, "SELECT max(dur_ns) FROM attempt") < 100000000);
    run_close(&c);
    run_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layout),
                                       cmocka_unit_test(values_differ_by_everything),
                                       cmocka_unit_test(overhead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
