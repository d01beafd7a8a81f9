/* test_data_path.c - a file, a directory with the layout, a directory without. */
#include "tests/reader_kit.h"

#include "data_path.h"

static const char *const places[] = {"nothing/absent.jsonl", "readers/hotpotqa.jsonl", NULL};

static void finds_files(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    const char *out;
    const char *file = RK_TEST_DATA "/fixtures/readers/hotpotqa.jsonl";
    assert_int_equal(rk_data_path_find(file, places, "r", arena, &out, NULL), RK_OK);
    assert_string_equal(out, file);
    assert_int_equal(rk_data_path_find(RK_TEST_DATA "/fixtures", places, "r", arena, &out, NULL),
                     RK_OK);
    assert_string_equal(out, file);
    assert_int_equal(
        rk_data_path_find(RK_TEST_DATA "/fixtures/readers", places, "r", arena, &out, NULL), RK_OK);
    assert_string_equal(out, file);
    rk_arena_free(arena);
}

static void says_what_is_missing(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    const char *out;
    rk_error err;
    assert_int_equal(rk_data_path_find(NULL, places, "r", arena, &out, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "readers/hotpotqa.jsonl"));
    assert_int_equal(rk_data_path_find("", places, "r", arena, &out, &err), RK_E_USAGE);
    assert_int_equal(rk_data_path_find("no/such", places, "r", arena, &out, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "no/such"));
    assert_int_equal(rk_data_path_find(RK_TEST_DATA "/tests", places, "r", arena, &out, &err),
                     RK_E_IO);
    assert_non_null(strstr(err.text, "holds none of nothing/absent.jsonl, readers/hotpotqa.jsonl"));
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_files),
        cmocka_unit_test(says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
