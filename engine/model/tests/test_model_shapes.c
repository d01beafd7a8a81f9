/* Parameter totals that follow from the shapes, against the published ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"

static int64_t parameters(const rk_model_shape *s, int tied, int biases, int qk_norms)
{
    int64_t c = s->width, d = s->head_dim, q = s->heads * d, kv = s->kv_heads * d;
    int64_t layer = 2 * q * c + 2 * kv * c + 3 * c * s->ffn_width + 2 * c;
    layer += biases ? q + 2 * kv : 0;
    layer += qk_norms ? 2 * d : 0;
    return s->layers * layer + (tied ? 1 : 2) * c * s->vocab + c;
}

static void test_published_totals(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int tied, biases, qk_norms;
        int64_t total;
    } cases[] = {
        {"mistral-7b", 0, 0, 0, 7248023552},     {"llama-3.1-8b", 0, 0, 0, 8030261248},
        {"llama-3.3-70b", 0, 0, 0, 70553706496}, {"qwen3-32b", 0, 0, 1, 32762123264},
        {"qwen3-8b", 0, 0, 1, 8190735360},       {"qwen3-4b", 1, 0, 1, 4022468096},
        {"qwen3-1.7b", 1, 0, 1, 1720574976},     {"qwen3-0.6b", 1, 0, 1, 596049920},
        {"qwen2.5-1.5b", 1, 1, 0, 1543714304},   {"qwen2.5-0.5b", 1, 1, 0, 494032768},
        {"smollm2-135m", 1, 0, 0, 134515008},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rk_model_shape *s = rk_model_shape_find(cases[i].name);
        assert_non_null(s);
        int64_t got = parameters(s, cases[i].tied, cases[i].biases, cases[i].qk_norms);
        if (got != cases[i].total)
            fail_msg("%s: expected %lld parameters, got %lld", cases[i].name,
                     (long long)cases[i].total, (long long)got);
        assert_int_equal(s->heads % s->kv_heads, 0);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    assert_null(rk_model_shape_find("qwen3-33b"));
    assert_null(rk_model_shape_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_totals),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
