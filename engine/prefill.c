/* prefill.c - the layer loop: ask the method, run the adapter, run the FFN.
 *
 * Layer by layer over all rows, because selection needs all rows of a layer. The
 * same loop runs probes, forks' questions, state building and decode steps; it
 * knows no method and no model by name. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine_impl.h"

rk_status rk_layout_plan(const rk_method *m, const rk_request *r, rk_arena *arena, rk_layout *out,
                         rk_error *err)
{
    size_t chunks = (size_t)r->chunks;
    *out = (rk_layout){.question_rope = r->question.start};
    out->reuse_chunk = rk_arena_take(arena, chunks, 1, err);
    out->rope_start = rk_arena_take(arena, chunks, sizeof *out->rope_start, err);
    if (!out->reuse_chunk || !out->rope_start)
        return RK_E_MEMORY;
    for (int32_t c = 0; c < r->chunks; c++)
        out->rope_start[c] = r->chunk[c].start;
    return m->ops->plan_request ? m->ops->plan_request(m, r, out, err) : RK_OK;
}

/* The rule for tokens without stored K/V. Chunks are reused from the first on. */
static rk_status find_fresh(rk_seq *q, rk_error *err)
{
    int32_t n = 0, reused = 0;
    if (!q->layout.reuse_question)
        q->fresh_child[n++] = rk_select_all(RK_DOMAIN_QUESTION);
    if (!q->layout.reuse_prefix)
        q->fresh_child[n++] = rk_select_all(RK_DOMAIN_PREFIX);
    while (reused < q->r->chunks && q->layout.reuse_chunk[reused])
        reused++;
    for (int32_t c = reused; c < q->r->chunks; c++)
        if (q->layout.reuse_chunk[c])
            return rk_fail(err, RK_E_UNSUPPORTED, "chunk %d is reused but chunk %d is not", c,
                           reused);
    if (reused < q->r->chunks) {
        q->fresh_child[n] = rk_select_all(RK_DOMAIN_CHUNKS);
        q->fresh_child[n++].from = q->r->chunk[reused].start;
    }
    q->fresh_rule = (rk_select){.kind = RK_SELECT_UNION, .child = q->fresh_child, .children = n};
    return RK_OK;
}

rk_status rk_seq_begin(rk_step *step, rk_seq *q, rk_error *err)
{
    size_t chunks = (size_t)q->r->chunks;
    RK_TRY(rk_layout_plan(q->s->method, q->r, step->arena, &q->layout, err));
    q->chunk_state = rk_arena_take(step->arena, chunks, sizeof *q->chunk_state, err);
    q->segment_used = rk_arena_take(step->arena, chunks + 2, 1, err);
    if (!q->chunk_state || !q->segment_used)
        return RK_E_MEMORY;
    q->live_domains = RK_DOMAIN_PROMPT;
    RK_TRY(find_fresh(q, err));
    switch (q->part) {
    case RK_PART_QUESTION:
        q->end = q->s->tokens + q->r->question.n;
        return RK_OK;
    case RK_PART_CONTEXT:
        q->end = q->r->question.start;
        break;
    case RK_PART_WHOLE:
        q->end = q->r->tokens;
        break;
    }
    return rk_find_states(step, q, err);
}

static rk_status default_plan(rk_step *step, rk_seq *q, int32_t layer, rk_error *err)
{
    const rk_model_shape *m = &step->e->model->shape;
    q->plan = (rk_layer_plan){.layer = layer,
                              .layers = m->layers,
                              .kv_heads = m->kv_heads,
                              .rows = rk_select_all(RK_DOMAIN_PROMPT),
                              .attend = rk_select_all(RK_DOMAIN_PROMPT),
                              .drift_k = 1,
                              .drift_v = 1,
                              .ffn = rk_select_all(RK_DOMAIN_PROMPT),
                              .mass = {.global_heads = 1},
                              .probe_rows = 64,
                              .arena = step->arena};
    size_t heads = (size_t)m->kv_heads;
    q->plan.head = rk_arena_take(step->arena, heads, sizeof *q->plan.head, err);
    q->plan.refresh = rk_arena_take(step->arena, heads, sizeof *q->plan.refresh, err);
    if (!q->plan.head || !q->plan.refresh)
        return RK_E_MEMORY;
    for (int32_t h = 0; h < m->kv_heads; h++) {
        q->plan.head[h].promote_above = 2;
        q->plan.refresh[h] = rk_select_all(RK_DOMAIN_PROMPT);
    }
    return RK_OK;
}

