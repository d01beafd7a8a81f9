/* gqa.c - one layer of grouped-query attention with explicit K/V pages (paper 4.2, 4.3).
 *
 * Order: stored K/V in place; Q for every row; K and V for what each head
 * refreshes; drift and the rows that attend; elastic restore; attention; output
 * projection; signals. A local head of a reused chunk projects nothing, and the
 * counters show it. */
#include <string.h>

#include "engine_impl.h"

typedef struct layer_run {
    rk_step *step;
    rk_engine *e;
    const rk_layer_weights *w;
    int32_t layer;
    rk_tensor xn, q;
} layer_run;

/* Rows of a projection: step row numbers, or a contiguous range when row is NULL. */
typedef struct row_range {
    const int32_t *row;
    int32_t first, n;
} row_range;

static rk_status norm_input(layer_run *l, rk_error *err)
{
    rk_step *step = l->step;
    RK_TRY(rk_need_tensor(l->e, &l->e->work.xn, step->rows.n, step->x.cols, &l->xn, err));
    return l->e->ops->rms_norm(l->e->b, l->xn, step->x, l->w->attn_norm, (int32_t)step->x.cols,
                               l->e->model->shape.norm_eps, err);
}

/* y = heads of x W^T + bias, normed and rotated where the family does so. */
static rk_status project(const layer_run *l, rk_tensor y, rk_tensor x, rk_weight w,
                         const float *bias, const float *norm, const rk_tensor *table,
                         rk_error *err)
{
    const rk_model_shape *m = &l->e->model->shape;
    RK_TRY(
        l->e->ops->matmul(l->e->b, y, x, &w, bias, rk_step_phase(l->step, RK_PHASE_PROJECT), err));
    if (norm)
        RK_TRY(l->e->ops->rms_norm(l->e->b, y, y, norm, m->head_dim, m->norm_eps, err));
    return table ? l->e->ops->rope(l->e->b, y, m->head_dim, *table, err) : RK_OK;
}

static rk_status project_queries(layer_run *l, rk_error *err)
{
    const rk_model_shape *m = &l->e->model->shape;
    RK_TRY(rk_need_tensor(l->e, &l->e->work.q, l->step->rows.n, (int64_t)m->heads * m->head_dim,
                          &l->q, err));
    return project(l, l->q, l->xn, l->w->wq, l->w->bq, l->w->q_norm, &l->step->table, err);
}

/* K and V of KV heads [first, first + heads) for the rows of `range`. */
static rk_status project_kv(const layer_run *l, row_range range, int32_t first, int32_t heads,
                            rk_tensor *k, rk_tensor *v, rk_error *err)
{
    rk_engine *e = l->e;
    const rk_layer_weights *w = l->w;
    int64_t d = e->model->shape.head_dim, from = first * d, width = heads * d;
    rk_tensor x = rk_tensor_rows(l->xn, range.first, range.n);
    rk_tensor table = rk_tensor_rows(l->step->table, range.first, range.n);
    if (range.row) {
        RK_TRY(rk_need_tensor(e, &e->work.gather, range.n, l->xn.cols, &x, err));
        RK_TRY(rk_need_tensor(e, &e->work.gather_table, range.n, l->step->table.cols, &table, err));
        RK_TRY(e->ops->rows_gather(e->b, x, l->xn, range.row, err));
        RK_TRY(e->ops->rows_gather(e->b, table, l->step->table, range.row, err));
    }
    RK_TRY(rk_need_tensor(e, &e->work.k, range.n, width, k, err));
    RK_TRY(rk_need_tensor(e, &e->work.v, range.n, width, v, err));
    RK_TRY(project(l, *k, x, rk_weight_rows(&w->wk, from, width), w->bk ? w->bk + from : NULL,
                   w->k_norm, &table, err));
    return project(l, *v, x, rk_weight_rows(&w->wv, from, width), w->bv ? w->bv + from : NULL, NULL,
                   NULL, err);
}

