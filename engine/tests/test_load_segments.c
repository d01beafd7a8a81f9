/* test_load_segments.c - stored K/V in place are shared, elsewhere rotated; gaps refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine_impl.h"
#include "plan_method.h"

static rk_status reuse_last_only(const rk_method *m, const rk_request *r, rk_layout *layout,
                                 rk_error *err)
{
    (void)m, (void)err;
    layout->reuse_chunk[r->chunks - 1] = 1;
    return RK_OK;
}

static void a_gap_in_reuse_is_refused(void **state)
{
    (void)state;
    static const int32_t chunks[] = {70, 33, 0};
    static const rk_method_ops ops = {
        .name = "gap", .flags = RK_METHOD_REUSES, .plan_request = reuse_last_only};
    rk_bench b;
    rk_error err = {0};
    rk_counters c;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    assert_int_equal(rk_bench_plan(&b, &ops, NULL, NULL, &c, &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "chunk 1 is reused but chunk 0 is not"));
    rk_bench_close(&b);
}

/* A first chunk at the place it was built: whole pages are the store's own. */
static void pages_in_place_are_shared(void **state)
{
    (void)state;
    static const int32_t chunks[] = {200, 150, 0};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 70, chunks, 11);
    rk_method m = rk_bench_method(&b, "full_reuse");
    rk_session *s = rk_bench_open_session(&b, &m);
    rk_timeline t = {0};
    rk_bench_prefill(&b, s, RK_PART_WHOLE, &t);
    const rk_segment *first = &b.request.chunk[0];
    const rk_chunk_state *state0 = rk_chunk_store_find(
        b.e->store, (rk_ids_span){b.request.prefix.id, 70}, (rk_ids_span){first->id, first->n});
    assert_non_null(state0);
    for (int32_t v = 0; v < 7; v++) { /* prefix 0-69, chunk 70-269, chunk 270-419 */
        int32_t page = rk_page_table_at(s->table, 0, 0, v);
        int references = rk_page_pool_references(b.e->pool, page);
        int whole = v == 0 || v == 2 || v == 3;
        assert_true(whole ? references >= 2 : references == 1);
        if (v == 2 || v == 3)
            assert_int_equal(page, state0->page[v - state0->first_page]);
    }
    rk_session_close(s);
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_in_reuse_is_refused),
        cmocka_unit_test(pages_in_place_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
