/* sql_stats.h - stats.h as SQL aggregates, so that a figure is one query.
 *
 *   rk_median(x)                     rk_median_lo/hi(x, cluster)
 *   rk_mean_lo/hi(x, cluster)        (avg(x) is the mean)
 *   rk_ratio(a, b)                   rk_ratio_lo/hi(a, b, cluster)   of medians
 *   rk_diff(a, b)                    rk_diff_lo/hi(a, b, cluster)    of means
 *
 * The bounds are 95 % bootstrap intervals clustered by `cluster`, NULL where n is
 * too small. Rows in which a or b is NULL do not count. */
#ifndef RK_HARNESS_SQL_STATS_H
#define RK_HARNESS_SQL_STATS_H

#include <sqlite3.h>

#include "base/status.h"

RK_C_BEGIN

rk_status rk_sql_stats_register(sqlite3 *db, rk_error *err);

RK_C_END

#endif
