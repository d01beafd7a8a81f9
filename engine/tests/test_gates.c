/* test_gates.c - identities that every method must keep (recycled pages hold NaN).
 *
 * Two runs that are the same function by definition give the same logits; two that
 * are not, do not. Models: random tiny ones of each family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "run_method.h"

static const int32_t chunks[] = {70, 33, 128, 5, 64, 0};

typedef struct pair {
    const char *what, *a, *b;
    int equal;
    int32_t layers; /* models of fewer layers cannot tell the two apart */
} pair;

static const pair pairs[] = {
    /* full recompute = dense */
    {"EPIC with k beyond every chunk", "epic k=100000", "dense", 1, 1},
    {"ProphetKV at 1", "prophetkv ratio=1", "dense", 1, 1},
    {"CacheBlend fixed at 1", "cacheblend ratio=1", "dense", 1, 1},
    {"CacheBlend paper at 1", "cacheblend ratio=1 mode=paper", "dense", 1, 1},
    {"CacheBlend reference code at 1", "cacheblend ratio=1 mode=refcode", "dense", 1, 1},
    {"CacheBlend LMCache at 1", "cacheblend ratio=1 mode=lmcache", "dense", 1, 1},
    {"RedKnot, every head global", "redknot head_map=all_global", "dense", 1, 1},
    {"the same, no prefix hit", "redknot head_map=all_global prefix=off", "dense", 1, 1},
    {"the same, longest hit", "redknot head_map=all_global prefix=longest", "dense", 1, 1},
    {"prefix hit", "prefix_cache", "dense", 1, 1},
    {"masked, every head global", "dense_masked head_map=all_global", "dense", 1, 1},
    /* zero recompute = full reuse */
    {"EPIC with k = 0", "epic k=0", "full_reuse", 1, 1},
    {"ProphetKV at 0", "prophetkv ratio=0", "full_reuse", 1, 1},
    {"ProphetKV isolated at 0", "prophetkv ratio=0 query_state=isolated", "full_reuse", 1, 1},
    {"the same, BOS dropped", "epic k=0 compile_prefix=none", "full_reuse compile_prefix=none", 1,
     1},
    /* window >= N = global; the window counts the row itself */
    {"local heads that see and refresh all",
     "redknot head_map=all_local window=1000 local_refresh=all", "dense", 1, 1},
    {"masked, window beyond the prompt", "dense_masked head_map=all_local window=1000", "dense", 1,
     1},
    /* a mask over a dense layout = paged heads */
    {"dense + mask = SegPaged", "dense_masked head_map=random:0.5:3 window=40 sink=7",
     "redknot head_map=random:0.5:3 window=40 sink=7 local_refresh=all prefix=off", 1, 1},
    {"the same at window 64, sink 64", "dense_masked head_map=all_local window=64 sink=64",
     "redknot head_map=all_local window=64 sink=64 local_refresh=all prefix=off", 1, 1},
    {"the same at window 1", "dense_masked head_map=all_local window=1 sink=3",
     "redknot head_map=all_local window=1 sink=3 local_refresh=all prefix=off", 1, 1},
    /* every FFN token = dense FFN */
    {"sparse FFN that protects every token",
     "redknot head_map=all_global ffn_share=0.01 dense_until=0 protect_recent=100000", "dense", 1,
     1},
    {"sparse FFN from a layer past the last",
     "redknot head_map=all_global ffn_share=0.01 dense_until=99", "dense", 1, 1},
    {"mass at 1 or more selects every token",
     "redknot head_map=all_global ffn_mass=1.5 ffn_share_deep=0.5 dense_until=0", "dense", 1, 1},
    /* elastic restore of every head = all global */
    {"every local head promoted", "redknot head_map=all_local window=20 sink=2 promote_above=0",
     "dense", 1, 1},
    {"promotion switched off", "redknot head_map=all_local window=20 promote_above=1.5",
     "redknot head_map=all_local window=20", 1, 1},
    /* reuse of untouched states: chunk at the place and behind the tokens it was built */
    {"local refresh of whole chunks = local recompute",
     "redknot head_map=all_local window=24 local_refresh=chunk_start refresh_tokens=100000",
     "redknot head_map=all_local window=24 local_refresh=all", 1, 1},
    {"slots of equal chunks are the assembled places",
     "full_reuse positions=schema compile_prefix=none", "full_reuse compile_prefix=none", 0, 1},
    /* and what must differ */
    {"full reuse is not dense", "full_reuse", "dense", 0, 1},
    {"EPIC relinks", "epic k=4", "full_reuse", 0, 1},
    {"CacheBlend's modes differ", "cacheblend ratio=0.3 mode=fixed",
     "cacheblend ratio=0.3 mode=refcode", 0, 3},
    {"local heads lose something", "redknot head_map=all_local window=20", "dense", 0, 1},
    {"reused local K/V are not recomputed ones", "redknot head_map=all_local window=40",
     "redknot head_map=all_local window=40 local_refresh=all", 0, 1},
    {"sparse FFN changes the result",
     "redknot head_map=all_global ffn_share=0.05 dense_until=0 protect_recent=0", "dense", 0, 1},
    {"overlapping ids", "full_reuse positions=local", "full_reuse", 0, 1},
    {"the compile prefix matters", "full_reuse compile_prefix=none", "full_reuse", 0, 1},
    {"dropped tokens are gone", "tokdrop_redknot ratio=0.5", "dense", 0, 1},
};

