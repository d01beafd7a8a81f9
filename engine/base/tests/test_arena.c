/* test_arena.c - zeroed, aligned, disjoint memory; overflow is an error, not a wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/arena.h"

static rk_arena *open_arena(void)
{
    rk_arena *a;
    assert_int_equal(rk_arena_new(&a, NULL), RK_OK);
    return a;
}

static void memory_is_zeroed_aligned_and_disjoint(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 0, 63, 64, 65, 4096, 65536, 65537, 300000, 3, 0, 1};
    rk_arena *a = open_arena();
    for (int round = 0; round < 2; round++) { /* the second uses what reset kept */
        unsigned char *taken[sizeof sizes / sizeof *sizes];
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            unsigned char *p = taken[i] = rk_arena_take(a, sizes[i], 1, NULL);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 64, 0);
            for (size_t j = 0; j < sizes[i]; j++)
                assert_int_equal(p[j], 0);
            memset(p, (int)i + 1, sizes[i]);
            for (size_t k = 0; k < i; k++)
                assert_ptr_not_equal(p, taken[k]);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t j = 0; j < sizes[i]; j++)
                assert_int_equal(taken[i][j], i + 1);
        assert_true(rk_arena_bytes(a) >= 435000);
        rk_arena_reset(a);
        assert_int_equal(rk_arena_bytes(a), 0);
    }
    rk_arena_free(a);
    rk_arena_free(NULL);
}

static void overflow_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t count, size;
    } cases[] = {
        {SIZE_MAX, 2}, {2, SIZE_MAX}, {SIZE_MAX, 1}, {SIZE_MAX - 63, 1}, {SIZE_MAX / 2 + 1, 2}};
    rk_arena *a = open_arena();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        assert_null(rk_arena_take(a, cases[i].count, cases[i].size, &err));
        assert_int_equal(err.status, RK_E_MEMORY);
        assert_non_null(strstr(err.text, "out of memory"));
        assert_null(rk_arena_take(a, cases[i].count, cases[i].size, NULL));
        err = (rk_error){0};
        assert_null(rk_heap_take(SIZE_MAX, 2 + i, &err));
        assert_int_equal(err.status, RK_E_MEMORY);
    }
    rk_error err = {0};
    assert_null(rk_arena_text(a, "x", SIZE_MAX, &err));
    assert_int_equal(err.status, RK_E_MEMORY);
    assert_non_null(rk_arena_take(a, 8, 8, NULL)); /* still usable */
    rk_arena_free(a);
}

static void text_is_copied_and_ended(void **state)
{
    (void)state;
    rk_arena *a = open_arena();
    char source[] = "abcdef";
    char *copy = rk_arena_text(a, source, 3, NULL);
    source[0] = 'X';
    assert_string_equal(copy, "abc");
    assert_string_equal(rk_arena_text(a, NULL, 0, NULL), "");
    assert_string_equal(rk_arena_printf(a, NULL, "%s-%04d", "run", 7), "run-0007");
    char lengthy[100000];
    memset(lengthy, 'y', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_string_equal(rk_arena_printf(a, NULL, "%s", lengthy), lengthy);
    rk_error err = {0};
    assert_null(rk_arena_printf(a, &err, "%lc", (wint_t)0x10ffff)); /* not in the C locale */
    assert_int_equal(err.status, RK_E_ARG);
    rk_arena_free(a);
}

static void the_heap_grows_and_keeps(void **state)
{
    (void)state;
    void *memory = NULL;
    size_t capacity = 0;
    for (size_t need = 1; need < 1000; need += 37) {
        assert_int_equal(rk_heap_grow(&memory, &capacity, need, sizeof(int), NULL), RK_OK);
        assert_true(capacity >= need);
        ((int *)memory)[need - 1] = (int)need;
    }
    for (size_t need = 1; need < 1000; need += 37)
        assert_int_equal(((int *)memory)[need - 1], need);
    void *before = memory;
    size_t kept = capacity;
    rk_error err = {0};
    assert_int_equal(rk_heap_grow(&memory, &capacity, SIZE_MAX / 2, sizeof(int), &err),
                     RK_E_MEMORY);
    assert_int_equal(err.status, RK_E_MEMORY);
    assert_ptr_equal(memory, before);
    assert_int_equal(capacity, kept);
    assert_int_equal(((int *)memory)[0], 1);
    free(memory);
    int *zeroed = rk_heap_take(5, sizeof *zeroed, NULL);
    for (int i = 0; i < 5; i++)
        assert_int_equal(zeroed[i], 0);
    free(zeroed);
    void *none = rk_heap_take(0, 8, NULL);
    assert_non_null(none);
    free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_disjoint),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(text_is_copied_and_ended),
        cmocka_unit_test(the_heap_grows_and_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
