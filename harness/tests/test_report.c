/* test_report.c - numbers worked out by hand from the fixture, marks and notes. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report.h"
#include "results_fixture.h"

static const fixture_method dense = {"dense", 100, 0, 8, 1};
static const fixture_method redknot = {"redknot", 40, 4, 0, 0.25};

static char *report_of(const fixture *f, rk_table_format format, const char *session)
{
    rk_query *q;
    rk_error err = {0};
    rk_query_filter filter = {.experiment = "e", .session = session};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (rk_query_open(&q, f->path, &filter, &err) != RK_OK ||
        rk_report_write(q, format, out, &err) != RK_OK)
        fail_msg("%s", err.text);
    fclose(out);
    rk_query_close(q);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' in:\n%s", part, text);
}

static void test_numbers(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "report");
    fixture_session(&f, "s1", "b1", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 40, "s1");
    for (int i = 0; i < 40; i += 4)
        fixture_sample(&f, "e/tiny/reports/2K/redknot", "s1", i, 0, "offline_ms", 130);
    fixture_cell(&f, "e", "tiny", "reports", "2K", 2048, "epic");
    fixture_attempt(&f, "e/tiny/reports/2K/epic", "s1", 0, 0, "failed");
    fixture_close(&f);
    char *s = report_of(&f, RK_TABLE_TEXT, NULL);
    has(s, "model tiny, data set reports [synthetic], context 2K, on CPU X, 8 threads");
    has(s, "101.8 (10)"); /* dense: median of 100, 100.4 .. 103.6 */
    has(s, "2.44 [");     /* 101.8 / 41.8 */
    has(s, "0.800 (40)");
    has(s, "0.900 (40)");
    has(s, "0.100 [");   /* EM difference */
    has(s, "25.0 (40)"); /* recomputed and FLOP share */
    has(s, "130 (10)");
    has(s, "pays off after, reuses, computed (n)");
    has(s, "2.2 (10)"); /* 130 / (101.8 - 41.8) */
    /* Dense is wrong on the last eight; of these, odd items still have F1 0.5. */
    has(s, "dense itself fails (F1 = 0) 4 of 40 items: 10.0 % [4.0, 23.1].");
    has(s, "Fairness card");
    has(s, "Not run: tiny reports 2K epic: it broke");
    lacks(s, "sessions have rows");
    free(s);

    s = report_of(&f, RK_TABLE_CSV, NULL);
    has(s, "model,dataset,context,method,items,ttft_ms,ttft_ms_n,ttft_speedup,ttft_speedup_lo,");
    has(s, "\ntiny,reports,2K,dense,40,101.8,10,,,,,0.8,40,");
    has(s, "\ntiny,reports,2K,redknot,40,41.8,10,2.43540");
    has(s, ",4,8,0.9,40,"); /* lost 4, gained 8, then top-1 */
    lacks(s, "Fairness");
    free(s);
    s = report_of(&f, RK_TABLE_MD, NULL);
    has(s, "### e: model tiny");
    free(s);
    s = report_of(&f, RK_TABLE_LATEX, NULL);
    has(s, "\\begin{tabular}");
    free(s);
    fixture_remove(&f);
}

/* A method slower than dense never earns its offline time back; one without offline
 * time has nothing to earn. */
static void test_never_pays_off(void **state)
{
    static const fixture_method slow = {"epic", 300, 4, 0, 0.5};
    (void)state;
    fixture f;
    fixture_open(&f, "report_never");
    fixture_session(&f, "s1", "b1", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &slow, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 40, "s1");
    for (int i = 0; i < 40; i += 4)
        fixture_sample(&f, "e/tiny/reports/2K/epic", "s1", i, 0, "offline_ms", 130);
    fixture_close(&f);
    char *s = report_of(&f, RK_TABLE_TEXT, NULL);
    has(s, "never");
    lacks(s, "2.2 (10)");
    free(s);
    fixture_remove(&f);
}

static void test_random_weights(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "report_random");
    fixture_session(&f, "s1", "b2", 100, 200);
    fixture_run(&f, "e", "rand", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "rand", "2K", 2048, &redknot, 40, "s1");
    fixture_close(&f);
    char *s = report_of(&f, RK_TABLE_TEXT, NULL);
    has(s, "RANDOM WEIGHTS: quality withheld");
    has(s, "random weights, synthetic data, uncommitted build");
    has(s, "2.44 [");
    lacks(s, "EM (n)");
    lacks(s, "top-1");
    lacks(s, "itself fails");
    free(s);
    s = report_of(&f, RK_TABLE_CSV, NULL);
    has(s, "\nrand,reports,2K,dense,40,101.8,10,,,,,,,"); /* the EM columns are empty */
    free(s);
    fixture_remove(&f);
}

static void test_notes(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "report_notes");
    fixture_session(&f, "s1", "b1", 100, 200);
    fixture_session(&f, "s2", "b2", 300, 400);
    fixture_session(&f, "s3", "b1", 500, 0);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 8, "s2");
    fixture_run(&f, "e", "tiny", "4K", 4096, &redknot, 8, "s3");
    fixture_close(&f);
    char *s = report_of(&f, RK_TABLE_TEXT, NULL);
    has(s, "redknot: 2 sessions have rows; used: build bbbb2222+ since 1970-01-01 00:05 (session "
           "s2), 8 items; an older one has more items.");
    has(s, "redknot: measured by another build than dense");
    has(s, "redknot: the run has not finished.");
    has(s, "The reference (dense) was not run: no comparisons.");
    has(s, "n too small");
    free(s);
    s = report_of(&f, RK_TABLE_TEXT, "s1");
    lacks(s, "another build");
    has(s, "2.44 [");
    free(s);
    rk_query *q;
    rk_error err = {0};
    assert_int_equal(rk_query_open(&q, f.path, &(rk_query_filter){.experiment = "none"}, &err),
                     RK_OK);
    assert_int_equal(rk_report_write(q, RK_TABLE_TEXT, stdout, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "no results"));
    rk_query_close(q);
    fixture_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_never_pays_off),
        cmocka_unit_test(test_random_weights),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
