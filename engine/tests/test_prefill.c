/* test_prefill.c - one prefill, in parts, in batches, after churn: the same function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine_impl.h"
#include "timeline.h"

static const int32_t chunks[] = {70, 33, 128, 5, 64, 0};
#define LOCAL "redknot head_map=random:0.5:3 window=40 sink=7"

/* Methods whose context does not depend on the question. */
static const char *const shareable[] = {
    "dense",
    "dense_masked head_map=random:0.5:3 window=40 sink=7",
    "prefix_cache",
    "full_reuse",
    "full_reuse positions=schema",
    "full_reuse positions=local",
    "full_reuse compile_prefix=none",
    "epic k=16",
    "epic k=0",
    "cacheblend ratio=0.3",
    "cacheblend ratio=0.3 mode=paper",
    "tokdrop_redknot ratio=0.5",
    LOCAL,
    LOCAL " local_refresh=chunk_start",
    LOCAL " local_refresh=window prefix=longest",
    LOCAL " local_refresh=all prefix=off",
    LOCAL " signal=output_norm ffn_share=0.3 dense_until=0",
    "redknot head_map=all_local window=1 sink=0",
};

static void forked_questions_equal_whole_prompts(void **state)
{
    (void)state;
    static const char *const models[] = {"llama3", "qwen3"};
    for (size_t k = 0; k < 2; k++) {
        rk_bench b;
        rk_bench_open(&b, models[k], "cpu", 21, chunks, 11);
        for (size_t i = 0; i < sizeof shareable / sizeof *shareable; i++) {
            rk_error err = {0};
            rk_timeline whole = {0}, forked = {0}, again = {0};
            rk_method m = rk_bench_method(&b, shareable[i]);
            rk_bench_timeline(&b, shareable[i], &whole);
            rk_session *context = rk_bench_open_session(&b, &m), *fork;
            rk_bench_prefill(&b, context, RK_PART_CONTEXT, NULL);
            for (int twice = 0; twice < 2; twice++) { /* the first must not touch the context */
                rk_timeline *t = twice ? &again : &forked;
                assert_int_equal(rk_session_fork(&fork, context, &err), RK_OK);
                rk_bench_prefill(&b, fork, RK_PART_QUESTION, t);
                rk_bench_decode(&b, fork, t);
                rk_session_close(fork);
                rk_bench_same(&b, shareable[i], t, &whole);
            }
            rk_session_close(context);
        }
        assert_int_equal(rk_bench_leaked_pages(&b), 0);
        rk_bench_close(&b);
    }
}

static void question_bound_methods_refuse_a_shared_context(void **state)
{
    (void)state;
    static const char *const bound[] = {
        "prophetkv",
        "prophetkv query_state=isolated",
        "cacheblend mode=refcode",
        "cacheblend mode=lmcache",
        LOCAL " promote_above=0.5",
        LOCAL " ffn_mass=0.9 dense_until=0",
        LOCAL " ffn_share=0.2 dense_until=0",
    };
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
        rk_error err = {0};
        rk_method m = rk_bench_method(&b, bound[i]);
        rk_session *s = rk_bench_open_session(&b, &m);
        assert_int_equal(rk_session_prefill(s, &b.request, RK_PART_CONTEXT, NULL, &err), RK_E_ARG);
        assert_non_null(strstr(err.text, "looks at the question"));
        rk_session_close(s);
    }
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

static void parts_must_follow_each_other(void **state)
{
    (void)state;
    rk_bench b;
    rk_error err = {0};
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    rk_method m = rk_bench_method(&b, "dense");
    rk_session *s = rk_bench_open_session(&b, &m);
    assert_int_equal(rk_session_prefill(s, &b.request, RK_PART_QUESTION, NULL, &err), RK_E_ARG);
    assert_int_equal(rk_session_prefill(s, &b.request, RK_PART_WHOLE, NULL, &err), RK_OK);
    for (int part = RK_PART_WHOLE; part <= RK_PART_CONTEXT; part++) {
        assert_int_equal(rk_session_prefill(s, &b.request, (rk_part)part, NULL, &err), RK_E_ARG);
        assert_non_null(strstr(err.text, "not fresh"));
    }
    rk_session_close(s);
    rk_bench_close(&b);
}

/* Different requests of one bench: the same segments, fewer of them. */
static void requests_of(const rk_bench *b, rk_request *r, int n)
{
    for (int i = 0; i < n; i++) {
        rk_ids_span span[8], question = {b->request.question.id, b->request.question.n - i};
        int32_t count = 1 + i % b->request.chunks;
        for (int32_t c = 0; c < count; c++)
            span[c] = (rk_ids_span){b->request.chunk[c].id, b->request.chunk[c].n};
        assert_int_equal(rk_request_build(&r[i],
                                          (rk_ids_span){b->request.prefix.id, b->request.prefix.n},
                                          span, count, question, b->arena, NULL),
                         RK_OK);
    }
}

enum { BATCH_MAX = 8 };

