/* test_chunk_store.c - states by content: hits compare ids, pages are shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "lifecycle/chunk_store.h"

enum { LAYERS = 2, HEADS = 2 };

typedef struct bench {
    rk_backend *b;
    rk_page_pool *pool;
    rk_page_table *table;
    rk_chunk_store *store;
} bench;

static bench open_bench(void)
{
    bench x;
    const rk_backend_config config = {.threads = 1};
    assert_int_equal(rk_backend_cpu.open(&x.b, &config, NULL), RK_OK);
    assert_int_equal(rk_page_pool_new(&x.pool, &rk_backend_cpu, x.b, 64, 2, NULL), RK_OK);
    assert_int_equal(rk_page_table_new(&x.table, x.pool, LAYERS, HEADS, NULL), RK_OK);
    assert_int_equal(rk_chunk_store_new(&x.store, x.pool, LAYERS, HEADS, NULL), RK_OK);
    for (int32_t l = 0; l < LAYERS; l++)
        assert_int_equal(rk_page_table_make_writable(x.table, l, NULL, 0, 300, NULL), RK_OK);
    return x;
}

static void close_bench(bench x)
{
    rk_page_table_free(x.table);
    rk_chunk_store_free(x.store);
    assert_int_equal(rk_page_pool_used(x.pool), 0);
    rk_page_pool_free(x.pool);
    rk_backend_cpu.close(x.b);
}

static const int32_t ids[300] = {7, 8, 9, 10, 11, 12};

static void a_state_keeps_its_slice(void **state)
{
    (void)state;
    static const struct {
        int32_t compile, segment, first_page, pages;
    } cases[] = {{0, 1, 0, 1},   {0, 64, 0, 1},   {0, 65, 0, 2},   {63, 1, 0, 1},   {63, 2, 0, 2},
                 {64, 64, 1, 1}, {70, 130, 1, 3}, {100, 28, 1, 1}, {128, 172, 2, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bench x = open_bench();
        rk_ids_span compile = {ids, cases[c].compile}, segment = {ids + 2, cases[c].segment};
        if (cases[c].compile == 0)
            compile.id = NULL;
        int32_t used = rk_page_pool_used(x.pool);
        assert_null(rk_chunk_store_find(x.store, compile, segment));
        assert_int_equal(rk_chunk_store_add(x.store, compile, segment, x.table, 2.5, NULL), RK_OK);
        const rk_chunk_state *s = rk_chunk_store_find(x.store, compile, segment);
        assert_non_null(s);
        assert_int_equal(s->offset, cases[c].compile);
        assert_int_equal(s->tokens, cases[c].segment);
        assert_int_equal(s->first_page, cases[c].first_page);
        assert_int_equal(s->pages, cases[c].pages);
        assert_true(s->build_ms == 2.5);
        for (int32_t i = 0; i < LAYERS * HEADS * s->pages; i++) {
            int32_t l = i / s->pages / HEADS, h = i / s->pages % HEADS;
            int32_t page = rk_page_table_at(x.table, l, h, s->first_page + i % s->pages);
            assert_int_equal(s->page[i], page);
            assert_int_equal(rk_page_pool_references(x.pool, page), 2);
        }
        assert_int_equal(rk_page_pool_used(x.pool), used); /* shared, not copied */
        assert_int_equal(rk_chunk_store_pages(x.store), LAYERS * HEADS * cases[c].pages);
        assert_int_equal(rk_chunk_store_states(x.store), 1);
        close_bench(x);
    }
}

static void a_hit_needs_the_same_ids_behind_the_same_prefix(void **state)
{
    (void)state;
    static const int32_t changed[] = {9, 10, 99};
    bench x = open_bench();
    assert_int_equal(rk_chunk_store_add(x.store, (rk_ids_span){ids, 2}, (rk_ids_span){ids + 2, 3},
                                        x.table, 1, NULL),
                     RK_OK);
    const struct {
        rk_ids_span compile, segment;
        int hit;
    } cases[] = {
        {{ids, 2}, {ids + 2, 3}, 1},     {{ids, 1}, {ids + 2, 3}, 0}, {{NULL, 0}, {ids + 2, 3}, 0},
        {{ids + 1, 2}, {ids + 2, 3}, 0}, {{ids, 2}, {ids + 2, 2}, 0}, {{ids, 2}, {ids + 2, 4}, 0},
        {{ids, 2}, {changed, 3}, 0},     {{ids, 3}, {ids + 3, 2}, 0}, /* the same 5 ids, split
                                                                         elsewhere */
        {{ids, 5}, {NULL, 0}, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        assert_int_equal(rk_chunk_store_find(x.store, cases[c].compile, cases[c].segment) != NULL,
                         cases[c].hit);
    close_bench(x);
}

static void ids_are_copied_and_states_outlive_the_table(void **state)
{
    (void)state;
    int32_t own[] = {1, 2, 3};
    bench x = open_bench();
    rk_ids_span none = {NULL, 0}, segment = {own, 3};
    assert_int_equal(rk_chunk_store_add(x.store, none, segment, x.table, 1, NULL), RK_OK);
    own[0] = 50;
    assert_null(rk_chunk_store_find(x.store, none, segment));
    own[0] = 1;
    assert_non_null(rk_chunk_store_find(x.store, none, segment));
    rk_page_table_free(x.table);
    x.table = NULL;
    assert_int_equal(rk_page_pool_used(x.pool), LAYERS * HEADS);
    rk_chunk_store_clear(x.store);
    assert_int_equal(rk_page_pool_used(x.pool), 0);
    assert_int_equal(rk_chunk_store_states(x.store), 0);
    assert_int_equal(rk_chunk_store_pages(x.store), 0);
    assert_null(rk_chunk_store_find(x.store, none, segment));
    close_bench(x);
}

static void many_states_do_not_mix(void **state)
{
    (void)state;
    enum { STATES = 3000 }; /* more than there are buckets */
    bench x = open_bench();
    for (int32_t i = 0; i < STATES; i++) {
        rk_ids_span compile = {&i, i % 2}, segment = {&i, 1};
        assert_int_equal(rk_chunk_store_add(x.store, compile, segment, x.table, i, NULL), RK_OK);
    }
    assert_int_equal(rk_chunk_store_states(x.store), STATES);
    for (int32_t i = 0; i < STATES; i++) {
        rk_ids_span compile = {&i, i % 2}, segment = {&i, 1}, other = {&i, 1 - i % 2};
        const rk_chunk_state *s = rk_chunk_store_find(x.store, compile, segment);
        assert_non_null(s);
        assert_true(s->build_ms == i);
        assert_null(rk_chunk_store_find(x.store, other, segment));
    }
    close_bench(x);
}

static void empty_segments_are_refused(void **state)
{
    (void)state;
    bench x = open_bench();
    rk_error err = {0};
    for (int32_t n = -1; n < 1; n++)
        assert_int_equal(rk_chunk_store_add(x.store, (rk_ids_span){ids, 2}, (rk_ids_span){ids, n},
                                            x.table, 1, &err),
                         RK_E_ARG);
    close_bench(x);
    rk_chunk_store_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_keeps_its_slice),
        cmocka_unit_test(a_hit_needs_the_same_ids_behind_the_same_prefix),
        cmocka_unit_test(ids_are_copied_and_states_outlive_the_table),
        cmocka_unit_test(many_states_do_not_mix),
        cmocka_unit_test(empty_segments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
