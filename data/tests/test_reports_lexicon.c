/* test_reports_lexicon.c - sizes of the vocabulary; every word once in its pool,
 * and one token of the tiny model. */
#include "tests/reader_kit.h"

#include "base/json.h"
#include "reports_lexicon.h"

static void words_are_the_models_tokens(void **state)
{
    (void)state;
    static const int32_t sizes[RK_REPORTS_POOLS] = {157, 108, 108, 32, 24, 50, 70,
                                                    64,  48,  30,  40, 20, 10};
    json_t *file;
    assert_int_equal(rk_json_load(RK_TEST_DATA "/models/tiny/tokenizer.json", 1 << 22, &file, NULL),
                     RK_OK);
    const json_t *vocab = json_object_get(json_object_get(file, "model"), "vocab");
    assert_true(json_is_object(vocab));
    for (int p = 0; p < RK_REPORTS_POOLS; p++) {
        const rk_word_pool *pool = rk_reports_words((rk_reports_pool)p);
        assert_int_equal(pool->words, sizes[p]);
        for (int32_t i = 0; i < pool->words; i++) {
            char token[64];
            snprintf(token, sizeof token, "\xc4\xa0%s", pool->word[i]); /* U+0120: a blank */
            assert_non_null(json_object_get(vocab, token));
            for (int32_t k = 0; k < i; k++)
                assert_string_not_equal(pool->word[i], pool->word[k]);
        }
    }
    json_decref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_the_models_tokens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
