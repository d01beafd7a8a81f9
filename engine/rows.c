/* rows.c - the live rows of a step: where they begin, and how they are narrowed. */
#include <string.h>

#include "engine_impl.h"

static rk_status rows_side(rk_step *step, int side, int32_t n, rk_rows *out, rk_error *err)
{
    rk_work *w = &step->e->work;
    RK_TRY(rk_need_index(step->e, &w->row_seq[side], (size_t)n, err));
    RK_TRY(rk_need_index(step->e, &w->row_pos[side], (size_t)n, err));
    RK_TRY(rk_need_index(step->e, &w->row_rope[side], (size_t)n, err));
    RK_TRY(rk_need_index(step->e, &w->row_limit[side], (size_t)n, err));
    RK_TRY(rk_need_index(step->e, &w->row_id[side], (size_t)n, err));
    *out = (rk_rows){.n = n,
                     .seq = w->row_seq[side].data,
                     .pos = w->row_pos[side].data,
                     .rope = w->row_rope[side].data,
                     .limit = w->row_limit[side].data};
    return RK_OK;
}

rk_status rk_rows_reserve(rk_step *step, int32_t n, rk_error *err)
{
    step->side = 0;
    return rows_side(step, 0, n, &step->rows, err);
}

/* Host lists of one sequence's rows before any rule: ids, positions, rotary positions. */
typedef struct row_list {
    int32_t *id, *pos, *rope;
    int32_t n;
} row_list;

static void add_segment(row_list *l, const rk_segment *s, int32_t pos, int32_t rope)
{
    for (int32_t i = 0; i < s->n; i++, l->n++) {
        l->id[l->n] = s->id[i];
        l->pos[l->n] = pos + i;
        l->rope[l->n] = rope + i;
    }
}

static void list_rows(const rk_step *step, const rk_seq *q, row_list *l)
{
    const rk_request *r = q->r;
    if (step->probe) {
        add_segment(l, &r->question, r->question.start, q->layout.question_rope);
        return;
    }
    if (q->part == RK_PART_QUESTION) {
        add_segment(l, &r->question, q->s->tokens, q->s->next_rope);
        return;
    }
    add_segment(l, &r->prefix, 0, 0);
    for (int32_t c = 0; c < r->chunks; c++)
        add_segment(l, &r->chunk[c], r->chunk[c].start, q->layout.rope_start[c]);
    if (q->part == RK_PART_WHOLE)
        add_segment(l, &r->question, r->question.start, q->layout.question_rope);
}

static int32_t part_rows(const rk_step *step, const rk_seq *q)
{
    if (step->probe || q->part == RK_PART_QUESTION)
        return q->r->question.n;
    return q->part == RK_PART_CONTEXT ? q->r->question.start : q->r->tokens;
}

rk_status rk_rows_resolve(rk_step *step, rk_seq *q, const rk_select *rule, int32_t *to,
                          int32_t *count, rk_error *err)
{
    rk_select_input in = {.rule = rule,
                          .request = q->r,
                          .pos = step->rows.pos + q->first,
                          .n = q->n,
                          .row_base = q->first};
    memcpy(in.signal, q->signal, sizeof in.signal);
    return step->e->ops->select(step->e->b, &in, to, count, err);
}

/* How many live rows of each sequence have no stored K/V, and how many lie in no chunk. */
static rk_status count_fresh(rk_step *step, rk_error *err)
{
    for (int32_t s = 0; s < step->seqs; s++) {
        rk_seq *q = &step->seq[s];
        q->fresh = q->outside = q->n;
        if (q->part == RK_PART_QUESTION || q->n == 0)
            continue;
        RK_TRY(rk_need_index(step->e, &step->e->work.refresh, (size_t)q->n, err));
        RK_TRY(
            rk_rows_resolve(step, q, &q->fresh_rule, step->e->work.refresh.data, &q->fresh, err));
        rk_select outside = rk_select_all(RK_DOMAIN_PREFIX | RK_DOMAIN_QUESTION);
        RK_TRY(rk_rows_resolve(step, q, &outside, step->e->work.refresh.data, &q->outside, err));
    }
    return RK_OK;
}