static const char *const models[] = {"llama3", "qwen2", "qwen3", "smol", "mistral"};

static void methods_that_must_agree_do(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        rk_bench b;
        rk_bench_open(&b, models[m], "cpu", 21, chunks, 11);
        size_t vocab = (size_t)b.model->shape.vocab;
        float *x = malloc(vocab * sizeof *x), *y = malloc(vocab * sizeof *y);
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            if (b.model->shape.layers < pairs[i].layers)
                continue;
            rk_bench_run(&b, pairs[i].a, x, NULL, NULL);
            rk_bench_run(&b, pairs[i].b, y, NULL, NULL);
            double d = rk_bench_difference(x, y, vocab);
            if (pairs[i].equal ? d > 2e-5 : d < 1e-3)
                fail_msg("%s: %s: difference %.3g", models[m], pairs[i].what, d);
        }
        free(x);
        free(y);
        rk_bench_close(&b);
    }
}

/* One chunk at its compile position behind the same prefix: identity. */
static void reuse_at_the_same_place_is_exact(void **state)
{
    (void)state;
    const int32_t one[] = {100, 0};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 70, one, 9);
    size_t vocab = (size_t)b.model->shape.vocab;
    float *x = malloc(vocab * sizeof *x), *y = malloc(vocab * sizeof *y);
    rk_bench_run(&b, "full_reuse", x, NULL, NULL);
    rk_bench_run(&b, "dense", y, NULL, NULL);
    assert_true(rk_bench_difference(x, y, vocab) < 2e-5);
    free(x);
    free(y);
    rk_bench_close(&b);
}

