/* test_regex.c - the rewriting of patterns, what is refused, and the character
 * classes against Hugging Face's on every code point. */
#include "tokenizer_fixture.h"

#include "model/regex.h"

static rk_regex *compile(const char *pattern)
{
    rk_regex *r = NULL;
    rk_error err = {0};
    if (rk_regex_new(&r, pattern, strlen(pattern), "test", &err) != RK_OK)
        fail_msg("%s", err.text);
    return r;
}

static void matches_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        size_t from, start, end; /* start 99: none */
    } rows[] = {
        {"b+", "aabbb", 0, 2, 5},
        {"b+", "aabbb", 3, 3, 5},
        {"x", "abc", 0, 99, 99},
        {"x*", "abc", 1, 1, 1},
        {"\\s+(?!\\S)", "a   b", 0, 1, 3},
        {"\\S", " \xe1\xa0\x8e", 0, 1, 4}, /* U+180E is no space */
        {"[^\\s]", "\xc2\x85\xc2\xa0y", 0, 4, 5},
        {"(?i:'s)", "it'\xc5\xbf", 0, 2, 5}, /* U+017F folds to s */
        {"\\p{N}{1,3}", "12345", 0, 0, 3},
        {"\\w+", "-a_1\xcc\x81 ", 0, 1, 6},
        {"\\W", "ab-", 0, 2, 3},
        {"(?<=a)b", "bab", 0, 2, 3},
        {"(?<!a)b", "abb", 0, 2, 3},
        {"(?>a+)b", "aab", 0, 0, 3},
        {"(?:a|b)++c", "abac", 0, 0, 4},
        {"[!\"#\\-\\[\\]^_]+", "a-[]^b", 0, 1, 5},
        {"\\x{41}", "xA", 0, 1, 2},
        {"\xe6\xa1\xa5", "a\xe6\xa1\xa5", 0, 1, 4},
        {".", "\n\r", 0, 1, 2},
    };
    rk_regex_match *m = NULL;
    assert_int_equal(rk_regex_match_new(&m, NULL), RK_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t start, end, n = strlen(rows[i].text);
        rk_regex *r = compile(rows[i].pattern);
        assert_int_equal(rk_regex_find(r, m, rows[i].text, n, rows[i].from, &start, &end, NULL),
                         RK_OK);
        if (rows[i].start == 99) {
            assert_true(start > n);
        } else if (start != rows[i].start || end != rows[i].end) {
            fail_msg("%s in '%s': got %zu..%zu", rows[i].pattern, rows[i].text, start, end);
        }
        rk_regex_free(r);
    }
    rk_regex_match_free(m);
}

static void here_needs_a_match_at_the_place(void **state)
{
    (void)state;
    rk_regex_match *m = NULL;
    rk_regex *r = compile("b");
    int yes;
    assert_int_equal(rk_regex_match_new(&m, NULL), RK_OK);
    assert_int_equal(rk_regex_here(r, m, "ab", 2, 0, &yes, NULL), RK_OK);
    assert_false(yes);
    assert_int_equal(rk_regex_here(r, m, "ab", 2, 1, &yes, NULL), RK_OK);
    assert_true(yes);
    rk_regex_free(r);
    rk_regex_match_free(m);
    rk_regex_free(NULL);
    rk_regex_match_free(NULL);
}

static void other_constructs_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        rk_status status;
        const char *message;
    } rows[] = {
        {"a\\b", RK_E_UNSUPPORTED, "the escape \\b"},
        {"\\h", RK_E_UNSUPPORTED, "the escape \\h"},
        {"(a)\\1", RK_E_UNSUPPORTED, "the escape \\1"},
        {"\\x41", RK_E_UNSUPPORTED, "the escape \\x"},
        {"\\pL", RK_E_UNSUPPORTED, "the escape \\p"},
        {"\\u4e00", RK_E_UNSUPPORTED, "the escape \\u"},
        {"^a", RK_E_UNSUPPORTED, "an anchor"},
        {"a$", RK_E_UNSUPPORTED, "an anchor"},
        {"[[a]b]", RK_E_UNSUPPORTED, "a class inside a class"},
        {"[a&&b]", RK_E_UNSUPPORTED, "an intersection"},
        {"[]a]", RK_E_UNSUPPORTED, "a class that starts with ]"},
        {"[^\\S]", RK_E_UNSUPPORTED, "a negated shorthand"},
        {"(?<n>a)", RK_E_UNSUPPORTED, "this kind of group"},
        {"(?x: a)", RK_E_UNSUPPORTED, "this kind of group"},
        {"a{2}+", RK_E_UNSUPPORTED, "a quantifier behind {n,m}"},
        {"a{2}?", RK_E_UNSUPPORTED, "a quantifier behind {n,m}"},
        {"a{,2}", RK_E_UNSUPPORTED, "a repeat without a lower bound"},
        {"\\p{L", RK_E_UNSUPPORTED, "an unclosed property"},
        {"a\\", RK_E_FORMAT, "ends in a backslash"},
        {"(a", RK_E_FORMAT, "missing"},
        {"a)", RK_E_FORMAT, "unmatched"},
        {"[a", RK_E_FORMAT, "missing terminating ]"},
        {"*a", RK_E_FORMAT, "quantifier"},
        {"\\p{Nonsense}", RK_E_FORMAT, "unknown property"},
        {"a{3,1}", RK_E_FORMAT, "out of order"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_regex *r = NULL;
        rk_error err = {0};
        assert_int_equal(rk_regex_new(&r, rows[i].pattern, strlen(rows[i].pattern), "f.json", &err),
                         rows[i].status);
        if (!strstr(err.text, rows[i].message) || !strstr(err.text, "f.json"))
            fail_msg("%s: %s", rows[i].pattern, err.text);
        assert_null(strchr(err.text, '\n'));
        assert_null(r);
    }
}

