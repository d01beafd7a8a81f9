/* metric_cases.h - test kit: what an attempt left behind and the value it gives. */
#ifndef RK_HARNESS_METRICS_TESTS_METRIC_CASES_H
#define RK_HARNESS_METRICS_TESTS_METRIC_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "measure.h"

typedef struct metric_case {
    rk_measurement m;
    int has; /* 0: such an attempt does not have the metric */
    double value;
} metric_case;

static inline void metric_check(const rk_metric *metric, const char *name, const metric_case *c,
                                size_t n)
{
    assert_string_equal(metric->name, name);
    for (size_t i = 0; i < n; i++) {
        double got = -1;
        int has = metric->value(&c[i].m, &got);
        if (has != c[i].has || (has && fabs(got - c[i].value) > 1e-9))
            fail_msg("%s: case %zu: has %d, value %.12g", name, i, has, got);
    }
}

#endif
