/* runner.h - runs the cells of an experiment: order, resume, failures, progress.
 *
 * Cells that differ only in the method form a group. A block is one context of
 * the group's data set; within it the methods take turns, forward in one block
 * (or repetition) and back in the next, so that drift of the machine falls on
 * all alike. (block, slot) is stored with every attempt.
 *
 * An item is done when an ok attempt of this host and build exists. The process
 * may be killed at any moment: what was finished stays, what was running becomes
 * aborted/CRASH and is run again. */
#ifndef RK_HARNESS_RUNNER_H
#define RK_HARNESS_RUNNER_H

#include <signal.h>
#include <stdio.h>

#include "executor.h"
#include "metric.h"
#include "provenance.h"
#include "results_db.h"
#include "spec.h"

RK_C_BEGIN

typedef struct rk_run_config {
    const rk_spec *spec;
    const rk_executor_ops *executor;
    void *self;        /* of the executor */
    rk_results_db *db; /* open for writing; a plan may have NULL */
    const rk_provenance *provenance;
    const rk_metric *const *metric; /* that the executor may report */
    int32_t metrics;
    int accept_others;                 /* attempts of other hosts and builds count as done */
    const volatile sig_atomic_t *stop; /* interrupt.h; NULL: never */
    FILE *progress;                    /* stderr, or NULL */
} rk_run_config;

typedef struct rk_run_result {
    int64_t cells, cells_ran, cells_skipped, cells_failed;
    int64_t attempts_ok, attempts_failed, attempts_reused, attempts_recovered;
    int interrupted;
} rk_run_result;

/* Runs what is not done yet. RK_OK also when cells failed: see `out`. An error
 * means that the run stopped: the database, or an executor that is broken. */
rk_status rk_runner_run(const rk_run_config *config, rk_run_result *out, rk_error *err);

/* Prints every cell with what is done, what is left and the minutes it should
 * take; runs and writes nothing. */
rk_status rk_runner_plan(const rk_run_config *config, FILE *out, rk_error *err);

RK_C_END

#endif
