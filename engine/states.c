/* states.c - building and finding the stored states of a request's segments. */
#include "base/clock.h"
#include "engine_impl.h"

static const rk_compile *compile_of(const rk_method *m)
{
    return m->ops->flags & RK_METHOD_REUSES ? m->config : NULL;
}

rk_status rk_compile_ids(const rk_engine *e, const rk_method *m, const rk_request *r,
                         rk_arena *arena, rk_ids_span *out, rk_error *err)
{
    const rk_compile *c = compile_of(m);
    rk_compile_prefix kind = c ? (rk_compile_prefix)c->prefix : RK_COMPILE_SYSPREFIX;
    *out = (rk_ids_span){NULL, 0};
    if (kind == RK_COMPILE_NONE || kind == RK_COMPILE_BOS_KEEP)
        return RK_OK; /* with bos_keep the BOS is the chunk's own first token */
    if (kind == RK_COMPILE_SYSPREFIX) {
        *out = (rk_ids_span){r->prefix.id, r->prefix.n};
        return RK_OK;
    }
    if (e->model->bos_id < 0)
        return rk_fail(err, RK_E_UNSUPPORTED, "compile_prefix: %s has no BOS token",
                       e->model->name);
    int32_t n = kind == RK_COMPILE_SINK_DROP ? (int32_t)c->dummies + 1 : 1;
    int32_t *id = rk_arena_take(arena, (size_t)n, sizeof *id, err);
    if (!id)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < n; i++)
        id[i] = e->model->bos_id;
    *out = (rk_ids_span){id, n};
    return RK_OK;
}

static rk_status find_one(rk_step *step, const rk_seq *q, const rk_segment *segment,
                          rk_ids_span compile, const char *what, int32_t index,
                          const rk_chunk_state **out, rk_error *err)
{
    *out = rk_chunk_store_find(step->e->store, compile, (rk_ids_span){segment->id, segment->n});
    if (!*out)
        return rk_fail(err, RK_E_ARG, "%s: the state of %s %d (%d tokens) is not in the store",
                       q->s->method->ops->name, what, index, segment->n);
    return RK_OK;
}

rk_status rk_find_states(rk_step *step, rk_seq *q, rk_error *err)
{
    rk_ids_span compile;
    RK_TRY(rk_compile_ids(step->e, q->s->method, q->r, step->arena, &compile, err));
    if (q->layout.reuse_prefix && q->r->prefix.n > 0)
        RK_TRY(find_one(step, q, &q->r->prefix, (rk_ids_span){NULL, 0}, "prefix", 0,
                        &q->prefix_state, err));
    for (int32_t c = 0; c < q->r->chunks; c++)
        if (q->layout.reuse_chunk[c])
            RK_TRY(
                find_one(step, q, &q->r->chunk[c], compile, "chunk", c, &q->chunk_state[c], err));
    if (q->layout.reuse_question)
        RK_TRY(find_one(step, q, &q->r->question, compile, "question", 0, &q->question_state, err));
    return RK_OK;
}

/* Every default: dense prefill. What states are built with. */
static const rk_method_ops plain_ops = {.name = "plain", .title = "plain"};

typedef struct builder {
    rk_engine *e;
    const rk_method *plain;
    rk_session *behind; /* holds the compile prefix; NULL until needed */
    rk_ids_span compile;
    int64_t built;
    double offline_ms;
} builder;

static rk_status run_alone(rk_session *s, rk_ids_span ids, rk_part part, rk_error *err)
{
    rk_request r = {.question = {ids.id, ids.n, 0}, .tokens = ids.n};
    return rk_session_advance(s, &r, part, err);
}

static rk_status build_one(builder *b, const rk_segment *segment, rk_ids_span compile,
                           rk_error *err)
{
    rk_ids_span ids = {segment->id, segment->n};
    rk_session *s = NULL;
    if (segment->n == 0 || rk_chunk_store_find(b->e->store, compile, ids))
        return RK_OK;
    if (compile.n > 0 && !b->behind) {
        RK_TRY(rk_session_open(&b->behind, b->e, b->plain, err));
        RK_TRY(run_alone(b->behind, compile, RK_PART_WHOLE, err));
    }
    int64_t start = rk_clock_ns(); /* running the compile prefix is the prefix state's cost */
    rk_status st = compile.n > 0 ? rk_session_fork(&s, b->behind, err)
                                 : rk_session_open(&s, b->e, b->plain, err);
    if (st == RK_OK)
        st = run_alone(s, ids, compile.n > 0 ? RK_PART_QUESTION : RK_PART_WHOLE, err);
    if (st == RK_OK)
        st = rk_chunk_store_add(b->e->store, compile, ids, s->table,
                                (double)(rk_clock_ns() - start) * 1e-6, err);
    if (st == RK_OK)
        b->built += segment->n;
    rk_session_close(s);
    return st;
}

/* Calls `each` for every segment that the method's layout takes from the store. */
static rk_status for_each_state(builder *b, const rk_method *method, const rk_request *r,
                                rk_arena *arena,
                                rk_status (*each)(builder *b, const rk_segment *segment,
                                                  rk_ids_span compile, rk_error *err),
                                rk_error *err)
{
    rk_layout layout = {0};
    RK_TRY(rk_layout_plan(method, r, arena, &layout, err));
    RK_TRY(rk_compile_ids(b->e, method, r, arena, &b->compile, err));
    if (layout.reuse_prefix)
        RK_TRY(each(b, &r->prefix, (rk_ids_span){NULL, 0}, err));
    for (int32_t c = 0; c < r->chunks; c++)
        if (layout.reuse_chunk[c])
            RK_TRY(each(b, &r->chunk[c], b->compile, err));
    if (layout.reuse_question)
        RK_TRY(each(b, &r->question, b->compile, err));
    return RK_OK;
}

static rk_status add_build_ms(builder *b, const rk_segment *segment, rk_ids_span compile,
                              rk_error *err)
{
    (void)err;
    const rk_chunk_state *s =
        rk_chunk_store_find(b->e->store, compile, (rk_ids_span){segment->id, segment->n});
    b->offline_ms += s ? s->build_ms : 0;
    return RK_OK;
}

rk_status rk_engine_offline_ms(rk_engine *e, const rk_method *method, const rk_request *r,
                               double *ms, rk_error *err)
{
    rk_arena *arena;
    RK_TRY(rk_arena_new(&arena, err));
    builder b = {.e = e};
    rk_status st = for_each_state(&b, method, r, arena, add_build_ms, err);
    rk_arena_free(arena);
    *ms = b.offline_ms;
    return st;
}

rk_status rk_engine_build_states(rk_engine *e, const rk_method *method, const rk_request *r,
                                 double *ms, int64_t *built, rk_error *err)
{
    rk_arena *arena;
    RK_TRY(rk_arena_new(&arena, err));
    rk_method plain = {.ops = &plain_ops, .shape = &e->model->shape};
    builder b = {.e = e, .plain = &plain};
    int64_t start = rk_clock_ns();
    rk_status st = for_each_state(&b, method, r, arena, build_one, err);
    rk_session_close(b.behind);
    rk_arena_free(arena);
    *ms = (double)(rk_clock_ns() - start) * 1e-6;
    *built = b.built;
    return st;
}

void rk_engine_forget_states(rk_engine *e)
{
    rk_chunk_store_clear(e->store);
}

size_t rk_engine_state_bytes(const rk_engine *e)
{
    return (size_t)rk_chunk_store_pages(e->store) * rk_page_pool_page_bytes(e->pool);
}
