/* test_status.c - one convention: statuses, one-line messages, prefixes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/status.h"

static void every_status_has_a_name_and_a_sentence(void **state)
{
    (void)state;
    static const struct {
        rk_status status;
        int value;
        const char *name;
    } cases[] = {
        {RK_OK, 0, "OK"},
        {RK_E_ARG, -1, "E_ARG"},
        {RK_E_MEMORY, -2, "E_MEMORY"},
        {RK_E_IO, -3, "E_IO"},
        {RK_E_FORMAT, -4, "E_FORMAT"},
        {RK_E_DEVICE, -5, "E_DEVICE"},
        {RK_E_UNSUPPORTED, -6, "E_UNSUPPORTED"},
        {RK_E_BUDGET, -7, "E_BUDGET"},
        {RK_E_USAGE, -8, "E_USAGE"},
        {RK_E_NUMERIC, -9, "E_NUMERIC"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cases[i].status, cases[i].value);
        assert_string_equal(rk_status_name(cases[i].status), cases[i].name);
        assert_true(strlen(rk_status_text(cases[i].status)) > 1);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rk_status_text(cases[i].status),
                                    rk_status_text(cases[j].status));
    }
    assert_string_equal(rk_status_name((rk_status)-99), "E_?");
    assert_string_equal(rk_status_text((rk_status)-99), "unknown status");
}

static void a_failure_records_where_and_what(void **state)
{
    (void)state;
    rk_error err = {0};
    int line = __LINE__ + 1;
    assert_int_equal(rk_fail(&err, RK_E_IO, "read %d of %d bytes", 3, 9), RK_E_IO);
    assert_int_equal(err.status, RK_E_IO);
    assert_int_equal(err.line, line);
    assert_non_null(strstr(err.file, "test_status.c"));
    assert_string_equal(err.text, "read 3 of 9 bytes");
    assert_int_equal(rk_fail(NULL, RK_E_ARG, "no record wanted"), RK_E_ARG);
}

static void a_message_is_one_line(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_fail(&err, RK_E_FORMAT, "a\nb\tc\x7f\x1b[0m");
    assert_string_equal(err.text, "a?b?c??[0m");
    char lengthy[2000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    rk_fail(&err, RK_E_FORMAT, "%s", lengthy);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void a_prefix_keeps_status_and_text(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_fail(&err, RK_E_BUDGET, "full");
    assert_int_equal(rk_error_prefix(&err, "%s line %d", "a.exp", 7), RK_E_BUDGET);
    assert_string_equal(err.text, "a.exp line 7: full");
    char lengthy[600];
    memset(lengthy, 'p', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_int_equal(rk_error_prefix(&err, "%s", lengthy), RK_E_BUDGET);
    assert_non_null(strstr(err.text, ": a.exp line 7: full")); /* the cause survives */
    assert_true(rk_error_prefix(NULL, "x") < 0);
}

static rk_status inner(rk_status st)
{
    return st;
}

static rk_status outer(rk_status st, int *after)
{
    RK_TRY(inner(st));
    *after = 1;
    return RK_OK;
}

static void try_leaves_on_failure_only(void **state)
{
    (void)state;
    int after = 0;
    assert_int_equal(outer(RK_E_NUMERIC, &after), RK_E_NUMERIC);
    assert_int_equal(after, 0);
    assert_int_equal(outer(RK_OK, &after), RK_OK);
    assert_int_equal(after, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_and_a_sentence),
        cmocka_unit_test(a_failure_records_where_and_what),
        cmocka_unit_test(a_message_is_one_line),
        cmocka_unit_test(a_prefix_keeps_status_and_text),
        cmocka_unit_test(try_leaves_on_failure_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
