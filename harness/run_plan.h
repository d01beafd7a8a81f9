/* run_plan.h - the cells of a run, grouped; the order of methods in a block. */
#ifndef RK_HARNESS_RUN_PLAN_H
#define RK_HARNESS_RUN_PLAN_H

#include "base/hash.h"
#include "executor.h"
#include "spec.h"

RK_C_BEGIN

typedef struct rk_run_cell {
    rk_point point;
    int64_t group;
    rk_outcome outcome; /* of prepare */
    char reason[256];
    char cell_id[RK_SHA256_HEX];
    char dataset_id[RK_SHA256_HEX]; /* "" when the cell names no data set */
    int64_t want, left;             /* attempts; left counts down */
    int64_t failed, warmups;
    int64_t measured;          /* attempts that `seconds` sums */
    double seconds, predicted; /* predicted: of one item, < 0 unknown */
    int stopped;               /* timed out: the rest is not run */
} rk_run_cell;

typedef struct rk_run_plan {
    rk_run_cell *cell; /* sorted by group, then in file order */
    int32_t cells;
} rk_run_plan;

/* One cell a point that stands for itself. In `arena`. */
rk_status rk_run_plan_build(const rk_spec *spec, rk_arena *arena, rk_run_plan *out, rk_error *err);

/* Cells of the group that begins at `first`. */
int32_t rk_run_plan_group(const rk_run_plan *plan, int32_t first);

/* order[n]: which method takes each place in this block and repetition. */
void rk_run_plan_order(const rk_measure *m, int64_t group, int64_t block, int64_t rep, int32_t n,
                       int32_t *order);

/* The `method` row of an executor that gives none: name and options as in the
 * file. In `arena`. */
rk_status rk_run_plan_method_json(const rk_point *p, rk_arena *arena, const char **out,
                                  rk_error *err);

/* Seconds to go: each cell by its own mean, else its prediction, else the mean
 * of all; -1 when nothing is known. */
double rk_run_plan_to_go(const rk_run_plan *plan);

RK_C_END

#endif
