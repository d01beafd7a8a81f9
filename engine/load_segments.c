/* load_segments.c - stored K/V of reused segments to the pages of a session.
 *
 * At an equal offset whole pages are shared as they are; everything else is
 * written by one rotation of p_on - p_off from the stored bytes (paper 4.2).
 * Heads that recompute every token of a segment take nothing. */
#include <string.h>

#include "engine_impl.h"

typedef struct segment_load {
    rk_step *step;
    rk_seq *q;
    int32_t layer;
    const rk_segment *segment;
    const rk_chunk_state *state;
    int32_t rope_start;  /* rotary position of the segment's first token */
    const uint8_t *head; /* [G] 1 = this head needs it */
} segment_load;

/* Physical pages of the state for one (layer, head). */
static const int32_t *state_pages(const segment_load *l, int32_t head)
{
    int32_t kv_heads = l->step->e->model->shape.kv_heads;
    return l->state->page + ((int64_t)l->layer * kv_heads + head) * l->state->pages;
}

/* Shares the pages that lie wholly inside the segment; what is left at both ends
 * is [start, *head_end) and [*tail_start, end). */
static rk_status share_whole_pages(const segment_load *l, int32_t *head_end, int32_t *tail_start,
                                   rk_error *err)
{
    int32_t start = l->segment->start, end = start + l->segment->n;
    int32_t first = (start + RK_PAGE_TOKENS - 1) / RK_PAGE_TOKENS, last = end / RK_PAGE_TOKENS;
    *head_end = end;
    *tail_start = end;
    if (first >= last)
        return RK_OK;
    for (int32_t h = 0; h < l->step->e->model->shape.kv_heads; h++)
        for (int32_t v = first; v < last && l->head[h]; v++)
            RK_TRY(rk_page_table_share(l->q->s->table, l->layer, h, v,
                                       state_pages(l, h)[v - l->state->first_page], err));
    *head_end = first * RK_PAGE_TOKENS;
    *tail_start = last * RK_PAGE_TOKENS;
    return RK_OK;
}

/* Tokens [from, to) of the prompt, copied and rotated. */
static rk_status copy_range(const segment_load *l, int32_t from, int32_t to, rk_error *err)
{
    if (from >= to)
        return RK_OK;
    rk_engine *e = l->step->e;
    rk_page_table *table = l->q->s->table;
    int32_t kv_heads = e->model->shape.kv_heads, skipped = from - l->segment->start;
    RK_TRY(rk_page_table_make_writable(table, l->layer, l->head, from, to, err));
    size_t count = (size_t)kv_heads * (size_t)l->state->pages;
    RK_TRY(rk_need_index(e, &e->work.source, count, err));
    RK_TRY(e->ops->upload_index(e->b, e->work.source.data, state_pages(l, 0), count, err));
    size_t entries = (size_t)kv_heads * (size_t)rk_page_table_stride(table);
    RK_TRY(rk_need_index(e, &e->work.page_table, entries, err));
    RK_TRY(e->ops->upload_index(e->b, e->work.page_table.data, rk_page_table_layer(table, l->layer),
                                entries, err));
    rk_relocate r = {
        .source = e->work.source.data,
        .source_stride = l->state->pages,
        .source_start = l->state->offset + skipped - l->state->first_page * RK_PAGE_TOKENS,
        .target = e->work.page_table.data,
        .target_stride = rk_page_table_stride(table),
        .target_start = from,
        .tokens = to - from,
        .heads = kv_heads,
        .head = l->head,
        .shift = l->rope_start - l->state->offset,
        .pool = rk_page_pool_memory(e->pool),
        .head_dim = e->model->shape.head_dim,
        .rotation = e->rotation,
    };
    return e->ops->relocate(e->b, &r, err);
}

static rk_status load_one(const segment_load *l, rk_error *err)
{
    int32_t start = l->segment->start, end = start + l->segment->n;
    int in_place = l->rope_start == l->state->offset && start == l->state->offset;
    if (!in_place)
        return copy_range(l, start, end, err);
    int32_t head_end, tail_start;
    RK_TRY(share_whole_pages(l, &head_end, &tail_start, err));
    RK_TRY(copy_range(l, start, head_end, err));
    return copy_range(l, tail_start, end, err);
}

/* Which heads read stored K/V of this segment in this layer; 0 when none does. */
static int heads_needed(const rk_seq *q, const rk_segment *segment, int32_t domain, uint8_t *head)
{
    int drift = (rk_select_signals(&q->plan.attend) >> RK_SIGNAL_KV_DRIFT & 1) != 0;
    int all_live = (q->live_domains & domain) && segment->start >= q->live_from;
    int any = 0;
    for (int32_t h = 0; h < q->plan.kv_heads; h++) {
        head[h] = drift || !all_live || !rk_select_is_all(&q->plan.refresh[h]);
        any |= head[h];
    }
    return any;
}

static rk_status load_segment(rk_step *step, rk_seq *q, int32_t layer, const rk_segment *segment,
                              const rk_chunk_state *state, int32_t domain, int32_t rope_start,
                              int32_t used_index, rk_error *err)
{
    uint8_t *head = rk_arena_take(step->arena, (size_t)q->plan.kv_heads, 1, err);
    if (!head)
        return RK_E_MEMORY;
    if (!state || segment->n == 0 || !heads_needed(q, segment, domain, head))
        return RK_OK;
    q->segment_used[used_index] = 1;
    segment_load l = {step, q, layer, segment, state, rope_start, head};
    return load_one(&l, err);
}

rk_status rk_load_segments(rk_step *step, rk_seq *q, int32_t layer, rk_error *err)
{
    if (!q->r || q->part == RK_PART_QUESTION || q->loaded)
        return RK_OK;
    rk_step_phase(step, RK_PHASE_RELOCATE);
    const rk_request *r = q->r;
    RK_TRY(load_segment(step, q, layer, &r->prefix, q->prefix_state, RK_DOMAIN_PREFIX, 0, r->chunks,
                        err));
    for (int32_t c = 0; c < r->chunks; c++)
        RK_TRY(load_segment(step, q, layer, &r->chunk[c], q->chunk_state[c], RK_DOMAIN_CHUNKS,
                            q->layout.rope_start[c], c, err));
    if (q->part == RK_PART_WHOLE)
        RK_TRY(load_segment(step, q, layer, &r->question, q->question_state, RK_DOMAIN_QUESTION,
                            q->layout.question_rope, r->chunks + 1, err));
    return RK_OK;
}
