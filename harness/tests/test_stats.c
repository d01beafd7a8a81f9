/* test_stats.c - against stats_reference.h, and against what each rule promises. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats.h"
#include "stats_reference.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("got %.12g, expected %.12g +- %g", got, want, tolerance);
}

static void test_middle(void **state)
{
    (void)state;
    double one[] = {3}, even[] = {4, 1, 3, 2}, skew[] = {1, 1, 2, 2, 4, 6, 9};
    assert_true(isnan(rk_stats_median(one, 0)));
    assert_true(isnan(rk_stats_mad(one, 0)));
    assert_true(isnan(rk_stats_mean(one, 0)));
    near(rk_stats_median(one, 1), 3, 0);
    near(rk_stats_mad(one, 1), 0, 0);
    rk_stats_sort(even, 4);
    near(even[0], 1, 0);
    near(rk_stats_median(even, 4), 2.5, 0);
    near(rk_stats_mad(even, 4), 1, 0); /* deviations .5 .5 1.5 1.5 */
    near(rk_stats_median(skew, 7), 2, 0);
    near(rk_stats_mad(skew, 7), 1, 0); /* 0 0 1 1 2 4 7 */
    near(rk_stats_mean(skew, 7), 25.0 / 7, 1e-15);
}

static void test_percentiles(void **state)
{
    (void)state;
    static const struct {
        double p;
        int64_t needs;
    } rows[] = {{0.5, 6}, {0.9, 29}, {0.95, 59}, {0.99, 299}, {0.1, 29}};
    double x[300];
    for (int i = 0; i < 300; i++)
        x[i] = i + 1;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(rk_stats_percentile_needs(rows[i].p), rows[i].needs);
        assert_true(isnan(rk_stats_percentile(x, rows[i].needs - 1, rows[i].p)));
        near(rk_stats_percentile(x, rows[i].needs, rows[i].p),
             ceil(rows[i].p * (double)rows[i].needs), 0);
    }
    near(rk_stats_percentile(x, 60, 0.95), 57, 0); /* 0.95 * 60 is 57 exactly */
    near(rk_stats_percentile(x, 300, 0.99), 297, 0);
}

static void test_mcnemar_and_wilson(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mcnemar_rows); i++)
        near(rk_stats_mcnemar(mcnemar_rows[i].gained, mcnemar_rows[i].lost), mcnemar_rows[i].p,
             1e-11);
    for (size_t i = 0; i < COUNT(wilson_rows); i++) {
        double lo, hi;
        rk_stats_wilson(wilson_rows[i].k, wilson_rows[i].n, &lo, &hi);
        near(lo, wilson_rows[i].lo, 1e-9);
        near(hi, wilson_rows[i].hi, 1e-9);
    }
    double lo, hi;
    rk_stats_wilson(0, 0, &lo, &hi);
    assert_true(isnan(lo) && isnan(hi));
}

static void test_mann_whitney(void **state)
{
    (void)state;
    double p;
    for (size_t i = 0; i < COUNT(mann_whitney_rows); i++) {
        int64_t na = mann_whitney_rows[i].na, nb = mann_whitney_rows[i].nb;
        const double *a = mann_whitney_rows[i].a, *b = mann_whitney_rows[i].b;
        assert_int_equal(rk_stats_mann_whitney(a, na, b, nb, &p, NULL), RK_OK);
        near(p, mann_whitney_rows[i].p, 1e-12);
        assert_int_equal(rk_stats_mann_whitney(b, nb, a, na, &p, NULL), RK_OK);
        near(p, mann_whitney_rows[i].p, 1e-12); /* two-sided: order says nothing */
    }
    assert_int_equal(rk_stats_mann_whitney(boot_a, 0, boot_b, 3, &p, NULL), RK_OK);
    assert_true(isnan(p));
    double same[] = {1, 1, 1};
    assert_int_equal(rk_stats_mann_whitney(same, 3, same, 3, &p, NULL), RK_OK);
    near(p, 1, 0);
}

static void test_holm(void **state)
{
    (void)state;
    double p[] = {0.01, NAN, 0.04, 0.03, 0.9};
    assert_int_equal(rk_stats_holm(p, 5, NULL), RK_OK);
    near(p[0], 0.04, 1e-15); /* 4 x 0.01 */
    assert_true(isnan(p[1]));
    near(p[3], 0.09, 1e-15); /* 3 x 0.03 */
    near(p[2], 0.09, 1e-15); /* 2 x 0.04 is less: kept monotone */
    near(p[4], 0.9, 1e-15);
    double one[] = {0.7, 0.8};
    assert_int_equal(rk_stats_holm(one, 2, NULL), RK_OK);
    near(one[0], 1, 0);
    assert_int_equal(rk_stats_holm(one, 0, NULL), RK_OK);
}

