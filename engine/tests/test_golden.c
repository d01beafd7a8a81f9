/* test_golden.c - logits at every position equal an independent implementation's.
 *
 * Fixtures: tiny random models of each family with transformers' logits
 * (data/fixtures/make_golden.py). Also their GGUF forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

static void *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    void *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, f), *bytes);
    fclose(f);
    return data;
}

/* Relative error of the worst row: |ours - theirs| / |theirs|. */
static double worst_row(const float *ours, const float *theirs, size_t rows, size_t vocab)
{
    double worst = 0;
    for (size_t r = 0; r < rows; r++) {
        double difference = 0, norm = 0;
        for (size_t i = r * vocab; i < (r + 1) * vocab; i++) {
            difference += pow((double)ours[i] - (double)theirs[i], 2);
            norm += pow((double)theirs[i], 2);
        }
        worst = fmax(worst, sqrt(difference / norm));
    }
    return worst;
}

static void check_greedy(rk_engine *e, rk_session *s, int32_t first, const char *dir)
{
    char path[512];
    size_t bytes;
    snprintf(path, sizeof path, "%s/greedy.i32", dir);
    int32_t *expected = read_file(path, &bytes), token = first;
    for (size_t i = 0; i < bytes / 4; i++) {
        rk_error err = {0};
        assert_int_equal(token, expected[i]);
        rk_session *one[] = {s};
        if (rk_engine_decode(e, one, 1, &token, &err) != RK_OK)
            fail_msg("%s", err.text);
    }
    free(expected);
}

static void check_model(const char *name, const char *file)
{
    char dir[400], path[512];
    rk_error err = {0};
    rk_model *model;
    rk_engine *e;
    rk_session *s;
    size_t id_bytes, logit_bytes;
    snprintf(dir, sizeof dir, "%s/fixtures/golden/%s", RK_TEST_DATA, name);
    snprintf(path, sizeof path, "%s%s%s", dir, file ? "/" : "", file ? file : "");
    if (rk_model_open(&model, path, &err) != RK_OK)
        fail_msg("%s", err.text);
    rk_engine_config config = {.backend = "cpu", .kv_bytes = 64 << 20, .poison_pages = 1};
    rk_method method = {.ops = rk_method_find("dense"), .shape = &model->shape};
    if (rk_engine_open(&e, model, &config, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rk_session_open(&s, e, &method, &err), RK_OK);
    snprintf(path, sizeof path, "%s/ids.i32", dir);
    int32_t *ids = read_file(path, &id_bytes), n = (int32_t)(id_bytes / 4);
    snprintf(path, sizeof path, "%s/logits.f32", dir);
    float *expected = read_file(path, &logit_bytes);
    rk_request r = {.question = {ids, n, 0}, .tokens = n};
    rk_prefill_out out = {.all_rows = 1};
    if (rk_session_prefill(s, &r, RK_PART_WHOLE, &out, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(out.rows, n);
    size_t vocab = (size_t)model->shape.vocab;
    assert_int_equal(logit_bytes, (size_t)n * vocab * 4);
    double error = worst_row(out.row_logits, expected, (size_t)n, vocab);
    print_message("%s %s: worst relative error %.2e over %d rows\n", name, file ? file : "", error,
                  n);
    assert_true(error <= 1e-4);
    check_greedy(e, s, out.token, dir);
    free(out.row_pos);
    free(out.row_logits);
    free(expected);
    free(ids);
    rk_session_close(s);
    rk_engine_close(e);
    rk_model_close(model);
}

static void logits_equal_transformers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *file;
    } cases[] = {
        {"llama3", NULL},        {"llama3", "model.gguf"}, {"llama3_q8_0", "model.gguf"},
        {"smol", NULL},          {"mistral", NULL},        {"qwen2", NULL},
        {"qwen2", "model.gguf"}, {"qwen3", NULL},          {"qwen3", "model.gguf"},
        {"qwen3_yarn", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_model(cases[i].name, cases[i].file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(logits_equal_transformers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
