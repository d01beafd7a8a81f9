/* f1.c - Token F1 by the data set's official scorer. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = m->score.f1;
    return m->has_quality;
}

const rk_metric rk_metric_f1 = {
    "f1", "fraction", "higher", "quality", "Token F1 by the data set's official scorer.", value,
};