/* The page tables of all sequences for this layer, side by side. */
static rk_status layer_pages(const layer_run *l, rk_pages *out, rk_error *err)
{
    rk_engine *e = l->e;
    const rk_model_shape *m = &e->model->shape;
    int32_t stride = 1;
    for (int32_t s = 0; s < l->step->seqs; s++) {
        int32_t own = rk_page_table_stride(l->step->seq[s].s->table);
        stride = own > stride ? own : stride;
    }
    size_t each = (size_t)m->kv_heads * (size_t)stride, total = each * (size_t)l->step->seqs;
    int32_t *host = rk_arena_take(l->step->arena, total, sizeof *host, err);
    if (!host)
        return RK_E_MEMORY;
    for (size_t i = 0; i < total; i++)
        host[i] = -1;
    for (int32_t s = 0; s < l->step->seqs; s++) {
        const rk_page_table *t = l->step->seq[s].s->table;
        int32_t own = rk_page_table_stride(t);
        for (int32_t h = 0; h < m->kv_heads && own; h++)
            memcpy(host + (size_t)s * each + (size_t)h * (size_t)stride,
                   rk_page_table_layer(t, l->layer) + (size_t)h * (size_t)own,
                   (size_t)own * sizeof *host);
    }
    RK_TRY(rk_need_index(e, &e->work.page_table, total, err));
    RK_TRY(e->ops->upload_index(e->b, e->work.page_table.data, host, total, err));
    *out = (rk_pages){.pool = rk_page_pool_memory(e->pool),
                      .table = e->work.page_table.data,
                      .stride = stride,
                      .sequences = l->step->seqs,
                      .kv_heads = m->kv_heads,
                      .head_dim = m->head_dim};
    return RK_OK;
}

static rk_status layer_views(const layer_run *l, rk_views *out, rk_error *err)
{
    rk_engine *e = l->e;
    int32_t kv_heads = e->model->shape.kv_heads;
    size_t n = (size_t)l->step->seqs * (size_t)kv_heads;
    int32_t *host = rk_arena_take(l->step->arena, 2 * n, sizeof *host, err);
    if (!host)
        return RK_E_MEMORY;
    for (int32_t s = 0; s < l->step->seqs; s++)
        for (int32_t h = 0; h < kv_heads; h++) {
            const rk_head_rule *rule = &l->step->seq[s].s->rule[l->layer * kv_heads + h];
            host[s * kv_heads + h] = rule->sink;
            host[n + (size_t)(s * kv_heads + h)] = rule->window;
        }
    RK_TRY(rk_need_index(e, &e->work.views, 2 * n, err));
    RK_TRY(e->ops->upload_index(e->b, e->work.views.data, host, 2 * n, err));
    *out = (rk_views){e->work.views.data, e->work.views.data + n};
    return RK_OK;
}

/* The lowest position this sequence's live rows can have: pages below stay shared. */
static int32_t lowest_live(const rk_seq *q)
{
    if (!q->r || q->part == RK_PART_QUESTION)
        return q->s->tokens;
    return q->writes_from;
}

static rk_status write_kv(const layer_run *l, rk_seq *q, row_range range, int32_t first,
                          int32_t heads, rk_tensor k, rk_tensor v, rk_error *err)
{
    if (range.n == 0)
        return RK_OK;
    rk_engine *e = l->e;
    int32_t kv_heads = e->model->shape.kv_heads;
    uint8_t *mask = rk_arena_take(l->step->arena, (size_t)kv_heads, 1, err);
    if (!mask)
        return RK_E_MEMORY;
    memset(mask + first, 1, (size_t)heads);
    RK_TRY(rk_page_table_make_writable(q->s->table, l->layer, mask, lowest_live(q), q->end, err));
    rk_pages pages;
    RK_TRY(layer_pages(l, &pages, err));
    const int32_t *seq = l->step->rows.seq + range.first, *pos = l->step->rows.pos + range.first;
    if (range.row) {
        for (int i = 0; i < 2; i++)
            RK_TRY(rk_need_index(e, &e->work.sub[i], (size_t)range.n, err));
        RK_TRY(e->ops->gather_index(e->b, e->work.sub[0].data, l->step->rows.seq, range.row,
                                    range.n, err));
        RK_TRY(e->ops->gather_index(e->b, e->work.sub[1].data, l->step->rows.pos, range.row,
                                    range.n, err));
        seq = e->work.sub[0].data;
        pos = e->work.sub[1].data;
    }
    return e->ops->pages_write(e->b, &pages, k, v, first, heads, seq, pos, err);
}

