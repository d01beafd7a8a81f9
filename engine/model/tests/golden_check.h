/* golden_check.h - a loaded model against a golden fixture's rope.f32 and
 * samples.csv (data/fixtures/make_golden.py). */
#ifndef RK_TEST_GOLDEN_CHECK_H
#define RK_TEST_GOLDEN_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dequantize.h"
#include "model/model.h"

#define GOLDEN RK_TEST_DATA "/fixtures/golden/"

static inline rk_model *golden_open(const char *path)
{
    rk_error err = {0};
    rk_model *m;
    if (rk_model_open(&m, path, &err) != RK_OK)
        fail_msg("%s", err.text);
    return m;
}

static inline float weight_at(const rk_weight *w, int64_t row, int64_t col)
{
    float values[1024];
    assert_true(row < w->rows && col < w->cols && w->cols <= 1024);
    rk_dequantize(w->dtype,
                  (const uint8_t *)w->data + (size_t)row * rk_dtype_bytes(w->dtype, w->cols),
                  values, w->cols);
    return values[col];
}

/* The value of a name as samples.csv writes it ("layers.1.wq"). */
static inline float named_value(const rk_model *m, const char *name, int64_t row, int64_t col)
{
    int layer, used = 0;
    if (!strcmp(name, "embedding"))
        return weight_at(&m->embedding, row, col);
    if (!strcmp(name, "head"))
        return weight_at(&m->head, row, col);
    if (!strcmp(name, "final_norm"))
        return m->final_norm[col];
    assert_int_equal(sscanf(name, "layers.%d.%n", &layer, &used), 1);
    assert_true(layer < m->shape.layers);
    const rk_layer_weights *l = &m->layer[layer];
    const struct {
        const char *name;
        const rk_weight *w;
        const float *x;
    } parts[] = {
        {"wq", &l->wq, NULL},
        {"wk", &l->wk, NULL},
        {"wv", &l->wv, NULL},
        {"wo", &l->wo, NULL},
        {"w_gate", &l->w_gate, NULL},
        {"w_up", &l->w_up, NULL},
        {"w_down", &l->w_down, NULL},
        {"attn_norm", NULL, l->attn_norm},
        {"ffn_norm", NULL, l->ffn_norm},
        {"bq", NULL, l->bq},
        {"bk", NULL, l->bk},
        {"bv", NULL, l->bv},
        {"q_norm", NULL, l->q_norm},
        {"k_norm", NULL, l->k_norm},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(name + used, parts[i].name))
            continue;
        assert_true(parts[i].w || parts[i].x);
        return parts[i].w ? weight_at(parts[i].w, row, col) : parts[i].x[col];
    }
    fail_msg("no weight is called %s", name);
    return 0;
}

/* Every sampled weight, bit for bit. */
static inline void check_samples(const rk_model *m, const char *fixture)
{
    char path[512], line[256];
    snprintf(path, sizeof path, "%s%s/samples.csv", GOLDEN, fixture);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    int n = 0;
    while (fgets(line, sizeof line, f)) {
        char name[64];
        long row, col;
        float value;
        assert_int_equal(sscanf(line, "%63[^,],%ld,%ld,%f", name, &row, &col, &value), 4);
        float got = named_value(m, name, row, col);
        if (got != value)
            fail_msg("%s: %s[%ld,%ld]: expected %.9g, got %.9g", fixture, name, row, col,
                     (double)value, (double)got);
        n++;
    }
    fclose(f);
    assert_true(n >= 3 * (9 * m->shape.layers + 2));
}

/* transformers computes its table in fp32: two roundings of the power and, with
 * scaling, a few more, so a relative 1e-6. */
static inline void check_rope(const rk_model *m, const char *fixture)
{
    char path[512];
    float table[128];
    size_t n = (size_t)m->shape.head_dim / 2;
    snprintf(path, sizeof path, "%s%s/rope.f32", GOLDEN, fixture);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(table, sizeof *table, 128, f), n + 1);
    fclose(f);
    assert_int_equal(m->rope.rotary_dim, m->shape.head_dim);
    for (size_t i = 0; i < n; i++)
        if (fabsf(m->rope.inv_freq[i] - table[i]) > 1e-6f * table[i])
            fail_msg("%s: inv_freq[%zu]: expected %.9g, got %.9g", fixture, i, (double)table[i],
                     (double)m->rope.inv_freq[i]);
    assert_true(fabsf(m->rope.attention_factor - table[n]) < 1e-6f);
}

#endif
