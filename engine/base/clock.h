/* clock.h - monotonic time for measuring, wall time for provenance only. */
#ifndef RK_BASE_CLOCK_H
#define RK_BASE_CLOCK_H

#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

int64_t rk_clock_ns(void);     /* CLOCK_MONOTONIC; only differences mean anything */
int64_t rk_clock_utc_ns(void); /* CLOCK_REALTIME, since 1970-01-01 UTC */

RK_C_END

#endif
