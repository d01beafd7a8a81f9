/* One bad value in each place of a small model is found and named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

enum { C = 4, H = 2, G = 1, D = 4, F = 8, V = 6 };

typedef struct tiny {
    float embedding[V * C], head[V * C], final_norm[C], attn_norm[C], ffn_norm[C];
    float wq[H * D * C], wk[G * D * C], wv[G * D * C], wo[C * H * D];
    float w_gate[F * C], w_up[F * C], w_down[C * F];
    float bq[H * D], bk[G * D], bv[G * D], q_norm[D], k_norm[D];
} tiny;

static rk_weight matrix(const float *x, int64_t rows, int64_t cols)
{
    return (rk_weight){x, RK_F32, rows, cols};
}

static void make(tiny *t, rk_layer_weights *l, rk_model *m)
{
    float *all = (float *)t;
    for (size_t i = 0; i < sizeof *t / sizeof *all; i++)
        all[i] = (float)i;
    *l = (rk_layer_weights){.attn_norm = t->attn_norm,
                            .ffn_norm = t->ffn_norm,
                            .wq = matrix(t->wq, H * D, C),
                            .wk = matrix(t->wk, G * D, C),
                            .wv = matrix(t->wv, G * D, C),
                            .wo = matrix(t->wo, C, H * D),
                            .w_gate = matrix(t->w_gate, F, C),
                            .w_up = matrix(t->w_up, F, C),
                            .w_down = matrix(t->w_down, C, F),
                            .bq = t->bq,
                            .bk = t->bk,
                            .bv = t->bv,
                            .q_norm = t->q_norm,
                            .k_norm = t->k_norm};
    *m = (rk_model){.shape = {1, C, H, G, D, F, V, 0, 1e-5f},
                    .embedding = matrix(t->embedding, V, C),
                    .head = matrix(t->head, V, C),
                    .final_norm = t->final_norm,
                    .layer = l};
}

static void test_each_place(void **state)
{
    (void)state;
    static tiny t;
    rk_layer_weights l;
    rk_model m;
    rk_error err = {0};
    make(&t, &l, &m);
    assert_int_equal(rk_model_check_finite(&m, &err), RK_OK);
    const struct {
        float *x;
        const char *message;
    } cases[] = {
        {t.embedding + V * C - 1, "embedding row 5 is not finite"},
        {t.head + C, "head row 1 is not finite"},
        {t.final_norm + 3, "final_norm is not finite"},
        {t.wq, "layers.0.wq row 0 is not finite"},
        {t.wk + 3 * C, "layers.0.wk row 3 is not finite"},
        {t.wv + 3, "layers.0.wv row 0 is not finite"},
        {t.wo + 3 * H * D + 7, "layers.0.wo row 3 is not finite"},
        {t.w_gate + 7 * C, "layers.0.w_gate row 7 is not finite"},
        {t.w_up + 7 * C + 3, "layers.0.w_up row 7 is not finite"},
        {t.w_down + F - 1, "layers.0.w_down row 0 is not finite"},
        {t.attn_norm, "layers.0.attn_norm is not finite"},
        {t.ffn_norm + 3, "layers.0.ffn_norm is not finite"},
        {t.bq + 7, "layers.0.bq is not finite"},
        {t.bk + 3, "layers.0.bk is not finite"},
        {t.bv, "layers.0.bv is not finite"},
        {t.q_norm + 3, "layers.0.q_norm is not finite"},
        {t.k_norm, "layers.0.k_norm is not finite"},
    };
    static const float bad[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float good = *cases[i].x;
        *cases[i].x = bad[i % 3];
        assert_int_equal(rk_model_check_finite(&m, &err), RK_E_NUMERIC);
        assert_string_equal(err.text, cases[i].message);
        *cases[i].x = good;
    }
    assert_int_equal(rk_model_check_finite(&m, &err), RK_OK);
}

static void test_tied_head_and_quantised_scale(void **state)
{
    (void)state;
    static tiny t;
    static uint8_t block[2 * 34];
    rk_layer_weights l;
    rk_model m;
    rk_error err = {0};
    make(&t, &l, &m);
    m.head = m.embedding;
    m.shape.width = 32;
    m.embedding = m.head = (rk_weight){block, RK_Q8_0, 2, 32};
    l = (rk_layer_weights){0};
    m.final_norm = NULL;
    assert_int_equal(rk_model_check_finite(&m, &err), RK_OK);
    block[34 + 1] = 0x7c; /* an infinite f16 scale: 0 x inf is a NaN */
    assert_int_equal(rk_model_check_finite(&m, &err), RK_E_NUMERIC);
    assert_string_equal(err.text, "embedding row 1 is not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_place),
        cmocka_unit_test(test_tied_head_and_quantised_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
