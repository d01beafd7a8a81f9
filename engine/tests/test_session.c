/* test_session.c - opening is refused with a reason; forks diverge and share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine_impl.h"
#include "timeline.h"

static const int32_t chunks[] = {70, 33, 0};

static void bad_methods_are_refused(void **state)
{
    (void)state;
    rk_bench b;
    rk_session *s;
    rk_error err = {0};
    rk_head_map *wrong;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    int32_t layers = b.model->shape.layers, heads = b.model->shape.kv_heads;
    rk_method m = rk_bench_method(&b, "redknot");
    assert_int_equal(rk_session_open(&s, b.e, &m, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "redknot needs a head map"));
    assert_null(s);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            rk_head_map_make("all_local", layers + !i, heads + i, b.arena, &wrong, &err), RK_OK);
        m.head_map = wrong;
        assert_int_equal(rk_session_open(&s, b.e, &m, &err), RK_E_USAGE);
        assert_non_null(strstr(err.text, "head map all_local is of"));
    }
    m = rk_bench_method(&b, "cacheblend check_layer=4000");
    assert_int_equal(rk_session_open(&s, b.e, &m, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "check_layer"));
    rk_session_close(NULL);
    rk_bench_close(&b);
}

/* The parent decodes the same whether or not its fork ran on with other tokens. */
static void a_fork_leaves_its_parent_alone(void **state)
{
    (void)state;
    static const char *const methods[] = {"dense", "full_reuse",
                                          "redknot head_map=all_local window=30 sink=4"};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (size_t i = 0; i < 3; i++) {
        rk_error err = {0};
        rk_timeline expected = {0}, parent = {0}, child = {0};
        rk_bench_timeline(&b, methods[i], &expected);
        rk_method m = rk_bench_method(&b, methods[i]);
        rk_session *s = rk_bench_open_session(&b, &m), *fork;
        rk_bench_prefill(&b, s, RK_PART_WHOLE, &parent);
        int32_t used = rk_page_pool_used(b.e->pool);
        assert_int_equal(rk_session_fork(&fork, s, &err), RK_OK);
        assert_int_equal(rk_page_pool_used(b.e->pool), used); /* all shared */
        assert_int_equal(rk_session_tokens(fork), rk_session_tokens(s));
        assert_int_equal(rk_session_kv_bytes(fork), rk_session_kv_bytes(s));
        child.token[0] = (parent.token[0] + 1) % b.model->shape.vocab;
        rk_bench_decode(&b, fork, &child);
        assert_true(rk_page_pool_used(b.e->pool) > used);
        rk_bench_decode(&b, s, &parent);
        rk_bench_same(&b, methods[i], &parent, &expected);
        size_t vocab = (size_t)b.model->shape.vocab;
        assert_true(rk_bench_difference(child.logits + vocab, parent.logits + vocab, vocab) > 1e-3);
        rk_session_close(s); /* the child lives on without its parent */
        rk_bench_decode(&b, fork, &child);
        rk_session_close(fork);
    }
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

static void counted_sessions_have_no_logits(void **state)
{
    (void)state;
    rk_bench b;
    rk_bench_open(&b, "llama3", "count", 21, chunks, 11);
    rk_method m = rk_bench_method(&b, "dense");
    rk_session *s = rk_bench_open_session(&b, &m);
    rk_timeline t = {0};
    rk_bench_prefill(&b, s, RK_PART_WHOLE, &t);
    assert_null(rk_session_logits(s));
    assert_int_equal(rk_session_tokens(s), 135);
    rk_session_close(s);
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_methods_are_refused),
        cmocka_unit_test(a_fork_leaves_its_parent_alone),
        cmocka_unit_test(counted_sessions_have_no_logits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
