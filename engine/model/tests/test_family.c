#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/family.h"

static void test_window(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        rk_status status;
        const char *message;
    } cases[] = {
        {"{}", RK_OK, ""},
        {"{\"sliding_window\":null}", RK_OK, ""},
        {"{\"sliding_window\":4096}", RK_E_UNSUPPORTED,
         "f: key 'sliding_window': expected null, got 4096"},
        {"{\"sliding_window\":true}", RK_E_FORMAT, "expected a whole number, got a boolean"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *config;
        rk_error err = {0};
        assert_int_equal(rk_json_parse(cases[i].json, strlen(cases[i].json), "t", &config, &err),
                         RK_OK);
        assert_int_equal(rk_family_no_window(config, "f", &err), cases[i].status);
        assert_non_null(strstr(err.text, cases[i].message));
        json_decref(config);
    }
}

static void test_table_is_sorted_and_named(void **state)
{
    (void)state;
    assert_true(rk_families_count >= 4);
    for (int32_t i = 0; i < rk_families_count; i++) {
        assert_non_null(rk_families[i]->name);
        assert_non_null(rk_families[i]->gguf_arch);
        if (i)
            assert_true(strcmp(rk_families[i - 1]->name, rk_families[i]->name) < 0);
    }
    assert_null(rk_families[rk_families_count]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_table_is_sorted_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
