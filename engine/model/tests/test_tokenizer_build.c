/* test_tokenizer_build.c - what the containers share when they build a tokenizer. */
#include "tokenizer_fixture.h"

#include "model/tokenizer_parts.h"

static rk_tokenizer *start(int byte_level)
{
    rk_tokenizer *t = NULL;
    assert_int_equal(rk_tokenizer_new(&t, NULL), RK_OK);
    t->byte_level = byte_level;
    return t;
}

static void byte_level_tokens_are_kept_as_bytes(void **state)
{
    (void)state;
    rk_tokenizer *t = start(1);
    rk_text room = {0};
    size_t n;
    assert_int_equal(rk_tokenizer_add_model(t, 0, "\xc4\xa0the", 5, "f", NULL), RK_OK);
    assert_int_equal(rk_tokenizer_add_model(t, 1, "\xc4\x8a", 2, "f", NULL), RK_OK);
    /* A character outside the alphabet: kept as it is, out of merging's reach. */
    assert_int_equal(rk_tokenizer_add_model(t, 2, " the", 4, "f", NULL), RK_OK);
    assert_string_equal(rk_vocab_text(t->vocab, 0, &n), " the");
    assert_string_equal(rk_vocab_text(t->vocab, 2, &n), " the");
    assert_int_equal(rk_tokenizer_find_model(t, "\xc4\xa0the", 5, &room, NULL), 0);
    assert_int_equal(rk_tokenizer_find_model(t, " the", 4, &room, NULL), -1);
    assert_int_equal(rk_tokenizer_finish(t, "f", NULL), RK_OK);
    assert_int_equal(t->byte_id['\n'], 1);
    assert_int_equal(t->byte_id['a'], -1);
    rk_text_free(&room);
    rk_tokenizer_close(t);
}

static void byte_tokens_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int is_byte;
    } rows[] = {{"<0x00>", 1}, {"<0xFF>", 1},  {"<0x4A>", 1}, {"<0xff>", 0}, {"<0xG0>", 0},
                {"<0x0>", 0},  {"<0x000>", 0}, {"0x00", 0},   {"<0X00>", 0}, {"[0x00>", 0}};
    rk_tokenizer *t = start(0);
    t->byte_fallback = 1;
    for (int32_t i = 0; i < (int32_t)(sizeof rows / sizeof *rows); i++) {
        assert_int_equal(
            rk_tokenizer_add_model(t, i, rows[i].text, strlen(rows[i].text), "f", NULL), RK_OK);
        assert_int_equal((rk_vocab_flags(t->vocab, i) & RK_TOKEN_BYTE) != 0, rows[i].is_byte);
    }
    assert_int_equal(rk_tokenizer_finish(t, "f", NULL), RK_OK);
    assert_int_equal(t->byte_id[0x00], 0);
    assert_int_equal(t->byte_id[0xff], 1);
    assert_int_equal(t->byte_id[0x01], -1);
    rk_tokenizer_close(t);
}

static void added_tokens_take_their_place(void **state)
{
    (void)state;
    rk_tokenizer *t = start(0);
    rk_error err = {0};
    rk_added_token a = {.text = "<s>", .bytes = 3, .id = 1, .control = 1};
    rk_added_token free_id = {.text = "<new>", .bytes = 5, .id = 9};
    rk_added_token twice = a, other = {.text = "<t>", .bytes = 3, .id = 0};
    rk_added_token moved = {.text = "x", .bytes = 1, .id = 5}, low = {.text = "y", .id = -1};
    assert_int_equal(rk_tokenizer_add_model(t, 0, "x", 1, "f", NULL), RK_OK);
    assert_int_equal(rk_tokenizer_add_model(t, 1, "<s>", 3, "f", NULL), RK_OK);
    assert_int_equal(rk_tokenizer_add_added(t, &a, "f", &err), RK_OK);
    assert_int_equal(rk_vocab_flags(t->vocab, 1),
                     RK_TOKEN_MODEL | RK_TOKEN_ADDED | RK_TOKEN_CONTROL);
    assert_int_equal(rk_tokenizer_add_added(t, &free_id, "f", &err), RK_OK);
    assert_int_equal(rk_vocab_flags(t->vocab, 9), RK_TOKEN_ADDED);
    assert_int_equal(rk_tokenizer_add_added(t, &twice, "f", &err), RK_E_FORMAT);
    assert_string_equal(err.text, "f: added token '<s>': id 1 is already an added token");
    assert_int_equal(rk_tokenizer_add_added(t, &other, "f", &err), RK_E_FORMAT);
    assert_string_equal(err.text, "f: id 0 is both 'x' and '<t>'");
    assert_int_equal(rk_tokenizer_add_added(t, &moved, "f", &err), RK_E_FORMAT);
    assert_string_equal(err.text, "f: added token 'x' has two ids, 0 and 5");
    assert_int_equal(rk_tokenizer_add_added(t, &low, "f", &err), RK_E_FORMAT);
    assert_int_equal(t->addeds, 2);
    rk_tokenizer_close(t);
}

static void an_empty_vocabulary_is_refused(void **state)
{
    (void)state;
    rk_tokenizer *t = start(0);
    rk_error err = {0};
    assert_int_equal(rk_tokenizer_finish(t, "f", &err), RK_E_FORMAT);
    assert_string_equal(err.text, "f: the vocabulary is empty");
    rk_tokenizer_close(t);
    rk_tokenizer_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_level_tokens_are_kept_as_bytes),
        cmocka_unit_test(byte_tokens_are_recognised),
        cmocka_unit_test(added_tokens_take_their_place),
        cmocka_unit_test(an_empty_vocabulary_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