static int same_rule(const rk_select *a, const rk_select *b)
{
    return a->kind == b->kind && a->signal == b->signal && a->amount == b->amount &&
           a->scope == b->scope && a->domain == b->domain && a->from == b->from && a->to == b->to &&
           a->pos == b->pos && a->n == b->n && a->child == b->child && a->children == b->children;
}

/* Rows that a head refreshes: its rule's, and those that have no stored K/V. */
static rk_status refreshed_rows(const layer_run *l, rk_seq *q, const rk_select *rule,
                                row_range *out, rk_error *err)
{
    *out = (row_range){NULL, q->first, q->n};
    if (rk_select_is_all(rule) || q->fresh == q->n)
        return RK_OK;
    rk_select child[2] = {*rule, q->fresh_rule};
    rk_select both = {.kind = RK_SELECT_UNION, .child = child, .children = 2};
    rk_index_buffer *to = &l->e->work.refresh;
    RK_TRY(rk_need_index(l->e, to, (size_t)q->n, err));
    out->row = to->data;
    out->first = 0;
    return rk_rows_resolve(l->step, q, &both, to->data, &out->n, err);
}

/* Rows projected for KV heads [first, first + heads); every row outside chunks is one. */
static void count_projected(const layer_run *l, const rk_seq *q, int32_t rows, int32_t first,
                            int32_t heads)
{
    rk_counters *c = l->e->ops->counters(l->e->b);
    if (l->step->probe || l->step->charge_probe) {
        c->probed_kv_rows += (uint64_t)rows * (uint64_t)heads;
        return;
    }
    c->projected_kv_rows += (uint64_t)rows * (uint64_t)heads;
    c->projected_chunk_kv_rows += (uint64_t)(rows - q->outside) * (uint64_t)heads;
    const rk_head_rule *rule = &q->s->rule[l->layer * l->e->model->shape.kv_heads + first];
    for (int32_t h = 0; h < heads; h++)
        if (rule[h].window > 0 && rows > q->fresh)
            c->projected_local_kv_rows_reused += (uint64_t)(rows - q->fresh);
}

/* K and V of one sequence, head group by head group of equal refresh rules. */
static rk_status refresh_sequence(const layer_run *l, rk_seq *q, rk_error *err)
{
    int32_t kv_heads = l->e->model->shape.kv_heads;
    for (int32_t first = 0, heads; first < kv_heads; first += heads) {
        const rk_select *rule = &q->plan.refresh[first];
        for (heads = 1; first + heads < kv_heads && same_rule(rule, rule + heads);)
            heads++;
        row_range range;
        rk_tensor k, v;
        RK_TRY(refreshed_rows(l, q, rule, &range, err));
        if (range.n == 0)
            continue;
        RK_TRY(project_kv(l, range, first, heads, &k, &v, err));
        count_projected(l, q, range.n, first, heads);
        RK_TRY(write_kv(l, q, range, first, heads, k, v, err));
    }
    return RK_OK;
}

static int wants_drift(const rk_seq *q)
{
    return (rk_select_signals(&q->plan.attend) >> RK_SIGNAL_KV_DRIFT & 1) != 0;
}

/* A layer that measures drift: K, V of every row are compared with the stored ones
 * before they replace them, and choose the rows that attend (CacheBlend's check). */
