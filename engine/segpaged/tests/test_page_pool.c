/* test_page_pool.c - counting references, running out, poison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "segpaged/page_pool.h"

enum { D = 6, PAGE = 2 * RK_PAGE_TOKENS * D };

static rk_page_pool *open_pool(rk_backend **b, int32_t pages)
{
    rk_page_pool *p;
    const rk_backend_config config = {.threads = 1};
    assert_int_equal(rk_backend_cpu.open(b, &config, NULL), RK_OK);
    assert_int_equal(rk_page_pool_new(&p, &rk_backend_cpu, *b, pages, D, NULL), RK_OK);
    return p;
}

static void close_pool(rk_page_pool *p, rk_backend *b)
{
    rk_page_pool_free(p);
    rk_backend_cpu.close(b);
}

static void a_full_pool_says_so(void **state)
{
    (void)state;
    rk_backend *b;
    rk_page_pool *p = open_pool(&b, 3);
    int32_t page[3], more;
    rk_error err = {0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rk_page_pool_take(p, &page[i], NULL), RK_OK);
        for (int j = 0; j < i; j++)
            assert_int_not_equal(page[i], page[j]);
    }
    assert_int_equal(rk_page_pool_used(p), 3);
    assert_int_equal(rk_page_pool_capacity(p), 3);
    assert_int_equal(rk_page_pool_page_bytes(p), PAGE * 4);
    assert_int_equal(rk_page_pool_take(p, &more, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "3 pages of 3072 bytes; raise kv_bytes"));
    rk_page_pool_release(p, page[1]);
    assert_int_equal(rk_page_pool_take(p, &more, NULL), RK_OK);
    assert_int_equal(more, page[1]);
    close_pool(p, b);
    rk_page_pool_free(NULL);
}

static void the_last_release_frees(void **state)
{
    (void)state;
    rk_backend *b;
    rk_page_pool *p = open_pool(&b, 2);
    int32_t page;
    assert_int_equal(rk_page_pool_take(p, &page, NULL), RK_OK);
    rk_page_pool_retain(p, page);
    rk_page_pool_retain(p, page);
    assert_int_equal(rk_page_pool_references(p, page), 3);
    rk_page_pool_release(p, page);
    rk_page_pool_release(p, page);
    assert_int_equal(rk_page_pool_used(p), 1);
    rk_page_pool_release(p, page);
    rk_page_pool_release(p, -1);
    assert_int_equal(rk_page_pool_used(p), 0);
    assert_int_equal(rk_page_pool_references(p, page), 0);
    close_pool(p, b);
}

static void copies_are_whole_pages(void **state)
{
    (void)state;
    rk_backend *b;
    rk_page_pool *p = open_pool(&b, 2);
    int32_t from, to;
    assert_int_equal(rk_page_pool_take(p, &from, NULL), RK_OK);
    assert_int_equal(rk_page_pool_take(p, &to, NULL), RK_OK);
    float *memory = rk_page_pool_memory(p);
    for (int i = 0; i < PAGE; i++) {
        memory[from * PAGE + i] = (float)i;
        memory[to * PAGE + i] = -1;
    }
    assert_int_equal(rk_page_pool_copy(p, to, from, NULL), RK_OK);
    for (int i = 0; i < PAGE; i++)
        assert_true(memory[to * PAGE + i] == (float)i);
    close_pool(p, b);
}

static void poison_marks_free_pages(void **state)
{
    (void)state;
    rk_backend *b;
    rk_page_pool *p = open_pool(&b, 4);
    int32_t kept, freed;
    assert_int_equal(rk_page_pool_take(p, &kept, NULL), RK_OK);
    float *memory = rk_page_pool_memory(p);
    for (int i = 0; i < 4 * PAGE; i++)
        memory[i] = 1;
    rk_page_pool_poison(p);
    for (int i = 0; i < 4 * PAGE; i++)
        assert_int_equal(isnan(memory[i]) != 0, i / PAGE != kept);
    assert_int_equal(rk_page_pool_take(p, &freed, NULL), RK_OK);
    for (int i = 0; i < PAGE; i++)
        memory[freed * PAGE + i] = 2;
    rk_page_pool_retain(p, freed);
    rk_page_pool_release(p, freed);
    assert_true(memory[freed * PAGE] == 2); /* still held */
    rk_page_pool_release(p, freed);
    for (int i = 0; i < PAGE; i++)
        assert_true(isnan(memory[freed * PAGE + i]));
    close_pool(p, b);
}

static void counting_needs_no_memory(void **state)
{
    (void)state;
    rk_backend *b;
    rk_page_pool *p;
    const rk_backend_config config = {0};
    assert_int_equal(rk_backend_count.open(&b, &config, NULL), RK_OK);
    assert_int_equal(rk_page_pool_new(&p, &rk_backend_count, b, 1000000, 128, NULL), RK_OK);
    int32_t page;
    rk_page_pool_poison(p);
    assert_int_equal(rk_page_pool_take(p, &page, NULL), RK_OK);
    rk_page_pool_release(p, page);
    assert_null(rk_page_pool_memory(p));
    rk_page_pool_free(p);
    rk_error err = {0};
    assert_int_equal(rk_page_pool_new(&p, &rk_backend_count, b, -1, 128, &err), RK_E_MEMORY);
    assert_null(p);
    rk_backend_count.close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_pool_says_so),      cmocka_unit_test(the_last_release_frees),
        cmocka_unit_test(copies_are_whole_pages),   cmocka_unit_test(poison_marks_free_pages),
        cmocka_unit_test(counting_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
