/* test_cmd_plot.c - the command as a user types it: output, exit code, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd_plot.h"
#include "cmd_fixture.h"

static fixture f;

typedef struct call {
    char *argv[8];
    int argc, exit_code;
    rk_status status;
    rk_error err;
} call;

static void run(void *self)
{
    call *c = self;
    c->status = rk_cmd_plot(c->argc, c->argv, &c->exit_code, &c->err);
}

static const struct {
    const char *argv[6]; /* without the command's name and --db */
    int exit_code;
    rk_status status;
    const char *says; /* on stdout, or the error's text */
} rows[] = {
    {{"--help"}, 0, RK_OK, "--data-only"},
    {{"none", "--plots", RK_TEST_BUILD}, 0, RK_E_IO, "none.sql"},
    {{"fig08_quality_ttft", "--plots", RK_TEST_DATA "/../plots", "--published="},
     0,
     RK_E_USAGE,
     "nothing measured yet"},
    {{NULL}, 0, RK_E_USAGE, "expected EXPERIMENT"},
};

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        call c = {.argv = {"plot", "--db", f.path}, .argc = 3, .exit_code = 99};
        for (int k = 0; k < 5 && rows[i].argv[k]; k++)
            c.argv[c.argc++] = (char *)rows[i].argv[k];
        char *text = cmd_output(run, &c);
        if (c.status != rows[i].status)
            fail_msg("row %zu: %s: %s", i, rk_status_name(c.status), c.err.text);
        if (c.status == RK_OK && c.exit_code != rows[i].exit_code)
            fail_msg("row %zu: exit code %d\n%s", i, c.exit_code, text);
        if (!strstr(c.status == RK_OK ? text : c.err.text, rows[i].says))
            fail_msg("row %zu: no '%s' in\n%s%s", i, rows[i].says, text, c.err.text);
        free(text);
    }
}

/* A figure of its own: the data file stands where it was asked for. */
static void test_data(void **state)
{
    (void)state;
    char sql[600], csv[600];
    snprintf(sql, sizeof sql, "%s/cmd_plot_%ld.sql", RK_TEST_BUILD, (long)getpid());
    snprintf(csv, sizeof csv, "%s/data/cmd_plot_%ld_a.csv", RK_TEST_BUILD, (long)getpid());
    FILE *file = fopen(sql, "w");
    assert_non_null(file);
    fputs("-- csv: a\nSELECT count(*) AS n FROM temp.point;\n", file);
    fclose(file);
    char name[64];
    snprintf(name, sizeof name, "cmd_plot_%ld", (long)getpid());
    char plots[560], out[560];
    snprintf(plots, sizeof plots, "--plots=%s", RK_TEST_BUILD);
    snprintf(out, sizeof out, "--out=%s", RK_TEST_BUILD);
    call c = {.argv = {"plot", "--db", f.path, name, plots, out, "--published=", "--data-only"},
              .argc = 8};
    free(cmd_output(run, &c));
    if (c.status != RK_OK)
        fail_msg("%s", c.err.text);
    assert_int_equal(access(csv, F_OK), 0);
    unlink(csv);
    unlink(sql);
}

static int fill(void **state)
{
    (void)state;
    cmd_fill(&f, "cmd_plot");
    return 0;
}

static int clear(void **state)
{
    (void)state;
    fixture_remove(&f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_data)};
    return cmocka_run_group_tests(tests, fill, clear);
}
