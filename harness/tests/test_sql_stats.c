/* test_sql_stats.c - the aggregates give what stats.h gives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sql_stats.h"
#include "stats.h"

static double number(sqlite3 *db, const char *sql, int *is_null)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s in %s", sqlite3_errmsg(db), sql);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    *is_null = sqlite3_column_type(s, 0) == SQLITE_NULL;
    double v = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return v;
}

static void test_aggregates(void **state)
{
    (void)state;
    sqlite3 *db;
    int null;
    double a[20], b[20];
    int64_t cluster[20];
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(rk_sql_stats_register(db, NULL), RK_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(a REAL, b REAL, c INTEGER)", 0, 0, 0), 0);
    for (int i = 0; i < 20; i++) {
        char sql[128];
        a[i] = 10 + i * i % 17, b[i] = 3 + i * 5 % 7, cluster[i] = 100 - i / 2;
        snprintf(sql, sizeof sql, "INSERT INTO t VALUES(%.17g, %.17g, %d)", a[i], b[i],
                 (int)cluster[i]);
        assert_int_equal(sqlite3_exec(db, sql, 0, 0, 0), SQLITE_OK);
    }
    /* NULLs on either side do not count. */
    assert_int_equal(sqlite3_exec(db, "INSERT INTO t VALUES(NULL, 1, 1), (9, NULL, 1)", 0, 0, 0),
                     0);
    static const struct {
        const char *est, *lo, *hi;
        rk_effect effect;
    } rows[] = {
        {"rk_ratio(a, b)", "rk_ratio_lo(a, b, c)", "rk_ratio_hi(a, b, c)", RK_EFFECT_RATIO_MEDIANS},
        {"rk_diff(a, b)", "rk_diff_lo(a, b, c)", "rk_diff_hi(a, b, c)", RK_EFFECT_MEAN_DIFF},
        {"rk_median(a + 0 * b)", "rk_median_lo(a + 0 * b, c)", "rk_median_hi(a + 0 * b, c)",
         RK_EFFECT_MEDIAN},
        {"avg(a + 0 * b)", "rk_mean_lo(a + 0 * b, c)", "rk_mean_hi(a + 0 * b, c)", RK_EFFECT_MEAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_pairs pairs = {a, b, cluster, 20};
        rk_interval v;
        assert_int_equal(
            rk_stats_bootstrap(&pairs, rows[i].effect, RK_STATS_LEVEL, RK_STATS_SEED, &v, NULL),
            RK_OK);
        const char *sql[] = {rows[i].est, rows[i].lo, rows[i].hi};
        double want[] = {v.est, v.lo, v.hi};
        for (int k = 0; k < 3; k++) {
            char text[128];
            snprintf(text, sizeof text, "SELECT %s FROM t", sql[k]);
            double got = number(db, text, &null);
            assert_false(null);
            if (fabs(got - want[k]) > 1e-12)
                fail_msg("%s: %.12g, expected %.12g", sql[k], got, want[k]);
        }
    }
    static const char *const nulls[] = {
        "SELECT rk_median(a) FROM t WHERE a > 1000", "SELECT rk_ratio(a, 0 * b) FROM t",
        "SELECT rk_mean_lo(a, c) FROM t WHERE c > 97", /* three clusters */
    };
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        (void)number(db, nulls[i], &null);
        assert_true(null);
    }
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_aggregates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
