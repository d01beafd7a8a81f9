/* Well-formed files of one and several shards, then every way a header can lie. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "byte_file.h"
#include "model/safetensors.h"

#define DIR RK_TEST_BUILD "/safetensors_test"
#define ONE DIR "/model.safetensors"

static void put_file(bytes *b, const char *header, size_t data_bytes)
{
    b->n = 0;
    put_number(b, strlen(header), 8);
    put(b, header, strlen(header));
    for (size_t i = 0; i < data_bytes; i++)
        put_number(b, i & 0xff, 1);
}

static void write_file(const char *path, const char *header, size_t data_bytes)
{
    static bytes b;
    put_file(&b, header, data_bytes);
    write_bytes(path, b.data, b.n);
}

static void clean(void)
{
    static const char *const files[] = {"model.safetensors", "a.safetensors", "b.safetensors",
                                        "model.safetensors.index.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", DIR, files[i]);
        remove(path);
    }
}

static int setup(void **state)
{
    (void)state;
    mkdir(DIR, 0700);
    clean();
    return 0;
}

static const char good[] = "{\"__metadata__\":{\"format\":\"pt\"},"
                           "\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[4,16]},"
                           "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                           "\"i\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[16,24]},"
                           "\"e\":{\"dtype\":\"F16\",\"shape\":[0,5],\"data_offsets\":[16,16]}}   ";

static void test_tensors_of_one_file(void **state)
{
    (void)state;
    rk_error err;
    rk_safetensors *s;
    rk_stored_tensor t;
    const char *const *paths;
    write_file(ONE, good, 24);
    assert_int_equal(rk_safetensors_open(&s, ONE, &err), RK_OK);
    assert_int_equal(rk_safetensors_count(s), 4);
    assert_string_equal(rk_safetensors_at(s, 0)->name, "a");
    assert_string_equal(rk_safetensors_at(s, 3)->name, "i");
    assert_int_equal(rk_safetensors_at(s, 3)->dtype, RK_DTYPES);
    assert_int_equal(rk_safetensors_files(s, &paths), 1);
    assert_string_equal(paths[0], ONE);
    assert_true(rk_safetensors_has(s, "b"));
    assert_false(rk_safetensors_has(s, "c"));

    assert_int_equal(rk_safetensors_get(s, "b", 2, (int64_t[]){2, 3}, &t, &err), RK_OK);
    assert_int_equal(t.dtype, RK_BF16);
    assert_int_equal(((const uint8_t *)t.data)[0], 4);
    assert_int_equal(rk_safetensors_get(s, "b", 2, (int64_t[]){-1, 3}, &t, &err), RK_OK);
    assert_int_equal(t.shape[0], 2);
    assert_int_equal(rk_safetensors_get(s, "a", 0, NULL, &t, &err), RK_OK);

    assert_int_equal(rk_safetensors_get(s, "b", 2, (int64_t[]){3, 2}, &t, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "'b': expected shape [3, 2], got [2, 3]"));
    assert_int_equal(rk_safetensors_get(s, "b", 1, (int64_t[]){6}, &t, &err), RK_E_FORMAT);
    assert_int_equal(rk_safetensors_get(s, "none", 0, NULL, &t, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "'none' is missing"));
    assert_int_equal(rk_safetensors_get(s, "i", 1, (int64_t[]){1}, &t, &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "got I64"));
    rk_safetensors_close(s);
    rk_safetensors_close(NULL);
}

static void test_directory_prefers_one_file(void **state)
{
    (void)state;
    rk_error err;
    rk_safetensors *s;
    write_file(ONE, good, 24);
    write_bytes(DIR "/model.safetensors.index.json", "broken", 6);
    assert_int_equal(rk_safetensors_open(&s, DIR, &err), RK_OK);
    rk_safetensors_close(s);
    clean();
    assert_int_equal(rk_safetensors_open(&s, DIR, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "found neither"));
    assert_null(s);
    assert_int_equal(rk_safetensors_open(&s, DIR "/none", &err), RK_E_IO);
}

/* Headers that must be refused; `data` bytes follow them. */
static const struct {
    const char *header;
    size_t data;
    const char *message;
} bad_headers[] = {
    {"", 0, "starts with '{'"},
    {"[1]", 0, "starts with '{'"},
    {" {}", 0, "starts with '{'"},
    {"{", 0, "starts with '{'"},
    {"{{", 0, "line 1"},
    {"{}", 3, "expected 0 bytes of data as the header says, got 3"},
    {"{\"a\":1}", 0, "expected an object, got a whole number"},
    {"{\"a\":{}}", 0, "dtype: expected a string, got nothing"},
    {"{\"a\":{\"dtype\":7}}", 0, "dtype: expected a string"},
    {"{\"a\":{\"dtype\":\"F33\"}}", 0, "dtype 'F33' is not one"},
    {"{\"a\":{\"dtype\":\"F32\\u0000\"}}", 0, "dtype: expected a string"},
    {"{\"a\":{\"dtype\":\"F32\"}}", 0, "shape: expected an array"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":3}}", 0, "shape: expected an array"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1]}}", 0, "shape[0]: expected a whole number >= 0"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0]}}", 0, "got a fraction"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1]}}", 0, "at most 4 dimensions, got 5"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296]}}", 0, "product overflows"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807]}}", 0, "product overflows"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775808]}}", 0, "line 1"},
    {"{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, "whole bytes, got 12"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "data_offsets: expected two"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, "expected two"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4, "expected two"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,\"4\"]}}", 4, "expected two"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", 4, "a range inside 4"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "a range inside 4"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 4, "a range inside 4"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,3]}}", 4,
     "expected 4 bytes for its shape and dtype, got 3"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,9223372036854775807]}}", 4,
     "a range inside 4"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
     "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
     8, "duplicate"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
     "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}",
     12, "(overlap)"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
     4, "(overlap)"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}",
     12, "(gap)"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, "(gap)"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5,
     "expected 4 bytes of data as the header says, got 5"},
    {"{\"__metadata__\":[]}", 0, "__metadata__: expected an object, got an array"},
    {"{\"__metadata__\":{\"k\":1}}", 0, "__metadata__: key 'k': expected a string"},
    {"{\"a\xff\":1}", 0, "line 1"},
    {"{\"a\\u0000b\":1}", 0, "line 1"},
    {"{\"line\\nbreak\":1}", 0, "tensor 'line?break'"},
};

