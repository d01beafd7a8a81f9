#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mapped_file.h"

#define PATH RK_TEST_BUILD "/mapped_file.tmp"

static void write_file(const char *bytes, size_t n)
{
    FILE *f = fopen(PATH, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void test_bytes_are_the_files(void **state)
{
    (void)state;
    rk_error err;
    rk_mapped_file f;
    write_file("one\0two", 7);
    assert_int_equal(rk_mapped_file_open(&f, PATH, &err), RK_OK);
    assert_int_equal(f.bytes, 7);
    assert_memory_equal(f.data, "one\0two", 7);
    rk_mapped_file_close(&f);
    assert_null(f.data);
    rk_mapped_file_close(&f); /* a second time: nothing to do */
    remove(PATH);
}

static void test_empty_file(void **state)
{
    (void)state;
    rk_error err;
    rk_mapped_file f;
    write_file("", 0);
    assert_int_equal(rk_mapped_file_open(&f, PATH, &err), RK_OK);
    assert_non_null(f.data);
    assert_int_equal(f.bytes, 0);
    rk_mapped_file_close(&f);
    remove(PATH);
}

static void test_refused(void **state)
{
    (void)state;
    rk_error err;
    rk_mapped_file f;
    assert_int_equal(rk_mapped_file_open(&f, "/nonexistent/file", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "/nonexistent/file: cannot open"));
    assert_int_equal(rk_mapped_file_open(&f, RK_TEST_BUILD, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "expected a regular file"));
    assert_null(f.data);
    remove(PATH);
    assert_int_equal(mkfifo(PATH, 0600), 0);
    assert_int_equal(rk_mapped_file_open(&f, PATH, &err), RK_E_IO);
    remove(PATH);
    assert_int_equal(rk_mapped_file_open(&f, PATH, NULL), RK_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_are_the_files),
        cmocka_unit_test(test_empty_file),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
