/* timeline.c - see timeline.h. */
#include "timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "engine_impl.h"

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != RK_OK)                                                                       \
            fail_msg("%s", err.text);                                                              \
    } while (0)

rk_session *rk_bench_open_session(rk_bench *b, const rk_method *m)
{
    rk_error err = {0};
    rk_session *s;
    double ms;
    int64_t built;
    MUST(rk_engine_build_states(b->e, m, &b->request, &ms, &built, &err));
    MUST(rk_session_open(&s, b->e, m, &err));
    return s;
}

static void keep_logits(rk_bench *b, const rk_session *s, rk_timeline *t, int step)
{
    size_t vocab = (size_t)b->model->shape.vocab;
    if (!t->logits)
        t->logits = rk_arena_take(b->arena, (RK_STEPS + 1) * vocab, sizeof *t->logits, NULL);
    if (rk_session_logits(s))
        memcpy(t->logits + (size_t)step * vocab, rk_session_logits(s), vocab * sizeof *t->logits);
}

void rk_bench_prefill(rk_bench *b, rk_session *s, rk_part part, rk_timeline *t)
{
    rk_error err = {0};
    rk_prefill_out out = {0};
    MUST(rk_session_prefill(s, &b->request, part, &out, &err));
    if (part == RK_PART_CONTEXT) {
        assert_int_equal(out.token, -1);
        return;
    }
    t->token[0] = out.token;
    keep_logits(b, s, t, 0);
}

void rk_bench_decode(rk_bench *b, rk_session *s, rk_timeline *t)
{
    rk_error err = {0};
    for (int i = 0; i < RK_STEPS; i++) {
        t->token[i + 1] = t->token[i];
        MUST(rk_engine_decode(b->e, &s, 1, &t->token[i + 1], &err));
        keep_logits(b, s, t, i + 1);
    }
}

void rk_bench_timeline(rk_bench *b, const char *method, rk_timeline *t)
{
    rk_method m = rk_bench_method(b, method);
    rk_session *s = rk_bench_open_session(b, &m);
    rk_bench_prefill(b, s, RK_PART_WHOLE, t);
    rk_bench_decode(b, s, t);
    rk_session_close(s);
}

void rk_bench_same(const rk_bench *b, const char *what, const rk_timeline *x, const rk_timeline *y)
{
    size_t vocab = (size_t)b->model->shape.vocab;
    for (int i = 0; i <= RK_STEPS; i++) {
        double d = rk_bench_difference(x->logits + (size_t)i * vocab, y->logits + (size_t)i * vocab,
                                       vocab);
        if (!(d <= 2e-5) || x->token[i] != y->token[i])
            fail_msg("%s: step %d: tokens %d and %d, difference %.3g", what, i, x->token[i],
                     y->token[i], d);
    }
}

int32_t rk_bench_leaked_pages(const rk_bench *b)
{
    rk_chunk_store_clear(b->e->store);
    int32_t left = rk_page_pool_used(b->e->pool);
    return left;
}
