/* query.h - read-only access to the results database: which rows count.
 *
 * One definition of "the rows behind a number" for report, compare, check, why
 * and plot: temporary tables on a read-only connection, filled once.
 *
 *   point(point_id, exp_id, model, dataset, context, ctx_tokens, method, rest,
 *         axes_json, cell_id, session_id, ..., weights_kind, origin, ...)
 *       one cell of an experiment and the run whose rows are used
 *   chosen(attempt_id, point_id, item_no, rep, cluster, state)
 *   value(point_id, metric, item_no, cluster, value)
 *       one number an item: the median of its repetitions
 *
 * The run of a cell is that of the newest finished session with good rows of it
 * (newest unfinished when there is none; finished: it or one that resumes it came to
 * its end by itself). A resumed run has several sessions, so
 * rows of the same cell by the same host and build count too, the newest of each
 * item and repetition. Excluded, failed and invalid attempts never count.
 *
 * Figures' SQL sees these tables and the aggregates of sql_stats.h. */
#ifndef RK_HARNESS_QUERY_H
#define RK_HARNESS_QUERY_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "stats.h"

RK_C_BEGIN

typedef struct rk_query rk_query; /* one connection and an arena for its texts */

/* What to look at; NULL fields do not filter. Borrowed during the call. */
typedef struct rk_query_filter {
    const char *experiment; /* exp_id */
    const char *session;    /* session_id */
    const char *commit;     /* git_commit or its beginning */
    const char *method;     /* the `method` axis */
} rk_query_filter;

/* Opens `path` read-only, checks that it is a results database and fills the
 * tables. RK_E_IO names the path when it is missing; RK_E_FORMAT when it is no
 * results database. Close with rk_query_close. */
rk_status rk_query_open(rk_query **out, const char *path, const rk_query_filter *filter,
                        rk_error *err);
void rk_query_close(rk_query *q); /* accepts NULL */

sqlite3 *rk_query_handle(rk_query *q); /* borrowed */
rk_arena *rk_query_arena(rk_query *q); /* borrowed; lives as long as q */

/* A row of `point`; texts live as long as the query, "" where unknown. */
typedef struct rk_query_point {
    int64_t id;
    const char *exp_id, *model, *dataset, *context, *method;
    const char *rest; /* other axes, "budget=4K seed=1" */
    const char *cell_id, *session_id, *build_id, *commit, *begun, *machine, *dataset_id;
    const char *weights_kind; /* trained | random | none */
    const char *origin;       /* real | real-subset | derived | synthetic */
    int64_t context_tokens;
    int64_t items;                             /* good items */
    int64_t sessions;                          /* sessions with good rows of these axes */
    int64_t used;                              /* sessions whose rows are used */
    int64_t most_items;                        /* the most items any of them has */
    int32_t dirty, finished, is_reference;     /* facts, 0 or 1 */
    int32_t exact, cross_query_cache, offline; /* what the method declares */
} rk_query_point;

/* All points, by experiment, model, dataset, context and method (reference
 * first, redknot last). *out lives as long as the query. */
rk_status rk_query_points(rk_query *q, const rk_query_point **out, int64_t *n, rk_error *err);

/* 1 when both differ in nothing but the method. */
int rk_query_same_group(const rk_query_point *a, const rk_query_point *b);

/* The values of one metric at one point, by item. */
typedef struct rk_series {
    const int64_t *item;    /* [n], ascending */
    const int64_t *cluster; /* [n], the context an item belongs to */
    const double *value;    /* [n] */
    int64_t n;
} rk_series;

/* n = 0 when there are none. *out lives as long as the query. */
rk_status rk_query_series(rk_query *q, int64_t point, const char *metric, rk_series *out,
                          rk_error *err);

/* The items that both series hold, in `arena`. */
rk_status rk_query_pair(const rk_series *a, const rk_series *b, rk_arena *arena, rk_pairs *out,
                        rk_error *err);

/* Runs `sql` (one statement, with up to `binds` text parameters) and calls
 * `row` for each row; `row` returns a status. `what` names it in messages. */
rk_status rk_query_each(sqlite3 *db, const char *what, const char *sql, const char *const *bind,
                        int32_t binds, rk_status (*row)(void *self, sqlite3_stmt *s, rk_error *err),
                        void *self, rk_error *err);

RK_C_END

#endif
