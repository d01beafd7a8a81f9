/* clock.c - see clock.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

static int64_t read_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t rk_clock_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t rk_clock_utc_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}
