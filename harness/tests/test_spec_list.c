/* test_spec_list.c - lists, ranges and canonical values. */
#include "cmocka_all.h"

#include "spec_list.h"

static const rk_option whole = {"n", RK_OPT_INT, 99, "1", 0, 1 << 20, "", "", NULL};
static const rk_option real = {"x", RK_OPT_FLOAT, 0, "1", 0, 10, "", "", NULL};
static const rk_option word = {"w", RK_OPT_TEXT, 0, "", 0, 0, "", "", NULL};
static const rk_option choice = {"c", RK_OPT_CHOICE, 0, "a", 0, 0, "", "", "a|bb"};

typedef struct list_case {
    const rk_option *row;
    const char *text, *expected; /* values joined by blanks; NULL: refused */
} list_case;

static const list_case cases[] = {
    {&whole, "8K..64K*2", "8192 16384 32768 65536"},
    {&whole, "1..4+1", "1 2 3 4"},
    {&whole, "1..4", "1 2 3 4"},
    {&whole, " 2 .. 9 + 3 , 100", "2 5 8 100"},
    {&whole, "3..10*2", "3 6"},
    {&whole, "5..5", "5"},
    {&whole, "1K,1024", NULL},
    {&whole, "1..3,2", NULL},
    {&whole, "4..1", NULL},
    {&whole, "1..4*1", NULL},
    {&whole, "0..4*2", NULL},
    {&whole, "1..4+0", NULL},
    {&whole, "1..4+-1", NULL},
    {&whole, "..4", NULL},
    {&whole, "1..", NULL},
    {&whole, "1..2..3", NULL},
    {&whole, "1..2000000", NULL},
    {&whole, "9223372036854775807..9223372036854775807", NULL},
    {&whole, "", NULL},
    {&whole, ",", NULL},
    {&real, "0.5, .25,1e0", "0.5 0.25 1"},
    {&real, "0.5..1", NULL},
    {&real, "11", NULL},
    {&word, "../a, b..c", "../a b..c"},
    {&choice, "bb, a", "bb a"},
    {&choice, "b", NULL},
};

static void lists(void **state)
{
    rk_arena *arena;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *value;
        int32_t n;
        char got[256] = "";
        rk_error err = {0};
        rk_status st = rk_spec_list(cases[i].row, cases[i].text, 64, arena, &value, &n, &err);
        if (!cases[i].expected) {
            if (st != RK_E_USAGE || !err.text[0])
                fail_msg("'%s' was taken", cases[i].text);
            continue;
        }
        if (st != RK_OK)
            fail_msg("'%s': %s", cases[i].text, err.text);
        for (int32_t v = 0; v < n; v++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", v ? " " : "", value[v]);
        assert_string_equal(got, cases[i].expected);
    }
    rk_arena_free(arena);
}

static void words(void **state)
{
    rk_arena *arena;
    const char *const *out;
    int32_t n;
    rk_error err;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_spec_words(" \t", "w", 4, arena, &out, &n, &err), RK_OK);
    assert_int_equal(n, 0);
    assert_int_equal(rk_spec_words("a, b c ,d", "w", 4, arena, &out, &n, &err), RK_OK);
    assert_int_equal(n, 3);
    assert_string_equal(out[1], "b c");
    assert_int_equal(rk_spec_words("a,b,c,d,e", "w", 4, arena, &out, &n, &err), RK_E_USAGE);
    assert_int_equal(rk_spec_words("a,", "w", 4, arena, &out, &n, &err), RK_E_USAGE);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
