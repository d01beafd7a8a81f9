/* stats.c - see stats.h.
 *
 * Sources: Efron and Tibshirani 1993 (cluster bootstrap, percentile interval);
 * McNemar 1947 with the binomial tail; Wilson 1927; Mann and Whitney 1947;
 * Holm 1979. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

void rk_stats_sort(double *x, int64_t n)
{
    if (n > 1)
        qsort(x, (size_t)n, sizeof *x, by_value);
}

double rk_stats_median(const double *sorted, int64_t n)
{
    if (n <= 0)
        return NAN;
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

double rk_stats_mean(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return n > 0 ? sum / (double)n : NAN;
}

/* The deviations left and right of the median are each sorted already, so the
 * middle of their merge needs no memory. */
double rk_stats_mad(const double *sorted, int64_t n)
{
    if (n <= 0)
        return NAN;
    double m = rk_stats_median(sorted, n), low = 0, high = 0;
    int64_t right = 0;
    while (right < n && sorted[right] < m)
        right++;
    int64_t left = right - 1;
    for (int64_t rank = 0; rank <= n / 2; rank++) {
        double l = left >= 0 ? m - sorted[left] : INFINITY;
        double r = right < n ? sorted[right] - m : INFINITY;
        double d = l < r ? l : r;
        if (l < r)
            left--;
        else
            right++;
        if (rank == (n - 1) / 2)
            low = d;
        high = d;
    }
    return 0.5 * (low + high);
}

int64_t rk_stats_percentile_needs(double p)
{
    int64_t n = 1;
    while (pow(p, (double)n) + pow(1 - p, (double)n) > 0.05)
        n++;
    return n;
}

double rk_stats_percentile(const double *sorted, int64_t n, double p)
{
    if (n < rk_stats_percentile_needs(p))
        return NAN;
    /* p n can come out a hair above a whole number (0.95 * 60). */
    int64_t rank = (int64_t)ceil(p * (double)n - 1e-9);
    return sorted[rank - 1];
}

/* ---- bootstrap ---- */

typedef struct keyed {
    double value;
    int64_t key;
} keyed;

static int by_keyed_value(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static int by_key(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    return (a->key > b->key) - (a->key < b->key);
}

typedef struct sample_set {
    int64_t n, clusters;
    int64_t *cluster;         /* [n], 0 .. clusters-1 */
    int64_t *size;            /* [clusters] */
    int64_t *times;           /* [clusters], how often this draw took it */
    double *sum_a, *sum_b;    /* [clusters] */
    keyed *order_a, *order_b; /* [n], by value; key = cluster */
    double *draw;             /* [RK_STATS_DRAWS] */
} sample_set;

static int uses_medians(rk_effect e)
{
    return e == RK_EFFECT_MEDIAN || e == RK_EFFECT_RATIO_MEDIANS;
}

static int uses_b(rk_effect e)
{
    return e != RK_EFFECT_MEAN && e != RK_EFFECT_MEDIAN;
}

/* Any cluster numbers to 0 .. clusters-1, in ascending order. */
static void compact_clusters(const rk_pairs *p, sample_set *s, keyed *scratch)
{
    for (int64_t i = 0; i < p->n; i++)
        scratch[i] = (keyed){(double)i, p->cluster ? p->cluster[i] : i};
    qsort(scratch, (size_t)p->n, sizeof *scratch, by_key);
    s->clusters = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (i == 0 || scratch[i].key != scratch[i - 1].key)
            s->clusters++;
        s->cluster[(int64_t)scratch[i].value] = s->clusters - 1;
    }
}

static void sort_values(const double *x, const sample_set *s, keyed *order)
{
    for (int64_t i = 0; i < s->n; i++)
        order[i] = (keyed){x[i], s->cluster[i]};
    qsort(order, (size_t)s->n, sizeof *order, by_keyed_value);
}