static rk_status drift_sequence(layer_run *l, rk_seq *q, rk_error *err)
{
    rk_engine *e = l->e;
    rk_step *step = l->step;
    int32_t kv_heads = e->model->shape.kv_heads;
    row_range range = {NULL, q->first, q->n};
    rk_tensor k, v;
    rk_pages pages;
    RK_TRY(project_kv(l, range, 0, kv_heads, &k, &v, err));
    count_projected(l, q, range.n, 0, kv_heads);
    RK_TRY(rk_page_table_make_writable(q->s->table, l->layer, NULL, lowest_live(q), q->end, err));
    RK_TRY(layer_pages(l, &pages, err));
    rk_step_phase(step, RK_PHASE_SELECT);
    RK_TRY(rk_signal_clear(step, q, RK_SIGNAL_KV_DRIFT, err));
    RK_TRY(e->ops->kv_drift(e->b, &pages, k, v, step->rows.seq + q->first,
                            step->rows.pos + q->first, q->plan.drift_k, q->plan.drift_v,
                            q->signal[RK_SIGNAL_KV_DRIFT], err));
    int changed;
    int32_t *seq = step->rows.seq, *pos = step->rows.pos;
    RK_TRY(rk_rows_keep(step, 1, &changed, err));
    if (changed) {
        rk_tensor kept;
        RK_TRY(rk_need_tensor(e, &e->work.q2, step->rows.n, l->q.cols, &kept, err));
        RK_TRY(e->ops->rows_gather(e->b, kept, l->q, e->work.select.data, err));
        l->q = kept;
    }
    if (!changed || !q->plan.write_attended_only)
        return e->ops->pages_write(e->b, &pages, k, v, 0, kv_heads, seq, pos, err);
    rk_tensor kept_k, kept_v;
    RK_TRY(rk_need_tensor(e, &e->work.gather, q->n, k.cols, &kept_k, err));
    RK_TRY(rk_need_tensor(e, &e->work.y, q->n, v.cols, &kept_v, err));
    RK_TRY(e->ops->rows_gather(e->b, kept_k, k, e->work.select.data, err));
    RK_TRY(e->ops->rows_gather(e->b, kept_v, v, e->work.select.data, err));
    return e->ops->pages_write(e->b, &pages, kept_k, kept_v, 0, kv_heads, step->rows.seq,
                               step->rows.pos, err);
}

/* The attended rows without a drift rule: gathers queries and inputs alike. */
static rk_status keep_attended(layer_run *l, rk_error *err)
{
    int changed;
    rk_tensor kept;
    rk_engine *e = l->e;
    RK_TRY(rk_rows_keep(l->step, 1, &changed, err));
    if (!changed)
        return RK_OK;
    RK_TRY(rk_need_tensor(e, &e->work.q2, l->step->rows.n, l->q.cols, &kept, err));
    RK_TRY(e->ops->rows_gather(e->b, kept, l->q, e->work.select.data, err));
    l->q = kept;
    return RK_OK;
}

static rk_status prepare_attend(const layer_run *l, rk_attend *a, rk_error *err)
{
    const rk_model_shape *m = &l->e->model->shape;
    *a = (rk_attend){.q = l->q,
                     .rows = &l->step->rows,
                     .heads = m->heads,
                     .masked = l->step->masked,
                     .scale = l->e->attention_scale,
                     .phase = rk_step_phase(l->step, RK_PHASE_ATTEND)};
    if (l->step->probe == RK_PROBE_QUERY_ISOLATED)
        a->key_from = l->step->seq[0].r->question.start;
    RK_TRY(layer_pages(l, &a->pages, err));
    return layer_views(l, &a->views, err);
}

/* Elastic restore (paper 3.2): a local head whose probe rows still look at the far
 * edge of their window runs as global in this layer, before its output is used. */