static void counters_prove_reuse(void **state)
{
    (void)state;
    rk_bench b;
    rk_counters c;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    const int32_t context = 300, layers = b.model->shape.layers, heads = b.model->shape.kv_heads;
    rk_bench_run(&b, "redknot head_map=random:0.5:1 window=40", NULL, NULL, &c);
    assert_int_equal(c.reused_tokens, context + 21);
    assert_int_equal(c.projected_local_kv_rows_reused, 0);
    assert_int_equal(c.recomputed_tokens, context);
    /* half of the heads project every live row, the others the question's */
    assert_int_equal(c.projected_kv_rows,
                     layers * heads / 2 * (context + 11) + layers * heads / 2 * 11);
    assert_int_equal(c.projected_chunk_kv_rows, layers * heads / 2 * context);
    rk_bench_run(&b,
                 "redknot head_map=all_local window=40 local_refresh=chunk_start "
                 "refresh_tokens=8",
                 NULL, NULL, &c);
    assert_int_equal(c.projected_local_kv_rows_reused, layers * heads * (8 * 4 + 5));
    rk_bench_run(&b, "redknot head_map=all_local window=40 promote_above=0", NULL, NULL, &c);
    assert_int_equal(c.promoted_heads, layers * heads);
    rk_bench_run(&b, "epic k=16", NULL, NULL, &c);
    assert_int_equal(c.recomputed_tokens, 16 * 4 + 5);
    rk_bench_run(&b, "full_reuse", NULL, NULL, &c);
    assert_int_equal(c.recomputed_tokens, 0);
    assert_int_equal(c.projected_kv_rows, layers * heads * 11);
    rk_bench_run(&b, "cacheblend ratio=0.15", NULL, NULL, &c);
    assert_int_equal(c.recomputed_tokens, 45);
    assert_int_equal(c.ffn_tokens, (context + 11) + (layers - 1) * (45 + 11));
    /* layers up to and including the check layer are charged in full */
    assert_int_equal(c.projected_chunk_kv_rows, heads * (2 * context + (layers - 2) * 45));
    rk_bench_run(&b, "prophetkv ratio=0.2", NULL, NULL, &c);
    assert_int_equal(c.projected_chunk_kv_rows, heads * layers * 60);
    assert_int_equal(c.probed_kv_rows, heads * layers * 11); /* its query pass, apart */
    rk_bench_run(&b, "dense", NULL, NULL, &c);
    assert_int_equal(c.reused_tokens, 0);
    assert_int_equal(c.recomputed_tokens, context + 21);
    assert_int_equal(c.projected_chunk_kv_rows, layers * heads * context);
    assert_int_equal(c.fallbacks, 0);
    rk_bench_run(&b, "tokdrop_redknot ratio=0.5", NULL, NULL, &c);
    /* the prefix, half of the chunks' tokens, and the first four where not among them */
    assert_in_range(c.recomputed_tokens, 21 + 150, 21 + 150 + 4);
    rk_bench_close(&b);
}

/* Perturbing a late token must leave the rows before it alone, except under the
 * published bottom-right mask, which must show its leak. */
static void only_published_masks_leak(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int leaks;
    } cases[] = {{"dense", 0},
                 {"epic k=16", 0},
                 {"cacheblend ratio=1", 0},
                 {"redknot head_map=random:0.5:1 window=40", 0},
                 {"cacheblend ratio=0.5 mode=refcode", 1},
                 {"cacheblend ratio=0.5 mode=lmcache", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_bench b;
        rk_prefill_out before, after;
        rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
        rk_bench_run(&b, cases[i].method, NULL, &before, NULL);
        int32_t *id = (int32_t *)b.request.chunk[2].id;
        id[3] = (id[3] + 1) % b.model->shape.vocab;
        rk_bench_run(&b, cases[i].method, NULL, &after, NULL);
        double worst = 0;
        size_t vocab = (size_t)b.model->shape.vocab;
        int32_t changed = b.request.chunk[2].start + 3, k = 0;
        for (int32_t j = 0; j < before.rows && before.row_pos[j] < changed; j++) {
            while (k < after.rows && after.row_pos[k] < before.row_pos[j])
                k++;
            if (k >= after.rows || after.row_pos[k] != before.row_pos[j])
                continue;
            double d = rk_bench_difference(after.row_logits + (size_t)k * vocab,
                                           before.row_logits + (size_t)j * vocab, vocab);
            worst = d > worst ? d : worst;
        }
        if (cases[i].leaks ? worst < 1e-4 : worst > 2e-5)
            fail_msg("%s: earlier rows moved by %.3g", cases[i].method, worst);
        free(before.row_pos);
        free(before.row_logits);
        free(after.row_pos);
        free(after.row_logits);
        rk_bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_that_must_agree_do),
        cmocka_unit_test(reuse_at_the_same_place_is_exact),
        cmocka_unit_test(counters_prove_reuse),
        cmocka_unit_test(only_published_masks_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
