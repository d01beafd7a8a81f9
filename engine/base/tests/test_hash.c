/* test_hash.c - published vectors of SHA-256 and XXH3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

/* FIPS 180-4 examples and the empty message. */
static const struct {
    const char *text, *hex;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void sha256_of_bytes_and_files(void **state)
{
    (void)state;
    const char *path = RK_TEST_BUILD "/test_hash.bin";
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        char hex[RK_SHA256_HEX];
        size_t n = strlen(vectors[i].text);
        assert_int_equal(rk_sha256_bytes(vectors[i].text, n, hex, NULL), RK_OK);
        assert_string_equal(hex, vectors[i].hex);
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(vectors[i].text, 1, n, f), n);
        fclose(f);
        assert_int_equal(rk_sha256_file(path, hex, NULL), RK_OK);
        assert_string_equal(hex, vectors[i].hex);
    }
    remove(path);
}

/* FIPS 180-4: a million times the letter a; more than one read buffer. */
static void sha256_of_a_large_file(void **state)
{
    (void)state;
    const char *path = RK_TEST_BUILD "/test_hash_large.bin";
    char block[1000], hex[RK_SHA256_HEX];
    memset(block, 'a', sizeof block);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(fwrite(block, 1, sizeof block, f), sizeof block);
    fclose(f);
    assert_int_equal(rk_sha256_file(path, hex, NULL), RK_OK);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    remove(path);
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    static const char *const paths[] = {RK_TEST_BUILD "/no_such_file", RK_TEST_BUILD};
    for (size_t i = 0; i < 2; i++) {
        char hex[RK_SHA256_HEX];
        rk_error err = {0};
        assert_int_equal(rk_sha256_file(paths[i], hex, &err), RK_E_IO);
        assert_non_null(strstr(err.text, paths[i]));
    }
}

/* XXH3 128 bits of the empty input, seed 0: xxHash's own sanity table. */
static void xxh3_is_the_published_function(void **state)
{
    (void)state;
    rk_hash128 h = rk_hash_bytes(NULL, 0, 0);
    assert_true(h.low == 0x6001C324468D497Fu && h.high == 0x99AA06D3014798D8u);
    char text[300];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)i;
    for (size_t n = 0; n < sizeof text; n += 13) {
        rk_hash128 a = rk_hash_bytes(text, n, 1), again = rk_hash_bytes(text, n, 1);
        rk_hash128 seeded = rk_hash_bytes(text, n, 2);
        assert_true(a.low == again.low && a.high == again.high);
        assert_true(a.low != seeded.low || a.high != seeded.high);
        if (n == 0)
            continue;
        text[n - 1]++;
        rk_hash128 changed = rk_hash_bytes(text, n, 1);
        text[n - 1]--;
        assert_true(a.low != changed.low);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_bytes_and_files),
        cmocka_unit_test(sha256_of_a_large_file),
        cmocka_unit_test(unreadable_files_are_named),
        cmocka_unit_test(xxh3_is_the_published_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
