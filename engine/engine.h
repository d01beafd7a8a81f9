/* engine.h - the whole public surface of the engine.
 *
 * An engine is a model on a backend with a KV page pool and a chunk store; a
 * session is one timeline under one method. The timed path is prefill(): from token
 * ids to the first token id, look-up, relocation, probes and selection inside.
 * Building chunk states is offline work and is timed apart.
 *
 * Single-threaded: one engine and its sessions belong to one thread (the CPU
 * backend runs its own workers). */
#ifndef RK_ENGINE_H
#define RK_ENGINE_H

#include "backend/backend.h"
#include "method.h"
#include "model/model.h"
#include "request.h"

RK_C_BEGIN

typedef struct rk_engine rk_engine;
typedef struct rk_session rk_session;

typedef struct rk_engine_config {
    const char *backend; /* "cpu", "count" */
    rk_backend_config device;
    size_t kv_bytes;      /* page pool: sessions, forks and chunk states together */
    int32_t poison_pages; /* 1: freed pages are filled with NaN (tests) */
} rk_engine_config;

/* What a request's part cost; counters and times since the last reset. */
typedef struct rk_report {
    double total_ms;            /* wall time of the calls */
    double phase_ms[RK_PHASES]; /* device time by part */
    rk_counters counters;
    size_t kv_bytes; /* physically held by the session afterwards */
} rk_report;

/* `model` is borrowed and must outlive the engine. RK_E_USAGE: unknown backend. */
rk_status rk_engine_open(rk_engine **out, const rk_model *model, const rk_engine_config *config,
                         rk_error *err);
const rk_model *rk_engine_model(const rk_engine *e); /* borrowed */
void rk_engine_close(rk_engine *e); /* after its sessions; accepts NULL */

/* Builds the states of the prefix and of every chunk that `method` would look up
 * and that the store lacks. Offline: *ms is what it took, *built how many tokens. */
rk_status rk_engine_build_states(rk_engine *e, const rk_method *method, const rk_request *r,
                                 double *ms, int64_t *built, rk_error *err);
/* What building the states that `method` reads for this request took, wherever in
 * the past that was; the compile prefix is charged to the prefix's state. */
rk_status rk_engine_offline_ms(rk_engine *e, const rk_method *method, const rk_request *r,
                               double *ms, rk_error *err);
void rk_engine_forget_states(rk_engine *e);
/* K/V bytes held by stored states. */
size_t rk_engine_state_bytes(const rk_engine *e);

/* `method` is borrowed; RK_E_USAGE when it refuses its options or head map. */
rk_status rk_session_open(rk_session **out, rk_engine *e, const rk_method *method, rk_error *err);
void rk_session_close(rk_session *s); /* accepts NULL */

/* A second timeline with the same past; pages are shared until written. */
rk_status rk_session_fork(rk_session **out, const rk_session *s, rk_error *err);

typedef enum rk_part {
    RK_PART_WHOLE,   /* prefix, chunks and question */
    RK_PART_CONTEXT, /* prefix and chunks: only for methods independent of the question */
    RK_PART_QUESTION /* the question, after CONTEXT (in the session or its fork) */
} rk_part;

/* Optional outputs of a prefill. */
typedef struct rk_prefill_out {
    rk_report *report; /* NULL: not wanted */
    int32_t token;     /* greedy first token; -1 for CONTEXT */
    int32_t all_rows;  /* in: 1 = also the logits of every computed row */
    int32_t rows;      /* rows below */
    int32_t *row_pos;  /* [rows] positions, heap; caller frees */
    float *row_logits; /* [rows, V], heap; caller frees; NULL under `count` */
} rk_prefill_out;

/* Runs a request. The session must be fresh (WHOLE, CONTEXT) or hold the context
 * (QUESTION). RK_E_ARG: a state the method needs is not in the store. RK_E_NUMERIC
 * names the first layer whose activations are not finite. */
rk_status rk_session_prefill(rk_session *s, const rk_request *r, rk_part part, rk_prefill_out *out,
                             rk_error *err);
/* Several sessions in one step: WHOLE requests, rows side by side. */
rk_status rk_engine_prefill(rk_engine *e, rk_session *const *sessions,
                            const rk_request *const *requests, int32_t n, rk_error *err);

/* One greedy token for each of n sessions: feeds token[i], puts the next into it. */
rk_status rk_engine_decode(rk_engine *e, rk_session *const *sessions, int32_t n, int32_t *token,
                           rk_error *err);

/* Logits of the session's last row: [V] f32 on the host, borrowed until its next
 * step; NULL under `count`. */
const float *rk_session_logits(const rk_session *s);
int32_t rk_session_tokens(const rk_session *s); /* positions used */
size_t rk_session_kv_bytes(const rk_session *s);

/* Counters and phase times since the last call; resets them. */
rk_status rk_engine_take_report(rk_engine *e, rk_report *out, rk_error *err);

/* Looks at every layer's attention of later prefills: `a` holds rotated queries, rows,
 * pages and views; valid during the call. For profiling; NULL ends it. */
typedef struct rk_observer {
    void *self;
    rk_status (*attention)(void *self, const rk_backend_ops *ops, rk_backend *b, int32_t layer,
                           const rk_attend *a, rk_error *err);
} rk_observer;
void rk_engine_observe(rk_engine *e, const rk_observer *observer); /* borrowed */

/* Final-norm hidden states of plain ids, for probes and profiling: out[n, C] in
 * backend memory, caller releases with the backend. */
rk_status rk_engine_hidden(rk_engine *e, rk_ids_span ids, float **out, rk_error *err);

RK_C_END

#endif
