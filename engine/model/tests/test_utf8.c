/* test_utf8.c - decoding, repair and the growing text. */
#include "tokenizer_fixture.h"

static void next_reads_characters_and_maximal_subparts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n, length;
        uint32_t code;
    } rows[] = {
        {"a", 1, 1, 'a'},
        {"\0", 1, 1, 0},
        {"\x7f", 1, 1, 0x7f},
        {"\xc2\x80", 2, 2, 0x80},
        {"\xdf\xbf", 2, 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 3, 0x800},
        {"\xed\x9f\xbf", 3, 3, 0xd7ff},
        {"\xee\x80\x80", 3, 3, 0xe000},
        {"\xef\xbf\xbf", 3, 3, 0xffff},
        {"\xf0\x90\x80\x80", 4, 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
        {"\x80", 1, 1, RK_UTF8_BAD},
        {"\xc0\xaf", 2, 1, RK_UTF8_BAD},
        {"\xc2", 1, 1, RK_UTF8_BAD},
        {"\xc2g", 2, 1, RK_UTF8_BAD},
        {"\xe0\x80\x80", 3, 1, RK_UTF8_BAD},
        {"\xed\xa0\x80", 3, 1, RK_UTF8_BAD},
        {"\xe2\x82", 2, 2, RK_UTF8_BAD},
        {"\xe2\x82g", 3, 2, RK_UTF8_BAD},
        {"\xf0\x8f\x80\x80", 4, 1, RK_UTF8_BAD},
        {"\xf0\x9f\x98", 3, 3, RK_UTF8_BAD},
        {"\xf4\x90\x80\x80", 4, 1, RK_UTF8_BAD},
        {"\xf5\x80", 2, 1, RK_UTF8_BAD},
        {"\xff", 1, 1, RK_UTF8_BAD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t code;
        assert_int_equal(rk_utf8_next(rows[i].text, rows[i].n, &code), rows[i].length);
        assert_int_equal(code, rows[i].code);
    }
}

static void every_code_point_survives_writing_and_reading(void **state)
{
    (void)state;
    rk_text t = {0};
    for (uint32_t c = 0; c < 0x110000; c++) {
        uint32_t code;
        t.n = 0;
        if (c >= 0xd800 && c < 0xe000)
            continue;
        assert_int_equal(rk_text_add_code(&t, c, NULL), RK_OK);
        assert_int_equal(rk_utf8_next(t.bytes, t.n, &code), t.n);
        assert_int_equal(code, c);
        assert_int_equal(rk_utf8_previous(t.bytes, t.n), 0);
    }
    rk_text_free(&t);
    assert_null(t.bytes);
}

static void repair_replaces_maximal_subparts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"plain \xe2\x82\xac", "plain \xe2\x82\xac"},
        {"a\xff", "a\xef\xbf\xbd"},
        {"\xe2\x82 b", "\xef\xbf\xbd b"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf0\x9f\x98\xf0\x9f\x98\x80", "\xef\xbf\xbd\xf0\x9f\x98\x80"},
        {"\x80x\x80", "\xef\xbf\xbdx\xef\xbf\xbd"},
    };
    rk_text room = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = rows[i].text;
        size_t n = strlen(text);
        assert_int_equal(rk_utf8_repair(&text, &n, &room, NULL), RK_OK);
        assert_int_equal(n, strlen(rows[i].want));
        assert_memory_equal(text, rows[i].want, n);
        if (strcmp(rows[i].text, rows[i].want) == 0)
            assert_ptr_equal(text, rows[i].text);
    }
    rk_text_free(&room);
}

static void previous_finds_the_start(void **state)
{
    (void)state;
    const char *text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    assert_int_equal(rk_utf8_previous(text, 10), 6);
    assert_int_equal(rk_utf8_previous(text, 6), 3);
    assert_int_equal(rk_utf8_previous(text, 3), 1);
    assert_int_equal(rk_utf8_previous(text, 1), 0);
}

static void white_space_is_unicodes(void **state)
{
    (void)state;
    int count = 0;
    for (uint32_t c = 0; c < 0x110000; c++)
        count += rk_utf8_is_space(c);
    assert_int_equal(count, 25);
    assert_true(rk_utf8_is_space(0x85));
    assert_true(rk_utf8_is_space(0xa0));
    assert_false(rk_utf8_is_space(0x180e));
    assert_false(rk_utf8_is_space(0x200b));
}

static void find_looks_everywhere(void **state)
{
    (void)state;
    const char text[] = "aab\0ab";
    assert_ptr_equal(rk_text_find(text, 6, "ab", 2), text + 1);
    assert_ptr_equal(rk_text_find(text + 2, 4, "ab", 2), text + 4);
    assert_null(rk_text_find(text, 6, "abc", 3));
    assert_null(rk_text_find(text, 2, "aab", 3));
    assert_null(rk_text_find(text, 5, "\0ab", 3));
    assert_ptr_equal(rk_text_find(text, 6, "\0ab", 3), text + 3);
}

static void a_text_refuses_to_overflow(void **state)
{
    (void)state;
    rk_text t = {0};
    rk_error err = {0};
    assert_int_equal(rk_text_add(&t, "abc", 3, &err), RK_OK);
    assert_int_equal(rk_text_add(&t, "abc", SIZE_MAX, &err), RK_E_MEMORY);
    assert_int_equal(t.n, 3);
    rk_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_reads_characters_and_maximal_subparts),
        cmocka_unit_test(every_code_point_survives_writing_and_reading),
        cmocka_unit_test(repair_replaces_maximal_subparts),
        cmocka_unit_test(previous_finds_the_start),
        cmocka_unit_test(white_space_is_unicodes),
        cmocka_unit_test(find_looks_everywhere),
        cmocka_unit_test(a_text_refuses_to_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