static rk_status sample_set_fill(const rk_pairs *p, rk_effect e, rk_arena *arena, sample_set *s,
                                 rk_error *err)
{
    size_t n = (size_t)p->n;
    s->n = p->n;
    s->cluster = rk_arena_take(arena, n, sizeof *s->cluster, err);
    s->size = rk_arena_take(arena, n, sizeof *s->size, err);
    s->times = rk_arena_take(arena, n, sizeof *s->times, err);
    s->sum_a = rk_arena_take(arena, n, sizeof *s->sum_a, err);
    s->sum_b = rk_arena_take(arena, n, sizeof *s->sum_b, err);
    s->order_a = rk_arena_take(arena, n, sizeof *s->order_a, err);
    s->order_b = rk_arena_take(arena, n, sizeof *s->order_b, err);
    s->draw = rk_arena_take(arena, RK_STATS_DRAWS, sizeof *s->draw, err);
    if (!s->cluster || !s->size || !s->times || !s->sum_a || !s->sum_b || !s->order_a ||
        !s->order_b || !s->draw)
        return RK_E_MEMORY;
    compact_clusters(p, s, s->order_a);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t c = s->cluster[i];
        s->size[c]++;
        s->sum_a[c] += p->a[i];
        s->sum_b[c] += uses_b(e) ? p->b[i] : 0;
    }
    if (uses_medians(e)) {
        sort_values(p->a, s, s->order_a);
        if (uses_b(e))
            sort_values(p->b, s, s->order_b);
    }
    return RK_OK;
}

/* Median of a draw: walk the values once sorted, each as often as its cluster. */
static double drawn_median(const sample_set *s, const keyed *order, int64_t total)
{
    int64_t low_rank = (total - 1) / 2, high_rank = total / 2, seen = 0;
    double low = NAN;
    for (int64_t i = 0; i < s->n; i++) {
        seen += s->times[order[i].key];
        if (isnan(low) && seen > low_rank)
            low = order[i].value;
        if (seen > high_rank)
            return 0.5 * (low + order[i].value);
    }
    return low;
}

static double drawn_effect(const sample_set *s, rk_effect e)
{
    double a = 0, b = 0;
    int64_t total = 0;
    for (int64_t c = 0; c < s->clusters; c++) {
        double t = (double)s->times[c];
        total += s->times[c] * s->size[c];
        a += t * s->sum_a[c];
        b += t * s->sum_b[c];
    }
    switch (e) {
    case RK_EFFECT_MEAN:
        return a / (double)total;
    case RK_EFFECT_MEAN_DIFF:
        return (a - b) / (double)total;
    case RK_EFFECT_RATIO_MEANS:
        return a / b;
    case RK_EFFECT_MEDIAN:
        return drawn_median(s, s->order_a, total);
    case RK_EFFECT_RATIO_MEDIANS:
        return drawn_median(s, s->order_a, total) / drawn_median(s, s->order_b, total);
    }
    return NAN;
}

static void draw_interval(sample_set *s, rk_effect e, double level, uint64_t seed, rk_interval *out)
{
    rk_rng rng;
    rk_rng_init(&rng, seed, "bootstrap");
    int64_t kept = 0;
    for (int32_t i = 0; i < RK_STATS_DRAWS; i++) {
        memset(s->times, 0, (size_t)s->clusters * sizeof *s->times);
        for (int64_t c = 0; c < s->clusters; c++)
            s->times[rk_rng_below(&rng, (uint64_t)s->clusters)]++;
        double v = drawn_effect(s, e);
        if (!isnan(v)) /* 0 / 0 says nothing; x / 0 is kept as infinity */
            s->draw[kept++] = v;
    }
    if (kept < RK_STATS_DRAWS / 2)
        return;
    rk_stats_sort(s->draw, kept);
    int64_t tail = (int64_t)((1 - level) / 2 * (double)kept);
    out->lo = s->draw[tail];
    out->hi = s->draw[kept - 1 - tail];
}

rk_status rk_stats_bootstrap(const rk_pairs *pairs, rk_effect effect, double level, uint64_t seed,
                             rk_interval *out, rk_error *err)
{
    *out = (rk_interval){.est = NAN, .lo = NAN, .hi = NAN, .n = pairs->n};
    if (pairs->n < 0 || !(level > 0 && level < 1) || (uses_b(effect) && pairs->n && !pairs->b))
        return rk_fail(err, RK_E_ARG, "bootstrap: n %lld, level %g: out of contract",
                       (long long)pairs->n, level);
    if (pairs->n == 0)
        return RK_OK;
    rk_arena *arena = NULL;
    sample_set s = {0};
    rk_status status = rk_arena_new(&arena, err);
    if (status == RK_OK)
        status = sample_set_fill(pairs, effect, arena, &s, err);
    if (status == RK_OK) {
        for (int64_t c = 0; c < s.clusters; c++)
            s.times[c] = 1;
        double est = drawn_effect(&s, effect);
        out->est = isfinite(est) ? est : NAN;
        out->clusters = s.clusters;
        if (s.clusters >= RK_STATS_MIN_CLUSTERS && isfinite(est))
            draw_interval(&s, effect, level, seed, out);
    }
    rk_arena_free(arena);
    return status;
}

/* ---- tests ---- */

