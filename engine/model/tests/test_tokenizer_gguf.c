/* test_tokenizer_gguf.c - tokenizers from GGUF metadata: broken and unsupported
 * files, and merging by scores. The ids of the committed files are in
 * test_tokenizer.c. */
#include "tokenizer_fixture.h"

enum { U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9 };

/* A GGUF v3 file of key-value pairs. */
typedef struct maker {
    rk_text kv;
    uint64_t pairs;
} maker;

static void put(maker *m, const void *bytes, size_t n)
{
    assert_int_equal(rk_text_add(&m->kv, bytes, n, NULL), RK_OK);
}

static void put_u32(maker *m, uint32_t v)
{
    put(m, &v, sizeof v);
}

static void put_u64(maker *m, uint64_t v)
{
    put(m, &v, sizeof v);
}

static void put_string(maker *m, const char *text)
{
    put_u64(m, strlen(text));
    put(m, text, strlen(text));
}

static void key(maker *m, const char *name, uint32_t type)
{
    put_string(m, name);
    put_u32(m, type);
    m->pairs++;
}

static void add_string(maker *m, const char *name, const char *value)
{
    key(m, name, STRING);
    put_string(m, value);
}

/* "a|b|c" */
static void add_strings(maker *m, const char *name, const char *list)
{
    uint64_t n = *list != 0;
    for (const char *p = list; *p; p++)
        n += *p == '|';
    key(m, name, ARRAY);
    put_u32(m, STRING);
    put_u64(m, n);
    for (uint64_t i = 0; i < n; i++) {
        size_t length = strcspn(list, "|");
        put_u64(m, length);
        put(m, list, length);
        list += length + 1;
    }
}

static void add_types(maker *m, const int32_t *types, uint64_t n)
{
    key(m, "tokenizer.ggml.token_type", ARRAY);
    put_u32(m, I32);
    put_u64(m, n);
    put(m, types, (size_t)n * sizeof *types);
}

static void add_scores(maker *m, const float *scores, uint64_t n)
{
    key(m, "tokenizer.ggml.scores", ARRAY);
    put_u32(m, F32);
    put_u64(m, n);
    put(m, scores, (size_t)n * sizeof *scores);
}

static void add_id(maker *m, const char *name, uint32_t id)
{
    key(m, name, U32);
    put_u32(m, id);
}

/* Writes the file, opens it and its tokenizer, frees the maker. */
static rk_status open_made(maker *m, rk_tokenizer **t, rk_error *err)
{
    static const char path[] = RK_TEST_BUILD "/tokenizer_test.gguf";
    const uint32_t version = 3;
    const uint64_t tensors = 0;
    rk_gguf *file = NULL;
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite("GGUF", 1, 4, f);
    fwrite(&version, sizeof version, 1, f);
    fwrite(&tensors, sizeof tensors, 1, f);
    fwrite(&m->pairs, sizeof m->pairs, 1, f);
    fwrite(m->kv.bytes, 1, m->kv.n, f);
    fclose(f);
    rk_text_free(&m->kv);
    *t = NULL;
    assert_int_equal(rk_gguf_open(&file, path, err), RK_OK);
    rk_status st = rk_tokenizer_open_gguf(t, file, err);
    rk_gguf_close(file);
    remove(path);
    return st;
}

static void check_ids(const rk_tokenizer *t, const char *text, uint32_t flags, const int32_t *want,
                      size_t n)
{
    rk_ids ids = {0};
    assert_int_equal(rk_tokenizer_encode(t, text, strlen(text), flags, &ids, NULL), RK_OK);
    assert_int_equal(ids.n, n);
    assert_memory_equal(ids.id, want, n * sizeof *want);
    rk_ids_free(&ids);
}

