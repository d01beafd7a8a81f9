/* method_executor.h - the executor that runs methods on models and data sets.
 *
 * The first question of a context runs unforked: its prefill is the timed one and
 * the scored one. Further questions of methods whose context pass does not depend
 * on the question run on a fork of one context pass; the others run whole again. */
#ifndef RK_HARNESS_METHOD_EXECUTOR_H
#define RK_HARNESS_METHOD_EXECUTOR_H

#include "executor.h"
#include "spec.h"
#include "workbench.h"

RK_C_BEGIN

typedef struct rk_method_executor rk_method_executor;

rk_status rk_method_executor_new(rk_method_executor **out, const rk_spec *spec,
                                 const rk_workbench_config *config, rk_error *err);
void rk_method_executor_free(rk_method_executor *x); /* accepts NULL */

extern const rk_executor_ops rk_method_executor_ops; /* `self` is a rk_method_executor */

/* Every metric it may report (measure.h), valid until it is freed. */
const rk_metric *const *rk_method_executor_metrics(const rk_method_executor *x, int32_t *n);

RK_C_END

#endif
