/* Golden fixtures as GGUF: weights equal those of the safetensors files bit for
 * bit (q and k put back in order), and files whose parts do not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gguf_build.h"
#include "golden_check.h"
#include "tokenizer_double.h"

static void same_weight(const rk_weight *a, const rk_weight *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < a->cols; c += 13)
            assert_true(weight_at(a, r, c) == weight_at(b, r, c));
}

static void same_floats(const float *a, const float *b, int64_t n)
{
    assert_int_equal(a != NULL, b != NULL);
    if (a)
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

static void same_model(const rk_model *a, const rk_model *b)
{
    const rk_model_shape *s = &a->shape;
    assert_memory_equal(s, &b->shape, sizeof *s);
    same_weight(&a->embedding, &b->embedding);
    same_weight(&a->head, &b->head);
    same_floats(a->final_norm, b->final_norm, s->width);
    for (int32_t i = 0; i < s->layers; i++) {
        const rk_layer_weights *x = &a->layer[i], *y = &b->layer[i];
        same_weight(&x->wq, &y->wq);
        same_weight(&x->wk, &y->wk);
        same_weight(&x->wv, &y->wv);
        same_weight(&x->wo, &y->wo);
        same_weight(&x->w_gate, &y->w_gate);
        same_weight(&x->w_up, &y->w_up);
        same_weight(&x->w_down, &y->w_down);
        same_floats(x->attn_norm, y->attn_norm, s->width);
        same_floats(x->ffn_norm, y->ffn_norm, s->width);
        same_floats(x->bq, y->bq, s->heads * s->head_dim);
        same_floats(x->bk, y->bk, s->kv_heads * s->head_dim);
        same_floats(x->bv, y->bv, s->kv_heads * s->head_dim);
        same_floats(x->q_norm, y->q_norm, s->head_dim);
        same_floats(x->k_norm, y->k_norm, s->head_dim);
    }
}

static void test_equal_to_safetensors(void **state)
{
    (void)state;
    static const char *const names[] = {"llama3", "qwen2", "qwen3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char dir[512], file[512];
        snprintf(dir, sizeof dir, "%s%s", GOLDEN, names[i]);
        snprintf(file, sizeof file, "%s%s/model.gguf", GOLDEN, names[i]);
        rk_model *a = golden_open(dir), *b = golden_open(file);
        assert_string_equal(b->name, "model.gguf");
        assert_string_equal(a->family, b->family);
        assert_int_equal(b->weights_kind, RK_WEIGHTS_RANDOM);
        same_model(a, b);
        check_samples(b, names[i]);
        check_rope(b, names[i]);
        rk_model_close(a);
        rk_model_close(b);
    }
}

static void test_quantised_rows_move_whole(void **state)
{
    (void)state;
    rk_error err;
    rk_model *m = golden_open(GOLDEN "llama3_q8_0/model.gguf");
    assert_int_equal(m->layer[0].wq.dtype, RK_Q8_0);
    check_samples(m, "llama3_q8_0");
    check_rope(m, "llama3_q8_0");
    assert_int_equal(rk_model_check_finite(m, &err), RK_OK);
    rk_model_close(m);
}

/* A one-layer llama of width 4 in F32: the values of a tensor are its floats. */
typedef struct tensor_row {
    const char *name;
    uint32_t rank;
    uint64_t ne[2];
} tensor_row;

static const tensor_row whole[] = {
    {"token_embd.weight", 2, {4, 6}},     {"output_norm.weight", 1, {4}},
    {"blk.0.attn_norm.weight", 1, {4}},   {"blk.0.ffn_norm.weight", 1, {4}},
    {"blk.0.attn_q.weight", 2, {4, 8}},   {"blk.0.attn_k.weight", 2, {4, 4}},
    {"blk.0.attn_v.weight", 2, {4, 4}},   {"blk.0.attn_output.weight", 2, {8, 4}},
    {"blk.0.ffn_gate.weight", 2, {4, 8}}, {"blk.0.ffn_up.weight", 2, {4, 8}},
    {"blk.0.ffn_down.weight", 2, {8, 4}},
};

#define PATH RK_TEST_BUILD "/load_gguf_test.gguf"

enum { WITH_TOKENS = 1, WITH_VOCAB = 2, WITH_YARN = 4 };

