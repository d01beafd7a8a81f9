/* Opening: a good file, then every way its directory can lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gguf_build.h"
#include "model/gguf.h"

#define PATH RK_TEST_BUILD "/gguf_test.gguf"

static const uint64_t ne_2x3[] = {3, 2}, ne_32x2[] = {32, 2}, ne_4[] = {4};

static void put_good(bytes *b)
{
    gguf_head(b, 3, 4);
    gguf_text(b, "general.architecture", "llama");
    gguf_u32(b, "general.alignment", 64);
    gguf_array(b, "words", STRING, 3);
    put_text(b, "one");
    put_text(b, "");
    put_text(b, "three");
    gguf_array(b, "nested", ARRAY, 2);
    for (int i = 0; i < 2; i++) {
        put_number(b, U16, 4);
        put_number(b, 2, 8);
        put_number(b, 7, 2);
        put_number(b, 8, 2);
    }
    gguf_tensor(b, "w", 2, ne_2x3, 0, 0);
    gguf_tensor(b, "q", 2, ne_32x2, 8, 64);
    gguf_tensor(b, "odd", 1, ne_4, 99, 192);
    gguf_data(b, 64, 200);
}

static void test_good(void **state)
{
    (void)state;
    static bytes b;
    rk_error err;
    rk_gguf *g;
    rk_stored_tensor t;
    put_good(&b);
    write_bytes(PATH, b.data, b.n);
    assert_int_equal(rk_gguf_open(&g, PATH, &err), RK_OK);
    assert_string_equal(rk_gguf_path(g), PATH);
    assert_int_equal(rk_gguf_tensors(g), 3);
    assert_int_equal(rk_gguf_get(g, "w", 2, (int64_t[]){2, 3}, &t, &err), RK_OK);
    assert_int_equal(t.dtype, RK_F32);
    assert_int_equal(((const uint8_t *)t.data)[1], 1);
    assert_int_equal(rk_gguf_get(g, "q", 2, (int64_t[]){-1, 32}, &t, &err), RK_OK);
    assert_int_equal(t.dtype, RK_Q8_0);
    assert_int_equal(((const uint8_t *)t.data)[0], 64);
    assert_int_equal(rk_gguf_get(g, "odd", 1, (int64_t[]){4}, &t, &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "got ggml type 99 (unknown)"));
    rk_gguf_close(g);
    rk_gguf_close(NULL);
}

static void test_version_2_and_no_tensors(void **state)
{
    (void)state;
    static bytes b;
    rk_gguf *g;
    rk_error err;
    gguf_head(&b, 0, 0);
    b.data[4] = 2;
    write_bytes(PATH, b.data, b.n);
    assert_int_equal(rk_gguf_open(&g, PATH, &err), RK_OK);
    assert_int_equal(rk_gguf_tensors(g), 0);
    assert_false(rk_gguf_has_tensor(g, "w"));
    assert_false(rk_gguf_has(g, "k"));
    rk_gguf_close(g);
}

static void refuse(const bytes *b, rk_status status, const char *message)
{
    rk_error err = {0};
    rk_gguf *g;
    write_bytes(PATH, b->data, b->n);
    rk_status st = rk_gguf_open(&g, PATH, &err);
    assert_null(g);
    if (st != status || !strstr(err.text, message) || strchr(err.text, '\n'))
        fail_msg("expected %s with '%s', got %s: %s", rk_status_name(status), message,
                 rk_status_name(st), err.text);
    assert_int_equal(rk_gguf_open(&g, PATH, NULL), st);
}

static void test_heads_that_lie(void **state)
{
    (void)state;
    static bytes b;
    static const struct {
        uint64_t tensors, keys;
        const char *message;
    } counts[] = {
        {1, 0, "1 tensors do not fit"},
        {0, 1, "1 keys do not fit"},
        {UINT64_MAX, 0, "tensors do not fit"},
        {0, UINT64_MAX, "keys do not fit"},
        {1ull << 60, 1ull << 60, "keys do not fit"},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        gguf_head(&b, counts[i].tensors, counts[i].keys);
        refuse(&b, RK_E_FORMAT, counts[i].message);
    }
    gguf_head(&b, 0, 0);
    b.data[4] = 0, b.data[7] = 3;
    refuse(&b, RK_E_UNSUPPORTED, "big-endian");
    gguf_head(&b, 0, 0);
    b.data[4] = 1;
    refuse(&b, RK_E_UNSUPPORTED, "version 2 or 3, got 1");
    b.data[0] = 'g';
    refuse(&b, RK_E_FORMAT, "magic 'GGUF'");
    b.n = 0;
    refuse(&b, RK_E_FORMAT, "magic 'GGUF'");
}

/* The start of a key whose value lies; what the refusal says. */
static const char *put_lying_value(bytes *b, int i)
{
    switch (i) {
    case 0:
        gguf_key(b, "k", 13);
        return "key 'k': unknown value type 13";
    case 1:
        gguf_array(b, "k", 13, 1);
        return "key 'k': array of unknown value type 13";
    case 2:
        gguf_array(b, "k", U64, UINT64_MAX);
        return "expected at most 8 elements";
    case 3:
        gguf_array(b, "k", STRING, 9);
        return "expected at most 8 elements";
    case 4:
        gguf_key(b, "k", STRING);
        put_number(b, UINT64_MAX, 8);
        return "expected 18446744073709551615 bytes";
    case 5:
        gguf_key(b, "k", BOOL);
        put_number(b, 2, 1);
        return "expected a boolean 0 or 1, got 2";
    case 6:
        gguf_array(b, "k", STRING, 2);
        put_text(b, "fits");
        put_number(b, 1 << 20, 8);
        return "expected 1048576 bytes";
    case 7:
        gguf_array(b, "k", ARRAY, 1);
        for (int depth = 0; depth < 5; depth++)
            put_number(b, ARRAY, 4), put_number(b, 1, 8);
        return "arrays nest deeper than 4";
    case 8:
        gguf_u32(b, "general.alignment", 48);
        return "expected a power of two, got 48";
    case 9:
        gguf_u32(b, "general.alignment", 0);
        return "'general.alignment': expected 1 to";
    case 10:
        gguf_text(b, "general.alignment", "32");
        return "expected a whole number";
    }
    return NULL;
}

