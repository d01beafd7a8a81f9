/* test_claims.c - every branch of the predicate, and finding the right cell. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "claims.h"
#include "results_fixture.h"

#define N RK_CLAIM_NOT_REPRODUCED
#define R RK_CLAIM_REPRODUCED
#define D RK_CLAIM_DIRECTION_ONLY
#define C RK_CLAIM_CONTRADICTED
#define U RK_CLAIM_UNTESTABLE

static void test_predicate(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value, tolerance;
        int relative;
        double none, lo, hi;
        rk_claim_status status;
        int weak;
    } rows[] = {
        {"inside the band", 3.5, 0.1, 1, 1, 3.4, 3.6, R, 0},
        {"meets its edge", 3.5, 0.1, 1, 1, 3.85, 4.5, R, 0},
        {"just misses, above", 3.5, 0.1, 1, 1, 3.851, 4.5, D, 0},
        {"smaller but faster", 3.5, 0.1, 1, 1, 1.2, 1.4, D, 0},
        {"no effect seen", 3.5, 0.1, 1, 1, 0.9, 1.4, N, 0},
        {"touches no effect", 3.5, 0.1, 1, 1, 1.0, 1.4, N, 0},
        {"slower", 3.5, 0.1, 1, 1, 0.5, 0.9, C, 0},
        {"meets, but wide", 3.5, 0.1, 1, 1, 0.8, 3.2, R, 1},
        {"claimed slower, is slower", 0.5, 0.1, 1, 1, 0.7, 0.9, D, 0},
        {"claimed slower, is faster", 0.5, 0.1, 1, 1, 1.2, 1.4, C, 0},
        {"absolute tolerance", 3.5, 0.1, 0, 1, 3.3, 3.39, D, 0},
        {"no difference, shown", 0, 0.05, 0, 0, -0.02, 0.03, R, 0},
        {"no difference, unsettled", 0, 0.05, 0, 0, -0.2, 0.03, R, 1},
        {"no difference, but there is", 0, 0.05, 0, 0, -0.2, -0.06, N, 0},
        {"a gain, is a loss", 0.2, 0.05, 0, 0, -0.2, -0.06, C, 0},
        {"a loss, relative", -0.2, 0.25, 1, 0, -0.16, -0.1, R, 0},
        {"a level, met", 0.52, 0.05, 0, NAN, 0.5, 0.6, R, 0},
        {"a level, missed", 0.52, 0.05, 0, NAN, 0.6, 0.7, N, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_interval got = {(rows[i].lo + rows[i].hi) / 2, rows[i].lo, rows[i].hi, 40, 10};
        rk_claim_verdict v;
        rk_claim_decide(rows[i].value, rows[i].tolerance, rows[i].relative, rows[i].none, &got, &v);
        if (v.status != rows[i].status || v.weak != rows[i].weak)
            fail_msg("%s: %s%s (%s)", rows[i].name, rk_claim_status_name(v.status),
                     v.weak ? ", weak" : "", v.why);
        assert_true(v.why[0] != 0);
    }
    rk_interval few = {2, NAN, NAN, 12, 3}, nothing = {NAN, NAN, NAN, 0, 0};
    rk_claim_verdict v;
    rk_claim_decide(2, 0.1, 1, 1, &few, &v);
    assert_int_equal(v.status, U);
    assert_non_null(strstr(v.why, "3 contexts"));
    rk_claim_decide(2, 0.1, 1, 1, &nothing, &v);
    assert_int_equal(v.status, U);
    assert_true(v.band_lo == 1.8 && v.band_hi == 2.2);
    assert_string_equal(rk_claim_status_name(R), "reproduced");
    assert_string_equal(rk_claim_status_name(U), "untestable");
}

static const struct {
    const char *exp, *metric, *where;
    double value, tolerance;
    rk_claim_status status;
    const char *why;
} cells[] = {
    {"e", "ttft_speedup", "model=tiny context=2K method=redknot", 2.5, 0.1, R, "meets"},
    {"e", "ttft_ms_speedup", "model=tiny context=2048 method=redknot", 2.5, 0.1, R, "meets"},
    {"e", "ttft_speedup", "model=tiny context=2K method=redknot", 9, 0.1, D, "another size"},
    {"e", "ttft_speedup", "model=tiny context=2K method=redknot vs=epic", 1.25, 0.1, R, ""},
    {"e", "ttft_speedup", "model=tiny context=2K method=redknot vs=none", 1.25, 0.1, U,
     "compared with was not run"},
    {"e", "flops_reduction", "model=tiny context=2K method=redknot", 3.33, 0.1, R, ""},
    {"e", "em_delta", "model=tiny context=2K method=redknot", -0.1, 0.05, R, ""},
    {"e", "em_ratio", "model=tiny context=2K method=epic", 1.3, 0.1, C, "other side"},
    {"e", "em", "model=tiny context=2K method=dense", 1, 0.01, R, ""},
    {"e", "ttft_speedup", "model=tiny method=redknot", 2.5, 0.1, U, "names 2 cells"},
    {"e", "ttft_speedup", "model=llama-3.3-70b context=64K method=redknot", 3.5, 0.1, U,
     "not run on this machine"},
    {"e", "ttft_speedup", "model=tiny context=4K method=redknot", 2.5, 0.1, U, "n too small"},
    {"e", "f1_delta", "model=rand context=2K method=redknot", 0, 0.1, U, "random weights"},
    {"e", "ttft_speedup", "model=rand context=2K method=redknot", 2.5, 0.1, R, ""},
    {"e", "no_such_delta", "model=tiny context=2K method=redknot", 2.5, 0.1, U, "nothing measured"},
    {"e", "ttft_speedup", "budget=4K method=redknot", 2.5, 0.1, U, "not run"},
    {"alone", "ttft_speedup", "method=redknot", 2.5, 0.1, U, "compared with was not run"},
};

static void test_cells(void **state)
{
    (void)state;
    static const fixture_method dense = {"dense", 100, 0, 0, 1};
    static const fixture_method redknot = {"redknot", 40, 4, 0, 0.3};
    static const fixture_method epic = {"epic", 50, 0, 20, 0.1};
    fixture f;
    fixture_open(&f, "claims");
    fixture_session(&f, "s1", "b1", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &epic, 40, "s1");
    fixture_run(&f, "e", "tiny", "4K", 4096, &dense, 12, "s1"); /* three contexts */
    fixture_run(&f, "e", "tiny", "4K", 4096, &redknot, 12, "s1");
    fixture_run(&f, "e", "rand", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "rand", "2K", 2048, &redknot, 40, "s1");
    fixture_run(&f, "alone", "tiny", "2K", 2048, &redknot, 40, "s1");
    fixture_close(&f);
    rk_query *q;
    assert_int_equal(rk_query_open(&q, f.path, NULL, NULL), RK_OK);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        rk_claim_input c = {cells[i].exp,
                            cells[i].metric,
                            cells[i].where,
                            cells[i].value,
                            cells[i].tolerance,
                            1,
                            ""};
        rk_claim_verdict v;
        rk_error err = {0};
        if (!strcmp(cells[i].metric, "em_delta") || !strcmp(cells[i].metric, "f1_delta"))
            c.relative = 0;
        if (rk_claim_check(q, &c, &v, &err) != RK_OK)
            fail_msg("row %zu: %s", i, err.text);
        if (v.status != cells[i].status || !strstr(v.why, cells[i].why))
            fail_msg("row %zu: %s %.3g [%.3g, %.3g]: %s", i, rk_claim_status_name(v.status),
                     v.got.est, v.got.lo, v.got.hi, v.why);
    }
    static const char *const bad[][2] = {
        {"f1", "redknot"}, {"", "method=redknot"}, {"f1", "=redknot"}};
    for (size_t i = 0; i < 3; i++) {
        rk_claim_input c = {"e", bad[i][0], bad[i][1], 1, 1, 0, ""};
        rk_claim_verdict v;
        rk_error err = {0};
        assert_int_equal(rk_claim_check(q, &c, &v, &err), RK_E_USAGE);
        assert_non_null(strstr(err.text, "claim"));
    }
    rk_query_close(q);
    fixture_remove(&f);
}

/* The same item numbers of another data set are other items. */
static void test_other_items(void **state)
{
    (void)state;
    static const fixture_method dense = {"dense", 100, 0, 0, 1};
    static const fixture_method redknot = {"redknot", 40, 0, 0, 0.3};
    fixture f;
    fixture_open(&f, "claims_items");
    fixture_session(&f, "s1", "b1", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 40, "s1");
    fixture_sql(&f, "UPDATE cell SET dataset_id = 'other' WHERE method_id = 'dense';");
    fixture_close(&f);
    rk_query *q;
    rk_claim_verdict v;
    rk_claim_input c = {NULL, "ttft_speedup", "method=redknot", 2.5, 0.1, 1, ""};
    assert_int_equal(rk_query_open(&q, f.path, NULL, NULL), RK_OK);
    assert_int_equal(rk_claim_check(q, &c, &v, NULL), RK_OK);
    assert_int_equal(v.status, U);
    assert_non_null(strstr(v.why, "different items"));
    rk_query_close(q);
    fixture_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicate),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_other_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