static void put_keys(bytes *b, int flags)
{
    gguf_text(b, "general.architecture", "llama");
    gguf_u32(b, "llama.block_count", 1);
    gguf_u32(b, "llama.embedding_length", 4);
    gguf_u32(b, "llama.feed_forward_length", 8);
    gguf_u32(b, "llama.attention.head_count", 2);
    gguf_u32(b, "llama.attention.head_count_kv", 1);
    gguf_u32(b, "llama.attention.key_length", 4);
    gguf_u32(b, "llama.attention.value_length", 4);
    gguf_f32(b, "llama.attention.layer_norm_rms_epsilon", 1e-5f);
    if (flags & WITH_TOKENS) {
        gguf_array(b, "tokenizer.ggml.tokens", STRING, 7);
        for (int i = 0; i < 7; i++)
            put_text(b, "x");
    }
    if (flags & WITH_VOCAB)
        gguf_u32(b, "llama.vocab_size", 7);
    if (flags & WITH_YARN) {
        gguf_text(b, "llama.rope.scaling.type", "linear");
        gguf_f32(b, "llama.rope.scaling.factor", 2);
    }
}

/* `whole` without `drop`, with `add`; values of each tensor count from 0, or are
 * all `fill` when that is not 0. */
static void write_file(int flags, const char *drop, const tensor_row *add, float fill)
{
    static bytes b;
    size_t n = sizeof whole / sizeof *whole, data = 0;
    const tensor_row *rows[16];
    uint64_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!drop || strcmp(drop, whole[i].name))
            rows[kept++] = &whole[i];
    if (add)
        rows[kept++] = add;
    int keys = 9 + !!(flags & WITH_TOKENS) + !!(flags & WITH_VOCAB) + 2 * !!(flags & WITH_YARN);
    gguf_head(&b, kept, (uint64_t)keys);
    put_keys(&b, flags);
    for (uint64_t i = 0; i < kept; i++) {
        gguf_tensor(&b, rows[i]->name, rows[i]->rank, rows[i]->ne, 0, data);
        uint64_t values = rows[i]->ne[0] * (rows[i]->rank > 1 ? rows[i]->ne[1] : 1);
        data += (4 * values + 31) / 32 * 32;
    }
    gguf_data(&b, 32, 0);
    for (uint64_t i = 0; i < kept; i++) {
        uint64_t values = rows[i]->ne[0] * (rows[i]->rank > 1 ? rows[i]->ne[1] : 1);
        for (uint64_t v = 0; v < values; v++)
            put_float(&b, fill != 0 ? fill : (float)v);
        gguf_data(&b, 4, 0);
        for (uint64_t v = 4 * values; v % 32; v++)
            put_number(&b, 0, 1);
    }
    write_bytes(PATH, b.data, b.n);
}

static void refuse(rk_status status, const char *message)
{
    rk_error err = {0};
    rk_model *m;
    rk_status st = rk_model_open(&m, PATH, &err);
    assert_null(m);
    if (st != status || !strstr(err.text, message))
        fail_msg("expected %s with '%s', got %s: %s", rk_status_name(status), message,
                 rk_status_name(st), err.text);
    remove(PATH);
}

static void test_row_order(void **state)
{
    (void)state;
    write_file(0, NULL, NULL, 0);
    rk_model *m = golden_open(PATH);
    /* head dim 4: rows 0 1 2 3 of the file are halves' rows 0 2 1 3 */
    static const int q_rows[] = {0, 2, 1, 3, 4, 6, 5, 7};
    for (int r = 0; r < 8; r++)
        assert_true(weight_at(&m->layer[0].wq, r, 1) == (float)(q_rows[r] * 4 + 1));
    for (int r = 0; r < 4; r++) {
        assert_true(weight_at(&m->layer[0].wk, r, 0) == (float)(q_rows[r] * 4));
        assert_true(weight_at(&m->layer[0].wv, r, 0) == (float)(r * 4));
    }
    assert_ptr_equal(m->head.data, m->embedding.data);
    assert_int_equal(m->shape.vocab, 6);
    assert_string_equal(m->family, "llama");
    rk_model_close(m);
}

static void test_each_missing_tensor(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char message[128];
        snprintf(message, sizeof message, "tensor '%s' is missing", whole[i].name);
        write_file(0, whole[i].name, NULL, 0);
        refuse(RK_E_FORMAT, message);
    }
}

static void test_each_wrong_shape(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof whole / sizeof *whole; i++) {
        tensor_row wrong = whole[i];
        wrong.ne[wrong.rank - 1]++;
        write_file(0, whole[i].name, &wrong, 0);
        refuse(RK_E_FORMAT, "expected shape [");
    }
    write_file(0, "token_embd.weight", &(tensor_row){"token_embd.weight", 2, {5, 6}}, 0);
    refuse(RK_E_FORMAT, "expected shape [any, 4], got [6, 5]");
}

