/* sgemm_probe.h - how many FLOPs a second this machine multiplies: a short measurement. */
#ifndef RK_HARNESS_SGEMM_PROBE_H
#define RK_HARNESS_SGEMM_PROBE_H

#include "base/c_linkage.h"

RK_C_BEGIN

/* FLOPs a second of fp32 matrix products on all processors, best of a few tenths of a
 * second; at least 1. */
double rk_sgemm_probe(void);

RK_C_END

#endif