static void refuse(const char *path, rk_status status, const char *message)
{
    rk_error err = {0};
    rk_safetensors *s;
    rk_status st = rk_safetensors_open(&s, path, &err);
    assert_null(s);
    if (st != status || !strstr(err.text, message) || strchr(err.text, '\n'))
        fail_msg("expected %s with '%s', got %s: %s", rk_status_name(status), message,
                 rk_status_name(st), err.text);
    assert_int_equal(rk_safetensors_open(&s, path, NULL), st);
}

static void test_headers_that_lie(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_headers / sizeof *bad_headers; i++) {
        write_file(ONE, bad_headers[i].header, bad_headers[i].data);
        int many = strstr(bad_headers[i].message, "at most 4") != NULL;
        refuse(ONE, many ? RK_E_UNSUPPORTED : RK_E_FORMAT, bad_headers[i].message);
    }
}

static void test_lengths_that_lie(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {3, 100, 100000000, 100000001, UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        bytes *b = calloc(1, sizeof *b);
        put_number(b, lengths[i], 8);
        put(b, "{}", 2);
        write_bytes(ONE, b->data, b->n);
        refuse(ONE, RK_E_FORMAT, "header length: expected at most 2 bytes");
        free(b);
    }
}

static void test_truncated_anywhere(void **state)
{
    (void)state;
    static bytes b;
    put_file(&b, good, 24);
    for (size_t n = 0; n < b.n; n++) {
        write_bytes(ONE, b.data, n);
        refuse(ONE, RK_E_FORMAT, ONE);
    }
}

/* Any single byte changed: opened or refused, never read outside. */
static void test_flipped_bytes(void **state)
{
    (void)state;
    static bytes b;
    put_file(&b, good, 24);
    for (size_t i = 0; i < b.n; i++) {
        static const uint8_t flips[] = {0xff, 0x80, 1};
        for (size_t k = 0; k < sizeof flips; k++) {
            rk_error err;
            rk_safetensors *s;
            b.data[i] ^= flips[k];
            write_bytes(ONE, b.data, b.n);
            if (rk_safetensors_open(&s, ONE, &err) == RK_OK)
                assert_int_equal(rk_safetensors_count(s), 4);
            else
                assert_null(s);
            rk_safetensors_close(s);
            b.data[i] ^= flips[k];
        }
    }
}

