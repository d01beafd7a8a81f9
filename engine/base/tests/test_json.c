/* test_json.c - files with limits, typed keys, errors that name file and key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

static json_t *parse(const char *text)
{
    json_t *root;
    rk_error err = {0};
    if (rk_json_parse(text, strlen(text), "text", &root, &err) != RK_OK)
        fail_msg("%s", err.text);
    return root;
}

static void broken_text_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
    } cases[] = {
        {"", 0},
        {"{", 1},
        {"{\"a\":1,\"a\":2}", 13},
        {"{\"a\":\"\xff\"}", 9},
        {"{\"a\":1} x", 9},
        {"{'a':1}", 7},
        {"{\"a\":1e999}", 11},
        {"{\"a\":}", 6},
        {"{\"a\":1}", 6},
        {"[1,2", 4},
        {"{\"a\":01}", 8},
        {"{\"a\":99999999999999999999}", 26},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *root;
        rk_error err = {0};
        assert_int_equal(rk_json_parse(cases[i].text, cases[i].n, "a.json", &root, &err),
                         RK_E_FORMAT);
        assert_non_null(strstr(err.text, "a.json: line "));
    }
    char deep[5000];
    memset(deep, '[', sizeof deep);
    json_t *root;
    assert_int_equal(rk_json_parse(deep, sizeof deep, "deep", &root, NULL), RK_E_FORMAT);
}

static void keys_are_typed(void **state)
{
    (void)state;
    json_t *root = parse("{\"i\":5,\"f\":2.5,\"b\":true,\"s\":\"x\",\"n\":null,\"a\":[1]}");
    int64_t i = -1;
    double f = -1;
    int b = -1;
    const char *s = "kept";
    assert_int_equal(rk_json_int(root, "i", "m", 1, 0, 10, &i, NULL), RK_OK);
    assert_int_equal(i, 5);
    assert_int_equal(rk_json_float(root, "i", "m", 1, &f, NULL), RK_OK);
    assert_true(f == 5);
    assert_int_equal(rk_json_float(root, "f", "m", 1, &f, NULL), RK_OK);
    assert_true(f == 2.5);
    assert_int_equal(rk_json_bool(root, "b", "m", &b, NULL), RK_OK);
    assert_int_equal(b, 1);
    assert_int_equal(rk_json_text(root, "n", "m", 0, &s, NULL), RK_OK);
    assert_string_equal(s, "kept");
    assert_int_equal(rk_json_text(root, "s", "m", 1, &s, NULL), RK_OK);
    assert_string_equal(s, "x");
    assert_int_equal(rk_json_int(root, "absent", "m", 0, 0, 10, &i, NULL), RK_OK);
    assert_int_equal(i, 5);
    assert_int_equal(rk_json_bool(root, "n", "m", &b, NULL), RK_OK);
    assert_int_equal(b, 1);
    json_decref(root);
}

static rk_status read_key(const json_t *root, char kind, const char *key, rk_error *err)
{
    int64_t i;
    double f;
    int b;
    const char *s;
    switch (kind) {
    case 'i':
        return rk_json_int(root, key, "m.json", 1, 0, 10, &i, err);
    case 'f':
        return rk_json_float(root, key, "m.json", 1, &f, err);
    case 'b':
        return rk_json_bool(root, key, "m.json", &b, err);
    default:
        return rk_json_text(root, key, "m.json", 1, &s, err);
    }
}

static void wrong_keys_are_named(void **state)
{
    (void)state;
    static const struct {
        char kind;
        const char *key, *says;
    } cases[] = {
        {'i', "absent", "'absent' is missing"},       {'i', "n", "'n' is missing"},
        {'i', "f", "a whole number, got a fraction"}, {'i', "big", "expected 0 to 10, got 11"},
        {'i', "neg", "expected 0 to 10, got -1"},     {'f', "s", "a number, got a string"},
        {'b', "i", "a boolean, got a whole number"},  {'s', "a", "a string, got an array"},
        {'s', "o", "a string, got an object"},        {'i', "b", "got a boolean"},
    };
    json_t *root = parse("{\"i\":5,\"f\":2.5,\"b\":false,\"s\":\"x\",\"n\":null,\"a\":[1],\"o\":{},"
                         "\"big\":11,\"neg\":-1}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        assert_int_equal(read_key(root, cases[i].kind, cases[i].key, &err), RK_E_FORMAT);
        if (!strstr(err.text, cases[i].says) || !strstr(err.text, "m.json"))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
    rk_error err = {0};
    assert_int_equal(read_key(json_object_get(root, "a"), 'i', "x", &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "an object holding 'x', got an array"));
    assert_int_equal(read_key(NULL, 'i', "x", &err), RK_E_FORMAT);
    assert_string_equal(rk_json_kind(NULL), "nothing");
    json_decref(root);
}

static void files_have_limits(void **state)
{
    (void)state;
    const char *path = RK_TEST_BUILD "/test_json.json";
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs("{\"a\": 3}", f);
    fclose(f);
    json_t *root;
    rk_error err = {0};
    assert_int_equal(rk_json_load(path, 8, &root, &err), RK_OK);
    assert_int_equal(json_integer_value(json_object_get(root, "a")), 3);
    json_decref(root);
    assert_int_equal(rk_json_load(path, 7, &root, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "at most 7 bytes, got 8"));
    remove(path);
    assert_int_equal(rk_json_load(path, 100, &root, &err), RK_E_IO);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(rk_json_load(RK_TEST_BUILD, 1 << 20, &root, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_text_is_refused),
        cmocka_unit_test(keys_are_typed),
        cmocka_unit_test(wrong_keys_are_named),
        cmocka_unit_test(files_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