static void byte_level_metadata(void **state)
{
    (void)state;
    static const int32_t types[] = {1, 1, 1, 3, 4, 5};
    maker m = {{0}, 0};
    rk_tokenizer *t;
    rk_error err = {0};
    add_string(&m, "tokenizer.ggml.model", "gpt2"); /* no .pre: GPT-2's */
    add_strings(&m, "tokenizer.ggml.tokens", "a|b|ab|<s>|<u>|[PAD5]");
    add_types(&m, types, 6);
    add_strings(&m, "tokenizer.ggml.merges", "a b");
    add_id(&m, "tokenizer.ggml.bos_token_id", 3);
    if (open_made(&m, &t, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rk_tokenizer_size(t), 6);
    assert_int_equal(rk_tokenizer_bos(t), 3);
    assert_int_equal(rk_tokenizer_eos(t), -1);
    assert_int_equal(strlen(rk_tokenizer_sha256(t)), 64);
    check_ids(t, "ab<s><u>", 0, (const int32_t[]){2, 4}, 2);
    check_ids(t, "ab<s><u>", RK_TOKENIZE_SPECIAL, (const int32_t[]){2, 3, 4}, 3);
    check_ids(t, "[PAD5]a", 0, (const int32_t[]){0}, 1);
    rk_tokenizer_close(t);
}

/* abc = ab c (score of abc) or a bc; the best score of all pairs goes first. */
static void scores_order_the_merges(void **state)
{
    (void)state;
    static const int32_t types[] = {2, 3, 1, 1, 1, 1, 1, 1, 1};
    static const float first_ab[] = {0, 0, -9, -9, -9, -1, -2, -3, -9};
    static const float first_bc[] = {0, 0, -9, -9, -9, -2, -1, -3, -9};
    for (int k = 0; k < 2; k++) {
        maker m = {{0}, 0};
        rk_tokenizer *t;
        rk_error err = {0};
        add_string(&m, "tokenizer.ggml.model", "llama");
        add_strings(&m, "tokenizer.ggml.tokens", "<unk>|<s>|a|b|c|ab|bc|abc|\xe2\x96\x81");
        add_types(&m, types, 9);
        add_scores(&m, k ? first_bc : first_ab, 9);
        add_id(&m, "tokenizer.ggml.unknown_token_id", 0);
        if (open_made(&m, &t, &err) != RK_OK)
            fail_msg("%s", err.text);
        check_ids(t, "abc", RK_TOKENIZE_INNER, (const int32_t[]){7}, 1);
        if (k)
            check_ids(t, "abbc", 0, (const int32_t[]){8, 5, 6}, 3);
        else
            check_ids(t, "babc", 0, (const int32_t[]){8, 3, 7}, 3);
        /* bcb: no overlap; aab c: leftmost of equal scores. */
        check_ids(t, "bcb ab", 0, (const int32_t[]){8, 6, 3, 8, 5}, 5);
        check_ids(t, "a\xe2\x82\xac\xe2\x82\xac<s>b", 0, (const int32_t[]){8, 2, 0, 3}, 4);
        rk_tokenizer_close(t);
    }
}

static void a_file_may_have_no_prefix(void **state)
{
    (void)state;
    static const float scores[] = {0, 0};
    maker m = {{0}, 0};
    rk_tokenizer *t;
    const char no = 0;
    add_string(&m, "tokenizer.ggml.model", "llama");
    add_strings(&m, "tokenizer.ggml.tokens", "\xe2\x96\x81|a");
    add_scores(&m, scores, 2);
    key(&m, "tokenizer.ggml.add_space_prefix", BOOL);
    put(&m, &no, 1);
    assert_int_equal(open_made(&m, &t, NULL), RK_OK);
    check_ids(t, "a a", 0, (const int32_t[]){1, 0, 1}, 3);
    rk_tokenizer_close(t);
}

typedef struct broken {
    const char *model, *pre, *tokens, *merges;
    int32_t types[4];
    uint64_t type_count;
    int score_count; /* -1: the key is absent */
    int bos;         /* -1: absent */
    rk_status status;
    const char *message;
} broken;

static const broken broken_rows[] = {
    {NULL, NULL, "a", "", {0}, 0, -1, -1, RK_E_FORMAT, "tokenizer.ggml.model"},
    {"bert", NULL, "a", "", {0}, 0, -1, -1, RK_E_UNSUPPORTED, "'bert': expected gpt2 or llama"},
    {"gpt2", "falcon", "a", "", {0}, 0, -1, -1, RK_E_UNSUPPORTED, "tokenizer.ggml.pre 'falcon'"},
    {"gpt2", "qwen2", NULL, "", {0}, 0, -1, -1, RK_E_FORMAT, "tokenizer.ggml.tokens"},
    {"gpt2", "qwen2", "", "", {0}, 0, -1, -1, RK_E_FORMAT, "the vocabulary is empty"},
    {"gpt2", "qwen2", "a", NULL, {0}, 0, -1, -1, RK_E_FORMAT, "tokenizer.ggml.merges"},
    {"gpt2", "qwen2", "a|a", "", {0}, 0, -1, -1, RK_E_FORMAT, "token 'a' has two ids, 0 and 1"},
    {"gpt2",
     "qwen2",
     "a|b",
     "a b",
     {0},
     0,
     -1,
     -1,
     RK_E_FORMAT,
     "tokenizer.ggml.merges[0] names 'ab'"},
    {"gpt2", "qwen2", "a|b", "ab", {0}, 0, -1, -1, RK_E_FORMAT, "expected two tokens and one"},
    {"gpt2", "qwen2", "a|b", "a b a", {0}, 0, -1, -1, RK_E_FORMAT, "got 'a b a'"},
    {"gpt2", "qwen2", "a|b|ab", "a b| a", {0}, 0, -1, -1, RK_E_FORMAT, "merges[1] names ''"},
    {"gpt2", "qwen2", "a|b", "", {1}, 1, -1, -1, RK_E_FORMAT, "expected 2 elements, got 1"},
    {"gpt2",
     "qwen2",
     "a|b",
     "",
     {1, 7},
     2,
     -1,
     -1,
     RK_E_FORMAT,
     "token_type[1]: expected 1 to 6, got 7"},
    {"gpt2", "qwen2", "a|b", "", {1, 0}, 2, -1, -1, RK_E_FORMAT, "got 0"},
    {"gpt2", "qwen2", "a|b", "", {0}, 0, -1, 2, RK_E_FORMAT, "bos_token_id"},
    {"llama", NULL, "a|b", NULL, {0}, 0, -1, -1, RK_E_FORMAT, "tokenizer.ggml.scores"},
    {"llama", NULL, "a|b", NULL, {0}, 0, 1, -1, RK_E_FORMAT, "expected 2 elements, got 1"},
};

static void broken_metadata_is_refused(void **state)
{
    (void)state;
    static const float scores[4] = {0};
    for (size_t i = 0; i < sizeof broken_rows / sizeof *broken_rows; i++) {
        const broken *b = &broken_rows[i];
        maker m = {{0}, 0};
        rk_tokenizer *t;
        rk_error err = {0};
        if (b->model)
            add_string(&m, "tokenizer.ggml.model", b->model);
        if (b->pre)
            add_string(&m, "tokenizer.ggml.pre", b->pre);
        if (b->tokens)
            add_strings(&m, "tokenizer.ggml.tokens", b->tokens);
        if (b->merges)
            add_strings(&m, "tokenizer.ggml.merges", b->merges);
        if (b->type_count)
            add_types(&m, b->types, b->type_count);
        if (b->score_count >= 0)
            add_scores(&m, scores, (uint64_t)b->score_count);
        if (b->bos >= 0)
            add_id(&m, "tokenizer.ggml.bos_token_id", (uint32_t)b->bos);
        rk_status got = open_made(&m, &t, &err);
        if (got != b->status || !strstr(err.text, b->message) || strchr(err.text, '\n'))
            fail_msg("row %zu: status %d, '%s'", i, got, err.text);
        assert_null(t);
    }
}

static void a_score_that_is_no_number_is_refused(void **state)
{
    (void)state;
    const float scores[] = {0, 0, 0, -(float)__builtin_nan("")};
    maker m = {{0}, 0};
    rk_tokenizer *t;
    rk_error err = {0};
    add_string(&m, "tokenizer.ggml.model", "llama");
    add_strings(&m, "tokenizer.ggml.tokens", "<unk>|a|b|ab");
    add_scores(&m, scores, 4);
    assert_int_equal(open_made(&m, &t, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "tokenizer.ggml.scores[3] is not a number"));
}

static void the_hash_follows_the_vocabulary(void **state)
{
    (void)state;
    char hex[3][RK_SHA256_HEX];
    static const char *const merges[] = {"a b", "a b", "b a"};
    for (int i = 0; i < 3; i++) {
        maker m = {{0}, 0};
        rk_tokenizer *t;
        add_string(&m, "tokenizer.ggml.model", "gpt2");
        add_strings(&m, "tokenizer.ggml.tokens", "a|b|ab|ba");
        add_strings(&m, "tokenizer.ggml.merges", merges[i]);
        if (i == 1)
            add_string(&m, "general.name", "another key changes nothing");
        assert_int_equal(open_made(&m, &t, NULL), RK_OK);
        memcpy(hex[i], rk_tokenizer_sha256(t), RK_SHA256_HEX);
        rk_tokenizer_close(t);
    }
    assert_string_equal(hex[0], hex[1]);
    assert_string_not_equal(hex[0], hex[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_level_metadata),
        cmocka_unit_test(scores_order_the_merges),
        cmocka_unit_test(a_file_may_have_no_prefix),
        cmocka_unit_test(broken_metadata_is_refused),
        cmocka_unit_test(a_score_that_is_no_number_is_refused),
        cmocka_unit_test(the_hash_follows_the_vocabulary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