/* The method's plan for this layer. Rows that follow a finished context (a question,
 * a decoded token) all live; they meet the head rules that the context resolved. */
static rk_status plan_sequence(rk_step *step, rk_seq *q, int32_t layer, rk_error *err)
{
    int32_t kv_heads = step->e->model->shape.kv_heads;
    const rk_method *m = q->s->method;
    RK_TRY(default_plan(step, q, layer, err));
    if (q->part == RK_PART_QUESTION)
        return RK_OK;
    if (!step->probe && m->ops->plan_layer)
        RK_TRY(m->ops->plan_layer(m, q->r, &q->plan, err));
    memcpy(&q->s->rule[layer * kv_heads], q->plan.head, (size_t)kv_heads * sizeof *q->plan.head);
    return RK_OK;
}

/* Masked and paged attention do not mix in one call. */
static rk_status find_masked(rk_step *step, int32_t layer, rk_error *err)
{
    int32_t kv_heads = step->e->model->shape.kv_heads, masked = 0;
    for (int32_t s = 0; s < step->seqs; s++)
        for (int32_t h = 0; h < kv_heads; h++)
            masked += step->seq[s].s->rule[layer * kv_heads + h].masked;
    if (masked && masked != step->seqs * kv_heads)
        return rk_fail(err, RK_E_UNSUPPORTED, "masked and paged heads in one layer or step");
    step->masked = masked > 0;
    return RK_OK;
}

static rk_status check_finite(rk_step *step, int32_t layer, rk_error *err)
{
    int64_t bad;
    RK_TRY(step->e->ops->find_nonfinite(step->e->b, step->x, &bad, err));
    if (bad >= 0)
        return rk_fail(err, RK_E_NUMERIC, "%s: activations of layer %d are not finite (row %lld)",
                       step->e->model->name, layer, (long long)bad);
    return RK_OK;
}

rk_status rk_step_layers(rk_step *step, rk_error *err)
{
    int changed;
    for (int32_t layer = 0; layer < step->e->model->shape.layers; layer++) {
        for (int32_t s = 0; s < step->seqs; s++)
            RK_TRY(plan_sequence(step, &step->seq[s], layer, err));
        RK_TRY(find_masked(step, layer, err));
        rk_step_phase(step, RK_PHASE_SELECT);
        RK_TRY(rk_rows_keep(step, 0, &changed, err));
        if (layer == 0) {
            rk_step_phase(step, RK_PHASE_LOOKUP);
            RK_TRY(rk_rows_embed(step, err));
        }
        RK_TRY(rk_gqa_execute(step, layer, err));
        if (step->rows.n > 0)
            RK_TRY(rk_ffn_execute(step, layer, err));
        RK_TRY(check_finite(step, layer, err));
    }
    return RK_OK;
}

rk_status rk_step_logits(rk_step *step, rk_tensor x, rk_tensor *logits, rk_error *err)
{
    rk_engine *e = step->e;
    const rk_model_shape *m = &e->model->shape;
    rk_tensor normed;
    rk_phase phase = rk_step_phase(step, RK_PHASE_HEAD);
    RK_TRY(rk_need_tensor(e, &e->work.xn, x.rows, m->width, &normed, err));
    RK_TRY(rk_need_tensor(e, &e->work.logits, x.rows, m->vocab, logits, err));
    RK_TRY(e->ops->rms_norm(e->b, normed, x, e->model->final_norm, m->width, m->norm_eps, err));
    return e->ops->matmul(e->b, *logits, normed, &e->model->head, NULL, phase, err);
}

