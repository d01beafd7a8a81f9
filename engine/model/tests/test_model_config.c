#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model_config.h"

static void test_stop_ids(void **state)
{
    (void)state;
    rk_error err;
    int32_t id[RK_STOP_IDS_MAX], n = 0;
    for (int64_t i = 0; i < RK_STOP_IDS_MAX; i++) {
        assert_int_equal(rk_config_add_stop(id, &n, i, "f", &err), RK_OK);
        assert_int_equal(rk_config_add_stop(id, &n, 0, "f", &err), RK_OK); /* already there */
    }
    assert_int_equal(n, RK_STOP_IDS_MAX);
    assert_int_equal(rk_config_add_stop(id, &n, 99, "f", &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "f: eos token id: expected at most 8"));
    n = 0;
    assert_int_equal(rk_config_add_stop(id, &n, -1, "f", &err), RK_E_FORMAT);
    assert_int_equal(rk_config_add_stop(id, &n, 1ll << 31, "f", &err), RK_E_FORMAT);
    assert_int_equal(n, 0);
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        rk_model_shape s;
        rk_status status;
        const char *message;
    } cases[] = {
        {{.heads = 9, .kv_heads = 3, .head_dim = 64, .norm_eps = 1e-5f}, RK_OK, ""},
        {{.heads = 9, .kv_heads = 4, .head_dim = 64, .norm_eps = 1e-5f},
         RK_E_UNSUPPORTED,
         "a multiple of the KV heads, got 9 and 4"},
        {{.heads = 2, .kv_heads = 4, .head_dim = 64, .norm_eps = 1e-5f},
         RK_E_UNSUPPORTED,
         "got 2 and 4"},
        {{.heads = 8, .kv_heads = 8, .head_dim = 63, .norm_eps = 1e-5f},
         RK_E_UNSUPPORTED,
         "an even head dim, got 63"},
        {{.heads = 8, .kv_heads = 8, .head_dim = 64}, RK_E_FORMAT, "a norm epsilon"},
        {{.heads = 8, .kv_heads = 8, .head_dim = 64, .norm_eps = -1}, RK_E_FORMAT, "epsilon"},
        {{.heads = 65536, .kv_heads = 1, .head_dim = 65536, .norm_eps = 1e-5f},
         RK_E_FORMAT,
         "overflow"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        assert_int_equal(rk_config_check_shape(&cases[i].s, "f", &err), cases[i].status);
        assert_non_null(strstr(err.text, cases[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_ids),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
