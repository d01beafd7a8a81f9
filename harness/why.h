/* why.h - everything behind one number of a report.
 *
 * Reference: EXPERIMENT:axis=value:...:METRIC, for instance
 * fig08_quality_ttft:model=tiny:context=4K:method=redknot:em. Prints the query,
 * the cell, machine, commit and sessions, each attempt with its place in the
 * order and its value, what was left out and why, and the summary. */
#ifndef RK_HARNESS_WHY_H
#define RK_HARNESS_WHY_H

#include <stdio.h>

#include "query.h"

RK_C_BEGIN

/* RK_E_USAGE: the reference cannot be read, fits no cell (says which values there
 * are) or several (says on which axis they differ), or the cell lacks the metric
 * (lists those it has). */
rk_status rk_why_write(const char *db, const char *reference, const char *session, FILE *out,
                       rk_error *err);

RK_C_END

#endif
