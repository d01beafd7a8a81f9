/* null_executor.h - an executor that does nothing: it measures the harness itself
 * and drives the runner's tests. It can be told to skip, fail, dawdle or lie. */
#ifndef RK_HARNESS_NULL_EXECUTOR_H
#define RK_HARNESS_NULL_EXECUTOR_H

#include <signal.h>

#include "executor.h"
#include "metric.h"

RK_C_BEGIN

typedef struct rk_null_run {
    char method[40];
    int64_t item;
    int32_t rep;
    int warmup;
} rk_null_run;

/* Zeroed: five items a context, instant, everything succeeds. */
typedef struct rk_null_executor {
    int64_t items_per_context; /* 0 = 5 */
    int64_t items;             /* the data set has so many; 0 = endless */
    int64_t delay_us;          /* an item takes */
    const char *skip_method;   /* this method's cells are skipped */
    const char *fail_method;   /* this method fails on `fail_item` */
    int64_t fail_item;
    const char *slow_method; /* this method takes `slow_us` an item */
    int64_t slow_us;
    const char *unfinite_method; /* this method reports a value that is no number */
    const char *broken_method;   /* this method reports an unknown metric */
    volatile sig_atomic_t *stop; /* set after `stop_after` kept runs */
    int64_t stop_after;
    rk_null_run *log;       /* [log_room] what was run; may be NULL */
    int64_t log_room, runs; /* runs: all, warm-ups too */
    int64_t kept;
} rk_null_executor;

extern const rk_executor_ops rk_null_executor_ops;

/* What it reports: null_ms, twice an item, and null_tokens; an answer text too. */
extern const rk_metric *const rk_null_metrics[];
enum { RK_NULL_METRICS = 2 };

/* The value it reports of (method, item, rep, idx), for tests to recompute. */
double rk_null_value(const char *method, int64_t item, int32_t rep, int64_t idx);

RK_C_END

#endif
