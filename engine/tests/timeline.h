/* timeline.h - test kit: sessions of a bench from states to decoded tokens. */
#ifndef RK_ENGINE_TESTS_TIMELINE_H
#define RK_ENGINE_TESTS_TIMELINE_H

#include "run_method.h"

enum { RK_STEPS = 6 }; /* greedy steps that a timeline takes */

/* First token, greedy tokens after it, and the logits of every step. */
typedef struct rk_timeline {
    int32_t token[RK_STEPS + 1];
    float *logits; /* [RK_STEPS + 1, V], arena of the bench */
} rk_timeline;

/* A fresh session of `m`, its states built. */
rk_session *rk_bench_open_session(rk_bench *b, const rk_method *m);
/* Prefills one part (QUESTION and WHOLE give the first token). */
void rk_bench_prefill(rk_bench *b, rk_session *s, rk_part part, rk_timeline *t);
/* RK_STEPS greedy steps from t->token[0]. */
void rk_bench_decode(rk_bench *b, rk_session *s, rk_timeline *t);
/* WHOLE and decode, alone; the session is closed again. */
void rk_bench_timeline(rk_bench *b, const char *method, rk_timeline *t);
/* Fails unless tokens are equal and logits differ by at most 2e-5. */
void rk_bench_same(const rk_bench *b, const char *what, const rk_timeline *x, const rk_timeline *y);

/* Pages in use by anything but the chunk store: 0 when every session is closed. */
int32_t rk_bench_leaked_pages(const rk_bench *b);

#endif