static rk_status restore_heads(layer_run *l, rk_seq *q, int32_t index, rk_error *err)
{
    rk_engine *e = l->e;
    int32_t kv_heads = e->model->shape.kv_heads, watched = 0;
    rk_head_rule *rule = &q->s->rule[l->layer * kv_heads];
    if (!q->r || q->part == RK_PART_QUESTION || q->n == 0)
        return RK_OK; /* what a head has trimmed cannot be restored */
    for (int32_t h = 0; h < kv_heads; h++)
        watched += rule[h].window > 0 && rule[h].promote_above <= 1;
    if (!watched)
        return RK_OK;
    float *edge = rk_arena_take(l->step->arena, (size_t)kv_heads, sizeof *edge, err);
    if (!edge)
        return RK_E_MEMORY;
    int32_t probes = (q->part == RK_PART_CONTEXT ? 0 : q->r->question.n) + q->plan.probe_rows;
    probes = probes < q->n ? probes : q->n;
    rk_attend a;
    RK_TRY(prepare_attend(l, &a, err));
    rk_step_phase(l->step, RK_PHASE_SELECT);
    RK_TRY(e->ops->edge_mass(e->b, &a, index, q->first + q->n - probes, probes, edge, err));
    for (int32_t h = 0; h < kv_heads; h++) {
        if (rule[h].window == 0 || (double)edge[h] <= rule[h].promote_above)
            continue;
        row_range range = {NULL, q->first, q->n};
        rk_tensor k, v;
        rule[h].window = 0;
        e->ops->counters(e->b)->promoted_heads++;
        RK_TRY(project_kv(l, range, h, 1, &k, &v, err));
        count_projected(l, q, range.n, h, 1);
        RK_TRY(write_kv(l, q, range, h, 1, k, v, err));
    }
    return RK_OK;
}

static rk_status attend(layer_run *l, rk_error *err)
{
    rk_engine *e = l->e;
    rk_step *step = l->step;
    rk_attend a;
    rk_tensor y;
    RK_TRY(prepare_attend(l, &a, err));
    RK_TRY(rk_need_tensor(e, &e->work.o, step->rows.n, l->q.cols, &a.out, err));
    RK_TRY(e->ops->attend(e->b, &a, err));
    for (int32_t s = 0; s < step->seqs; s++)
        RK_TRY(rk_signals_after_attention(step, &step->seq[s], &a, err));
    if (e->observer)
        RK_TRY(e->observer->attention(e->observer->self, e->ops, e->b, l->layer, &a, err));
    RK_TRY(rk_need_tensor(e, &e->work.y, step->rows.n, step->x.cols, &y, err));
    RK_TRY(e->ops->matmul(e->b, y, a.out, &l->w->wo, NULL, rk_step_phase(step, RK_PHASE_PROJECT),
                          err));
    return e->ops->add(e->b, step->x, y, err);
}

/* Local heads give back what no later row will see. */
static void trim(const layer_run *l)
{
    int32_t kv_heads = l->e->model->shape.kv_heads;
    for (int32_t s = 0; s < l->step->seqs; s++) {
        const rk_seq *q = &l->step->seq[s];
        for (int32_t h = 0; h < kv_heads; h++) {
            const rk_head_rule *rule = &q->s->rule[l->layer * kv_heads + h];
            if (rule->window > 0 && !rule->masked)
                rk_page_table_trim(q->s->table, l->layer, h, rule->sink, rule->window, q->end);
        }
    }
}

static rk_status fresh_kv(layer_run *l, rk_error *err)
{
    rk_step *step = l->step;
    int drift = 0;
    for (int32_t s = 0; s < step->seqs; s++)
        drift |= wants_drift(&step->seq[s]);
    if (drift && step->seqs > 1)
        return rk_fail(err, RK_E_UNSUPPORTED, "a layer that measures drift takes one sequence");
    if (drift)
        return drift_sequence(l, &step->seq[0], err);
    for (int32_t s = 0; s < step->seqs; s++)
        RK_TRY(refresh_sequence(l, &step->seq[s], err));
    return keep_attended(l, err);
}

rk_status rk_gqa_execute(rk_step *step, int32_t layer, rk_error *err)
{
    layer_run l = {.step = step, .e = step->e, .w = &step->e->model->layer[layer], .layer = layer};
    for (int32_t s = 0; s < step->seqs; s++)
        RK_TRY(rk_load_segments(step, &step->seq[s], layer, err));
    if (step->rows.n > 0) {
        rk_step_phase(step, RK_PHASE_PROJECT);
        RK_TRY(norm_input(&l, err));
        RK_TRY(project_queries(&l, err));
        RK_TRY(fresh_kv(&l, err));
        for (int32_t s = 0; s < step->seqs; s++)
            RK_TRY(restore_heads(&l, &step->seq[s], s, err));
        RK_TRY(attend(&l, err));
    }
    trim(&l);
    return RK_OK;
}
