/* engine_impl.h - what the engine's own files share (private to engine/). */
#ifndef RK_ENGINE_IMPL_H
#define RK_ENGINE_IMPL_H

#include "engine.h"
#include "lifecycle/chunk_store.h"
#include "segpaged/page_table.h"

/* A float or index buffer of the backend that only grows: after the first step of
 * a size nothing is allocated. */
typedef struct rk_buffer {
    float *data;
    size_t floats;
} rk_buffer;

typedef struct rk_index_buffer {
    int32_t *data;
    size_t count;
} rk_index_buffer;

enum { RK_FFN_BLOCK_ROWS = 512 };

/* Workspace of a step. Names as in adapter/gqa.c; [T, ..] each. */
typedef struct rk_work {
    rk_buffer x, x2, xn, q, q2, o, y, k, v, gather, gather_table;
    rk_buffer table, table2, gate, up, down, logits;
    rk_index_buffer row_seq[2], row_pos[2], row_rope[2], row_limit[2], row_id[2];
    rk_index_buffer select, refresh, page_table, views, source, sub[2];
} rk_work;

struct rk_engine {
    const rk_model *model;
    const rk_backend_ops *ops;
    rk_backend *b;
    rk_page_pool *pool;
    rk_chunk_store *store;
    rk_rotation rotation;
    float attention_scale;       /* 1/sqrt(D) */
    const rk_observer *observer; /* borrowed; NULL: none */
    rk_work work;
};

struct rk_session {
    rk_engine *e;
    const rk_method *method;
    rk_page_table *table;
    rk_head_rule *rule; /* [L][G] as resolved by the prefill */
    int32_t tokens;     /* positions used */
    int32_t next_rope;  /* rotary position of the next token */
    float *logits;      /* [V] host */
};

/* One sequence of a step. */
typedef struct rk_seq {
    rk_session *s;
    const rk_request *r; /* NULL in a decode step */
    rk_part part;
    int32_t first, n;     /* its rows in the step */
    int32_t fresh;        /* rows among them that have no stored K/V */
    int32_t outside;      /* rows among them that lie in no chunk */
    rk_select fresh_rule; /* which the fresh ones are */
    rk_select fresh_child[3];
    int32_t writes_from;  /* no live row lies below this position */
    int32_t end;          /* positions used once this part is done */
    int32_t live_domains; /* domains of which every token (from live_from on) lives */
    int32_t live_from;
    rk_layout layout;
    rk_layer_plan plan;
    float *signal[RK_SIGNALS]; /* [N] backend memory, or NULL */
    int32_t mass_measured;     /* RK_SIGNAL_TOKEN_MASS holds an earlier layer's */
    const rk_chunk_state *prefix_state, *question_state;
    const rk_chunk_state **chunk_state; /* [chunks], NULL entries: not reused */
    uint8_t *segment_used; /* [chunks + 2]: stored K/V served some head; chunks, prefix, question */
    int32_t loaded;        /* a probe pass has put the stored K/V of all layers in place */
} rk_seq;

typedef struct rk_step {
    rk_engine *e;
    rk_seq *seq;
    int32_t seqs;
    rk_rows rows;
    rk_tensor x, table;   /* [T,C], [T, rotary dim] */
    int32_t side;         /* which of the paired buffers rows and x are in */
    int32_t probe;        /* rk_probe of this pass; everything is charged to it */
    int32_t charge_probe; /* a forward inside a probe */
    int32_t masked;
    rk_arena *arena;
} rk_step;

rk_status rk_need(rk_engine *e, rk_buffer *b, size_t floats, rk_error *err);
rk_status rk_need_index(rk_engine *e, rk_index_buffer *b, size_t count, rk_error *err);
/* A tensor over a buffer grown to [rows, cols]. */
rk_status rk_need_tensor(rk_engine *e, rk_buffer *b, int64_t rows, int64_t cols, rk_tensor *out,
                         rk_error *err);
/* `phase`, or RK_PHASE_PROBE while a probe pass runs; tells the backend's clock. */
rk_phase rk_step_phase(const rk_step *step, rk_phase phase);

/* adapter/gqa.c: attention of one layer, with everything the plan asks. */
rk_status rk_gqa_execute(rk_step *step, int32_t layer, rk_error *err);
/* load_segments.c: stored K/V of one layer to the session's pages. */
rk_status rk_load_segments(rk_step *step, rk_seq *q, int32_t layer, rk_error *err);
/* states.c: what stands before a segment when it is compiled (arena memory). */
rk_status rk_compile_ids(const rk_engine *e, const rk_method *m, const rk_request *r,
                         rk_arena *arena, rk_ids_span *out, rk_error *err);
/* states.c: finds every state the layout asks for. */
rk_status rk_find_states(rk_step *step, rk_seq *q, rk_error *err);
/* ffn.c: the rule's rows through the FFN. */
rk_status rk_ffn_execute(rk_step *step, int32_t layer, rk_error *err);
/* rows.c: initial rows, selection, shrinking. */
rk_status rk_rows_begin(rk_step *step, rk_error *err);
rk_status rk_rows_reserve(rk_step *step, int32_t n, rk_error *err); /* side 0, uninitialised */
/* Narrows the rows by plan.rows (attended 0) or plan.attend (1); work.select then
 * holds the row numbers kept. *changed 0: nothing was to do. */
rk_status rk_rows_keep(rk_step *step, int attended, int *changed, rk_error *err);
rk_status rk_rows_embed(rk_step *step, rk_error *err);
/* Resolves `rule` over the rows of one sequence into `to` (step row numbers). */
rk_status rk_rows_resolve(rk_step *step, rk_seq *q, const rk_select *rule, int32_t *to,
                          int32_t *count, rk_error *err);
/* signals.c */
rk_status rk_signal_clear(rk_step *step, rk_seq *q, rk_signal which, rk_error *err);
/* What the plan's rules will read of this layer's attention (`a`, already run). */
rk_status rk_signals_after_attention(rk_step *step, rk_seq *q, const rk_attend *a, rk_error *err);
/* probe.c */
rk_status rk_probe_run(rk_step *step, rk_seq *q, rk_probe probe, rk_error *err);
/* prefill.c */
rk_status rk_layout_plan(const rk_method *m, const rk_request *r, rk_arena *arena, rk_layout *out,
                         rk_error *err);
/* A prefill without logits, for building states. */
rk_status rk_session_advance(rk_session *s, const rk_request *r, rk_part part, rk_error *err);
rk_status rk_step_last_logits(rk_step *step, int32_t *token, rk_error *err);
rk_status rk_step_layers(rk_step *step, rk_error *err);
rk_status rk_seq_begin(rk_step *step, rk_seq *q, rk_error *err);
/* logits of the rows of `x` into work.logits; [x.rows, V]. */
rk_status rk_step_logits(rk_step *step, rk_tensor x, rk_tensor *logits, rk_error *err);

#endif
