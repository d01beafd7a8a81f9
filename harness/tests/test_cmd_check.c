/* test_cmd_check.c - the command as a user types it: output, exit code, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd_check.h"
#include "cmd_fixture.h"

static fixture f;
#define PUBLISHED RK_TEST_DATA "/../experiments/published"

static const rk_claim_input list[] = {
    {"e", "ttft_speedup", "model=tiny context=2K method=redknot vs=redknot", 1, 0.1, 1, ""},
    {"e", "ttft_speedup", "model=tiny context=64K method=redknot", 3.5, 0.1, 1, "figure 8"},
    {"e", "kv_bytes", "method=redknot", 5, 0.1, 1, "0.1 of the paper"},
    {"e", "top1_agreement_delta", "method=redknot vs=redknot", 0, 0.1, 0, ""},
    {"e", "em_delta", "method=redknot vs=dense", 0.1, 0.01, 0, ""},
    {"calm", "ttft_speedup", "method=redknot", 3.5, 0.1, 1, ""},
};

static rk_status claims(void *self, const char *experiment, rk_arena *arena,
                        const rk_claim_input **out, int64_t *n, rk_error *err)
{
    (void)self, (void)arena;
    int calm = experiment && !strcmp(experiment, "calm");
    if (experiment && !calm && strcmp(experiment, "e"))
        return rk_fail(err, RK_E_USAGE, "no experiment %s", experiment);
    *out = calm ? list + 5 : list;
    *n = calm ? 1 : experiment ? 5 : 6;
    return RK_OK;
}
static const rk_claim_source source = {NULL, claims};

typedef struct call {
    char *argv[8];
    int argc, exit_code;
    rk_status status;
    rk_error err;
} call;

static void run(void *self)
{
    call *c = self;
    c->status = rk_cmd_check(c->argc, c->argv, &source, &c->exit_code, &c->err);
}

static const struct {
    const char *argv[6]; /* without the command's name and --db */
    int exit_code;
    rk_status status;
    const char *says; /* on stdout, or the error's text */
} rows[] = {
    {{"e", "--published="},
     3,
     RK_OK,
     "5 claims: 2 reproduced, 0 direction-only, 1 not-reproduced, 0 contradicted, 2 untestable "
     "here."},
    {{"e", "--published="}, 3, RK_OK, "not run on this machine"},
    {{"calm", "--published="}, 0, RK_OK, "1 claims: 0 reproduced"},
    {{"none", "--published="}, 0, RK_E_USAGE, "no experiment none"},
    {{"--published", PUBLISHED, "--format=csv"}, 3, RK_OK, "rule,exp_id,series,x,finding,locator"},
    {{"calm", "--published", PUBLISHED}, 0, RK_OK, "Audit of 0 published values"},
    {{"--published", PUBLISHED}, 3, RK_OK, "f1-em"},
    {{"e", "--published="}, 3, RK_OK, "0.1 of the paper"},
    {{"--help"}, 0, RK_OK, "usage: redknot check [EXPERIMENT]"},
    {{"--published", "/no/such"}, 0, RK_E_IO, "/no/such"},
    {{"e", "--db", "/no/such.sqlite", "--published="}, 0, RK_OK, "5 untestable here"},
};

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        call c = {.argv = {"check", "--db", f.path}, .argc = 3, .exit_code = 99};
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
    cmd_fill(&f, "cmd_check");
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
