/* op_world.h - test kit: sequences, ragged pages and rows for the attention operations.
 *
 * Physical pages are handed out in scrambled order. A slot holds a number only where
 * some row sees it (or everywhere, `whole`); every other slot is NaN and a page
 * without a seen slot is absent. */
#ifndef RK_BACKEND_TESTS_OP_WORLD_H
#define RK_BACKEND_TESTS_OP_WORLD_H

#include "op_bench.h"

typedef struct op_world_spec {
    const char *name;
    int32_t seqs, kv_heads, group, dim;
    int32_t tokens;       /* of the first sequence; each later one has 23 fewer */
    int32_t rows;         /* of each sequence */
    int32_t step;         /* rows are the last ones, `step` apart: 1 = a dense suffix */
    int32_t window, sink; /* of head 0; head g sees 3 g more; window 0: global */
    int32_t globals;      /* 1: odd heads are global */
    int32_t key_from;
    int32_t bottom_right; /* 1: row j of n sees up to N - n + j */
    int32_t whole;        /* 1: every slot is written */
    int32_t absent;       /* 1: head 0 lacks page 0 although rows see it */
} op_world_spec;

typedef struct op_world {
    const op_world_spec *spec;
    op_bench *t;
    int32_t n, stride, longest;
    float *q, *k, *v;               /* host: [n, H*D], [seqs][G][longest][D] */
    int32_t *seq, *pos, *limit;     /* host [n] */
    int32_t *sink, *window, *table; /* host [seqs][G], [seqs][G], [seqs][G][stride] */
    rk_rows rows;
    rk_attend a; /* all but out and lse */
} op_world;

void op_world_open(op_world *w, op_bench *t, const op_world_spec *spec);

/* From the definition: does row i see `key` through head g, and is its page there? */
int op_world_sees(const op_world *w, int32_t i, int32_t g, int32_t key);

/* Softmax of row i, query head h over the keys in [from, to) that it sees, in fp64, into
 * p[longest]; returns the log-sum-exp (-inf: it sees nothing). */
double op_world_softmax(const op_world *w, int32_t i, int32_t h, int32_t from, int32_t to,
                        double *p);

#endif
