/* test_cmd_report.c - the command as a user types it: output, exit code, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd_report.h"
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
    c->status = rk_cmd_report(c->argc, c->argv, &c->exit_code, &c->err);
}

static const struct {
    const char *argv[6]; /* without the command's name and --db */
    int exit_code;
    rk_status status;
    const char *says; /* on stdout, or the error's text */
} rows[] = {
    {{"e"}, 0, RK_OK, "redknot: measured by another build than dense"},
    {{"e", "--session", "s1"}, 0, RK_OK, "2.44 ["},
    {{"e", "--commit", "aaaa", "--format", "md"}, 0, RK_OK, "### e: model tiny"},
    {{"e", "--format=csv"}, 0, RK_OK, "model,dataset,context,method,items"},
    {{"e", "--format=latex"}, 0, RK_OK, "begin{tabular}"},
    {{"--help"}, 0, RK_OK, "usage: redknot report EXPERIMENT"},
    {{"none"}, 0, RK_E_USAGE, "no results to report"},
    {{"e", "--format", "html"}, 0, RK_E_USAGE, "expected one of text|md|csv|latex"},
    {{NULL}, 0, RK_E_USAGE, "expected EXPERIMENT"},
    {{"e", "--db", "/no/such"}, 0, RK_E_IO, "/no/such"},
};

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        call c = {.argv = {"report", "--db", f.path}, .argc = 3, .exit_code = 99};
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

static int fill(void **state)
{
    (void)state;
    cmd_fill(&f, "cmd_report");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, fill, clear);
}
