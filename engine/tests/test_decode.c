/* test_decode.c - decoding is prefilling one token longer, under the same head rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "engine_impl.h"
#include "timeline.h"

static const int32_t chunks[] = {70, 33, 128, 5, 64, 0};

/* The bench's request with the first `n` tokens of `t` behind its question. */
static void lengthen(rk_bench *b, const rk_timeline *t, int n, rk_request *out)
{
    int32_t old = b->request.question.n;
    int32_t *id = rk_arena_take(b->arena, (size_t)(old + n), sizeof *id, NULL);
    rk_ids_span span[8];
    memcpy(id, b->request.question.id, (size_t)old * sizeof *id);
    memcpy(id + old, t->token, (size_t)n * sizeof *id);
    for (int32_t c = 0; c < b->request.chunks; c++)
        span[c] = (rk_ids_span){b->request.chunk[c].id, b->request.chunk[c].n};
    assert_int_equal(rk_request_build(out, (rk_ids_span){b->request.prefix.id, b->request.prefix.n},
                                      span, b->request.chunks, (rk_ids_span){id, old + n}, b->arena,
                                      NULL),
                     RK_OK);
}

static void decoding_equals_a_longer_prompt(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "dense",
        "epic k=8",
        "full_reuse",
        "full_reuse positions=schema",
        "dense_masked head_map=all_local window=40 sink=5",
        "redknot head_map=all_local window=40 sink=5 local_refresh=all prefix=off",
        "redknot head_map=all_local window=1 sink=0 local_refresh=all prefix=off",
        "redknot head_map=random:0.5:3 window=64 sink=64 local_refresh=all prefix=off",
        "redknot head_map=random:0.5:3 window=33",
    };
    static const char *const models[] = {"llama3", "qwen2"};
    for (size_t k = 0; k < 2; k++) {
        rk_bench b;
        rk_bench_open(&b, models[k], "cpu", 21, chunks, 11);
        size_t vocab = (size_t)b.model->shape.vocab;
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            rk_timeline t = {0}, longer = {0};
            rk_request original = b.request;
            rk_bench_timeline(&b, methods[i], &t);
            lengthen(&b, &t, RK_STEPS, &b.request);
            rk_bench_timeline(&b, methods[i], &longer);
            b.request = original;
            double d = rk_bench_difference(longer.logits, t.logits + RK_STEPS * vocab, vocab);
            if (!(d <= 3e-5) || longer.token[0] != t.token[RK_STEPS])
                fail_msg("%s: %s: difference %.3g", models[k], methods[i], d);
        }
        rk_bench_close(&b);
    }
}

/* Some local heads were promoted, some were not: the watch ends with the prefill. */
static void promoted_and_local_heads_decode(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "redknot head_map=all_local window=70 sink=2 promote_above=0",
        "redknot head_map=all_local window=70 sink=2 promote_above=0.9",
        "redknot head_map=all_local window=70 sink=2 promote_above=1"};
    rk_bench b;
    rk_timeline t[3] = {0}, dense = {0}, local = {0};
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (int i = 0; i < 3; i++)
        rk_bench_timeline(&b, methods[i], &t[i]);
    rk_bench_timeline(&b, "dense", &dense);
    rk_bench_timeline(&b, "redknot head_map=all_local window=70 sink=2", &local);
    rk_bench_same(&b, "all promoted = dense", &t[0], &dense);
    rk_bench_same(&b, "none promoted = local", &t[2], &local);
    rk_bench_close(&b);
}

/* Heads above the threshold, and no other, run as global. */
static void only_heads_above_the_threshold_are_promoted(void **state)
{
    (void)state;
    rk_bench b;
    rk_counters c;
    uint64_t before = UINT64_MAX;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    uint64_t heads = (uint64_t)(b.model->shape.layers * b.model->shape.kv_heads), between = 0;
    for (int step = 0; step <= 200; step++) {
        char text[120];
        snprintf(text, sizeof text,
                 "redknot head_map=all_local window=128 sink=2 promote_above=%.3f", step * 0.005);
        rk_bench_run(&b, text, NULL, NULL, &c);
        assert_true(c.promoted_heads <= before && c.promoted_heads <= heads);
        between += c.promoted_heads > 0 && c.promoted_heads < heads;
        before = c.promoted_heads;
        if (step == 0)
            assert_int_equal(c.promoted_heads, heads);
        if (c.promoted_heads == 0)
            break;
    }
    assert_int_equal(before, 0);
    assert_true(between > 0);
    rk_bench_close(&b);
}

static void local_heads_hold_sink_and_window_only(void **state)
{
    (void)state;
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    rk_method m = rk_bench_method(&b, "redknot head_map=all_local window=64 sink=10");
    rk_session *s = rk_bench_open_session(&b, &m);
    rk_timeline t = {0};
    rk_bench_prefill(&b, s, RK_PART_WHOLE, &t);
    /* 332 positions: page 0 for the sink; the next row sees 269..331: pages 4 and 5 */
    size_t heads = (size_t)(b.model->shape.layers * b.model->shape.kv_heads);
    size_t page = (size_t)2 * RK_PAGE_TOKENS * (size_t)b.model->shape.head_dim * 4;
    assert_int_equal(rk_session_tokens(s), 332);
    assert_int_equal(rk_session_kv_bytes(s), heads * 3 * page);
    rk_session *one[] = {s};
    int32_t token = t.token[0];
    for (int i = 0; i < 70; i++) {
        assert_int_equal(rk_engine_decode(b.e, one, 1, &token, NULL), RK_OK);
        assert_true(rk_session_kv_bytes(s) <= heads * 3 * page);
    }
    rk_session_close(s);
    rk_bench_close(&b);
}

static void an_empty_session_cannot_decode(void **state)
{
    (void)state;
    rk_bench b;
    rk_error err = {0};
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    rk_method m = rk_bench_method(&b, "dense");
    rk_session *s = rk_bench_open_session(&b, &m);
    int32_t token = 3;
    assert_int_equal(rk_engine_decode(b.e, &s, 1, &token, &err), RK_E_ARG);
    assert_non_null(strstr(err.text, "session 0 holds no prompt"));
    rk_session_close(s);
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_equals_a_longer_prompt),
        cmocka_unit_test(promoted_and_local_heads_decode),
        cmocka_unit_test(only_heads_above_the_threshold_are_promoted),
        cmocka_unit_test(local_heads_hold_sink_and_window_only),
        cmocka_unit_test(an_empty_session_cannot_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
