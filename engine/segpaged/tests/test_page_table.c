/* test_page_table.c - sharing, copy on write, exact trimming, growth, budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "segpaged/page_table.h"

enum { D = 2, LAYERS = 2, HEADS = 3, PAGE = 2 * RK_PAGE_TOKENS * D };

typedef struct bench {
    rk_backend *b;
    rk_page_pool *pool;
    rk_page_table *table;
} bench;

static bench open_bench(int32_t pages)
{
    bench x;
    const rk_backend_config config = {.threads = 1};
    assert_int_equal(rk_backend_cpu.open(&x.b, &config, NULL), RK_OK);
    assert_int_equal(rk_page_pool_new(&x.pool, &rk_backend_cpu, x.b, pages, D, NULL), RK_OK);
    rk_page_pool_poison(x.pool);
    assert_int_equal(rk_page_table_new(&x.table, x.pool, LAYERS, HEADS, NULL), RK_OK);
    return x;
}

static void close_bench(bench x)
{
    rk_page_table_free(x.table);
    assert_int_equal(rk_page_pool_used(x.pool), 0); /* nothing leaks */
    rk_page_pool_free(x.pool);
    rk_backend_cpu.close(x.b);
}

static float *slot(bench x, const rk_page_table *t, int32_t layer, int32_t head, int32_t pos)
{
    int32_t page = rk_page_table_at(t, layer, head, pos / RK_PAGE_TOKENS);
    assert_true(page >= 0);
    return rk_page_pool_memory(x.pool) + page * PAGE + pos % RK_PAGE_TOKENS * D;
}

