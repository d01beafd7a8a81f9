/* em.c - Exact match by the data set's official scorer. */
#include "measure.h"

static int value(const rk_measurement *m, double *out)
{
    *out = m->score.em;
    return m->has_quality;
}

const rk_metric rk_metric_em = {
    "em", "fraction", "higher", "quality", "Exact match by the data set's official scorer.", value,
};
