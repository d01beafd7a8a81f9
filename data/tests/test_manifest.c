/* test_manifest.c - the committed list, broken lists, and files that match or not. */
#include "tests/reader_kit.h"

#include "manifest.h"

static void the_committed_list_is_sound(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    rk_manifest_row *row;
    int32_t n, models = 0;
    rk_error err = {0};
    if (rk_manifest_read(RK_TEST_DATA "/manifest.csv", arena, &row, &n, &err) != RK_OK)
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < n; i++) {
        rk_manifest_state found;
        char got[RK_SHA256_HEX];
        for (int32_t k = 0; k < i; k++)
            assert_string_not_equal(row[i].name, row[k].name);
        if (strncmp(row[i].name, "models/tiny/", 12))
            continue;
        models++;
        assert_int_equal(rk_manifest_check(&row[i], RK_TEST_DATA, arena, &found, got, NULL), RK_OK);
        assert_int_equal(found, RK_MANIFEST_EQUAL);
    }
    assert_true(models >= 3);
    rk_arena_free(arena);
}

#define HEADER "name,kind,source,licence,sha256,bytes,rows\n"
#define HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void broken_lists_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "expected at least one row"},
        {HEADER, "expected at least one row"},
        {"name,kind\n", "line 1: expected 7 columns, got 2"},
        {"name,kind,source,license,sha256,bytes,rows\n",
         "expected column 'licence', got 'license'"},
        {HEADER "a,b,c,d," HASH ",1\n", "line 2: expected 7 columns, got 6"},
        {HEADER "a,b,c,d," HASH ",1,2,3\n", "line 2: expected 7 columns, got more"},
        {HEADER "a,b,c,d,abc,1,2\n", "line 2: sha256: expected 64 hex digits"},
        {HEADER "a,b,c,d," HASH ",x,2\n", "line 2: bytes: expected a count, got 'x'"},
        {HEADER "a,b,c,d," HASH ",1,-2\n", "line 2: rows: expected a count, got '-2'"},
        {HEADER "a,b,,d," HASH ",1,2\n", "line 2: source is empty"},
        {HEADER "a,\"b,c,d\n", "line 2"},
    };
    rk_arena *arena = kit_arena();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = kit_file(cases[i].text, strlen(cases[i].text));
        rk_manifest_row *row;
        int32_t n;
        rk_error err = {0};
        assert_int_equal(rk_manifest_read(path, arena, &row, &n, &err), RK_E_FORMAT);
        if (!strstr(err.text, cases[i].expected))
            fail_msg("case %zu: %s", i, err.text);
        remove(path);
        free(path);
    }
    rk_manifest_row *row;
    int32_t n;
    assert_int_equal(rk_manifest_read("no/such", arena, &row, &n, NULL), RK_E_IO);
    rk_arena_free(arena);
}

static void files_are_compared(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    rk_manifest_state found;
    char got[RK_SHA256_HEX];
    char *empty = kit_file("", 0), *full = kit_file("x", 1);
    rk_manifest_row row = {.name = empty, .sha256 = HASH};
    assert_int_equal(rk_manifest_check(&row, ".", arena, &found, got, NULL), RK_OK);
    assert_int_equal(found, RK_MANIFEST_EQUAL);
    row.name = full;
    assert_int_equal(rk_manifest_check(&row, ".", arena, &found, got, NULL), RK_OK);
    assert_int_equal(found, RK_MANIFEST_DIFFERS);
    assert_int_equal(strlen(got), 64);
    char *model = calloc(1, 80);
    assert_non_null(model);
    snprintf(model, 80, "%s.gguf", empty);
    assert_int_equal(rename(empty, model), 0);
    row.name = empty;
    assert_int_equal(rk_manifest_check(&row, ".", arena, &found, got, NULL), RK_OK);
    assert_int_equal(found, RK_MANIFEST_EQUAL);
    row.name = "no/such";
    assert_int_equal(rk_manifest_check(&row, ".", arena, &found, got, NULL), RK_OK);
    assert_int_equal(found, RK_MANIFEST_ABSENT);
    assert_string_equal(got, "");
    remove(model);
    remove(full);
    free(model);
    free(empty);
    free(full);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_committed_list_is_sound),
        cmocka_unit_test(broken_lists_are_named),
        cmocka_unit_test(files_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
