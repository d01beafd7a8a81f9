/* plan_method.h - test kit: a method made of one function a test. */
#ifndef RK_ENGINE_TESTS_PLAN_METHOD_H
#define RK_ENGINE_TESTS_PLAN_METHOD_H

#include "timeline.h"

/* Runs WHOLE under `ops` (states built first). Logits into logits[V] (NULL: not wanted)
 * and counters into *c. */
rk_status rk_bench_plan(rk_bench *b, const rk_method_ops *ops, const void *config, float *logits,
                        rk_counters *c, rk_error *err);

#endif
