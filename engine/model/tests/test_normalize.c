/* test_normalize.c - NFC against Hugging Face's, and the other steps. */
#include "tokenizer_fixture.h"

#include "model/normalize.h"

static const rk_normalizer nfc = {.step = {{.kind = RK_NORMALIZE_NFC}}, .steps = 1};

static void check(const rk_normalizer *z, rk_normalize_room *room, const char *in, size_t n,
                  const char *want, size_t want_n)
{
    const char *text = in;
    rk_error err = {0};
    if (rk_normalize(z, room, &text, &n, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(n, want_n);
    assert_memory_equal(text, want, n);
}

static void nfc_of_every_code_point(void **state)
{
    (void)state;
    json_t *tables = fixture_json("unicode.json");
    const json_t *changed = json_object_get(tables, "nfc");
    rk_normalize_room room = {0};
    rk_text t = {0};
    size_t seen = 0;
    for (uint32_t c = 0; c < 0x110000; c++) {
        char name[8];
        if (c >= 0xd800 && c < 0xe000)
            continue;
        t.n = 0;
        assert_int_equal(rk_text_add_code(&t, c, NULL), RK_OK);
        snprintf(name, sizeof name, "%04X", c);
        const json_t *want = json_object_get(changed, name);
        seen += want != NULL;
        if (want)
            check(&nfc, &room, t.bytes, t.n, json_string_value(want), json_string_length(want));
        else
            check(&nfc, &room, t.bytes, t.n, t.bytes, t.n);
    }
    assert_int_equal(seen, json_object_size(changed));
    assert_true(seen > 1000);
    rk_text_free(&t);
    rk_normalize_room_free(&room);
    json_decref(tables);
}

static void nfc_of_sequences(void **state)
{
    (void)state;
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"e\xcc\x81", "\xc3\xa9"},
        {"o\xcc\xa3\xcc\x82", "\xe1\xbb\x99"},
        {"o\xcc\x82\xcc\xa3", "\xe1\xbb\x99"},
        {"\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8", "\xea\xb0\x81"},
        {"\xea\xb0\x80\xe1\x86\xa8", "\xea\xb0\x81"},
        {"\xea\xb0\x80\xe1\x86\xa7", "\xea\xb0\x80\xe1\x86\xa7"}, /* U+11A7 stays */
        {"\xe2\x84\xab", "\xc3\x85"},
        {"\xef\xac\x81", "\xef\xac\x81"}, /* compatibility forms stay */
        {"\xcc\x81", "\xcc\x81"},
        {"a\xe0\xa3\x92\xcc\xa3", "a\xe0\xa3\x92\xcc\xa3"}, /* U+08D2 came after Unicode 9 */
        {"\xf0\x91\xa4\xb5\xf0\x91\xa4\xb0", "\xf0\x91\xa4\xb5\xf0\x91\xa4\xb0"}, /* so did 11938 */
    };
    rk_normalize_room room = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&nfc, &room, rows[i].in, strlen(rows[i].in), rows[i].want, strlen(rows[i].want));
    check(&nfc, &room, "\0e\xcc\x81\0", 5, "\0\xc3\xa9\0", 4);
    rk_normalize_room_free(&room);
}

/* 400,000 marks in the worst order take a moment, not a minute, and come out in
 * the order of their classes: all U+0323 (220) before all U+0301 (230). */
static void a_long_run_of_marks_is_sorted(void **state)
{
    (void)state;
    enum { PAIRS = 200000 };
    char *text = malloc(PAIRS * 4);
    char *want = malloc(PAIRS * 4);
    rk_normalize_room room = {0};
    assert_non_null(text);
    assert_non_null(want);
    for (size_t i = 0; i < PAIRS; i++) {
        memcpy(text + i * 4, "\xcc\x81\xcc\xa3", 4);
        memcpy(want + i * 2, "\xcc\xa3", 2);
        memcpy(want + (PAIRS + i) * 2, "\xcc\x81", 2);
    }
    check(&nfc, &room, text, PAIRS * 4, want, PAIRS * 4);
    rk_normalize_room_free(&room);
    free(text);
    free(want);
}

static void steps_follow_one_another(void **state)
{
    (void)state;
    const rk_normalize_step prepend = {RK_NORMALIZE_PREPEND, NULL, "_", 0, 1};
    const rk_normalize_step blanks = {RK_NORMALIZE_REPLACE, " ", "__", 1, 2};
    const rk_normalize_step ab = {RK_NORMALIZE_REPLACE, "ab", "", 2, 0};
    const rk_normalizer one = {{prepend, blanks, {.kind = RK_NORMALIZE_NFC}, ab}, 4};
    const rk_normalizer none = {{{0}}, 0};
    rk_normalize_room room = {0};
    check(&one, &room, "a b", 3, "_a__b", 5);
    check(&one, &room, " ", 1, "___", 3);
    check(&one, &room, "", 0, "", 0);
    check(&one, &room, "xabab y", 7, "_x__y", 5);
    check(&one, &room, "ab", 2, "_", 1);
    check(&one, &room, "e\xcc\x81 ", 4, "_\xc3\xa9__", 5);
    check(&none, &room, "a b", 3, "a b", 3);
    rk_normalize_room_free(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nfc_of_every_code_point),
        cmocka_unit_test(nfc_of_sequences),
        cmocka_unit_test(a_long_run_of_marks_is_sorted),
        cmocka_unit_test(steps_follow_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
