/* test_option.c - one row is parsed, checked, printed and read back alike. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

typedef struct config {
    int32_t flag, mode;
    int64_t tokens;
    double ratio;
    const char *path;
} config;

static const rk_option table[] = {
    {"flag", RK_OPT_BOOL, offsetof(config, flag), "true", 0, 0, "", "A switch.", NULL},
    {"tokens", RK_OPT_INT, offsetof(config, tokens), "4K", 1, 1 << 20, "tokens", "A count.", NULL},
    {"ratio", RK_OPT_FLOAT, offsetof(config, ratio), "0.15", 0, 1, "fraction", "A share.", NULL},
    {"path", RK_OPT_TEXT, offsetof(config, path), "", 0, 0, "", "A file.", NULL},
    {"mode", RK_OPT_CHOICE, offsetof(config, mode), "fixed", 0, 0, "", "A reading.",
     "fixed|paper|refcode"},
    {.name = NULL},
};

static void defaults_fill_every_field(void **state)
{
    (void)state;
    config c;
    memset(&c, 0x5a, sizeof c);
    assert_int_equal(rk_options_default(table, &c, NULL), RK_OK);
    assert_int_equal(c.flag, 1);
    assert_int_equal(c.tokens, 4096);
    assert_true(c.ratio == 0.15);
    assert_string_equal(c.path, "");
    assert_int_equal(c.mode, 0);
    static const rk_option broken[] = {{"n", RK_OPT_INT, 0, "many", 0, 9, "", "", NULL},
                                       {.name = NULL}};
    rk_error err = {0};
    assert_int_equal(rk_options_default(broken, &c, &err), RK_E_USAGE);
}

static void values_parse_and_read_back(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *text;
    } cases[] = {
        {"flag", "no", "false"},    {"flag", "on", "true"},
        {"flag", "0", "false"},     {"tokens", "1", "1"},
        {"tokens", "8K", "8192"},   {"tokens", "1M", "1048576"},
        {"tokens", "3k", "3072"},   {"ratio", "0", "0"},
        {"ratio", "1", "1"},        {"ratio", "1e-3", "0.001"},
        {"ratio", "0.20", "0.2"},   {"mode", "fixed", "fixed"},
        {"mode", "paper", "paper"}, {"mode", "refcode", "refcode"},
        {"path", "a b", "a b"},     {"ratio", "0.12345678901234566", "0.12345678901234566"},
    };
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config c, again;
        rk_error err = {0};
        assert_int_equal(rk_options_default(table, &c, NULL), RK_OK);
        again = c;
        if (rk_options_set(table, &c, cases[i].name, cases[i].value, &err) != RK_OK)
            fail_msg("%s", err.text);
        const rk_option *row = rk_option_find(table, cases[i].name);
        const char *text = rk_option_text(row, &c, arena, NULL);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(rk_options_set(table, &again, cases[i].name, text, NULL), RK_OK);
        assert_int_equal(again.tokens, c.tokens);
        assert_true(again.ratio == c.ratio);
        assert_int_equal(again.mode, c.mode);
        assert_int_equal(again.flag, c.flag);
    }
    rk_arena_free(arena);
}

static void bad_values_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *says;
    } cases[] = {
        {"flag", "maybe", "true or false"},
        {"flag", "", "true or false"},
        {"tokens", "0", "1 to 1048576"},
        {"tokens", "2M", "1 to 1048576"},
        {"tokens", "-5", "1 to 1048576"},
        {"tokens", "12x", "whole number"},
        {"tokens", "", "whole number"},
        {"tokens", "K", "whole number"},
        {"tokens", "1.5", "whole number"},
        {"tokens", "99999999999999999999", "whole number"},
        {"tokens", "9223372036854775807M", "whole number"},
        {"ratio", "1.01", "0 to 1 fraction"},
        {"ratio", "-0.1", "0 to 1"},
        {"ratio", "nan", "a number"},
        {"ratio", "inf", "a number"},
        {"ratio", "0.5x", "a number"},
        {"ratio", "", "a number"},
        {"mode", "pap", "fixed|paper|refcode"},
        {"mode", "", "fixed|paper|refcode"},
        {"mode", "fixed|paper", "fixed|paper|refcode"},
        {"rato", "1", "did you mean 'ratio'"},
        {"completely_else", "1", "unknown option 'completely_else'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config c, before;
        rk_error err = {0};
        assert_int_equal(rk_options_default(table, &c, NULL), RK_OK);
        before = c;
        assert_int_equal(rk_options_set(table, &c, cases[i].name, cases[i].value, &err),
                         RK_E_USAGE);
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        assert_memory_equal(&c, &before, sizeof c);
    }
}

static void help_shows_each_row(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    rk_options_help(table, "--", f);
    fclose(f);
    static const char *const parts[] = {"--flag",          "--tokens", "1..1048576 tokens",
                                        "(default: 4K)",   "0..1",     "fixed|paper|refcode",
                                        "(default: none)", "A share."};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(text, parts[i]));
    free(text);
}

static void near_names_are_likely_slips_only(void **state)
{
    (void)state;
    static const char *const names[] = {"window", "sink", "head_map"};
    static const struct {
        const char *given, *near;
    } cases[] = {{"windw", "window"}, {"snk", "sink"}, {"headmap", "head_map"}, {"xyz", NULL},
                 {"ratio", NULL},     {"", NULL},      {"window", "window"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = rk_nearest_name(cases[i].given, names, 3);
        if (cases[i].near)
            assert_string_equal(near, cases[i].near);
        else
            assert_null(near);
    }
    char lengthy[200];
    memset(lengthy, 'w', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_null(rk_nearest_name(lengthy, names, 3));
    assert_null(rk_option_find(table, "nothing"));
    assert_null(rk_option_find(NULL, "flag"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_every_field),
        cmocka_unit_test(values_parse_and_read_back),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(help_shows_each_row),
        cmocka_unit_test(near_names_are_likely_slips_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
