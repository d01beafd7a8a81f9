/* stats.h - the statistics behind every printed number; pure functions.
 *
 * Medians and nearest-rank percentiles for times, means for quality, paired
 * bootstrap intervals clustered by context (questions about one context are not
 * independent), exact tests for small counts. A number whose n is too small to
 * say anything is withheld as NaN, never guessed. */
#ifndef RK_HARNESS_STATS_H
#define RK_HARNESS_STATS_H

#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

enum {
    RK_STATS_DRAWS = 10000,    /* bootstrap draws */
    RK_STATS_MIN_CLUSTERS = 6, /* fewer give no two-sided 95 % interval of a median */
};
#define RK_STATS_SEED 20260606u /* every interval is reproducible */
#define RK_STATS_LEVEL 0.95

void rk_stats_sort(double *x, int64_t n); /* ascending; no NaN allowed */

/* Of sorted values; NaN when n = 0. */
double rk_stats_median(const double *sorted, int64_t n);
/* Median of |x - median|, unscaled. */
double rk_stats_mad(const double *sorted, int64_t n);
double rk_stats_mean(const double *x, int64_t n);

/* Nearest rank: the ceil(p n)-th value, 0 < p < 1. NaN below the n at which a
 * two-sided 95 % interval for it exists: p^n + (1-p)^n <= 0.05, that is 6 for
 * p50, 29 for p90, 59 for p95, 299 for p99. */
double rk_stats_percentile(const double *sorted, int64_t n, double p);
int64_t rk_stats_percentile_needs(double p);

typedef enum rk_effect {
    RK_EFFECT_MEAN,          /* mean a; b unused */
    RK_EFFECT_MEDIAN,        /* median a; b unused */
    RK_EFFECT_MEAN_DIFF,     /* mean a - mean b */
    RK_EFFECT_RATIO_MEANS,   /* mean a / mean b */
    RK_EFFECT_RATIO_MEDIANS, /* median a / median b */
} rk_effect;

/* The same items under two methods. */
typedef struct rk_pairs {
    const double *a, *b;    /* [n]; b may be NULL for effects of one sample */
    const int64_t *cluster; /* [n], any numbers; NULL: each item by itself */
    int64_t n;
} rk_pairs;

typedef struct rk_interval {
    double est;    /* NaN: n = 0 or a zero denominator */
    double lo, hi; /* NaN: withheld, fewer than RK_STATS_MIN_CLUSTERS clusters */
    int64_t n, clusters;
} rk_interval;

/* Percentile bootstrap over clusters, RK_STATS_DRAWS draws, seeded. `level` is
 * the coverage, 0.95 or more for several comparisons at once. */
rk_status rk_stats_bootstrap(const rk_pairs *pairs, rk_effect effect, double level, uint64_t seed,
                             rk_interval *out, rk_error *err);

/* Exact two-sided McNemar: gained and lost are the discordant counts. */
double rk_stats_mcnemar(int64_t gained, int64_t lost);

/* 95 % score interval of a share. NaN when n = 0. */
void rk_stats_wilson(int64_t k, int64_t n, double *lo, double *hi);

/* Two-sided Mann-Whitney p of two independent samples: exact without ties up to
 * 40 values in all, else the normal approximation with tie and continuity
 * correction. NaN when either is empty. */
rk_status rk_stats_mann_whitney(const double *a, int64_t na, const double *b, int64_t nb, double *p,
                                rk_error *err);

/* Holm's step-down adjustment in place; NaN entries are left and not counted. */
rk_status rk_stats_holm(double *p, int64_t n, rk_error *err);

RK_C_END

#endif
