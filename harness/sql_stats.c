/* sql_stats.c - see sql_stats.h. */
#include "sql_stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "stats.h"

typedef enum part { PART_EST, PART_LO, PART_HI } part;

typedef struct function {
    const char *name;
    rk_effect effect;
    part part;
    int32_t values;  /* 1: x; 2: a, b */
    int32_t cluster; /* 1: a last argument names the cluster */
} function;

static const function functions[] = {
    {"rk_median", RK_EFFECT_MEDIAN, PART_EST, 1, 0},
    {"rk_median_lo", RK_EFFECT_MEDIAN, PART_LO, 1, 1},
    {"rk_median_hi", RK_EFFECT_MEDIAN, PART_HI, 1, 1},
    {"rk_mean_lo", RK_EFFECT_MEAN, PART_LO, 1, 1},
    {"rk_mean_hi", RK_EFFECT_MEAN, PART_HI, 1, 1},
    {"rk_ratio", RK_EFFECT_RATIO_MEDIANS, PART_EST, 2, 0},
    {"rk_ratio_lo", RK_EFFECT_RATIO_MEDIANS, PART_LO, 2, 1},
    {"rk_ratio_hi", RK_EFFECT_RATIO_MEDIANS, PART_HI, 2, 1},
    {"rk_diff", RK_EFFECT_MEAN_DIFF, PART_EST, 2, 0},
    {"rk_diff_lo", RK_EFFECT_MEAN_DIFF, PART_LO, 2, 1},
    {"rk_diff_hi", RK_EFFECT_MEAN_DIFF, PART_HI, 2, 1},
};

typedef struct row {
    double a, b;
    int64_t cluster;
} row;

typedef struct state {
    row *rows;
    size_t n, capacity;
} state;

static void step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const function *f = sqlite3_user_data(ctx);
    state *s = sqlite3_aggregate_context(ctx, sizeof *s);
    for (int i = 0; i < argc; i++)
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
            return;
    if (!s || rk_heap_grow((void **)&s->rows, &s->capacity, s->n + 1, sizeof *s->rows, NULL)) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    s->rows[s->n++] = (row){
        .a = sqlite3_value_double(argv[0]),
        .b = f->values == 2 ? sqlite3_value_double(argv[1]) : 0,
        .cluster = f->cluster ? sqlite3_value_int64(argv[f->values]) : 0,
    };
}

/* A point estimate needs no draws: one pass over the sorted values. */
static double estimate(const function *f, double *a, double *b, int64_t n)
{
    if (f->effect == RK_EFFECT_MEAN_DIFF)
        return rk_stats_mean(a, n) - rk_stats_mean(b, n);
    rk_stats_sort(a, n);
    if (f->effect == RK_EFFECT_MEDIAN)
        return rk_stats_median(a, n);
    rk_stats_sort(b, n);
    return rk_stats_median(a, n) / rk_stats_median(b, n);
}

static rk_status evaluate(const function *f, const state *s, double *out, rk_error *err)
{
    int64_t n = (int64_t)s->n;
    double *values = rk_heap_take(2 * s->n, sizeof *values, err);
    int64_t *cluster = rk_heap_take(s->n, sizeof *cluster, err);
    rk_status status = values && cluster ? RK_OK : RK_E_MEMORY;
    if (status == RK_OK) {
        double *a = values, *b = values + n;
        for (int64_t i = 0; i < n; i++)
            a[i] = s->rows[i].a, b[i] = s->rows[i].b, cluster[i] = s->rows[i].cluster;
        if (f->part == PART_EST) {
            *out = estimate(f, a, b, n);
        } else {
            rk_interval v;
            rk_pairs pairs = {a, f->values == 2 ? b : NULL, cluster, n};
            status = rk_stats_bootstrap(&pairs, f->effect, RK_STATS_LEVEL, RK_STATS_SEED, &v, err);
            if (status == RK_OK)
                *out = f->part == PART_LO ? v.lo : v.hi;
        }
    }
    free(values);
    free(cluster);
    return status;
}

static void finish(sqlite3_context *ctx)
{
    const function *f = sqlite3_user_data(ctx);
    state *s = sqlite3_aggregate_context(ctx, 0);
    double v = NAN;
    rk_error err = {0};
    if (s && s->n && evaluate(f, s, &v, &err) != RK_OK)
        sqlite3_result_error(ctx, err.text, -1);
    else if (isfinite(v))
        sqlite3_result_double(ctx, v);
    else
        sqlite3_result_null(ctx);
    if (s)
        free(s->rows);
}

rk_status rk_sql_stats_register(sqlite3 *db, rk_error *err)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = functions + i;
        int rc = sqlite3_create_function_v2(db, f->name, f->values + f->cluster,
                                            SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)f, NULL,
                                            step, finish, NULL);
        if (rc != SQLITE_OK)
            return rk_fail(err, RK_E_IO, "cannot register the SQL function %s: %s", f->name,
                           sqlite3_errmsg(db));
    }
    return RK_OK;
}