/* One key each, then 64 bytes so that the count check lets it through. */
static void refuse_key(bytes *b, const char *message)
{
    static const uint8_t spare[64];
    put(b, spare, sizeof spare);
    refuse(b, RK_E_FORMAT, message);
}

static void test_keys_that_lie(void **state)
{
    (void)state;
    static bytes b;
    const char *message;
    gguf_head(&b, 0, 1);
    for (int i = 0; (message = put_lying_value(&b, i)); i++) {
        refuse_key(&b, message);
        gguf_head(&b, 0, 1);
    }
    put_number(&b, UINT64_MAX, 8);
    refuse_key(&b, "a key at byte");
    gguf_head(&b, 0, 1);
    gguf_key(&b, "", U8);
    refuse_key(&b, "a key: expected 1 to 65535 bytes, got 0");
    gguf_head(&b, 0, 1);
    gguf_key(&b, "line\nbreak", U8);
    refuse_key(&b, "a key: byte 4 is a control character");
    gguf_head(&b, 0, 2);
    gguf_u32(&b, "k", 1);
    gguf_u32(&b, "k", 2);
    refuse_key(&b, "key 'k' is there twice");
}

static void test_tensors_that_lie(void **state)
{
    (void)state;
    static bytes b;
    static const struct {
        const char *name;
        uint32_t rank;
        uint64_t ne[5];
        uint32_t type;
        uint64_t offset;
        const char *message;
    } cases[] = {
        {"t", 5, {1, 1, 1, 1, 1}, 0, 0, "at most 4 dimensions, got 5"},
        {"t", 1, {0}, 0, 0, "dimension 0 of 0 is zero or too large"},
        {"t", 1, {UINT64_MAX}, 0, 0, "zero or too large"},
        {"t", 2, {1ull << 40, 1ull << 40}, 0, 0, "dimension 1 of 1099511627776"},
        {"t", 1, {1ull << 62}, 0, 0, "its size overflows"},
        {"t", 1, {31}, 8, 0, "a multiple of 32 values for type Q8_0, got 31"},
        {"t", 1, {128}, 12, 0, "a multiple of 256 values for type Q4_K, got 128"},
        {"t", 1, {4}, 0, 1, "aligned to 32, got 1"},
        {"t", 1, {4}, 0, 1 << 20, "inside 128 bytes"},
        {"t", 1, {4}, 0, UINT64_MAX - 31, "inside 128 bytes"},
        {"t", 1, {33}, 0, 0, "expected 132 bytes at offset 0 inside 128"},
        {"t", 1, {4}, 99, 1 << 20, "inside 128 bytes"},
        {"", 1, {4}, 0, 0, "a tensor's name: expected 1 to 65535 bytes"},
        {"\x1b[2J", 1, {4}, 0, 0, "byte 0 is a control character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gguf_head(&b, 1, 0);
        gguf_tensor(&b, cases[i].name, cases[i].rank, cases[i].ne, cases[i].type, cases[i].offset);
        gguf_data(&b, 32, 128);
        refuse(&b, RK_E_FORMAT, cases[i].message);
    }
    gguf_head(&b, 2, 0);
    gguf_tensor(&b, "a", 2, ne_32x2, 8, 0);
    gguf_tensor(&b, "b", 1, ne_4, 0, 32);
    gguf_data(&b, 32, 128);
    refuse(&b, RK_E_FORMAT, "tensors 'a' and 'b' overlap");
    gguf_head(&b, 2, 0);
    gguf_tensor(&b, "a", 1, ne_4, 0, 0);
    gguf_tensor(&b, "a", 1, ne_4, 0, 32);
    gguf_data(&b, 32, 128);
    refuse(&b, RK_E_FORMAT, "tensor 'a' is there twice");
    gguf_head(&b, 1, 0);
    gguf_tensor(&b, "a", 1, ne_4, 0, 0);
    refuse(&b, RK_E_FORMAT, "ends before its tensors' data");
}

static void test_truncated_anywhere(void **state)
{
    (void)state;
    static bytes b;
    put_good(&b);
    size_t whole = b.n;
    /* The last tensor's type is unknown, so its bytes are not known to be needed;
     * the one before ends 64 + 68 bytes into the data. */
    size_t least = whole - 200 + 192;
    for (b.n = 0; b.n < least; b.n++)
        refuse(&b, RK_E_FORMAT, PATH);
}

static void test_flipped_bytes(void **state)
{
    (void)state;
    static bytes b;
    put_good(&b);
    for (size_t i = 0; i < b.n - 200; i++) {
        static const uint8_t flips[] = {0xff, 0x80, 1, 9};
        for (size_t k = 0; k < sizeof flips; k++) {
            rk_error err;
            rk_gguf *g;
            b.data[i] ^= flips[k];
            write_bytes(PATH, b.data, b.n);
            rk_status st = rk_gguf_open(&g, PATH, &err);
            assert_true(st == RK_OK || !g);
            rk_gguf_close(g);
            b.data[i] ^= flips[k];
        }
    }
    remove(PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_version_2_and_no_tensors),
        cmocka_unit_test(test_heads_that_lie),
        cmocka_unit_test(test_keys_that_lie),
        cmocka_unit_test(test_tensors_that_lie),
        cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_flipped_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
