/* test_table.c - the four formats, constants, escapes, what is not there. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "table.h"

static const rk_table_column columns[] = {
    {"method", "method", -1, 0, 0}, {"f1", "F1 (n)", 2, 0, 1}, {"d", "F1 - dense", 2, 1, 1},
    {"same", "same", 0, 0, 0},      {"none", "none", 1, 0, 1},
};

static char *written(rk_table_format format, uint64_t only, const char *title, int header)
{
    rk_arena *arena;
    rk_table *t;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_table_new(&t, columns, 5, arena, NULL), RK_OK);
    rk_interval v = {-0.126, -0.2, 0.0004, 40, 10}, few = {0.5, NAN, NAN, 3, 1};
    for (int i = 0; i < 20; i++) { /* more than the first capacity */
        assert_int_equal(rk_table_row(t, NULL), RK_OK);
        rk_table_text(t, 0, i == 0 ? "a|b & c_d, \"e\"" : "plain");
        rk_table_number(t, 1, i == 0 ? 0.7512 : 0.001, i == 0 ? 40 : -1);
        if (i < 2)
            rk_table_interval(t, 2, i == 0 ? &v : &few);
        rk_table_number(t, 3, 7, -1);
    }
    assert_int_equal(rk_table_rows(t), 20);
    rk_table_only(t, only);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(rk_table_write(t, format, title, header, out, NULL), RK_OK);
    fclose(out);
    rk_arena_free(arena);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' in:\n%s", part, text);
}

static void test_text(void **state)
{
    (void)state;
    char *s = written(RK_TABLE_TEXT, UINT64_MAX, "The title", 0);
    has(s, "The title\nSame in every row: same = 7.\n");
    has(s, "0.75 (40)");
    has(s, "-0.13 [-0.20, 0.00] (40)");
    has(s, "0.50 [n too small] (3)");
    has(s, "<0.01"); /* 0.001 with two digits is not 0.00 */
    lacks(s, "none");
    free(s);
}

static void test_md(void **state)
{
    (void)state;
    char *s = written(RK_TABLE_MD, UINT64_MAX, "T", 0);
    has(s, "### T\n\n");
    has(s, "| method | F1 (n) | F1 - dense |\n| --- | ---: | ---: |\n| a\\|b & c_d, \"e\" |");
    has(s, "| plain | <0.01 | - |\n");
    free(s);
}

static void test_latex(void **state)
{
    (void)state;
    char *s = written(RK_TABLE_LATEX, UINT64_MAX, "50 % of #1", 0);
    has(s, "50 \\% of \\#1");
    has(s, "\\begin{tabular}{lrr}\n\\hline\nmethod & F1 (n) & F1 - dense \\\\\n\\hline\n");
    has(s, "a|b \\& c\\_d");
    has(s, "\\hline\n\\end{tabular}\n");
    free(s);
}

static void test_csv(void **state)
{
    (void)state;
    char *s = written(RK_TABLE_CSV, 1, "not written", 1);
    assert_int_equal(strncmp(s, "method,f1,f1_n,d,d_lo,d_hi,d_n,same,none,none_n\n", 48), 0);
    has(s, "\"a|b & c_d, \"\"e\"\"\",0.7512,40,-0.126,-0.2,0.0004,40,7,,\n");
    has(s, "plain,0.001,,0.5,,,3,7,,\n");
    has(s, "plain,0.001,,,,,,7,,\n");
    lacks(s, "not written");
    free(s);
    s = written(RK_TABLE_CSV, 1, NULL, 0);
    lacks(s, "f1_n");
    free(s);
}

static void test_parts(void **state)
{
    (void)state;
    char *s = written(RK_TABLE_TEXT, 3, NULL, 0);
    has(s, "F1 (n)");
    lacks(s, "dense");
    lacks(s, "Same in every row");
    free(s);
}

static void test_notes(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    rk_table_note(out, RK_TABLE_CSV, "n = %d", 3);
    rk_table_note(out, RK_TABLE_LATEX, "a_b\\~^");
    rk_table_note(out, RK_TABLE_TEXT, "x|y");
    fclose(out);
    assert_string_equal(text, "# n = 3\na\\_b\\textbackslash{}\\textasciitilde{}"
                              "\\textasciicircum{}\n\nx|y\n");
    free(text);
}

static void test_full_disk(void **state)
{
    (void)state;
    rk_arena *arena;
    rk_table *t;
    rk_error err = {0};
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    setvbuf(out, NULL, _IONBF, 0);
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_table_new(&t, columns, 5, arena, NULL), RK_OK);
    assert_int_equal(rk_table_row(t, NULL), RK_OK);
    assert_int_equal(rk_table_write(t, RK_TABLE_CSV, NULL, 1, out, &err), RK_E_IO);
    fclose(out);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),      cmocka_unit_test(test_md),
        cmocka_unit_test(test_latex),     cmocka_unit_test(test_csv),
        cmocka_unit_test(test_parts),     cmocka_unit_test(test_notes),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
