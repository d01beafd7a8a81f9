/* test_why.c - the rows behind a number, and references that fit nothing. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "results_fixture.h"
#include "why.h"

static fixture f;

static int fill(void **state)
{
    (void)state;
    static const fixture_method dense = {"dense", 100, 0, 0, 1};
    static const fixture_method layer3 = {"cacheblend:layer3", 60, 12, 0, 0.3};
    fixture_open(&f, "why");
    fixture_session(&f, "s1", "b2", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &layer3, 40, "s1");
    fixture_attempt(&f, "e/tiny/reports/2K/dense", "s1", 3, 1, "failed");
    fixture_sql(&f, "INSERT INTO exclusion VALUES('e/tiny/reports/2K/dense#4.0@s1', 'a fire',"
                    " 'me', 1);");
    fixture_close(&f);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    fixture_remove(&f);
    return 0;
}

static rk_status why(const char *reference, char **text, rk_error *err)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    rk_status status = rk_why_write(f.path, reference, NULL, out, err);
    fclose(out);
    return status;
}

static void test_rows(void **state)
{
    (void)state;
    char *text;
    rk_error err = {0};
    if (why("e:model=tiny:context=2048:method=dense:ttft_ms", &text, &err) != RK_OK)
        fail_msg("%s", err.text);
    static const char *const parts[] = {
        "e: ttft_ms of model tiny, data set reports, context 2K, method dense",
        "machine: CPU X, 8 threads",
        "build:   bbbb2222, with uncommitted changes (b2)",
        "rows of: session s1 since 1970-01-01 00:01 UTC, finished; 1 of 1",
        "marks:   weights trained, data synthetic",
        "SELECT a.item_no",
        "   8  q8  c2  0  2.0  100.8  e/tiny/reports/2K/dense#8.0@s1  s1",
        "item 3 rep 1: failed: it broke",
        "item 4 rep 0: ok: a fire (by me)",
        "n = 9 items in 9 contexts",
        "mean 101.956 [",
        "median 102 [",
        "MAD 0.8",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i]))
            fail_msg("no '%s' in\n%s", parts[i], text);
    assert_null(strstr(text, "p90")); /* nine values have no p90 */
    free(text);
    /* A variant's own colon does not end its name. */
    if (why("e:method=cacheblend:layer3:context=2K:em", &text, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_non_null(strstr(text, "method cacheblend:layer3"));
    assert_non_null(strstr(text, "mean 0.7 ["));
    assert_non_null(strstr(text, "left out:\n  nothing"));
    free(text);
}

static void test_usage(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"nothing", "expected EXPERIMENT:axis=value"},
        {":em", "expected EXPERIMENT:axis=value"},
        {"e:", "expected EXPERIMENT:axis=value"},
        {"e:dense:em", "expected axis=value, got 'dense'"},
        {"e:em", "fits several cells"},
        {"e:method=epic:em", "fits no cell of e; cells with results: tiny reports 2K dense, tiny"},
        {"e2:method=dense:em", "cells with results: none"},
        {"e:method=dense:speed", "has no speed; it has: em, f1"},
        {"e:budget=1:method=dense:em", "fits no cell"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text;
        rk_error err = {0};
        assert_int_equal(why(rows[i][0], &text, &err), RK_E_USAGE);
        if (!strstr(err.text, rows[i][1]))
            fail_msg("%s: %s", rows[i][0], err.text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_usage)};
    return cmocka_run_group_tests(tests, fill, clear);
}
