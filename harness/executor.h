/* executor.h - what the runner drives: one method on the items of one context.
 *
 * The runner owns order, resume, database and progress; the executor owns models,
 * engine and scoring. A null executor (harness/tests) measures the runner alone. */
#ifndef RK_HARNESS_EXECUTOR_H
#define RK_HARNESS_EXECUTOR_H

#include <stdint.h>

#include "base/hash.h"
#include "base/status.h"
#include "axes.h"

RK_C_BEGIN

/* Where an executor puts what it measured for one attempt. */
typedef struct rk_sink {
    void *self;
    rk_status (*add)(void *self, const char *metric, double value, rk_error *err);
    rk_status (*output)(void *self, const char *text, rk_error *err); /* generated answer */
} rk_sink;

/* Who an item is: unique in its data set, and the context that it shares with others
 * (what statistics cluster by). */
typedef struct rk_item_identity {
    char key[256];
    char cluster[128];
    char sha256[RK_SHA256_HEX]; /* of passages, question and answers; "": of the key */
} rk_item_identity;

typedef enum rk_outcome { RK_RAN, RK_SKIPPED, RK_FAILED } rk_outcome;

/* What the database keeps of the things a cell names; texts borrowed until close. */
typedef struct rk_cell_facts {
    const char *model_json;   /* canonical JSON of the `model` row */
    const char *dataset_json; /* of the `dataset` row */
    const char *method_json;  /* of the `method` row, every effective option */
    int64_t context_tokens;   /* target; 0 = natural length */
} rk_cell_facts;

typedef struct rk_executor_ops {
    /* Can this cell run here? RK_SKIPPED with a reason ("no head map for this
     * model") keeps the cell as a row. Fills `facts` either way it can. */
    rk_status (*prepare)(void *self, const rk_point *point, rk_outcome *outcome, char *reason,
                         size_t reason_size, rk_cell_facts *facts, rk_error *err);
    /* Items a context of this cell's data set holds and how many contexts the
     * wanted n needs: item numbers are 0..n-1 in context order. */
    rk_status (*layout)(void *self, const rk_point *point, int64_t n, int64_t *contexts,
                        rk_error *err);
    /* First item number and number of items of context `block` (at most n in all). */
    rk_status (*items)(void *self, const rk_point *point, int64_t n, int64_t block, int64_t *first,
                       int64_t *count, rk_error *err);
    /* Identity of an item, for the `item` table. */
    rk_status (*item_key)(void *self, const rk_point *point, int64_t item, rk_item_identity *out,
                          rk_error *err);
    /* Runs one item. `warmup` runs are not kept. A failed item is RK_OK with
     * outcome RK_FAILED and a reason; only a broken harness returns an error. */
    rk_status (*run)(void *self, const rk_point *point, int64_t item, int32_t rep, int warmup,
                     const rk_sink *sink, rk_outcome *outcome, char *reason, size_t reason_size,
                     rk_error *err);
    /* Seconds one item of this cell is expected to take (dry run); < 0 unknown. */
    double (*predict)(void *self, const rk_point *point);
} rk_executor_ops;

RK_C_END

#endif
