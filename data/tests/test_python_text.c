/* test_python_text.c - every code point against what Python says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python_text.h"

enum { CODE_POINTS = 0x110000, SPACE = 1, WORD = 2, CASED = 4, IGNORABLE = 8, UNASSIGNED = 16 };

typedef struct expected {
    unsigned char *flags; /* [CODE_POINTS] */
    uint32_t (*lower)[2]; /* [CODE_POINTS], second 0 when single */
} expected;

static expected load(void)
{
    static const struct {
        const char *name;
        unsigned char flag;
    } kinds[] = {{"space", SPACE},
                 {"word", WORD},
                 {"cased", CASED},
                 {"ignorable", IGNORABLE},
                 {"unassigned", UNASSIGNED}};
    expected e = {calloc(CODE_POINTS, 1), calloc(CODE_POINTS, sizeof *e.lower)};
    FILE *f = fopen(RK_TEST_DATA "/fixtures/python_text.csv", "r");
    assert_non_null(f);
    assert_true(e.flags && e.lower);
    for (uint32_t c = 0; c < CODE_POINTS; c++)
        e.lower[c][0] = c;
    char line[160], kind[32];
    int rows = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned first, last, a = 0, b = 0;
        int n = sscanf(line, "%31[a-z],%x,%x,%x %x", kind, &first, &last, &a, &b);
        if (n < 3 || !strcmp(kind, "unicode"))
            continue;
        rows++;
        if (!strcmp(kind, "lower")) {
            e.lower[first][0] = a;
            e.lower[first][1] = n > 4 ? b : 0;
        }
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (unsigned c = first; !strcmp(kind, kinds[k].name) && c <= last; c++)
                e.flags[c] |= kinds[k].flag;
    }
    fclose(f);
    assert_true(rows > 2000);
    return e;
}

static uint32_t last_of_lower(const uint32_t *c, size_t n, rk_arena *arena)
{
    rk_code_points in = {(uint32_t *)c, n}, out;
    assert_int_equal(rk_python_text_lower(in, arena, &out, NULL), RK_OK);
    return out.at[out.n - 1];
}

static void every_code_point_is_pythons(void **state)
{
    (void)state;
    expected e = load();
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    for (uint32_t c = 0; c < CODE_POINTS; c++) {
        /* A newer utf8proc may know letters that this table's Unicode did not. */
        if ((e.flags[c] & UNASSIGNED) || (c >= 0xd800 && c < 0xe000))
            continue;
        rk_code_points in = {&c, 1}, out;
        assert_int_equal(rk_python_text_lower(in, arena, &out, NULL), RK_OK);
        uint32_t second = out.n > 1 ? out.at[1] : 0;
        uint32_t alone[] = {c, 0x3a3}, behind[] = {'a', c, 0x3a3};
        int cased = last_of_lower(alone, 2, arena) == 0x3c2;
        int ignorable = !cased && last_of_lower(behind, 3, arena) == 0x3c2;
        if (!!rk_python_text_is_space(c) != !!(e.flags[c] & SPACE) ||
            !!rk_python_text_is_word(c) != !!(e.flags[c] & WORD) ||
            cased != !!(e.flags[c] & CASED) || ignorable != !!(e.flags[c] & IGNORABLE) ||
            (c != 0x3a3 && (out.at[0] != e.lower[c][0] || second != e.lower[c][1])))
            fail_msg("U+%04X differs from Python", c);
        rk_arena_reset(arena);
    }
    rk_arena_free(arena);
    free(e.flags);
    free(e.lower);
}

static void invalid_bytes_become_replacement_characters(void **state)
{
    (void)state;
    /* Expected from bytes.decode("utf-8", "replace"). */
    static const struct {
        const char *bytes;
        size_t n;
        uint32_t at[6];
        size_t points;
    } cases[] = {
        {"", 0, {0}, 0},
        {"\xc3\xa9", 2, {0xe9}, 1},
        {"\xc3", 1, {0xfffd}, 1},
        {"\xe2\x82", 2, {0xfffd}, 1},
        {"\xe2\x82x", 3, {0xfffd, 'x'}, 2},
        {"\xf0\x9f\x98", 3, {0xfffd}, 1},
        {"\xf0\x9f\x98\x80", 4, {0x1f600}, 1},
        {"\xc0\xaf", 2, {0xfffd, 0xfffd}, 2},
        {"\xe0\x80\x80", 3, {0xfffd, 0xfffd, 0xfffd}, 3},
        {"\xed\xa0\x80", 3, {0xfffd, 0xfffd, 0xfffd}, 3},
        {"\xf4\x90\x80\x80", 4, {0xfffd, 0xfffd, 0xfffd, 0xfffd}, 4},
        {"\xff\x80z", 3, {0xfffd, 0xfffd, 'z'}, 3},
        {"a\0b", 3, {'a', 0, 'b'}, 3},
    };
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_code_points out;
        assert_int_equal(rk_python_text_decode(cases[i].bytes, cases[i].n, arena, &out, NULL),
                         RK_OK);
        assert_int_equal(out.n, cases[i].points);
        assert_memory_equal(out.at, cases[i].at, out.n * sizeof *out.at);
    }
    rk_arena_free(arena);
}

static void encoding_reverses_decoding(void **state)
{
    (void)state;
    const char *text = "Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x98\x80";
    rk_arena *arena;
    rk_code_points points;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_python_text_decode(text, strlen(text), arena, &points, NULL), RK_OK);
    assert_string_equal(rk_python_text_encode(points.at, points.n, arena, NULL), text);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_is_pythons),
        cmocka_unit_test(invalid_bytes_become_replacement_characters),
        cmocka_unit_test(encoding_reverses_decoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
