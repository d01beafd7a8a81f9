/* test_added_tokens.c - which tokens match where; stretches are "text|#id text|". */
#include "tokenizer_fixture.h"

#include "model/added_tokens.h"

#define TOKEN(word, number, ...)                                                                   \
    {                                                                                              \
        .text = word, .bytes = sizeof(word) - 1, .id = number, __VA_ARGS__                         \
    }

static const rk_added_token tokens[] = {
    TOKEN("<s>", 1, .control = 1),        TOKEN("<ab>", 2, .control = 0),
    TOKEN("<abcd>", 3, .control = 0),     TOKEN("<ab", 4, .control = 0),
    TOKEN("<l>", 5, .lstrip = 1),         TOKEN("<r>", 6, .rstrip = 1),
    TOKEN("<w>", 7, .single_word = 1),    TOKEN("<s", 8, .control = 0),
    TOKEN("", 9, .control = 0),           TOKEN("\xe6\xa1\xa5", 10, .control = 0),
    TOKEN("[x]<s>[y]", 11, .control = 1), TOKEN("a\0b", 12, .control = 0),
};

static rk_status collect(void *context, const char *text, size_t start, size_t end, int32_t id,
                         rk_error *err)
{
    rk_text *out = context;
    char name[16];
    if (id >= 0) {
        int n = snprintf(name, sizeof name, "#%d ", id);
        RK_TRY(rk_text_add(out, name, (size_t)n, err));
    }
    RK_TRY(rk_text_add(out, text + start, end - start, err));
    return rk_text_add(out, "|", 1, err);
}

static void stretches(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int control;
        const char *want;
    } rows[] = {
        {"", 1, ""},
        {"plain", 1, "plain|"},
        {"a<s>b", 1, "a|#1 <s>|b|"},
        {"a<s>b", 0, "a<s>b|"}, /* and not #8: the control token used the text up */
        {"a<s b", 0, "a|#8 <s| b|"},
        {"<ab><abcd><abc", 1, "#2 <ab>|#3 <abcd>|#4 <ab|c|"},
        {"<a<ab>", 1, "<a|#2 <ab>|"},
        {"x \n<l> y", 1, "x|#5  \n<l>| y|"},
        {"<ab> <l>", 1, "#2 <ab>|#5  <l>|"},
        {"x <r> \t\ny", 1, "x |#6 <r> \t\n|y|"},
        {"<r>  ", 1, "#6 <r>  |"},
        {"\xe3\x80\x80<l><r>\xc2\x85z", 1, "#5 \xe3\x80\x80<l>|#6 <r>\xc2\x85|z|"},
        {"a<w>", 1, "a<w>|"},
        {"a <w> b<w>c (<w>)", 1, "a |#7 <w>| b<w>c (|#7 <w>|)|"},
        {"<w>_ <w>\xcc\x81 <w>-", 1, "<w>_ <w>\xcc\x81 |#7 <w>|-|"},
        {"\xc3\xa9<w> <w>", 1, "\xc3\xa9<w> |#7 <w>|"},
        {"\xe6\xa1\xa5\xe6\xa1", 1, "#10 \xe6\xa1\xa5|\xe6\xa1|"},
        {"[x]<s>[y]", 0, "[x]<s>[y]|"},
        {"[x]<s>[z]", 1, "[x]|#1 <s>|[z]|"},
    };
    rk_added_tokens *a = NULL;
    rk_regex_match *m = NULL;
    assert_int_equal(rk_added_tokens_new(&a, tokens, sizeof tokens / sizeof *tokens, NULL), RK_OK);
    assert_int_equal(rk_regex_match_new(&m, NULL), RK_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_text out = {0};
        assert_int_equal(rk_added_tokens_split(a, m, rows[i].text, strlen(rows[i].text),
                                               rows[i].control, collect, &out, NULL),
                         RK_OK);
        rk_text_add(&out, "", 1, NULL);
        assert_string_equal(out.bytes, rows[i].want);
        rk_text_free(&out);
    }
    rk_text out = {0};
    assert_int_equal(rk_added_tokens_split(a, m, "xa\0by", 5, 0, collect, &out, NULL), RK_OK);
    assert_int_equal(out.n, 12);
    assert_memory_equal(out.bytes, "x|#12 a\0b|y|", 12);
    rk_text_free(&out);
    rk_regex_match_free(m);
    rk_added_tokens_free(a);
}

static void no_tokens_leave_the_text(void **state)
{
    (void)state;
    rk_added_tokens *a = NULL;
    rk_text out = {0};
    assert_int_equal(rk_added_tokens_new(&a, NULL, 0, NULL), RK_OK);
    assert_int_equal(rk_added_tokens_split(a, NULL, "abc", 3, 1, collect, &out, NULL), RK_OK);
    assert_memory_equal(out.bytes, "abc|", 4);
    rk_text_free(&out);
    rk_added_tokens_free(a);
    rk_added_tokens_free(NULL);
}

static rk_status stop(void *context, const char *text, size_t start, size_t end, int32_t id,
                      rk_error *err)
{
    (void)context;
    (void)text;
    return rk_fail(err, RK_E_BUDGET, "stopped at %zu..%zu %d", start, end, id);
}

static void a_failing_reader_stops_the_run(void **state)
{
    (void)state;
    rk_added_tokens *a = NULL;
    rk_error err = {0};
    assert_int_equal(rk_added_tokens_new(&a, tokens, 4, NULL), RK_OK);
    assert_int_equal(rk_added_tokens_split(a, NULL, "<ab>x", 5, 1, stop, NULL, &err), RK_E_BUDGET);
    assert_string_equal(err.text, "stopped at 0..4 2");
    assert_int_equal(rk_added_tokens_split(a, NULL, "x<ab>", 5, 1, stop, NULL, &err), RK_E_BUDGET);
    assert_string_equal(err.text, "stopped at 0..1 -1");
    rk_added_tokens_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretches),
        cmocka_unit_test(no_tokens_leave_the_text),
        cmocka_unit_test(a_failing_reader_stops_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
