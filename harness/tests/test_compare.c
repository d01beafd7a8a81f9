/* test_compare.c - the verdict's branches; methods, commits and sessions. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare.h"
#include "results_fixture.h"

static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        double lo, hi, none, floor;
        rk_compare_verdict verdict;
    } rows[] = {
        {0.97, 1.04, 1, 0.05, RK_COMPARE_SAME},    {1.01, 1.04, 1, 0.05, RK_COMPARE_SAME},
        {1.01, 1.06, 1, 0.05, RK_COMPARE_FASTER},  {0.90, 0.94, 1, 0.05, RK_COMPARE_SLOWER},
        {0.90, 1.20, 1, 0.05, RK_COMPARE_UNCLEAR}, {NAN, NAN, 1, 0.05, RK_COMPARE_UNCLEAR},
        {-0.01, 0.02, 0, 0.02, RK_COMPARE_SAME},   {0.01, 0.30, 0, 0.02, RK_COMPARE_BETTER},
        {-0.3, -0.01, 0, 0.02, RK_COMPARE_WORSE},  {-0.3, 0.01, 0, 0.02, RK_COMPARE_UNCLEAR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_interval v = {0, rows[i].lo, rows[i].hi, 40, 10};
        rk_compare_verdict got = rk_compare_decide(&v, rows[i].none, rows[i].floor);
        if (got != rows[i].verdict)
            fail_msg("row %zu: %s", i, rk_compare_verdict_name(got));
    }
}

static fixture f;

static int fill(void **state)
{
    (void)state;
    static const fixture_method dense = {"dense", 100, 0, 0, 1};
    static const fixture_method redknot = {"redknot", 40, 24, 0, 0.3};
    static const fixture_method slower = {"redknot", 50, 24, 0, 0.3};
    fixture_open(&f, "compare");
    fixture_session(&f, "aa-1", "b1", 100, 200);
    fixture_session(&f, "bb-1", "b1", 300, 400);
    fixture_session(&f, "bb-2", "b2", 500, 600);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 40, "aa-1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 40, "aa-1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 40, "bb-1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &slower, 40, "bb-2");
    fixture_run(&f, "e2", "rand", "2K", 2048, &dense, 40, "aa-1");
    fixture_run(&f, "e2", "rand", "2K", 2048, &redknot, 40, "aa-1");
    fixture_close(&f);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    fixture_remove(&f);
    return 0;
}

static rk_status compare(const char *a, const char *b, const char *experiment, char **text,
                         int64_t *worse, rk_error *err)
{
    rk_compare_request r = {a, b, experiment, 0.05, 0.02, RK_TABLE_TEXT};
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    rk_status status = rk_compare_write(f.path, &r, out, worse, err);
    fclose(out);
    return status;
}

static void test_sides(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *exp;
        int64_t worse;
        const char *has[3];
    } rows[] = {
        /* The newest redknot rows take 50 ms: the ratio is 101.8 / 51.8. */
        {"dense", "redknot", "e", 3, {"faster", "worse", "1.965 ["}},
        {"redknot", "dense", "e", 1, {"slower", "better", "0.509 ["}},
        {"aaaa", "bbbb2222", "e", 1, {"A = commit aaaa, B = commit bbbb2222", "slower", "same"}},
        {"bbbb", "aaaa1111", "e", 0, {"faster", "same", "1.239 ["}},
        {"aa-1", "bb-1", NULL, 0, {"A = session aa-1", "same", "1.000 [1.000, 1.000] (10)"}},
        {"dense", "redknot", "e2", 0, {"faster", "B is x times as fast", "2.435 ["}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL;
        int64_t worse;
        rk_error err = {0};
        if (compare(rows[i].a, rows[i].b, rows[i].exp, &text, &worse, &err) != RK_OK)
            fail_msg("row %zu: %s", i, err.text);
        if (worse != rows[i].worse)
            fail_msg("row %zu: %d worse\n%s", i, (int)worse, text);
        for (int k = 0; k < 3; k++)
            if (!strstr(text, rows[i].has[k]))
                fail_msg("row %zu: no '%s' in\n%s", i, rows[i].has[k], text);
        /* Nothing is said about answers of random weights. */
        if (rows[i].exp && !strcmp(rows[i].exp, "e2"))
            assert_null(strstr(text, "f1"));
        free(text);
    }
}

static void test_usage(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *exp, *says;
    } rows[] = {
        {"dense", "densse", NULL, "'densse' is no method"},
        {"dense", "", NULL, "'' is no method"},
        {"bb-", "aa-1", NULL, "'bb-' is no method"}, /* two sessions begin so */
        {"dense", "aaaa", NULL, "'dense' is a method and 'aaaa' a commit"},
        {"dense", "redknot", "e3", "no measured item in common"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL;
        int64_t worse;
        rk_error err = {0};
        assert_int_equal(compare(rows[i].a, rows[i].b, rows[i].exp, &text, &worse, &err),
                         RK_E_USAGE);
        if (!strstr(err.text, rows[i].says))
            fail_msg("%s", err.text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, fill, clear);
}