static void only_what_is_asked_becomes_writable(void **state)
{
    (void)state;
    static const struct {
        int32_t from, to;
        uint8_t head[HEADS];
        int32_t pages;
    } cases[] = {{0, 0, {1, 1, 1}, 0},   {5, 5, {1, 1, 1}, 0},     {9, 3, {1, 1, 1}, 0},
                 {0, 1, {1, 1, 1}, 3},   {0, 64, {1, 0, 0}, 1},    {0, 65, {1, 0, 1}, 4},
                 {63, 65, {0, 1, 0}, 2}, {128, 192, {1, 1, 0}, 2}, {100, 1000, {0, 0, 1}, 15},
                 {0, 4096, {0, 0, 0}, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bench x = open_bench(300);
        assert_int_equal(rk_page_table_make_writable(x.table, 1, cases[c].head, cases[c].from,
                                                     cases[c].to, NULL),
                         RK_OK);
        assert_int_equal(rk_page_table_pages(x.table), cases[c].pages);
        assert_int_equal(rk_page_pool_used(x.pool), cases[c].pages);
        for (int32_t h = 0; h < HEADS; h++)
            for (int32_t v = 0; v < 20; v++) {
                int inside = cases[c].head[h] && cases[c].from < cases[c].to &&
                             v >= cases[c].from / 64 && v <= (cases[c].to - 1) / 64;
                assert_int_equal(rk_page_table_at(x.table, 1, h, v) >= 0, inside);
                assert_int_equal(rk_page_table_at(x.table, 0, h, v), -1);
            }
        close_bench(x);
    }
}

static void growing_moves_no_page(void **state)
{
    (void)state;
    bench x = open_bench(400);
    int32_t before[HEADS];
    assert_int_equal(rk_page_table_stride(x.table), 0);
    assert_int_equal(rk_page_table_make_writable(x.table, 0, NULL, 0, 1, NULL), RK_OK);
    for (int32_t h = 0; h < HEADS; h++)
        before[h] = rk_page_table_at(x.table, 0, h, 0);
    assert_int_equal(rk_page_table_make_writable(x.table, 1, NULL, 3000, 3001, NULL), RK_OK);
    assert_true(rk_page_table_stride(x.table) >= 47);
    const int32_t *layer = rk_page_table_layer(x.table, 0);
    for (int32_t h = 0; h < HEADS; h++) {
        assert_int_equal(rk_page_table_at(x.table, 0, h, 0), before[h]);
        assert_int_equal(layer[h * rk_page_table_stride(x.table)], before[h]);
        assert_int_equal(rk_page_table_at(x.table, 1, h, 45), -1);
    }
    assert_int_equal(rk_page_table_at(x.table, 0, 0, 1 << 20), -1);
    close_bench(x);
}

/* A fork shares everything; writing copies one page and leaves the other timeline. */
static void a_fork_copies_on_write(void **state)
{
    (void)state;
    static const uint8_t one[HEADS] = {0, 1, 0};
    bench x = open_bench(40);
    rk_page_table *fork;
    assert_int_equal(rk_page_table_make_writable(x.table, 0, NULL, 0, 130, NULL), RK_OK);
    *slot(x, x.table, 0, 1, 70) = 5;
    assert_int_equal(rk_page_table_fork(&fork, x.table, NULL), RK_OK);
    assert_int_equal(rk_page_pool_used(x.pool), 9);
    assert_int_equal(rk_page_table_pages(fork), 9);
    assert_int_equal(rk_page_table_make_writable(fork, 0, one, 70, 71, NULL), RK_OK);
    assert_int_equal(rk_page_pool_used(x.pool), 10);
    assert_true(*slot(x, fork, 0, 1, 70) == 5);
    *slot(x, fork, 0, 1, 70) = 6;
    assert_true(*slot(x, x.table, 0, 1, 70) == 5);
    int32_t own = rk_page_table_at(fork, 0, 1, 1);
    assert_int_equal(rk_page_table_make_writable(fork, 0, one, 70, 71, NULL), RK_OK);
    assert_int_equal(rk_page_table_at(fork, 0, 1, 1), own); /* already its own */
    rk_page_table_free(x.table);
    assert_int_equal(rk_page_pool_used(x.pool), 9);
    x.table = fork;
    assert_int_equal(rk_page_table_fork(&fork, x.table, NULL), RK_OK);
    rk_page_table_free(fork);
    close_bench(x);
    rk_page_table_free(NULL);
}

static void shared_pages_are_retained(void **state)
{
    (void)state;
    bench x = open_bench(10);
    int32_t page, other;
    assert_int_equal(rk_page_pool_take(x.pool, &page, NULL), RK_OK);
    assert_int_equal(rk_page_pool_take(x.pool, &other, NULL), RK_OK);
    assert_int_equal(rk_page_table_share(x.table, 1, 2, 9, page, NULL), RK_OK);
    assert_int_equal(rk_page_pool_references(x.pool, page), 2);
    assert_int_equal(rk_page_table_share(x.table, 1, 2, 9, page, NULL), RK_OK);
    assert_int_equal(rk_page_pool_references(x.pool, page), 2);
    assert_int_equal(rk_page_table_share(x.table, 1, 2, 9, other, NULL), RK_OK);
    assert_int_equal(rk_page_pool_references(x.pool, page), 1);
    assert_int_equal(rk_page_table_at(x.table, 1, 2, 9), other);
    rk_page_pool_release(x.pool, page);
    rk_page_pool_release(x.pool, other);
    close_bench(x);
}

/* A page is kept if and only if it holds a sink position or one that the row at `next`
 * or a later one sees. */
static void trimming_is_exact(void **state)
{
    (void)state;
    static const int32_t sinks[] = {0, 1, 63, 64, 65, 500},
                         windows[] = {1, 2, 64, 65, 66, 200, 999};
    for (size_t s = 0; s < sizeof sinks / sizeof *sinks; s++)
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
            for (int32_t next = 1; next < 520; next += 13) {
                bench x = open_bench(40);
                int32_t pages = (next + 63) / 64;
                assert_int_equal(rk_page_table_make_writable(x.table, 0, NULL, 0, next, NULL),
                                 RK_OK);
                rk_page_table_trim(x.table, 0, 1, sinks[s], windows[w], next);
                for (int32_t v = 0; v < pages; v++) {
                    int needed = v * 64 < sinks[s];
                    for (int32_t key = v * 64; key < v * 64 + 64; key++)
                        needed |= key > next - windows[w];
                    assert_int_equal(rk_page_table_at(x.table, 0, 1, v) >= 0, needed);
                    assert_true(rk_page_table_at(x.table, 0, 0, v) >= 0);
                }
                close_bench(x);
            }
}

static void a_full_pool_leaves_a_table_that_closes(void **state)
{
    (void)state;
    bench x = open_bench(4);
    rk_page_table *fork;
    rk_error err = {0};
    assert_int_equal(rk_page_table_make_writable(x.table, 0, NULL, 0, 64, NULL), RK_OK);
    assert_int_equal(rk_page_table_fork(&fork, x.table, NULL), RK_OK);
    assert_int_equal(rk_page_table_make_writable(fork, 0, NULL, 0, 64, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "pool is full"));
    assert_int_equal(rk_page_table_pages(fork), 3);
    rk_page_table_free(fork);
    assert_int_equal(rk_page_pool_used(x.pool), 3);
    assert_int_equal(rk_page_table_make_writable(x.table, 1, NULL, 0, 64, &err), RK_E_BUDGET);
    close_bench(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_asked_becomes_writable),
        cmocka_unit_test(growing_moves_no_page),
        cmocka_unit_test(a_fork_copies_on_write),
        cmocka_unit_test(shared_pages_are_retained),
        cmocka_unit_test(trimming_is_exact),
        cmocka_unit_test(a_full_pool_leaves_a_table_that_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