static void check_batch(rk_bench *b, const char *const *methods, int n)
{
    rk_error err = {0};
    rk_request r[BATCH_MAX], whole = b->request;
    const rk_request *requests[BATCH_MAX];
    rk_method m[BATCH_MAX];
    rk_session *s[BATCH_MAX];
    rk_timeline alone[BATCH_MAX] = {0}, together[BATCH_MAX] = {0};
    size_t vocab = (size_t)b->model->shape.vocab;
    requests_of(b, r, n);
    for (int i = 0; i < n; i++) {
        b->request = r[i];
        requests[i] = &r[i];
        m[i] = rk_bench_method(b, methods[i]);
        rk_bench_timeline(b, methods[i], &alone[i]);
        s[i] = rk_bench_open_session(b, &m[i]);
        together[i].logits = rk_arena_take(b->arena, (RK_STEPS + 1) * vocab, sizeof(float), NULL);
    }
    b->request = whole;
    if (rk_engine_prefill(b->e, s, requests, n, &err) != RK_OK)
        fail_msg("%s", err.text);
    for (int step = 0; step <= RK_STEPS; step++) {
        int32_t token[BATCH_MAX];
        for (int i = 0; i < n; i++) {
            const float *logits = rk_session_logits(s[i]);
            int32_t best = 0;
            for (int32_t v = 1; v < (int32_t)vocab; v++)
                best = logits[v] > logits[best] ? v : best;
            token[i] = together[i].token[step] = best;
            memcpy(together[i].logits + (size_t)step * vocab, logits, vocab * sizeof(float));
        }
        if (step < RK_STEPS && rk_engine_decode(b->e, s, n, token, &err) != RK_OK)
            fail_msg("%s", err.text);
    }
    for (int i = 0; i < n; i++) {
        rk_bench_same(b, methods[i], &together[i], &alone[i]);
        rk_session_close(s[i]);
    }
}

static void a_batch_equals_each_alone(void **state)
{
    (void)state;
    static const char *const mixed[BATCH_MAX] = {
        "dense",
        LOCAL,
        "epic k=8",
        "full_reuse positions=schema",
        "prophetkv ratio=0.3",
        "tokdrop_redknot ratio=0.5",
        "redknot head_map=all_local window=30 sink=2 promote_above=0.3",
        LOCAL " ffn_mass=0.7 dense_until=0"};
    static const char *const masked[] = {"dense_masked head_map=random:0.5:3 window=40 sink=7",
                                         "dense_masked head_map=all_local window=9 sink=0",
                                         "dense_masked head_map=all_global",
                                         "dense_masked head_map=random:0.5:1 window=64"};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    check_batch(&b, mixed, BATCH_MAX);
    check_batch(&b, masked, 4); /* of unequal length: slots past the shorter are NaN */
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

static void batches_that_cannot_run_say_so(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *says;
    } cases[] = {
        {"dense", "dense_masked head_map=all_global", "masked and paged"},
        {"cacheblend", "dense", "takes one sequence"},
    };
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (size_t i = 0; i < 2; i++) {
        rk_error err = {0};
        rk_method m[2] = {rk_bench_method(&b, cases[i].a), rk_bench_method(&b, cases[i].b)};
        rk_session *s[2] = {rk_bench_open_session(&b, &m[0]), rk_bench_open_session(&b, &m[1])};
        const rk_request *r[2] = {&b.request, &b.request};
        assert_int_equal(rk_engine_prefill(b.e, s, r, 2, &err), RK_E_UNSUPPORTED);
        assert_non_null(strstr(err.text, cases[i].says));
        rk_session_close(s[0]);
        rk_session_close(s[1]);
    }
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

/* Sessions opened and closed in disorder leave a scrambled free list. */
static void page_order_changes_nothing(void **state)
{
    (void)state;
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (size_t i = 0; i < sizeof shareable / sizeof *shareable; i++) {
        rk_timeline first = {0}, later = {0}, ignored = {0};
        rk_bench_timeline(&b, shareable[i], &first);
        rk_method dense = rk_bench_method(&b, "dense");
        rk_session *s[4];
        for (int k = 0; k < 4; k++) {
            s[k] = rk_bench_open_session(&b, &dense);
            rk_bench_prefill(&b, s[k], RK_PART_WHOLE, &ignored);
        }
        rk_engine_forget_states(b.e);
        rk_session_close(s[2]);
        rk_session_close(s[0]);
        rk_bench_timeline(&b, shareable[i], &later);
        rk_session_close(s[1]);
        rk_session_close(s[3]);
        rk_bench_same(&b, shareable[i], &later, &first);
    }
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

static void a_full_pool_is_a_clean_error(void **state)
{
    (void)state;
    rk_bench b;
    rk_error err = {0};
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    rk_engine_close(b.e);
    const rk_model_shape *m = &b.model->shape;
    size_t page = (size_t)2 * RK_PAGE_TOKENS * (size_t)m->head_dim * sizeof(float);
    rk_engine_config config = {.backend = "cpu",
                               .kv_bytes = page * (size_t)(m->layers * m->kv_heads * 3)};
    assert_int_equal(rk_engine_open(&b.e, b.model, &config, &err), RK_OK);
    rk_method dense = rk_bench_method(&b, "dense");
    rk_session *s = rk_bench_open_session(&b, &dense);
    assert_int_equal(rk_session_prefill(s, &b.request, RK_PART_WHOLE, NULL, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "raise kv_bytes"));
    rk_session_close(s);
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forked_questions_equal_whole_prompts),
        cmocka_unit_test(question_bound_methods_refuse_a_shared_context),
        cmocka_unit_test(parts_must_follow_each_other),
        cmocka_unit_test(a_batch_equals_each_alone),
        cmocka_unit_test(batches_that_cannot_run_say_so),
        cmocka_unit_test(page_order_changes_nothing),
        cmocka_unit_test(a_full_pool_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
