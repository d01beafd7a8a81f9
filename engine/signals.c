/* signals.c - what rules read: attention mass, output norms, drift; by position.
 *
 * A signal is measured only when a plan's rule names it. */
#include <string.h>

#include "engine_impl.h"

rk_status rk_signal_clear(rk_step *step, rk_seq *q, rk_signal which, rk_error *err)
{
    rk_engine *e = step->e;
    size_t n = (size_t)q->r->tokens;
    if (!q->signal[which]) {
        void *memory;
        RK_TRY(e->ops->alloc(e->b, n * sizeof(float), &memory, err));
        q->signal[which] = memory;
    }
    return e->ops->fill(e->b, q->signal[which], n, 0, err);
}

/* Mass of the question's probe pass: softmax over the chunk tokens alone, mean over
 * layers, heads and rows (ProphetKV, arXiv 2602.02579, stages I and II). */
static rk_status query_mass(rk_step *step, rk_seq *q, const rk_attend *a, rk_error *err)
{
    const rk_model_shape *m = &step->e->model->shape;
    uint8_t *every = rk_arena_take(step->arena, (size_t)m->kv_heads, 1, err);
    if (!every)
        return RK_E_MEMORY;
    memset(every, 1, (size_t)m->kv_heads);
    rk_attend whole = *a;
    whole.key_from = 0; /* an isolated question still scores the context */
    rk_mass mass = {
        .attend = &whole,
        .row_first = q->first,
        .row_count = q->n,
        .kv_head = every,
        .from = q->r->prefix.n,
        .to = q->r->question.start,
        .normalise_range = 1,
        .weight = 1.0f / ((float)m->layers * (float)m->heads * (float)(q->n ? q->n : 1)),
        .mass = q->signal[RK_SIGNAL_QUERY_MASS],
    };
    return step->e->ops->mass(step->e->b, &mass, err);
}

/* KV heads whose queries count: the global ones of this layer, or all. */
static int sending_heads(const rk_step *step, const rk_seq *q, uint8_t *head)
{
    int32_t kv_heads = step->e->model->shape.kv_heads, any = 0;
    const rk_head_rule *rule = &q->s->rule[q->plan.layer * kv_heads];
    for (int32_t h = 0; h < kv_heads; h++) {
        head[h] = !q->plan.mass.global_heads || rule[h].window == 0;
        any |= head[h];
    }
    return any;
}

/* A layer without a global head keeps the signal of the nearest earlier one; before
 * any, all heads count. */
static rk_status token_mass(rk_step *step, rk_seq *q, const rk_attend *a, rk_error *err)
{
    int32_t kv_heads = step->e->model->shape.kv_heads, rows = q->plan.mass.last_rows;
    uint8_t *head = rk_arena_take(step->arena, (size_t)kv_heads, 1, err);
    if (!head)
        return RK_E_MEMORY;
    if (!sending_heads(step, q, head)) {
        if (q->mass_measured)
            return RK_OK;
        memset(head, 1, (size_t)kv_heads);
    } else {
        q->mass_measured = 1;
    }
    if (rows == 0)
        rows = q->r->question.n;
    if (rows < 0 || rows > q->n)
        rows = q->n;
    RK_TRY(rk_signal_clear(step, q, RK_SIGNAL_TOKEN_MASS, err));
    rk_mass mass = {
        .attend = a,
        .row_first = q->first + q->n - rows,
        .row_count = rows,
        .kv_head = head,
        .from = 0,
        .to = q->end,
        .weight = 1,
        .mass = q->signal[RK_SIGNAL_TOKEN_MASS],
    };
    return step->e->ops->mass(step->e->b, &mass, err);
}

rk_status rk_signals_after_attention(rk_step *step, rk_seq *q, const rk_attend *a, rk_error *err)
{
    if (!q->r)
        return RK_OK;
    rk_step_phase(step, RK_PHASE_SELECT);
    if (step->probe)
        return query_mass(step, q, a, err);
    uint32_t wanted = rk_select_signals(&q->plan.ffn);
    if ((wanted >> RK_SIGNAL_TOKEN_MASS & 1) || q->plan.mass.measure)
        RK_TRY(token_mass(step, q, a, err));
    if (wanted >> RK_SIGNAL_OUTPUT_NORM & 1) {
        RK_TRY(rk_signal_clear(step, q, RK_SIGNAL_OUTPUT_NORM, err));
        RK_TRY(step->e->ops->row_norm(step->e->b, rk_tensor_rows(a->out, q->first, q->n), NULL,
                                      step->rows.pos + q->first, q->signal[RK_SIGNAL_OUTPUT_NORM],
                                      err));
    }
    return RK_OK;
}