static void backtracking_without_end_is_an_error(void **state)
{
    (void)state;
    rk_regex *r = compile("(?:a+)+b");
    rk_regex_match *m = NULL;
    rk_error err = {0};
    char text[64];
    size_t start, end;
    memset(text, 'a', sizeof text);
    text[63] = 'c';
    assert_int_equal(rk_regex_match_new(&m, NULL), RK_OK);
    /* PCRE2 may see that no b is there; put one where it cannot help. */
    text[62] = 'c';
    text[63] = 'b';
    assert_int_equal(rk_regex_find(r, m, text, sizeof text, 0, &start, &end, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "match limit"));
    rk_regex_match_free(m);
    rk_regex_free(r);
}

/* Assigned in Unicode 15, 15.1 and 16: letters, numbers and marks to Hugging Face,
 * unassigned to PCRE2 10.42 (Unicode 14). Nothing else differs. */
static const uint32_t newer[][2] = {
    {0x897, 0x897},     {0xcf3, 0xcf3},     {0xece, 0xece},     {0x1c89, 0x1c8a},
    {0xa7cb, 0xa7cd},   {0xa7da, 0xa7dc},   {0x105c0, 0x105f3}, {0x10d40, 0x10d65},
    {0x10d69, 0x10d6d}, {0x10d6f, 0x10d85}, {0x10ec2, 0x10ec4}, {0x10efc, 0x10eff},
    {0x1123f, 0x11241}, {0x11380, 0x11389}, {0x1138b, 0x1138b}, {0x1138e, 0x1138e},
    {0x11390, 0x113b5}, {0x113b7, 0x113c0}, {0x113c2, 0x113c2}, {0x113c5, 0x113c5},
    {0x113c7, 0x113ca}, {0x113cc, 0x113d3}, {0x113e1, 0x113e2}, {0x116d0, 0x116e3},
    {0x11bc0, 0x11be0}, {0x11bf0, 0x11bf9}, {0x11f00, 0x11f10}, {0x11f12, 0x11f3a},
    {0x11f3e, 0x11f42}, {0x11f50, 0x11f5a}, {0x1342f, 0x1342f}, {0x13440, 0x13455},
    {0x13460, 0x143fa}, {0x16100, 0x16139}, {0x16d40, 0x16d6c}, {0x16d70, 0x16d79},
    {0x18cff, 0x18cff}, {0x1b132, 0x1b132}, {0x1b155, 0x1b155}, {0x1ccf0, 0x1ccf9},
    {0x1d2c0, 0x1d2d3}, {0x1df25, 0x1df2a}, {0x1e030, 0x1e06d}, {0x1e08f, 0x1e08f},
    {0x1e4d0, 0x1e4f9}, {0x1e5d0, 0x1e5fa}, {0x2b739, 0x2b739}, {0x2ebf0, 0x2ee5d},
    {0x31350, 0x323af},
};

static int is_newer(uint32_t code)
{
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        if (code >= newer[i][0] && code <= newer[i][1])
            return 1;
    }
    return 0;
}

/* Whether `code` is in the ranges of the fixture, asked in increasing order. */
static int in_ranges(const json_t *ranges, size_t *i, uint32_t code)
{
    while (*i < json_array_size(ranges)) {
        const json_t *r = json_array_get(ranges, *i);
        if (code < (uint32_t)json_integer_value(json_array_get(r, 0)))
            return 0;
        if (code <= (uint32_t)json_integer_value(json_array_get(r, 1)))
            return 1;
        ++*i;
    }
    return 0;
}

static void classes_are_hugging_faces(void **state)
{
    (void)state;
    static const char *const pattern[] = {"\\p{L}", "\\p{N}", "\\p{M}", "\\s"};
    json_t *tables = fixture_json("unicode.json");
    rk_regex_match *m = NULL;
    assert_int_equal(rk_regex_match_new(&m, NULL), RK_OK);
    for (int k = 0; k < 4; k++) {
        const json_t *ranges = json_object_get(tables, pattern[k]);
        rk_regex *r = compile(pattern[k]);
        size_t place = 0, differing = 0;
        assert_true(json_array_size(ranges) > 5);
        for (uint32_t c = 0; c < 0x110000; c++) {
            rk_text t = {0};
            int yes, want = in_ranges(ranges, &place, c);
            if (c >= 0xd800 && c < 0xe000)
                continue;
            assert_int_equal(rk_text_add_code(&t, c, NULL), RK_OK);
            assert_int_equal(rk_regex_here(r, m, t.bytes, t.n, 0, &yes, NULL), RK_OK);
            rk_text_free(&t);
            differing += yes != want;
            if (yes != want && !is_newer(c))
                fail_msg("%s: U+%04X is %d here, %d there", pattern[k], c, yes, want);
        }
        /* With a PCRE2 of Unicode 16 nothing differs. */
        assert_true(differing == 0 || k < 3);
        rk_regex_free(r);
    }
    rk_regex_match_free(m);
    json_decref(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_are_found),
        cmocka_unit_test(here_needs_a_match_at_the_place),
        cmocka_unit_test(other_constructs_are_refused_by_name),
        cmocka_unit_test(backtracking_without_end_is_an_error),
        cmocka_unit_test(classes_are_hugging_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
