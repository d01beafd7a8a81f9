/* op_bench.h - test kit: one backend, its memory, numbers up and down, comparison.
 *
 * Nothing here knows which backend runs: memory moves through rk_backend_ops. What
 * was taken is given back by op_bench_close. Every failure fails the test. */
#ifndef RK_BACKEND_TESTS_OP_BENCH_H
#define RK_BACKEND_TESTS_OP_BENCH_H

#include "backend/backend.h"
#include "base/rng.h"

enum { OP_TAKEN_MAX = 4096 };

typedef struct op_bench {
    const rk_backend_ops *ops;
    rk_backend *b;
    rk_arena *arena; /* host memory */
    rk_rng rng;
    rk_error err;
    void *taken[OP_TAKEN_MAX];
    int32_t *taken_index[OP_TAKEN_MAX];
    int32_t floats, indices;
} op_bench;

void op_bench_open(op_bench *t, const rk_backend_ops *ops, const rk_backend_config *config);
void op_bench_close(op_bench *t);

#define OP_MUST(t, call)                                                                           \
    do {                                                                                           \
        if ((call) != RK_OK)                                                                       \
            fail_msg("%s: %s", (t)->ops->name, (t)->err.text);                                     \
    } while (0)

void *op_take(op_bench *t, size_t count, size_t size);      /* zeroed host memory */
float *op_random(op_bench *t, size_t n, double scale);      /* normal numbers, host */
float *op_memory(op_bench *t, size_t n);                    /* backend floats; 7.5 in each */
float *op_upload(op_bench *t, const float *x, size_t n);    /* host to fresh backend memory */
int32_t *op_index(op_bench *t, const int32_t *x, size_t n); /* the same for row lists */
rk_tensor op_tensor(op_bench *t, const float *x, int64_t rows, int64_t cols);
float *op_read(op_bench *t, const float *x, size_t n); /* backend to host (arena) */

/* |got - expected| <= tolerance * max(1, largest |expected|), and no NaN. Does nothing
 * on a backend without values. */
void op_near(op_bench *t, const char *what, const float *got, const double *expected, size_t n,
             double tolerance);

/* A case table that every backend must pass; ends with run NULL. */
typedef struct op_case {
    const char *name;
    void (*run)(op_bench *t);
} op_case;

/* Runs the cases on `cpu` (fast and plain attention) and on `count`; their counters
 * must be equal. */
void op_run(const op_case *cases);

#endif
