#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/family.h"

extern const rk_family_ops rk_family_mistral;

static rk_status check(const char *json)
{
    rk_error err = {0};
    json_t *config;
    assert_int_equal(rk_json_parse(json, strlen(json), "t", &config, &err), RK_OK);
    rk_status st = RK_OK;
    if (rk_family_mistral.check_config)
        st = rk_family_mistral.check_config(config, "t", &err);
    json_decref(config);
    return st;
}

static void test_what_it_adds(void **state)
{
    (void)state;
    assert_string_equal(rk_family_mistral.name, "mistral");
    assert_string_equal(rk_family_mistral.gguf_arch, "llama");
    assert_int_equal(rk_family_mistral.qkv_bias, 0);
    assert_int_equal(rk_family_mistral.qk_norm, 0);
    assert_int_equal(rk_family_mistral.gguf_interleaved, 1);
}

static void test_window(void **state)
{
    (void)state;
    assert_int_equal(check("{}"), RK_OK);
    assert_int_equal(check("{\"sliding_window\":null}"), RK_OK);

    assert_int_equal(check("{\"sliding_window\":4096}"), RK_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_adds),
        cmocka_unit_test(test_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
