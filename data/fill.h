/* fill.h - a context brought to a token length with passages of other questions.
 *
 * A pool is every passage of a data file. A context keeps its gold passages, then
 * takes its own distractors and then the others' in an order drawn from the seed,
 * each whole, none twice, none under a gold passage's title (it could hold the
 * same evidence). At the end the order is drawn anew, so the place of each gold
 * passage is uniform. Passages are never split: they are what gets reused. */
#ifndef RK_DATA_FILL_H
#define RK_DATA_FILL_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "readers/reader.h"

RK_C_BEGIN

typedef struct rk_fill_pool {
    const rk_passage *passage; /* [passages] borrowed; lives as long as the pool */
    int64_t passages;
    rk_hash128 *text, *title; /* [passages] content, to know the same one again */
    int64_t *tokens;          /* [passages] under the reader's counter; -1: not counted yet */
    int64_t *order;           /* [passages] scratch */
} rk_fill_pool;

typedef struct rk_fill_request {
    int64_t first; /* the context's own passages are pool entries [first, first + own) */
    int32_t own;
    int64_t target_tokens; /* 0: the context's own passages and nothing else */
    const rk_token_counter *counter;
    uint64_t seed;
    const char *stream; /* names this context among those of a seed */
    int keep_order;     /* 1: leave the own passages as they are when nothing is to be added */
    const char *what;   /* for messages: "hotpotqa: item 5a71" */
} rk_fill_request;

/* Memory in `arena`, which must outlive the pool. */
rk_status rk_fill_pool_init(rk_fill_pool *pool, const rk_passage *passage, int64_t passages,
                            rk_arena *arena, rk_error *err);

/* Copies of the chosen passages in prompt order; gold is kept for own passages
 * and 0 for others. A context without gold marks keeps all its own passages.
 * RK_E_BUDGET: the kept passages exceed the target, or the pool ends before nine
 * tenths of it. RK_E_FORMAT: no passage at all. */
rk_status rk_fill_context(rk_fill_pool *pool, const rk_fill_request *request, rk_arena *arena,
                          rk_passage **out, int32_t *passages, rk_error *err);

RK_C_END

#endif
