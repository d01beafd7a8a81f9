/* test_cpu.c - memory, threads and the phase clock of the CPU backend. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "backend/cpu/cpu.h"

static rk_backend *open_cpu(int32_t threads)
{
    rk_backend *b;
    const rk_backend_config config = {.threads = threads};
    assert_int_equal(rk_backend_cpu.open(&b, &config, NULL), RK_OK);
    return b;
}

static void memory_is_aligned_and_refused_when_absurd(void **state)
{
    (void)state;
    rk_backend *b = open_cpu(1);
    for (size_t bytes = 0; bytes < 300; bytes += 37) {
        void *p;
        assert_int_equal(rk_backend_cpu.alloc(b, bytes, &p, NULL), RK_OK);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, 1, bytes);
        rk_backend_cpu.release(b, p);
    }
    void *p;
    int32_t *index;
    rk_error err = {0};
    assert_int_equal(rk_backend_cpu.alloc(b, SIZE_MAX, &p, &err), RK_E_MEMORY);
    assert_int_equal(rk_backend_cpu.alloc(b, SIZE_MAX - 63, &p, &err), RK_E_MEMORY);
    assert_int_equal(rk_backend_cpu.alloc_index(b, SIZE_MAX / 2, &index, &err), RK_E_MEMORY);
    rk_backend_cpu.release(b, NULL);
    rk_backend_cpu.release_index(b, NULL);
    rk_backend_cpu.close(b);
    rk_backend_cpu.close(NULL);
}

static void scratch_grows_and_is_kept(void **state)
{
    (void)state;
    rk_backend *b = open_cpu(2);
    assert_int_equal(rk_cpu_scratch(b, 100, NULL), RK_OK);
    float *first = b->scratch;
    size_t floats = b->scratch_floats;
    assert_true(floats >= 100);
    memset(first, 0, 2 * floats * sizeof *first); /* one for each thread */
    assert_int_equal(rk_cpu_scratch(b, 50, NULL), RK_OK);
    assert_ptr_equal(b->scratch, first);
    assert_int_equal(rk_cpu_scratch(b, 5000, NULL), RK_OK);
    assert_true(b->scratch_floats >= 5000);
    rk_error err = {0};
    assert_int_equal(rk_cpu_scratch(b, SIZE_MAX / sizeof(float) - 16, &err), RK_E_MEMORY);
    assert_true(b->scratch_floats >= 5000 && b->scratch); /* what was there stays */
    rk_backend_cpu.close(b);
}

static void pause_ms(long ms)
{
    const struct timespec wait = {0, ms * 1000000};
    while (nanosleep(&wait, NULL))
        ;
}

static void the_clock_goes_to_the_phase_in_hand(void **state)
{
    (void)state;
    rk_backend *b = open_cpu(1);
    double ms[RK_PHASES];
    rk_backend_cpu.phase(b, RK_PHASE_FFN);
    pause_ms(5);
    rk_backend_cpu.phase(b, RK_PHASE_ATTEND);
    pause_ms(2);
    rk_backend_cpu.phase(b, RK_PHASES);
    pause_ms(5); /* the clock stands */
    assert_int_equal(rk_backend_cpu.times(b, ms, NULL), RK_OK);
    assert_true(ms[RK_PHASE_FFN] >= 5 && ms[RK_PHASE_ATTEND] >= 2);
    for (int i = 0; i < RK_PHASES; i++)
        assert_true(i == RK_PHASE_FFN || i == RK_PHASE_ATTEND || ms[i] == 0);
    assert_int_equal(rk_backend_cpu.times(b, ms, NULL), RK_OK);
    for (int i = 0; i < RK_PHASES; i++)
        assert_true(ms[i] == 0);
    rk_backend_cpu.close(b);
}

static void zero_threads_means_every_processor(void **state)
{
    (void)state;
    rk_backend *b = open_cpu(0);
    assert_true(b->threads >= 1);
    rk_backend_cpu.close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_refused_when_absurd),
        cmocka_unit_test(scratch_grows_and_is_kept),
        cmocka_unit_test(the_clock_goes_to_the_phase_in_hand),
        cmocka_unit_test(zero_threads_means_every_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
