/* test_vocab.c - ids, texts, flags, and what is refused. */
#include "tokenizer_fixture.h"

#include "model/vocab.h"

static void tokens_are_found_both_ways(void **state)
{
    (void)state;
    rk_vocab *v = NULL;
    char text[32];
    size_t n;
    assert_int_equal(rk_vocab_new(&v, NULL), RK_OK);
    assert_int_equal(rk_vocab_find(v, "x", 1), -1);
    for (int i = 0; i < 5000; i++) {
        int length = snprintf(text, sizeof text, "token %d", i);
        assert_int_equal(
            rk_vocab_add(v, 4999 - i, text, (size_t)length, RK_TOKEN_MODEL, "test", NULL), RK_OK);
    }
    assert_int_equal(rk_vocab_size(v), 5000);
    for (int i = 0; i < 5000; i++) {
        int length = snprintf(text, sizeof text, "token %d", i);
        assert_int_equal(rk_vocab_find(v, text, (size_t)length), 4999 - i);
        assert_string_equal(rk_vocab_text(v, 4999 - i, &n), text);
        assert_int_equal(n, length);
    }
    assert_int_equal(rk_vocab_find(v, "token", 5), -1);
    rk_vocab_free(v);
}

static void holes_flags_and_texts_out_of_the_hash(void **state)
{
    (void)state;
    rk_vocab *v = NULL;
    size_t n;
    assert_int_equal(rk_vocab_new(&v, NULL), RK_OK);
    assert_int_equal(rk_vocab_add(v, 7, "a\0b", 3, RK_TOKEN_MODEL, "test", NULL), RK_OK);
    assert_int_equal(rk_vocab_add(v, 3, "a\0b", 3, RK_TOKEN_ADDED, "test", NULL), RK_OK);
    assert_int_equal(rk_vocab_add(v, 4, "", 0, 0, "test", NULL), RK_OK);
    assert_int_equal(rk_vocab_size(v), 8);
    assert_int_equal(rk_vocab_find(v, "a\0b", 3), 7);
    assert_int_equal(rk_vocab_find(v, "a", 1), -1);
    assert_null(rk_vocab_text(v, 5, &n));
    assert_int_equal(rk_vocab_flags(v, 5), 0);
    assert_non_null(rk_vocab_text(v, 4, &n));
    assert_int_equal(n, 0);
    rk_vocab_mark(v, 7, RK_TOKEN_CONTROL);
    assert_int_equal(rk_vocab_flags(v, 7), RK_TOKEN_MODEL | RK_TOKEN_CONTROL);
    rk_vocab_free(v);
    rk_vocab_free(NULL);
}

static void broken_tokens_are_named(void **state)
{
    (void)state;
    rk_vocab *v = NULL;
    rk_error err = {0};
    assert_int_equal(rk_vocab_new(&v, NULL), RK_OK);
    assert_int_equal(rk_vocab_add(v, 1, "one", 3, RK_TOKEN_MODEL, "f", &err), RK_OK);
    assert_int_equal(rk_vocab_add(v, 1, "uno", 3, RK_TOKEN_MODEL, "f", &err), RK_E_FORMAT);
    assert_string_equal(err.text, "f: id 1 is both 'one' and 'uno'");
    assert_int_equal(rk_vocab_add(v, 2, "one", 3, RK_TOKEN_MODEL, "f", &err), RK_E_FORMAT);
    assert_string_equal(err.text, "f: token 'one' has two ids, 1 and 2");
    assert_int_equal(rk_vocab_add(v, -1, "two", 3, RK_TOKEN_MODEL, "f", &err), RK_E_FORMAT);
    assert_int_equal(rk_vocab_add(v, RK_VOCAB_MAX, "two", 3, 0, "f", &err), RK_E_FORMAT);
    assert_int_equal(rk_vocab_add(v, INT64_MAX, "two", 3, 0, "f", &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "expected an id of 0 to 4194303, got 9223372036854775807"));
    assert_int_equal(rk_vocab_size(v), 2);
    rk_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_found_both_ways),
        cmocka_unit_test(holes_flags_and_texts_out_of_the_hash),
        cmocka_unit_test(broken_tokens_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