/* Logits of each sequence's last row to its session, and the greedy token. */
rk_status rk_step_last_logits(rk_step *step, int32_t *token, rk_error *err)
{
    rk_engine *e = step->e;
    rk_tensor x, logits;
    int32_t *last = rk_arena_take(step->arena, (size_t)step->seqs, sizeof *last, err);
    if (!last)
        return RK_E_MEMORY;
    for (int32_t s = 0; s < step->seqs; s++)
        last[s] = step->seq[s].first + step->seq[s].n - 1;
    size_t n = (size_t)step->seqs;
    RK_TRY(rk_need_index(e, &e->work.select, n, err));
    RK_TRY(e->ops->upload_index(e->b, e->work.select.data, last, n, err));
    RK_TRY(rk_need_tensor(e, &e->work.gather, step->seqs, step->x.cols, &x, err));
    RK_TRY(e->ops->rows_gather(e->b, x, step->x, e->work.select.data, err));
    RK_TRY(rk_step_logits(step, x, &logits, err));
    int64_t bad;
    RK_TRY(e->ops->find_nonfinite(e->b, logits, &bad, err));
    if (bad >= 0)
        return rk_fail(err, RK_E_NUMERIC, "%s: logits are not finite (sequence %lld)",
                       e->model->name, (long long)bad);
    RK_TRY(e->ops->argmax(e->b, logits, token, err));
    for (int32_t s = 0; s < step->seqs; s++)
        RK_TRY(e->ops->download(e->b, step->seq[s].s->logits, rk_tensor_rows(logits, s, 1).data,
                                (size_t)logits.cols, err));
    return RK_OK;
}

/* Logits of every live row, for comparing engines. */
static rk_status all_logits(rk_step *step, rk_prefill_out *out, rk_error *err)
{
    rk_engine *e = step->e;
    rk_tensor logits;
    size_t n = (size_t)step->rows.n, vocab = (size_t)e->model->shape.vocab;
    out->rows = step->rows.n;
    out->row_pos = rk_heap_take(n, sizeof *out->row_pos, err);
    out->row_logits = e->ops->has_values ? rk_heap_take(n * vocab, sizeof(float), err) : NULL;
    if (!out->row_pos || (e->ops->has_values && !out->row_logits))
        return RK_E_MEMORY;
    RK_TRY(e->ops->download_index(e->b, out->row_pos, step->rows.pos, n, err));
    RK_TRY(rk_step_logits(step, step->x, &logits, err));
    return e->ops->download(e->b, out->row_logits, logits.data, n * vocab, err);
}

/* What was reused and what was recomputed, once the last layer is done. */
static rk_status count_tokens(rk_step *step, rk_seq *q, rk_error *err)
{
    rk_counters *c = step->e->ops->counters(step->e->b);
    if (q->part == RK_PART_QUESTION)
        return RK_OK;
    for (int32_t i = 0; i < q->r->chunks; i++)
        c->reused_tokens += q->segment_used[i] ? (uint64_t)q->r->chunk[i].n : 0;
    c->reused_tokens += q->segment_used[q->r->chunks] ? (uint64_t)q->r->prefix.n : 0;
    rk_select context = rk_select_all(RK_DOMAIN_CONTEXT);
    int32_t live = 0;
    if (q->layout.compact) {
        live = q->n - (q->part == RK_PART_WHOLE ? q->r->question.n : 0);
    } else if (q->n > 0) {
        RK_TRY(rk_need_index(step->e, &step->e->work.refresh, (size_t)q->n, err));
        RK_TRY(rk_rows_resolve(step, q, &context, step->e->work.refresh.data, &live, err));
    }
    c->recomputed_tokens += (uint64_t)live;
    return RK_OK;
}

static void advance_session(rk_seq *q)
{
    rk_session *s = q->s;
    int32_t grown = q->end - s->tokens;
    if (q->part == RK_PART_QUESTION)
        s->next_rope += grown;
    else if (q->layout.compact)
        s->next_rope = q->end;
    else
        s->next_rope = q->layout.question_rope + (q->part == RK_PART_WHOLE ? q->r->question.n : 0);
    s->tokens = q->end;
}

static rk_status run_probes(rk_step *step, rk_error *err)
{
    for (int32_t i = 0; i < step->seqs; i++) {
        rk_seq *q = &step->seq[i];
        const rk_method_ops *ops = q->s->method->ops;
        rk_probe probe = ops->probe ? ops->probe(q->s->method) : RK_PROBE_NONE;
        if (probe != RK_PROBE_NONE && q->part != RK_PART_QUESTION)
            RK_TRY(rk_probe_run(step, q, probe, err));
    }
    return RK_OK;
}

