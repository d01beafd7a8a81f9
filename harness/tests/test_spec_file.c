/* test_spec_file.c - lines, comments, continued values, sections. */
#include "cmocka_all.h"

#include "spec_file.h"

typedef struct file_case {
    const char *text, *expected; /* "section|key|value|line;" ..., or the message */
    rk_status status;
} file_case;

static const file_case cases[] = {
    {"", "", RK_OK},
    {"# c\n; c\n\n", "", RK_OK},
    {"[a]\nk = v\n", "a|||1;a|k|v|2;", RK_OK},
    {"[a] # why\nk=v # note\nl : w ; note\n", "a|||1;a|k|v|2;a|l|w|3;", RK_OK},
    {"[a]\r\nk = v\r\n", "a|||1;a|k|v|2;", RK_OK},
    {"[a]\nk = v", "a|||1;a|k|v|2;", RK_OK},
    {"[a]\nk = 1,\n   2\n\t3\n", "a|||1;a|k|1, 2, 3|2;", RK_OK},
    {"[a]\n  k = v\n", "a|||1;a|k|v|2;", RK_OK},
    {"[a]\nk = v#w;x\n", "a|||1;a|k|v#w;x|2;", RK_OK},
    {"[claim]\nm @ a=b = 1 +- 1 ; here # gone\n", "claim|||1;claim||m @ a=b = 1 +- 1 ; here |2;",
     RK_OK},
    {"[claim]\nm @ a=b = 1\n  +- 1 ; here\n", "claim|||1;claim||m @ a=b = 1 +- 1 ; here|2;", RK_OK},
    {"[a]\n[a]\nk = v\n", "a|||1;a|||2;a|k|v|3;", RK_OK},
    {"k = v\n", "f:1: 'k' stands before", RK_E_USAGE},
    {"[a]\nk\n", "f:2: expected [section]", RK_E_USAGE},
    {"[a]\n= v\n", "f:2: no name before '='", RK_E_USAGE},
    {"[a\nk = v\n", "f:1: section without ']'", RK_E_USAGE},
    {"[a]\nk = v\n\nk = w\n", "f:4: 'k' in [a] is given twice (first on line 2)", RK_E_USAGE},
    {"[a]\nk = \x07\n", "f:2: control byte 0x07", RK_E_USAGE},
};

static void files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_arena *arena;
        rk_spec_entries e;
        rk_error err = {0};
        char got[512] = "";
        assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
        rk_status st = rk_spec_file_parse(cases[i].text, strlen(cases[i].text), "f", arena, &e,
                                          &err);
        assert_int_equal(st, cases[i].status);
        for (int32_t k = 0; st == RK_OK && k < e.n; k++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s|%s|%s|%d;",
                     e.entry[k].section, e.entry[k].key, e.entry[k].value, e.entry[k].line);
        if (st == RK_OK)
            assert_string_equal(got, cases[i].expected);
        else if (!strstr(err.text, cases[i].expected))
            fail_msg("'%s' lacks '%s'", err.text, cases[i].expected);
        rk_arena_free(arena);
    }
}

static void nul_bytes_are_refused(void **state)
{
    rk_arena *arena;
    rk_spec_entries e;
    rk_error err;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_spec_file_parse("[a]\nk\0 = v\n", 11, "f", arena, &e, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "f:2: control byte 0x00"));
    rk_arena_free(arena);
}

static void set_replaces_or_appends(void **state)
{
    rk_arena *arena;
    rk_spec_entries e;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_spec_file_parse("[a]\nk = v\n", 10, "f", arena, &e, NULL), RK_OK);
    assert_int_equal(rk_spec_entries_set(&e, "a", "k", "w", 0, NULL), RK_OK);
    assert_int_equal(rk_spec_entries_set(&e, "a", "l", "x", 9, NULL), RK_OK);
    assert_int_equal(e.n, 3);
    assert_string_equal(e.entry[1].value, "w");
    assert_int_equal(e.entry[1].line, 0);
    assert_string_equal(e.entry[2].value, "x");
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files),
                                       cmocka_unit_test(nul_bytes_are_refused),
                                       cmocka_unit_test(set_replaces_or_appends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