static void test_bootstrap_distribution(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(boot_rows); i++) {
        rk_pairs pairs = {boot_a, boot_b, boot_cluster, (int64_t)COUNT(boot_a)};
        rk_interval v, again;
        assert_int_equal(
            rk_stats_bootstrap(&pairs, boot_rows[i].effect, 0.95, RK_STATS_SEED, &v, NULL), RK_OK);
        assert_int_equal(v.n, 9);
        assert_int_equal(v.clusters, 6);
        /* 10,000 draws place a 2.5 % point within a few tenths of a percentile. */
        double width = boot_rows[i].hi - boot_rows[i].lo;
        near(v.lo, boot_rows[i].lo, 0.06 * width);
        near(v.hi, boot_rows[i].hi, 0.06 * width);
        assert_true(v.lo <= v.est && v.est <= v.hi);
        assert_int_equal(
            rk_stats_bootstrap(&pairs, boot_rows[i].effect, 0.95, RK_STATS_SEED, &again, NULL),
            RK_OK);
        assert_memory_equal(&v, &again, sizeof v);
    }
}

static void test_bootstrap_edges(void **state)
{
    (void)state;
    rk_interval v;
    rk_pairs none = {boot_a, boot_b, NULL, 0};
    assert_int_equal(rk_stats_bootstrap(&none, RK_EFFECT_MEAN_DIFF, 0.95, 1, &v, NULL), RK_OK);
    assert_true(isnan(v.est) && isnan(v.lo));
    /* Nine items of two contexts: an estimate, no interval. */
    int64_t two[] = {7, 7, 7, 7, -3, -3, -3, -3, -3};
    rk_pairs few = {boot_a, boot_b, two, 9};
    assert_int_equal(rk_stats_bootstrap(&few, RK_EFFECT_MEAN_DIFF, 0.95, 1, &v, NULL), RK_OK);
    assert_int_equal(v.clusters, 2);
    near(v.est, rk_stats_mean(boot_a, 9) - rk_stats_mean(boot_b, 9), 1e-12);
    assert_true(isnan(v.lo) && isnan(v.hi));
    /* A zero denominator has no ratio. */
    double zero[9] = {0};
    rk_pairs nothing = {boot_a, zero, NULL, 9};
    assert_int_equal(rk_stats_bootstrap(&nothing, RK_EFFECT_RATIO_MEANS, 0.95, 1, &v, NULL), RK_OK);
    assert_true(isnan(v.est) && isnan(v.lo));
    /* Items are their own clusters without cluster numbers. */
    rk_pairs items = {boot_a, NULL, NULL, 9};
    assert_int_equal(rk_stats_bootstrap(&items, RK_EFFECT_MEDIAN, 0.95, 1, &v, NULL), RK_OK);
    assert_int_equal(v.clusters, 9);
    near(v.est, 14, 0);
    /* A wider coverage gives a wider interval. */
    rk_interval wide;
    assert_int_equal(rk_stats_bootstrap(&items, RK_EFFECT_MEAN, 0.95, 1, &v, NULL), RK_OK);
    assert_int_equal(rk_stats_bootstrap(&items, RK_EFFECT_MEAN, 0.995, 1, &wide, NULL), RK_OK);
    assert_true(wide.lo < v.lo && v.hi < wide.hi);
    rk_error err = {0};
    assert_int_equal(rk_stats_bootstrap(&items, RK_EFFECT_MEAN, 1, 1, &v, &err), RK_E_ARG);
    assert_non_null(strstr(err.text, "level 1"));
    assert_int_equal(rk_stats_bootstrap(&items, RK_EFFECT_MEAN_DIFF, 0.95, 1, &v, &err), RK_E_ARG);
}

/* Pairing: items differ a lot, methods by a constant; the paired interval of the
 * difference is a point, and clusters that agree widen it. */
static void test_bootstrap_pairs(void **state)
{
    (void)state;
    double a[40], b[40];
    int64_t cluster[40];
    for (int i = 0; i < 40; i++) {
        b[i] = (i * 37) % 101;
        a[i] = b[i] + 0.5;
        cluster[i] = i / 4;
    }
    rk_interval v;
    rk_pairs pairs = {a, b, cluster, 40};
    assert_int_equal(rk_stats_bootstrap(&pairs, RK_EFFECT_MEAN_DIFF, 0.95, 1, &v, NULL), RK_OK);
    near(v.lo, 0.5, 1e-9);
    near(v.hi, 0.5, 1e-9);
    for (int i = 0; i < 40; i++)
        a[i] = (i / 4) % 2;
    rk_interval by_item;
    rk_pairs alone = {a, NULL, NULL, 40}, together = {a, NULL, cluster, 40};
    assert_int_equal(rk_stats_bootstrap(&alone, RK_EFFECT_MEAN, 0.95, 1, &by_item, NULL), RK_OK);
    assert_int_equal(rk_stats_bootstrap(&together, RK_EFFECT_MEAN, 0.95, 1, &v, NULL), RK_OK);
    assert_true(v.hi - v.lo > 1.5 * (by_item.hi - by_item.lo));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_middle),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_mcnemar_and_wilson),
        cmocka_unit_test(test_mann_whitney),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_bootstrap_distribution),
        cmocka_unit_test(test_bootstrap_edges),
        cmocka_unit_test(test_bootstrap_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
