/* test_clock.c - time goes forward; wall time is of this century. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "base/clock.h"

static void monotonic_time_never_goes_back(void **state)
{
    (void)state;
    int64_t last = rk_clock_ns();
    for (int i = 0; i < 10000; i++) {
        int64_t now = rk_clock_ns();
        assert_true(now >= last);
        last = now;
    }
}

static void a_pause_is_measured_in_nanoseconds(void **state)
{
    (void)state;
    const struct timespec pause = {0, 3000000};
    int64_t start = rk_clock_ns(), wall = rk_clock_utc_ns();
    while (nanosleep(&pause, NULL))
        ;
    assert_true(rk_clock_ns() - start >= 3000000);
    assert_true(rk_clock_ns() - start < (int64_t)60 * 1000000000);
    assert_true(rk_clock_utc_ns() > wall);
}

static void wall_time_counts_from_1970(void **state)
{
    (void)state;
    int64_t seconds = rk_clock_utc_ns() / 1000000000, now = (int64_t)time(NULL);
    assert_true(seconds > 1600000000);
    assert_true(seconds - now <= 1 && now - seconds <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotonic_time_never_goes_back),
        cmocka_unit_test(a_pause_is_measured_in_nanoseconds),
        cmocka_unit_test(wall_time_counts_from_1970),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
