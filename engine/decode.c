/* decode.c - one greedy token for several sessions, under the head rules that their
 * prefill resolved. */
#include "engine_impl.h"

/* One row a session, at the end of its timeline. */
static rk_status decode_rows(rk_step *step, rk_session *const *sessions, const int32_t *token,
                             rk_error *err)
{
    rk_engine *e = step->e;
    size_t n = (size_t)step->seqs;
    int32_t *host = rk_arena_take(step->arena, 3 * n, sizeof *host, err);
    if (!host)
        return RK_E_MEMORY;
    for (int32_t s = 0; s < step->seqs; s++) {
        step->seq[s] = (rk_seq){.s = sessions[s],
                                .part = RK_PART_QUESTION,
                                .first = s,
                                .n = 1,
                                .fresh = 1,
                                .end = sessions[s]->tokens + 1};
        host[s] = s;
        host[n + (size_t)s] = sessions[s]->tokens;
        host[2 * n + (size_t)s] = sessions[s]->next_rope;
    }
    RK_TRY(rk_rows_reserve(step, step->seqs, err));
    RK_TRY(e->ops->upload_index(e->b, e->work.row_id[0].data, token, n, err));
    RK_TRY(e->ops->upload_index(e->b, step->rows.seq, host, n, err));
    RK_TRY(e->ops->upload_index(e->b, step->rows.pos, host + n, n, err));
    RK_TRY(e->ops->upload_index(e->b, step->rows.limit, host + n, n, err));
    return e->ops->upload_index(e->b, step->rows.rope, host + 2 * n, n, err);
}

static rk_status decode_step(rk_step *step, rk_session *const *sessions, int32_t *token,
                             rk_error *err)
{
    step->seq = rk_arena_take(step->arena, (size_t)step->seqs, sizeof *step->seq, err);
    if (!step->seq)
        return RK_E_MEMORY;
    RK_TRY(decode_rows(step, sessions, token, err));
    RK_TRY(rk_step_layers(step, err));
    for (int32_t s = 0; s < step->seqs; s++) {
        sessions[s]->tokens++;
        sessions[s]->next_rope++;
    }
    return rk_step_last_logits(step, token, err);
}

rk_status rk_engine_decode(rk_engine *e, rk_session *const *sessions, int32_t n, int32_t *token,
                           rk_error *err)
{
    rk_step step = {.e = e, .seqs = n};
    for (int32_t s = 0; s < n; s++)
        if (sessions[s]->tokens == 0)
            return rk_fail(err, RK_E_ARG, "decode: session %d holds no prompt", s);
    RK_TRY(rk_arena_new(&step.arena, err));
    rk_status st = decode_step(&step, sessions, token, err);
    e->ops->phase(e->b, RK_PHASES);
    rk_arena_free(step.arena);
    return st;
}