static void test_unexpected_tensors(void **state)
{
    (void)state;
    static const char *const extra[] = {"blk.0.attn_qkv.weight", "blk.0.attn_q.bias",
                                        "blk.0.attn_output.bias", "blk.0.attn_k_norm.weight",
                                        "blk.0.ffn_gate_exps.weight"};
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
        write_file(0, NULL, &(tensor_row){extra[i], 1, {4}}, 0);
        refuse(RK_E_UNSUPPORTED, extra[i]);
    }
    write_file(0, NULL, &(tensor_row){"blk.1.attn_norm.weight", 1, {4}}, 0);
    refuse(RK_E_FORMAT, "block_count is 1");
}

static void test_separate_head(void **state)
{
    (void)state;
    write_file(0, NULL, &(tensor_row){"output.weight", 2, {4, 6}}, 0);
    rk_model *m = golden_open(PATH);
    assert_ptr_not_equal(m->head.data, m->embedding.data);
    assert_true(weight_at(&m->head, 5, 3) == 23);
    rk_model_close(m);
    write_file(0, NULL, &(tensor_row){"output.weight", 2, {4, 7}}, 0);
    refuse(RK_E_FORMAT, "'output.weight': expected shape [6, 4], got [7, 4]");
}

static void test_vocabulary_sizes(void **state)
{
    (void)state;
    write_file(WITH_VOCAB, NULL, NULL, 0);
    refuse(RK_E_FORMAT, "'llama.vocab_size': expected 6 to 6, got 7");
    write_file(WITH_TOKENS, NULL, NULL, 0);
    refuse(RK_E_FORMAT, "expected at most the 6 rows of the embedding, got 7");
}

static void test_rope_divisors(void **state)
{
    (void)state;
    write_file(0, NULL, &(tensor_row){"rope_freqs.weight", 1, {2}}, 0.5f);
    rk_model *m = golden_open(PATH);
    assert_true(m->rope.inv_freq[0] == 2 && m->rope.inv_freq[1] == 0.02f);
    rk_model_close(m);
    write_file(0, NULL, &(tensor_row){"rope_freqs.weight", 1, {2}}, 0); /* 0, 1 */
    refuse(RK_E_FORMAT, "'rope_freqs.weight': value 0: expected a finite number above 0, got 0");
    write_file(0, NULL, &(tensor_row){"rope_freqs.weight", 1, {3}}, 1);
    refuse(RK_E_FORMAT, "expected shape [2], got [3]");
    write_file(WITH_YARN, NULL, &(tensor_row){"rope_freqs.weight", 1, {2}}, 1);
    refuse(RK_E_UNSUPPORTED, "both rope_freqs.weight and rope.scaling.type");
}

/* Files that data/fetch.sh fetches into models/, where they are. */
static void test_pretrained_files(void **state)
{
    (void)state;
    static const struct {
        const char *name, *family;
        rk_model_shape shape;
        rk_dtype embedding, head;
    } cases[] = {
        {"smollm2-135m", "llama", {30, 576, 9, 3, 64, 1536, 49152, 8192, 1e-5f}, RK_Q8_0, RK_Q8_0},
        {"qwen2.5-coder-0.5b",
         "qwen2",
         {24, 896, 14, 2, 64, 4864, 151936, 32768, 1e-6f},
         RK_Q5_0,
         RK_Q8_0},
        {"qwen2.5-coder-1.5b",
         "qwen2",
         {28, 1536, 12, 2, 128, 8960, 151936, 32768, 1e-6f},
         RK_Q4_K,
         RK_Q6_K},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/../models/%s.gguf", RK_TEST_DATA, cases[i].name);
        FILE *f = fopen(path, "rb");
        if (!f)
            continue;
        fclose(f);
        rk_error err;
        rk_model *m = golden_open(path);
        assert_string_equal(m->family, cases[i].family);
        assert_memory_equal(&m->shape, &cases[i].shape, sizeof m->shape);
        assert_int_equal(m->embedding.dtype, cases[i].embedding);
        assert_int_equal(m->head.dtype, cases[i].head);
        assert_int_equal(m->weights_kind, RK_WEIGHTS_TRAINED);
        assert_int_equal(rk_model_check_finite(m, &err), RK_OK);
        rk_model_close(m);
        found++;
    }
    if (!found)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_to_safetensors),
        cmocka_unit_test(test_quantised_rows_move_whole),
        cmocka_unit_test(test_row_order),
        cmocka_unit_test(test_each_missing_tensor),
        cmocka_unit_test(test_each_wrong_shape),
        cmocka_unit_test(test_unexpected_tensors),
        cmocka_unit_test(test_separate_head),
        cmocka_unit_test(test_vocabulary_sizes),
        cmocka_unit_test(test_rope_divisors),
        cmocka_unit_test(test_pretrained_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
