/* test_jsonl.c - records are walked in order; what is broken is named by line. */
#include "tests/reader_kit.h"

#include "jsonl.h"

static rk_status collect(void *self, const json_t *record, const char *where, rk_error *err)
{
    char *seen = self;
    const json_t *n = json_object_get(record, "n");
    if (!json_is_integer(n))
        return rk_fail(err, RK_E_FORMAT, "%s: no n", where);
    sprintf(seen + strlen(seen), "%d,", (int)json_integer_value(n));
    return RK_OK;
}

static void records_in_order(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"n\":1}\n{\"n\":2}\n", "\n  {\"n\":1}\r\n\n{\"n\":2}",
                                        " [{\"n\":1},\n{\"n\":2}]\n"};
    for (size_t i = 0; i < 3; i++) {
        char seen[64] = "";
        assert_int_equal(rk_jsonl_parse(texts[i], strlen(texts[i]), "x", collect, seen, NULL),
                         RK_OK);
        assert_string_equal(seen, "1,2,");
    }
}

static void broken_input_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *expected;
    } cases[] = {
        {"", 0, "x.jsonl: expected at least one record"},
        {"\n \n", 3, "x.jsonl: expected at least one record"},
        {"[]", 2, "x.jsonl: expected at least one record"},
        {"{\"n\":1}\n{\"n\":", 13, "x.jsonl: line 2: column"},
        {"{\"n\":1}\n\n[1]\n", 13, "x.jsonl: line 3: expected an object, got an array"},
        {"{\"n\":1}\n7\n", 10, "x.jsonl: line 2:"},
        {"{\"n\":\"\xff\"}", 9, "x.jsonl: line 1: column"},
        {"{\"n\":\"\xc3\"}", 9, "x.jsonl: line 1: column"},
        {"{\"n\":1,\"n\":2}", 13, "x.jsonl: line 1: column"},
        {"{\"n\":\"a\\u0000b\"}", 16, "x.jsonl: line 1: column"},
        {"\0{\"n\":1}", 8, "x.jsonl: line 1: column"},
        {"{\"n\":1} {\"n\":2}", 15, "x.jsonl: line 1: column"},
        {"{\"n\":1}\n{\"m\":1}", 15, "x.jsonl: line 2: no n"},
        {"[{\"n\":1},\n{\"n\":2}", 17, "x.jsonl: line 2:"},
        {"[{\"n\":1},5]", 11, "x.jsonl: record 2: expected an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char seen[64] = "";
        rk_error err = {0};
        assert_int_equal(rk_jsonl_parse(cases[i].text, cases[i].n, "x.jsonl", collect, seen, &err),
                         RK_E_FORMAT);
        if (!strstr(err.text, cases[i].expected))
            fail_msg("case %zu: %s", i, err.text);
        assert_null(strchr(err.text, '\n'));
    }
}

static void files_are_read(void **state)
{
    (void)state;
    char seen[64] = "";
    rk_error err;
    assert_int_equal(rk_jsonl_read("no/such/file", collect, seen, &err), RK_E_IO);
    char *path = kit_file("{\"n\":3}\n", 8);
    assert_int_equal(rk_jsonl_read(path, collect, seen, &err), RK_OK);
    assert_string_equal(seen, "3,");
    remove(path);
    free(path);
}

static void typed_keys(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    json_t *record = json_loads("{\"t\":\"text\",\"e\":\"\",\"a\":[1],\"i\":4}", 0, NULL);
    const char *text;
    const json_t *array;
    rk_error err;
    assert_int_equal(rk_jsonl_text(record, "t", "w", arena, &text, &err), RK_OK);
    assert_string_equal(text, "text");
    assert_int_equal(rk_jsonl_text(record, "e", "w", arena, &text, &err), RK_E_FORMAT);
    assert_string_equal(err.text, "w: key 'e': expected text, got nothing");
    assert_int_equal(rk_jsonl_text(record, "i", "w", arena, &text, &err), RK_E_FORMAT);
    assert_int_equal(rk_jsonl_text(record, "none", "w", arena, &text, &err), RK_E_FORMAT);
    assert_int_equal(rk_jsonl_array(record, "a", "w", 1, &array, &err), RK_OK);
    assert_int_equal(rk_jsonl_array(record, "a", "w", 2, &array, &err), RK_E_FORMAT);
    assert_string_equal(err.text, "w: key 'a': expected at least 2 entries, got 1");
    assert_int_equal(rk_jsonl_array(record, "t", "w", 0, &array, &err), RK_E_FORMAT);
    json_decref(record);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_in_order),
        cmocka_unit_test(broken_input_is_named),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(typed_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