static void test_deep_json(void **state)
{
    (void)state;
    enum { DEPTH = 20000 };
    char *deep = malloc(DEPTH + 32);
    strcpy(deep, "{\"a\":");
    memset(deep + 5, '[', DEPTH);
    deep[5 + DEPTH] = '\0';
    write_file(ONE, deep, 0);
    refuse(ONE, RK_E_FORMAT, "line 1");
    free(deep);
}

#define SHARD_A "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"
#define SHARD_B "{\"y\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"

static void write_index(const char *json)
{
    write_bytes(DIR "/model.safetensors.index.json", json, strlen(json));
}

static void test_shards(void **state)
{
    (void)state;
    rk_error err;
    rk_safetensors *s;
    rk_stored_tensor t;
    const char *const *paths;
    write_file(DIR "/a.safetensors", SHARD_A, 4);
    write_file(DIR "/b.safetensors", SHARD_B, 8);
    write_index("{\"weight_map\":{\"y\":\"b.safetensors\",\"x\":\"a.safetensors\"}}");
    assert_int_equal(rk_safetensors_open(&s, DIR, &err), RK_OK);
    assert_int_equal(rk_safetensors_count(s), 2);
    assert_int_equal(rk_safetensors_files(s, &paths), 2);
    assert_string_equal(paths[0], DIR "/a.safetensors");
    assert_string_equal(paths[1], DIR "/b.safetensors");
    assert_int_equal(rk_safetensors_get(s, "y", 1, (int64_t[]){2}, &t, &err), RK_OK);
    rk_safetensors_close(s);
}

static void test_indexes_that_lie(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        rk_status status;
        const char *message;
    } cases[] = {
        {"[]", RK_E_FORMAT, "weight_map: expected an object, got nothing"},
        {"{}", RK_E_FORMAT, "weight_map: expected an object, got nothing"},
        {"{\"weight_map\":[]}", RK_E_FORMAT, "expected an object, got an array"},
        {"{\"weight_map\":{}}", RK_E_FORMAT, "expected 1 to 4096 files, got 0"},
        {"{\"weight_map\":{\"x\":1}}", RK_E_FORMAT, "plain file name, got 'no text'"},
        {"{\"weight_map\":{\"x\":\"\"}}", RK_E_FORMAT, "plain file name, got ''"},
        {"{\"weight_map\":{\"x\":\"..\"}}", RK_E_FORMAT, "plain file name, got '..'"},
        {"{\"weight_map\":{\"x\":\"../a.safetensors\"}}", RK_E_FORMAT, "plain file name"},
        {"{\"weight_map\":{\"x\":\"/etc/passwd\"}}", RK_E_FORMAT, "plain file name"},
        {"{\"weight_map\":{\"x\":\"a\\u0000.safetensors\"}}", RK_E_FORMAT, "plain file name"},
        {"{\"weight_map\":{\"x\":\"missing.safetensors\"}}", RK_E_IO, "missing.safetensors"},
        {"{\"weight_map\":{\"x\":\"b.safetensors\"}}", RK_E_FORMAT, "found it in no shard"},
        {"{\"weight_map\":{\"x\":\"b.safetensors\",\"y\":\"a.safetensors\"}}", RK_E_FORMAT,
         "expected it in b.safetensors, found it in a.safetensors"},
        {"{\"weight_map\":{\"x\":\"a.safetensors\"}", RK_E_FORMAT, "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(DIR "/a.safetensors", SHARD_A, 4);
        write_file(DIR "/b.safetensors", SHARD_B, 8);
        write_index(cases[i].json);
        refuse(DIR, cases[i].status, cases[i].message);
    }
    write_file(DIR "/b.safetensors", SHARD_A, 4);
    write_index("{\"weight_map\":{\"x\":\"a.safetensors\",\"y\":\"b.safetensors\"}}");
    refuse(DIR, RK_E_FORMAT, "tensor 'x' is in both");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_tensors_of_one_file, setup),
        cmocka_unit_test_setup(test_directory_prefers_one_file, setup),
        cmocka_unit_test_setup(test_headers_that_lie, setup),
        cmocka_unit_test_setup(test_lengths_that_lie, setup),
        cmocka_unit_test_setup(test_truncated_anywhere, setup),
        cmocka_unit_test_setup(test_flipped_bytes, setup),
        cmocka_unit_test_setup(test_deep_json, setup),
        cmocka_unit_test_setup(test_shards, setup),
        cmocka_unit_test_setup(test_indexes_that_lie, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
