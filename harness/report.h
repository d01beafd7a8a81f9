/* report.h - the tables of an experiment.
 *
 * For each (model, data set, context): one row a method with time, quality,
 * agreement and cost against the reference (dense) on the same items; what is
 * left when the items that dense itself fails are taken out; and the fairness
 * card: what each method spends before the clock starts and when that pays off.
 * Every number has its n and, where it is a comparison, its 95 % interval
 * (paired bootstrap clustered by context). */
#ifndef RK_HARNESS_REPORT_H
#define RK_HARNESS_REPORT_H

#include <stdio.h>

#include "query.h"
#include "table.h"

RK_C_BEGIN

/* Writes the report of the points of `q` (opened with a filter on the
 * experiment). RK_E_USAGE when there are none. */
rk_status rk_report_write(rk_query *q, rk_table_format format, FILE *out, rk_error *err);

RK_C_END

#endif
