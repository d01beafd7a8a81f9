/* check_finite.c - a scan of all weights for infinities and NaNs: one such value
 * turns every logit into NaN, far from its cause. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/dequantize.h"
#include "model/model.h"

static int all_finite(const float *x, int64_t n)
{
    uint32_t bad = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        bad |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return !bad;
}

static rk_status check_weight(const rk_weight *w, const char *name, float *row, rk_error *err)
{
    if (!w->data)
        return RK_OK;
    size_t bytes = rk_dtype_bytes(w->dtype, w->cols);
    for (int64_t r = 0; r < w->rows; r++) {
        rk_dequantize(w->dtype, (const uint8_t *)w->data + (size_t)r * bytes, row, w->cols);
        if (!all_finite(row, w->cols))
            return rk_fail(err, RK_E_NUMERIC, "%s row %" PRId64 " is not finite", name, r);
    }
    return RK_OK;
}

static rk_status check_vector(const float *x, int64_t n, const char *name, rk_error *err)
{
    if (!x || all_finite(x, n))
        return RK_OK;
    return rk_fail(err, RK_E_NUMERIC, "%s is not finite", name);
}

static rk_status check_layer(const rk_model *m, int32_t i, float *row, rk_error *err)
{
    const rk_layer_weights *w = &m->layer[i];
    int64_t c = m->shape.width, d = m->shape.head_dim;
    const struct {
        const char *name;
        const rk_weight *w;
    } matrices[] = {{"wq", &w->wq},        {"wk", &w->wk},         {"wv", &w->wv},
                    {"wo", &w->wo},        {"w_gate", &w->w_gate}, {"w_up", &w->w_up},
                    {"w_down", &w->w_down}};
    const struct {
        const char *name;
        const float *x;
        int64_t n;
    } vectors[] = {{"attn_norm", w->attn_norm, c},
                   {"ffn_norm", w->ffn_norm, c},
                   {"bq", w->bq, m->shape.heads * d},
                   {"bk", w->bk, m->shape.kv_heads * d},
                   {"bv", w->bv, m->shape.kv_heads * d},
                   {"q_norm", w->q_norm, d},
                   {"k_norm", w->k_norm, d}};
    char name[64];
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        snprintf(name, sizeof name, "layers.%d.%s", i, matrices[k].name);
        RK_TRY(check_weight(matrices[k].w, name, row, err));
    }
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        snprintf(name, sizeof name, "layers.%d.%s", i, vectors[k].name);
        RK_TRY(check_vector(vectors[k].x, vectors[k].n, name, err));
    }
    return RK_OK;
}

rk_status rk_model_check_finite(const rk_model *m, rk_error *err)
{
    const rk_model_shape *s = &m->shape;
    int64_t widest = (int64_t)s->heads * s->head_dim;
    widest = widest > s->width ? widest : s->width;
    widest = widest > s->ffn_width ? widest : s->ffn_width;
    float *row = rk_heap_take((size_t)widest, sizeof *row, err);
    if (!row)
        return RK_E_MEMORY;
    rk_status st = check_weight(&m->embedding, "embedding", row, err);
    if (st == RK_OK && m->head.data != m->embedding.data)
        st = check_weight(&m->head, "head", row, err);
    if (st == RK_OK)
        st = check_vector(m->final_norm, s->width, "final_norm", err);
    for (int32_t i = 0; i < s->layers && st == RK_OK; i++)
        st = check_layer(m, i, row, err);
    free(row);
    return st;
}