rk_status rk_rows_begin(rk_step *step, rk_error *err)
{
    int32_t total = 0;
    for (int32_t s = 0; s < step->seqs; s++) {
        step->seq[s].first = total;
        step->seq[s].n = part_rows(step, &step->seq[s]);
        total += step->seq[s].n;
    }
    int32_t *host = rk_arena_take(step->arena, (size_t)total * 4, sizeof *host, err);
    if (!host)
        return RK_E_MEMORY;
    row_list l = {host, host + total, host + 2 * (size_t)total, 0};
    int32_t *seq = host + 3 * (size_t)total;
    for (int32_t s = 0; s < step->seqs; s++) {
        for (int32_t i = 0; i < step->seq[s].n; i++)
            seq[l.n + i] = s;
        list_rows(step, &step->seq[s], &l);
    }
    RK_TRY(rk_rows_reserve(step, total, err));
    const rk_backend_ops *ops = step->e->ops;
    rk_backend *b = step->e->b;
    RK_TRY(ops->upload_index(b, step->e->work.row_id[0].data, l.id, (size_t)total, err));
    RK_TRY(ops->upload_index(b, step->rows.seq, seq, (size_t)total, err));
    RK_TRY(ops->upload_index(b, step->rows.pos, l.pos, (size_t)total, err));
    RK_TRY(ops->upload_index(b, step->rows.rope, l.rope, (size_t)total, err));
    RK_TRY(ops->upload_index(b, step->rows.limit, l.pos, (size_t)total, err));
    return count_fresh(step, err);
}

rk_status rk_rows_embed(rk_step *step, rk_error *err)
{
    rk_engine *e = step->e;
    const rk_model_shape *m = &e->model->shape;
    RK_TRY(rk_need_tensor(e, &e->work.x, step->rows.n, m->width, &step->x, err));
    RK_TRY(rk_need_tensor(e, &e->work.table, step->rows.n, e->rotation.dim, &step->table, err));
    if (step->rows.n == 0)
        return RK_OK;
    RK_TRY(
        e->ops->embed(e->b, step->x, &e->model->embedding, e->work.row_id[step->side].data, err));
    return e->ops->rope_table(e->b, step->table, step->rows.rope, e->rotation, err);
}

/* Domains of which the rule keeps every token, from *from on; 0 where it might not. */
static int32_t whole_domains(const rk_select *s, int32_t *from)
{
    int32_t domains = 0;
    if (s->kind == RK_SELECT_ALL && s->to == 0) {
        *from = s->from > *from ? s->from : *from;
        return s->domain;
    }
    for (int32_t i = 0; i < s->children; i++)
        domains |= whole_domains(&s->child[i], from);
    return domains;
}

/* The lowest position the rule can keep. */
static int32_t lowest_kept(const rk_select *s, const rk_request *r)
{
    if (s->kind == RK_SELECT_UNION) {
        int32_t low = r->tokens;
        for (int32_t i = 0; i < s->children; i++) {
            int32_t child = lowest_kept(&s->child[i], r);
            low = child < low ? child : low;
        }
        return low;
    }
    int32_t low = s->domain & RK_DOMAIN_PREFIX   ? 0
                  : s->domain & RK_DOMAIN_CHUNKS ? r->prefix.n
                                                 : r->question.start;
    return s->from > low ? s->from : low;
}

/* Gathers rows and, once embedded, states and rotary table by work.select. */
static rk_status gather_rows(rk_step *step, int32_t n, int embedded, rk_error *err)
{
    rk_engine *e = step->e;
    const rk_backend_ops *ops = e->ops;
    const int32_t *row = e->work.select.data;
    int to = 1 - step->side;
    rk_rows rows = step->rows, kept;
    RK_TRY(rows_side(step, to, n, &kept, err));
    RK_TRY(ops->gather_index(e->b, kept.seq, rows.seq, row, n, err));
    RK_TRY(ops->gather_index(e->b, kept.pos, rows.pos, row, n, err));
    RK_TRY(ops->gather_index(e->b, kept.rope, rows.rope, row, n, err));
    RK_TRY(ops->gather_index(e->b, kept.limit, rows.limit, row, n, err));
    RK_TRY(ops->gather_index(e->b, e->work.row_id[to].data, e->work.row_id[step->side].data, row, n,
                             err));
    step->rows = kept;
    step->side = to;
    if (!embedded)
        return RK_OK;
    rk_tensor x, table;
    RK_TRY(rk_need_tensor(e, &e->work.x2, n, step->x.cols, &x, err));
    RK_TRY(rk_need_tensor(e, &e->work.table2, n, step->table.cols, &table, err));
    RK_TRY(ops->rows_gather(e->b, x, step->x, row, err));
    RK_TRY(ops->rows_gather(e->b, table, step->table, row, err));
    rk_buffer swap = e->work.x;
    e->work.x = e->work.x2;
    e->work.x2 = swap;
    swap = e->work.table;
    e->work.table = e->work.table2;
    e->work.table2 = swap;
    step->x = x;
    step->table = table;
    return RK_OK;
}

