/* test_cmd_why.c - the command as a user types it: output, exit code, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd_why.h"
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
    c->status = rk_cmd_why(c->argc, c->argv, &c->exit_code, &c->err);
}

static const struct {
    const char *argv[6]; /* without the command's name and --db */
    int exit_code;
    rk_status status;
    const char *says; /* on stdout, or the error's text */
} rows[] = {
    {{"e:method=redknot:ttft_ms"}, 0, RK_OK, "n = 10 items"},
    {{"e:method=dense:ttft_ms", "--session", "s1"}, 0, RK_OK, "n = 10 items"},
    {{"e:method=dense:ttft_ms"}, 0, RK_OK, "n = 2 items"},
    {{"--help"}, 0, RK_OK, "usage: redknot why EXPERIMENT:axis=value"},
    {{"e:method=epic:ttft_ms"}, 0, RK_E_USAGE, "fits no cell"},
    {{"e", "f"}, 0, RK_E_USAGE, "unexpected"},
};

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        call c = {.argv = {"why", "--db", f.path}, .argc = 3, .exit_code = 99};
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
    cmd_fill(&f, "cmd_why");
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
