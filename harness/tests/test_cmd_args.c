/* test_cmd_args.c - words, options and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cmd_args.h"

typedef struct config {
    const char *db;
    int64_t n;
    int32_t fast;
} config;

static const rk_option options[] = {
    {"db", RK_OPT_TEXT, offsetof(config, db), "x.sqlite", 0, 0, "", "A file.", NULL},
    {"n", RK_OPT_INT, offsetof(config, n), "3", 1, 10, "items", "How many.", NULL},
    {"fast", RK_OPT_BOOL, offsetof(config, fast), "false", 0, 0, "", "Hurry.", NULL},
    {.name = NULL}};
static const rk_cmd cmd = {"go", "WHERE [HOW]", "Goes.", options, 1, 2};

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *argv[6];
        const char *says; /* NULL: fine */
        const char *db, *words[2];
        int64_t n;
        int32_t fast;
    } rows[] = {
        {{"go", "home"}, NULL, "x.sqlite", {"home"}, 3, 0},
        {{"go", "--db", "y", "home", "--n=7"}, NULL, "y", {"home"}, 7, 0},
        {{"go", "--fast", "home", "slowly"}, NULL, "x.sqlite", {"home", "slowly"}, 3, 1},
        {{"go", "--fast=no", "home"}, NULL, "x.sqlite", {"home"}, 3, 0},
        {{"go", "--", "--home"}, NULL, "x.sqlite", {"--home"}, 3, 0},
        {{"go", "-x", "--db="}, NULL, "", {"-x"}, 3, 0},
        {{"go"}, "go: expected WHERE", NULL, {0}, 0, 0},
        {{"go", "a", "b", "c"}, "go: unexpected 'c'", NULL, {0}, 0, 0},
        {{"go", "a", "--n"}, "go: --n needs a value", NULL, {0}, 0, 0},
        {{"go", "a", "--n", "11"}, "go: n: expected 1 to 10 items, got '11'", NULL, {0}, 0, 0},
        {{"go", "a", "--dd", "y"}, "did you mean 'db'", NULL, {0}, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *argv[6];
        const char *words[2] = {0};
        int argc = 0, help;
        int32_t n;
        config c;
        rk_error err = {0};
        for (; argc < 6 && rows[i].argv[argc]; argc++)
            argv[argc] = (char *)rows[i].argv[argc];
        rk_status status = rk_cmd_parse(&cmd, argc, argv, &c, words, &n, &help, &err);
        if (rows[i].says) {
            assert_int_equal(status, RK_E_USAGE);
            if (!strstr(err.text, rows[i].says))
                fail_msg("row %zu: %s", i, err.text);
            continue;
        }
        if (status != RK_OK)
            fail_msg("row %zu: %s", i, err.text);
        assert_string_equal(c.db, rows[i].db);
        assert_int_equal(c.n, rows[i].n);
        assert_int_equal(c.fast, rows[i].fast);
        assert_int_equal(n, rows[i].words[1] ? 2 : 1);
        for (int32_t k = 0; k < n; k++)
            assert_string_equal(words[k], rows[i].words[k]);
        assert_false(help);
    }
}

static void test_help(void **state)
{
    (void)state;
    char *argv[] = {"go", "--help", "--no-such"};
    const char *words[2];
    int32_t n;
    int help;
    config c;
    assert_int_equal(rk_cmd_parse(&cmd, 3, argv, &c, words, &n, &help, NULL), RK_OK);
    assert_true(help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_help)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