static rk_status run_step(rk_step *step, int32_t *token, rk_prefill_out *out, rk_error *err)
{
    rk_step_phase(step, RK_PHASE_LOOKUP);
    for (int32_t s = 0; s < step->seqs; s++)
        RK_TRY(rk_seq_begin(step, &step->seq[s], err));
    RK_TRY(run_probes(step, err));
    RK_TRY(rk_rows_begin(step, err));
    RK_TRY(rk_step_layers(step, err));
    for (int32_t s = 0; s < step->seqs; s++) {
        RK_TRY(count_tokens(step, &step->seq[s], err));
        advance_session(&step->seq[s]);
        if (step->seq[s].part == RK_PART_CONTEXT)
            return RK_OK;
    }
    if (out && out->all_rows)
        RK_TRY(all_logits(step, out, err));
    return token ? rk_step_last_logits(step, token, err) : RK_OK;
}

static rk_status check_part(const rk_session *s, rk_part part, rk_error *err)
{
    if (part == RK_PART_QUESTION && s->tokens == 0)
        return rk_fail(err, RK_E_ARG, "the session holds no context for the question");
    if (part != RK_PART_QUESTION && s->tokens != 0)
        return rk_fail(err, RK_E_ARG, "the session is not fresh: it holds %d tokens", s->tokens);
    if (part == RK_PART_CONTEXT && s->method->ops->depends_on_question &&
        s->method->ops->depends_on_question(s->method))
        return rk_fail(err, RK_E_ARG, "%s looks at the question: its context cannot be shared",
                       s->method->ops->name);
    return RK_OK;
}

static rk_status run_sequences(rk_engine *e, rk_session *const *sessions,
                               const rk_request *const *requests, int32_t n, rk_part part,
                               int32_t *token, rk_prefill_out *out, rk_error *err)
{
    rk_step step = {.e = e, .seqs = n};
    RK_TRY(rk_arena_new(&step.arena, err));
    rk_status st = RK_OK;
    step.seq = rk_arena_take(step.arena, (size_t)n, sizeof *step.seq, err);
    if (!step.seq)
        st = RK_E_MEMORY;
    for (int32_t i = 0; i < n && st == RK_OK; i++) {
        step.seq[i] = (rk_seq){.s = sessions[i], .r = requests[i], .part = part};
        st = check_part(sessions[i], part, err);
    }
    if (st == RK_OK)
        st = run_step(&step, token, out, err);
    e->ops->phase(e->b, RK_PHASES);
    for (int32_t i = 0; step.seq && i < n; i++)
        for (int k = 0; k < RK_SIGNALS; k++)
            e->ops->release(e->b, step.seq[i].signal[k]);
    rk_arena_free(step.arena);
    return st;
}

rk_status rk_session_advance(rk_session *s, const rk_request *r, rk_part part, rk_error *err)
{
    return run_sequences(s->e, &s, &r, 1, part, NULL, NULL, err);
}

rk_status rk_session_prefill(rk_session *s, const rk_request *r, rk_part part, rk_prefill_out *out,
                             rk_error *err)
{
    rk_prefill_out ignored = {0};
    out = out ? out : &ignored;
    if (out->report) {
        RK_TRY(rk_engine_take_report(s->e, out->report, err)); /* forgets what came before */
    }
    int64_t start = rk_clock_ns();
    out->token = -1;
    RK_TRY(run_sequences(s->e, &s, &r, 1, part, part == RK_PART_CONTEXT ? NULL : &out->token, out,
                         err));
    double ms = (double)(rk_clock_ns() - start) * 1e-6;
    if (out->report) {
        RK_TRY(rk_engine_take_report(s->e, out->report, err));
        out->report->total_ms = ms;
        out->report->kv_bytes = rk_session_kv_bytes(s);
    }
    return RK_OK;
}

rk_status rk_engine_prefill(rk_engine *e, rk_session *const *sessions,
                            const rk_request *const *requests, int32_t n, rk_error *err)
{
    int32_t *token = rk_heap_take((size_t)n, sizeof *token, err);
    if (!token)
        return RK_E_MEMORY;
    rk_status st = run_sequences(e, sessions, requests, n, RK_PART_WHOLE, token, NULL, err);
    free(token);
    return st;
}
