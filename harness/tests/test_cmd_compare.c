/* test_cmd_compare.c - the command as a user types it: output, exit code, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd_compare.h"
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
    c->status = rk_cmd_compare(c->argc, c->argv, &c->exit_code, &c->err);
}

static const struct {
    const char *argv[6]; /* without the command's name and --db */
    int exit_code;
    rk_status status;
    const char *says; /* on stdout, or the error's text */
} rows[] = {
    {{"dense", "redknot", "--experiment", "e"}, 0, RK_OK, "A = method dense"},
    {{"aaaa", "bbbb"}, 0, RK_OK, "unclear"},
    {{"redknot", "dense", "--format", "csv"}, 0, RK_OK, "experiment,model,dataset,"},
    {{"--help"}, 0, RK_OK, "--floor-time ="},
    {{"dense"}, 0, RK_E_USAGE, "expected A B"},
    {{"dense", "redknto"}, 0, RK_E_USAGE, "redknto"},
    {{"dense", "redknot", "--floor-time", "-1"}, 0, RK_E_USAGE, "floor-time"},
};

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        call c = {.argv = {"compare", "--db", f.path}, .argc = 3, .exit_code = 99};
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

/* With both sides whole, redknot is faster and worse: the exit code says so. */
static void test_gate(void **state)
{
    (void)state;
    fixture g;
    static const fixture_method dense = {"dense", 100, 0, 0, 1};
    static const fixture_method redknot = {"redknot", 40, 24, 0, 0.3};
    fixture_open(&g, "cmd_compare_gate");
    fixture_session(&g, "s1", "b1", 100, 200);
    fixture_run(&g, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(&g, "e", "tiny", "2K", 2048, &redknot, 40, "s1");
    fixture_close(&g);
    call c = {.argv = {"compare", "--db", g.path, "dense", "redknot"}, .argc = 5};
    free(cmd_output(run, &c));
    assert_int_equal(c.status, RK_OK);
    assert_int_equal(c.exit_code, 3);
    call same = {.argv = {"compare", "--db", g.path, "dense", "dense"}, .argc = 5};
    free(cmd_output(run, &same));
    assert_int_equal(same.exit_code, 0);
    fixture_remove(&g);
}

static int fill(void **state)
{
    (void)state;
    cmd_fill(&f, "cmd_compare");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_gate)};
    return cmocka_run_group_tests(tests, fill, clear);
}
