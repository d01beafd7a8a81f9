/* published.h - the paper's numbers, restated with where they come from.
 *
 * experiments/published/NAME.csv, one number a line:
 *   exp_id,series,x,metric,value,unit,origin,locator,provenance,hw
 * provenance is one letter, or several: M measured (a log or result file exists),
 * A from an analytic model, H typed in a plot script, S synthetic or random, X
 * altered after measurement, D stated in a document without a log. A published
 * number is never a measured one: it has its own table, column and look. */
#ifndef RK_HARNESS_PUBLISHED_H
#define RK_HARNESS_PUBLISHED_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

typedef struct rk_published_row {
    const char *exp_id, *series, *x, *metric;
    double value;
    int32_t decimals; /* as printed: 0.60 has 2; the last digit's half is the rounding error */
    const char *unit, *origin, *locator, *provenance, *hw;
    const char *file; /* base name of the csv, and */
    int64_t line;     /* its line */
} rk_published_row;

typedef struct rk_published {
    const rk_published_row *row;
    int64_t n;
} rk_published;

/* Reads one csv, or every *.csv of a directory in name order. All memory is in
 * `arena`. RK_E_FORMAT names file, line and column; a key (exp_id, series, x,
 * metric, origin) that comes twice is one. */
rk_status rk_published_read(const char *path, rk_arena *arena, rk_published *out, rk_error *err);

/* Puts the rows in the table `published` of `schema` ("main": the results
 * database, open for writing; "temp": a table of that name made first, for
 * readers), replacing rows of the same key. The provenance stands at the end of
 * the locator, "make_eva_1.py [H]". */
rk_status rk_published_store(const rk_published *p, sqlite3 *db, const char *schema, rk_error *err);

RK_C_END

#endif
