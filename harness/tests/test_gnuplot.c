/* test_gnuplot.c - a program that is missing, fails, or floods; the PDF's date. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gnuplot.h"

static void write_file(char path[512], const char *name, const char *text, mode_t mode)
{
    snprintf(path, 512, "%s/%s_%ld", RK_TEST_BUILD, name, (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static void test_missing(void **state)
{
    (void)state;
    rk_error err = {0};
    assert_int_equal(rk_gnuplot_run("no-such-gnuplot", "a=1", "x.gp", &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no-such-gnuplot is not installed"));
    assert_non_null(strstr(err.text, "gnuplot-nox"));
    assert_null(strchr(err.text, '\n'));
}

/* A stand-in says what it was given: arguments and environment. */
static void test_child(void **state)
{
    (void)state;
    char program[512], log[512], text[4096];
    rk_error err = {0};
    write_file(log, "child_log", "", 0644);
    snprintf(text, sizeof text, "#!/bin/sh\n(echo \"$1|$2|$3|$4\"; env) > '%s'\n", log);
    write_file(program, "child", text, 0755);
    setenv("SECRET_OF_THE_PARENT", "x", 1);
    if (rk_gnuplot_run(program, "a='b c'; d=\"$HOME\"", "s p.gp", &err) != RK_OK)
        fail_msg("%s", err.text);
    FILE *f = fopen(log, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    fclose(f);
    /* No shell came between: quotes and dollars arrive as they are. */
    static const char given[] = "-d|-e|a='b c'; d=\"$HOME\"|s p.gp\n";
    assert_int_equal(strncmp(text, given, sizeof given - 1), 0);
    assert_non_null(strstr(text, "SOURCE_DATE_EPOCH=0"));
    assert_null(strstr(text, "SECRET_OF_THE_PARENT"));
    unlink(program);
    unlink(log);
}

static void test_failure(void **state)
{
    (void)state;
    char program[512];
    rk_error err = {0};
    write_file(program, "fails",
               "#!/bin/sh\ni=0\nwhile [ $i -lt 3000 ]; do echo 'much to say about it' >&2; "
               "i=$((i+1)); done\nexit 3\n",
               0755);
    assert_int_equal(rk_gnuplot_run(program, "", "x.gp", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "failed on x.gp: "));
    unlink(program);
    write_file(program, "dies",
               "#!/bin/sh\necho '' >&2\necho '  line 3: bad thing ' >&2\nkill $$\n", 0755);
    assert_int_equal(rk_gnuplot_run(program, "", "x.gp", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "x.gp: line 3: bad thing"));
    unlink(program);
    write_file(program, "not_runnable", "text", 0644);
    assert_int_equal(rk_gnuplot_run(program, "", "x.gp", &err), RK_E_UNSUPPORTED);
    unlink(program);
}

static void test_undate(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"%PDF //Creation /CreationDate (D:20240102030405+02'00)\nend",
         "%PDF //Creation /CreationDate (D:20000101000000+00'00)\nend"},
        {"/CreationDate (D:20240102030405Z) x", "/CreationDate (D:20000101000000Z) x"},
        {"no date here", "no date here"},
    };
    char path[512], text[256];
    rk_error err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file(path, "dated", rows[i][0], 0644);
        assert_int_equal(rk_gnuplot_undate_pdf(path, &err), RK_OK);
        FILE *f = fopen(path, "r");
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n] = 0;
        fclose(f);
        assert_string_equal(text, rows[i][1]);
        unlink(path);
    }
    assert_int_equal(rk_gnuplot_undate_pdf("/no/such.pdf", &err), RK_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_undate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