/* Row j of n sees keys up to N - n + j: the flash-attention causal flag over a
 * shorter query, as the published CacheBlend code runs it. */
static rk_status limit_bottom_right(rk_step *step, rk_seq *q, rk_error *err)
{
    int32_t *limit = rk_arena_take(step->arena, (size_t)q->n, sizeof *limit, err);
    if (!limit)
        return RK_E_MEMORY;
    for (int32_t j = 0; j < q->n; j++)
        limit[j] = q->r->tokens - q->n + j;
    return step->e->ops->upload_index(step->e->b, step->rows.limit + q->first, limit, (size_t)q->n,
                                      err);
}

/* The tokens that live close up: positions 0..n-1, whatever left. */
static rk_status close_up(rk_step *step, rk_seq *q, rk_error *err)
{
    int32_t *pos = rk_arena_take(step->arena, (size_t)q->n, sizeof *pos, err);
    if (!pos)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < q->n; i++)
        pos[i] = i;
    const rk_backend_ops *ops = step->e->ops;
    size_t n = (size_t)q->n;
    q->end = q->n;
    q->writes_from = 0;
    RK_TRY(ops->upload_index(step->e->b, step->rows.pos + q->first, pos, n, err));
    RK_TRY(ops->upload_index(step->e->b, step->rows.rope + q->first, pos, n, err));
    return ops->upload_index(step->e->b, step->rows.limit + q->first, pos, n, err);
}

static const rk_select *rule_of(const rk_seq *q, int attended)
{
    return attended ? &q->plan.attend : &q->plan.rows;
}

static int nothing_changes(const rk_step *step, int attended)
{
    for (int32_t s = 0; s < step->seqs; s++)
        if (!rk_select_is_all(rule_of(&step->seq[s], attended)))
            return 0;
    return 1;
}

rk_status rk_rows_keep(rk_step *step, int attended, int *changed, rk_error *err)
{
    *changed = 0;
    if (nothing_changes(step, attended))
        return RK_OK;
    *changed = 1;
    RK_TRY(rk_need_index(step->e, &step->e->work.select, (size_t)step->rows.n, err));
    int32_t total = 0;
    int embedded = step->x.cols > 0;
    for (int32_t s = 0; s < step->seqs; s++) {
        rk_seq *q = &step->seq[s];
        int32_t kept = 0;
        RK_TRY(rk_rows_resolve(step, q, rule_of(q, attended), step->e->work.select.data + total,
                               &kept, err));
        if (!rk_select_is_all(rule_of(q, attended))) {
            q->live_domains &= whole_domains(rule_of(q, attended), &q->live_from);
            int32_t low = lowest_kept(rule_of(q, attended), q->r);
            q->writes_from = low > q->writes_from ? low : q->writes_from;
        }
        q->n = kept;
        total += kept;
    }
    RK_TRY(gather_rows(step, total, embedded, err));
    int32_t first = 0;
    for (int32_t s = 0; s < step->seqs; s++) {
        rk_seq *q = &step->seq[s];
        q->first = first;
        first += q->n;
        if (attended && q->plan.mask == RK_MASK_BOTTOM_RIGHT)
            RK_TRY(limit_bottom_right(step, q, err));
        if (!embedded && q->layout.compact)
            RK_TRY(close_up(step, q, err));
    }
    return count_fresh(step, err);
}
