/* probe.c - passes that a method asks for before layer 0; all charged to TTFT.
 *
 * QUERY: the question's rows over the reused context, as an ordinary suffix forward
 * (ProphetKV stage I). QUERY_ISOLATED: the same with the question attending to
 * itself alone. HIDDEN_DRIFT: the published stand-in's importance, a forward of
 * every chunk alone and one of the whole context. */
#include "engine_impl.h"

static rk_status query_pass(rk_step *step, rk_seq *q, rk_probe probe, rk_error *err)
{
    rk_seq own = *q;
    rk_step pass = {.e = step->e, .seq = &own, .seqs = 1, .probe = probe, .arena = step->arena};
    RK_TRY(rk_signal_clear(&pass, q, RK_SIGNAL_QUERY_MASS, err));
    own.signal[RK_SIGNAL_QUERY_MASS] = q->signal[RK_SIGNAL_QUERY_MASS];
    own.live_domains = RK_DOMAIN_QUESTION;
    own.writes_from = q->r->question.start;
    RK_TRY(rk_rows_begin(&pass, err));
    RK_TRY(rk_step_layers(&pass, err));
    q->loaded = 1; /* the stored K/V of every layer are in place */
    return RK_OK;
}

/* Final-norm hidden states of ids alone from position 0, in fresh backend memory. */
static rk_status hidden_of(rk_step *step, rk_session *s, rk_ids_span ids, float **out,
                           rk_error *err)
{
    rk_engine *e = step->e;
    int64_t width = e->model->shape.width;
    rk_request r = {.question = {ids.id, ids.n, 0}, .tokens = ids.n};
    rk_seq q = {.s = s,
                .r = &r,
                .part = RK_PART_WHOLE,
                .end = ids.n,
                .fresh = ids.n,
                .live_domains = RK_DOMAIN_PROMPT};
    rk_step pass = {
        .e = e, .seq = &q, .seqs = 1, .charge_probe = step->charge_probe, .arena = step->arena};
    q.layout.question_rope = 0;
    q.fresh_child[0] = rk_select_all(RK_DOMAIN_QUESTION);
    q.fresh_rule = (rk_select){.kind = RK_SELECT_UNION, .child = q.fresh_child, .children = 1};
    RK_TRY(rk_rows_begin(&pass, err));
    RK_TRY(rk_step_layers(&pass, err));
    void *memory;
    RK_TRY(e->ops->alloc(e->b, (size_t)(pass.x.rows * width) * sizeof(float), &memory, err));
    *out = memory;
    rk_tensor y = {*out, pass.x.rows, width};
    return e->ops->rms_norm(e->b, y, pass.x, e->model->final_norm, (int32_t)width,
                            e->model->shape.norm_eps, err);
}

static const rk_method_ops dense_ops = {.name = "probe", .title = "probe"};

static rk_status hidden(rk_step *step, rk_ids_span ids, float **out, rk_error *err)
{
    rk_method dense = {.ops = &dense_ops, .shape = &step->e->model->shape};
    rk_session *s;
    *out = NULL;
    RK_TRY(rk_session_open(&s, step->e, &dense, err));
    rk_status st = hidden_of(step, s, ids, out, err);
    rk_session_close(s);
    return st;
}

rk_status rk_engine_hidden(rk_engine *e, rk_ids_span ids, float **out, rk_error *err)
{
    rk_step step = {.e = e};
    RK_TRY(rk_arena_new(&step.arena, err));
    rk_status st = hidden(&step, ids, out, err);
    e->ops->phase(e->b, RK_PHASES);
    rk_arena_free(step.arena);
    return st;
}

/* |h(whole) - h(chunk alone)| of every token of one chunk, into the signal. */
static rk_status chunk_drift(rk_step *step, rk_seq *q, const rk_segment *chunk, const float *whole,
                             rk_error *err)
{
    rk_engine *e = step->e;
    int64_t width = e->model->shape.width;
    float *alone;
    rk_status st = hidden(step, (rk_ids_span){chunk->id, chunk->n}, &alone, err);
    if (st == RK_OK) {
        rk_tensor x = {(float *)(whole ? whole + chunk->start * width : NULL), chunk->n, width};
        rk_tensor y = {alone, chunk->n, width};
        int32_t *pos = rk_arena_take(step->arena, (size_t)chunk->n, sizeof *pos, err);
        st = pos ? rk_need_index(e, &e->work.sub[0], (size_t)chunk->n, err) : RK_E_MEMORY;
        for (int32_t i = 0; st == RK_OK && i < chunk->n; i++)
            pos[i] = chunk->start + i;
        if (st == RK_OK)
            st = e->ops->upload_index(e->b, e->work.sub[0].data, pos, (size_t)chunk->n, err);
        if (st == RK_OK)
            st = e->ops->row_norm(e->b, x, &y, e->work.sub[0].data,
                                  q->signal[RK_SIGNAL_HIDDEN_DRIFT], err);
    }
    e->ops->release(e->b, alone);
    return st;
}

static rk_status hidden_drift(rk_step *step, rk_seq *q, rk_error *err)
{
    rk_engine *e = step->e;
    const rk_request *r = q->r;
    int32_t n = r->question.start, *ids = rk_arena_take(step->arena, (size_t)n, sizeof *ids, err);
    float *whole;
    if (!ids)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < r->prefix.n; i++)
        ids[i] = r->prefix.id[i];
    for (int32_t c = 0; c < r->chunks; c++)
        for (int32_t i = 0; i < r->chunk[c].n; i++)
            ids[r->chunk[c].start + i] = r->chunk[c].id[i];
    RK_TRY(rk_signal_clear(step, q, RK_SIGNAL_HIDDEN_DRIFT, err));
    if (n == 0)
        return RK_OK;
    step->charge_probe = 1;
    rk_status st = hidden(step, (rk_ids_span){ids, n}, &whole, err);
    for (int32_t c = 0; st == RK_OK && c < r->chunks; c++)
        st = chunk_drift(step, q, &r->chunk[c], whole, err);
    e->ops->release(e->b, whole);
    step->charge_probe = 0;
    return st;
}

rk_status rk_probe_run(rk_step *step, rk_seq *q, rk_probe probe, rk_error *err)
{
    if (probe == RK_PROBE_HIDDEN_DRIFT)
        return hidden_drift(step, q, err);
    if (q->part != RK_PART_WHOLE)
        return rk_fail(err, RK_E_ARG, "a query probe needs the question");
    return query_pass(step, q, probe, err);
}
