/* run_method.h - test kit: a random tiny model, a request, a method by option text. */
#ifndef RK_ENGINE_TESTS_RUN_METHOD_H
#define RK_ENGINE_TESTS_RUN_METHOD_H

#include "base/rng.h"
#include "engine.h"

typedef struct rk_bench {
    rk_model *model;
    rk_engine *e;
    rk_arena *arena;
    rk_request request;
} rk_bench;

/* Model `name` of data/fixtures/golden on `backend`, pages poisoned. Chunk lengths end
 * with 0. Fails the test on any error. */
void rk_bench_open(rk_bench *b, const char *name, const char *backend, int32_t prefix,
                   const int32_t *chunks, int32_t question);
void rk_bench_close(rk_bench *b);

/* "redknot head_map=all_local window=20" parsed into a method (arena memory). */
rk_method rk_bench_method(rk_bench *b, const char *text);

/* Builds states, prefills WHOLE; logits of the last row are copied to out[V] when
 * not NULL, all rows' to *all (caller frees row_pos and row_logits). */
void rk_bench_run(rk_bench *b, const char *text, float *out, rk_prefill_out *all,
                  rk_counters *counters);

/* Largest absolute difference over the largest absolute value of `b`. */
double rk_bench_difference(const float *a, const float *b, size_t n);

#endif
