/* ffn.c - the feed-forward network over the rows a rule selects (paper 4.2, sparse FFN).
 *
 * Rows that are not selected keep their residual. Selected rows are gathered,
 * multiplied in blocks and added back, so that skipped rows cost nothing. */
#include "engine_impl.h"

/* x += W_down(silu(W_gate n) * (W_up n)), n = norm(x), for up to one block of rows. */
static rk_status ffn_block(rk_step *step, const rk_layer_weights *w, rk_tensor x,
                           const int32_t *row, rk_error *err)
{
    rk_engine *e = step->e;
    const rk_model_shape *m = &e->model->shape;
    rk_phase phase = rk_step_phase(step, RK_PHASE_FFN);
    rk_tensor in = x, normed, gate, up, out;
    if (row) {
        RK_TRY(rk_need_tensor(e, &e->work.gather, x.rows, m->width, &in, err));
        RK_TRY(e->ops->rows_gather(e->b, in, step->x, row, err));
    }
    RK_TRY(rk_need_tensor(e, &e->work.xn, x.rows, m->width, &normed, err));
    RK_TRY(rk_need_tensor(e, &e->work.gate, x.rows, m->ffn_width, &gate, err));
    RK_TRY(rk_need_tensor(e, &e->work.up, x.rows, m->ffn_width, &up, err));
    RK_TRY(rk_need_tensor(e, &e->work.down, x.rows, m->width, &out, err));
    RK_TRY(e->ops->rms_norm(e->b, normed, in, w->ffn_norm, m->width, m->norm_eps, err));
    RK_TRY(e->ops->matmul(e->b, gate, normed, &w->w_gate, NULL, phase, err));
    RK_TRY(e->ops->matmul(e->b, up, normed, &w->w_up, NULL, phase, err));
    RK_TRY(e->ops->swiglu(e->b, gate, up, err));
    RK_TRY(e->ops->matmul(e->b, out, gate, &w->w_down, NULL, phase, err));
    return row ? e->ops->rows_add(e->b, step->x, out, row, err) : e->ops->add(e->b, x, out, err);
}

static rk_status ffn_rows(rk_step *step, int32_t layer, const int32_t *row, int32_t first,
                          int32_t n, rk_error *err)
{
    step->e->ops->counters(step->e->b)->ffn_tokens += (uint64_t)n;
    for (int32_t at = 0; at < n; at += RK_FFN_BLOCK_ROWS) {
        int32_t rows = n - at < RK_FFN_BLOCK_ROWS ? n - at : RK_FFN_BLOCK_ROWS;
        rk_tensor x = rk_tensor_rows(step->x, first + (row ? 0 : at), rows);
        RK_TRY(ffn_block(step, &step->e->model->layer[layer], x, row ? row + at : NULL, err));
    }
    return RK_OK;
}

rk_status rk_ffn_execute(rk_step *step, int32_t layer, rk_error *err)
{
    int dense = 1;
    for (int32_t s = 0; s < step->seqs; s++)
        dense &= rk_select_is_all(&step->seq[s].plan.ffn);
    if (dense)
        return ffn_rows(step, layer, NULL, 0, step->rows.n, err);
    rk_index_buffer *to = &step->e->work.refresh;
    rk_step_phase(step, RK_PHASE_SELECT);
    RK_TRY(rk_need_index(step->e, to, (size_t)step->rows.n, err));
    int32_t total = 0;
    for (int32_t s = 0; s < step->seqs; s++) {
        int32_t n;
        RK_TRY(rk_rows_resolve(step, &step->seq[s], &step->seq[s].plan.ffn, to->data + total, &n,
                               err));
        total += n;
    }
    return ffn_rows(step, layer, to->data, 0, total, err);
}