double rk_stats_mcnemar(int64_t gained, int64_t lost)
{
    int64_t n = gained + lost, k = gained < lost ? gained : lost;
    if (n == 0)
        return 1;
    double tail = 0;
    for (int64_t i = 0; i <= k; i++)
        tail += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) -
                    (double)n * log(2.0));
    return 2 * tail < 1 ? 2 * tail : 1;
}

void rk_stats_wilson(int64_t k, int64_t n, double *lo, double *hi)
{
    const double z = 1.959963984540054; /* two-sided 95 % */
    if (n <= 0) {
        *lo = *hi = NAN;
        return;
    }
    double m = (double)n, share = (double)k / m;
    double middle = (share + z * z / (2 * m)) / (1 + z * z / m);
    double half = z / (1 + z * z / m) * sqrt(share * (1 - share) / m + z * z / (4 * m * m));
    *lo = k == 0 ? 0 : middle - half;
    *hi = k == n ? 1 : middle + half;
}

/* P(U <= u) by counting: ways[j][s] = ways to choose j ranks of the first i with
 * rank-sum excess s. */
static rk_status exact_u_tail(int64_t na, int64_t nb, int64_t u, double *tail, rk_error *err)
{
    int64_t most = na * nb;
    size_t width = (size_t)most + 1;
    double *ways = rk_heap_take((size_t)(na + 1) * width, sizeof *ways, err);
    if (!ways)
        return RK_E_MEMORY;
    ways[0] = 1;
    for (int64_t i = 1; i <= na + nb; i++)
        for (int64_t j = i < na ? i : na; j >= 1; j--) {
            /* Taking rank i as the j-th adds i - j to the excess. */
            double *to = ways + (size_t)j * width, *from = to - width;
            for (int64_t s = most; s >= i - j; s--)
                to[s] += from[s - (i - j)];
        }
    double all = 0, low = 0;
    for (int64_t s = 0; s <= most; s++) {
        all += ways[(size_t)na * width + (size_t)s];
        if (s <= u)
            low = all;
    }
    *tail = low / all;
    free(ways);
    return RK_OK;
}

/* Rank sum of a (ties share their mean rank) and the tie term sum t^3 - t. */
static double rank_sum(const keyed *v, int64_t n, double *ties)
{
    double sum = 0;
    *ties = 0;
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && v[j].value == v[i].value; j++)
            ;
        double t = (double)(j - i);
        *ties += t * t * t - t;
        for (int64_t k = i; k < j; k++)
            sum += v[k].key == 0 ? 0.5 * (double)(i + 1 + j) : 0;
    }
    return sum;
}

rk_status rk_stats_mann_whitney(const double *a, int64_t na, const double *b, int64_t nb, double *p,
                                rk_error *err)
{
    *p = NAN;
    if (na <= 0 || nb <= 0)
        return RK_OK;
    int64_t n = na + nb;
    keyed *v = rk_heap_take((size_t)n, sizeof *v, err);
    if (!v)
        return RK_E_MEMORY;
    for (int64_t i = 0; i < n; i++)
        v[i] = i < na ? (keyed){a[i], 0} : (keyed){b[i - na], 1};
    qsort(v, (size_t)n, sizeof *v, by_keyed_value);
    double ties, sum = rank_sum(v, n, &ties);
    free(v);
    double u = sum - (double)na * ((double)na + 1) / 2, product = (double)na * (double)nb;
    double low = u < product - u ? u : product - u;
    if (ties == 0 && n <= 40) {
        double tail;
        RK_TRY(exact_u_tail(na, nb, (int64_t)(low + 0.5), &tail, err));
        *p = 2 * tail < 1 ? 2 * tail : 1;
        return RK_OK;
    }
    double m = (double)n, variance = product / 12 * (m + 1 - ties / (m * (m - 1)));
    double z = (product / 2 - low - 0.5) / sqrt(variance);
    *p = variance <= 0 || z <= 0 ? 1 : erfc(z / sqrt(2.0));
    return RK_OK;
}

rk_status rk_stats_holm(double *p, int64_t n, rk_error *err)
{
    if (n <= 0)
        return RK_OK;
    keyed *v = rk_heap_take((size_t)n, sizeof *v, err);
    if (!v)
        return RK_E_MEMORY;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            v[m++] = (keyed){p[i], i};
    qsort(v, (size_t)m, sizeof *v, by_keyed_value);
    double floor = 0;
    for (int64_t i = 0; i < m; i++) {
        double adjusted = (double)(m - i) * v[i].value;
        floor = adjusted > floor ? adjusted : floor;
        p[v[i].key] = floor < 1 ? floor : 1;
    }
    free(v);
    return RK_OK;
}
