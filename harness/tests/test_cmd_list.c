/* test_cmd_list.c - what is listed, with and without options. */
#define _POSIX_C_SOURCE 200809L
#include "cmocka_all.h"

#include "cmd_fixture.h"
#include "cmd_list.h"

typedef struct call {
    char *argv[6];
    int argc;
    rk_status status;
    rk_error err;
} call;

static void invoke(void *self)
{
    call *c = self;
    c->status = rk_cmd_list(c->argc, c->argv, &c->err);
}

static const struct {
    const char *words[4];
    rk_status status;
    const char *has[4], *lacks;
} cases[] = {
    {{"methods"}, RK_OK, {"redknot  ", "arXiv 2606.06256", "needs a head map"}, "compile_prefix"},
    {{"methods", "--options"}, RK_OK, {"promote_above", "check_layer", "compile_prefix"}, NULL},
    {{"--options", "methods"}, RK_OK, {"local_refresh"}, NULL},
    {{"metrics"}, RK_OK, {"ttft_ms", "ttft_probe_ms", "reused_tokens", "lower  is better"}, NULL},
    {{"datasets"}, RK_OK, {"reports", "hotpotqa", "synthetic", "real"}, "    tasks"},
    {{"datasets", "--options"}, RK_OK, {"tasks"}, NULL},
    {{"models"}, RK_OK, {"tiny"}, NULL},
    {{"experiments"}, RK_OK, {"fig08_quality_ttft.exp"}, "published"},
    {{"backends"}, RK_OK, {"cpu", "count"}, NULL},
    {{NULL}, RK_OK, {"methods:", "\nmetrics:", "\nexperiments:", "\nbackends:"}, NULL},
    {{"-h"}, RK_OK, {"usage: redknot list", "--options"}, "redknot  "},
    {{"method"}, RK_E_USAGE, {"expected methods, metrics"}, NULL},
    {{"methods", "metrics"}, RK_E_USAGE, {"unexpected 'metrics'"}, NULL},
    {{"--all"}, RK_E_USAGE, {"unexpected '--all'"}, NULL},
};

static void calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call c = {.argv = {"list"}, .argc = 1};
        for (int k = 0; cases[i].words[k]; k++)
            c.argv[c.argc++] = (char *)cases[i].words[k];
        char *text = cmd_output(invoke, &c);
        const char *said = c.status == RK_OK ? text : c.err.text;
        assert_int_equal(c.status, cases[i].status);
        for (int k = 0; k < 4 && cases[i].has[k]; k++)
            if (!strstr(said, cases[i].has[k]))
                fail_msg("case %zu: no '%s' in\n%s", i, cases[i].has[k], said);
        if (cases[i].lacks && strstr(said, cases[i].lacks))
            fail_msg("case %zu: '%s' in\n%s", i, cases[i].lacks, said);
        if (c.status != RK_OK)
            assert_string_equal(text, "");
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
