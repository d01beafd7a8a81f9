/* test_tokenizer_json.c - broken and unsupported files: one clear line each. */
#include "tokenizer_fixture.h"

#include <sys/stat.h>

#include "model/tokenizer_parts.h"

/* A file around its model and added_tokens; the vocabulary is a, b, ab and <x>. */
#define VOCAB "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"<x>\":3}"
#define MODEL(body) "{\"pre_tokenizer\":" LEVEL ",\"model\":{" body "}}"
#define LEVEL "{\"type\":\"ByteLevel\",\"add_prefix_space\":false}"
#define ADDED(list) "{\"model\":{" VOCAB ",\"merges\":[]},\"added_tokens\":" list "}"

static void check_refused(const char *text, size_t n, rk_status status, const char *message)
{
    rk_tokenizer *t = NULL;
    rk_error err = {0};
    rk_status got = rk_tokenizer_parse_json(&t, text, n, "f.json", &err);
    if (got != status || !strstr(err.text, message) || strncmp(err.text, "f.json: ", 8) != 0)
        fail_msg("%.200s: status %d, '%s'", text, got, err.text);
    assert_null(t);
    assert_null(strchr(err.text, '\n'));
}

static const struct {
    const char *text;
    rk_status status;
    const char *message;
} broken_files[] = {
    {"", RK_E_FORMAT, "line"},
    {"{", RK_E_FORMAT, "line 1"},
    {"[]", RK_E_FORMAT, "key 'model': expected an object, got nothing"},
    {"{}", RK_E_FORMAT, "key 'model': expected an object, got nothing"},
    {"{\"model\":[]}", RK_E_FORMAT, "key 'model': expected an object, got an array"},
    {"{\"model\":{},\"model\":{}}", RK_E_FORMAT, "duplicate"},
    {MODEL("\"type\":\"Unigram\""), RK_E_UNSUPPORTED, "model type 'Unigram': expected 'BPE'"},
    {MODEL("\"type\":7"), RK_E_FORMAT, "key 'type': expected a string, got a whole number"},
    {MODEL("\"dropout\":0.1"), RK_E_UNSUPPORTED, "key 'dropout' is set"},
    {MODEL("\"continuing_subword_prefix\":\"##\""), RK_E_UNSUPPORTED,
     "key 'continuing_subword_prefix' is set"},
    {MODEL("\"end_of_word_suffix\":\"</w>\""), RK_E_UNSUPPORTED, "key 'end_of_word_suffix' is set"},
    {MODEL("\"byte_fallback\":true"), RK_E_UNSUPPORTED, "byte_fallback with a ByteLevel"},
    {MODEL("\"fuse_unk\":1"), RK_E_FORMAT, "key 'fuse_unk': expected a boolean"},
    {MODEL("\"merges\":[]"), RK_E_FORMAT, "key 'vocab': expected an object, got nothing"},
    {MODEL("\"vocab\":[],\"merges\":[]"), RK_E_FORMAT, "got an array"},
    {MODEL("\"vocab\":{},\"merges\":[]"), RK_E_FORMAT, "the vocabulary is empty"},
    {MODEL("\"vocab\":{\"a\":\"0\"},\"merges\":[]"), RK_E_FORMAT,
     "token 'a': expected a whole number, got a string"},
    {MODEL("\"vocab\":{\"a\":0.5},\"merges\":[]"), RK_E_FORMAT, "got a fraction"},
    {MODEL("\"vocab\":{\"a\":0,\"b\":0},\"merges\":[]"), RK_E_FORMAT, "id 0 is both 'a' and 'b'"},
    {MODEL("\"vocab\":{\"a\":0,\"a\":1},\"merges\":[]"), RK_E_FORMAT, "duplicate"},
    {MODEL("\"vocab\":{\"a\":-1},\"merges\":[]"), RK_E_FORMAT, "expected an id of 0 to"},
    {MODEL("\"vocab\":{\"a\":4294967296},\"merges\":[]"), RK_E_FORMAT, "got 4294967296"},
    {MODEL("\"vocab\":{\"a\":99999999999999999999},\"merges\":[]"), RK_E_FORMAT, "too big"},
    {MODEL("\"vocab\":{\"\\ud800\":0},\"merges\":[]"), RK_E_FORMAT, "line 1"},
    {MODEL("\"vocab\":{\"\\u0000\":0},\"merges\":[]"), RK_E_FORMAT, "NUL"},
    {MODEL("\"vocab\":{\"\xff\":0},\"merges\":[]"), RK_E_FORMAT, "decode byte"},
    {MODEL(VOCAB), RK_E_FORMAT, "key 'merges': expected an array, got nothing"},
    {MODEL(VOCAB ",\"merges\":{}"), RK_E_FORMAT, "key 'merges': expected an array"},
    {MODEL(VOCAB ",\"merges\":[7]"), RK_E_FORMAT, "merge 0: expected a string or two strings"},
    {MODEL(VOCAB ",\"merges\":[\"ab\"]"), RK_E_FORMAT, "merge 0: expected two tokens and one"},
    {MODEL(VOCAB ",\"merges\":[\"a b a\"]"), RK_E_FORMAT, "got 'a b a'"},
    {MODEL(VOCAB ",\"merges\":[[\"a\"]]"), RK_E_FORMAT, "merge 0"},
    {MODEL(VOCAB ",\"merges\":[[\"a\",\"b\",\"a\"]]"), RK_E_FORMAT, "merge 0"},
    {MODEL(VOCAB ",\"merges\":[[\"a\",7]]"), RK_E_FORMAT, "merge 0"},
    {MODEL(VOCAB ",\"merges\":[\"a b\",\"a c\"]"), RK_E_FORMAT,
     "merge 1 names 'c', which is not in the vocabulary"},
    {MODEL(VOCAB ",\"merges\":[\"b a\"]"), RK_E_FORMAT, "merge 0 names 'ba'"},
    {MODEL(VOCAB ",\"merges\":[\" b\"]"), RK_E_FORMAT, "merge 0 names ''"},
    {MODEL(VOCAB ",\"merges\":[],\"unk_token\":\"<u>\""), RK_E_FORMAT,
     "unk_token '<u>' is not in the vocabulary"},
    {MODEL(VOCAB ",\"merges\":[],\"unk_token\":7"), RK_E_FORMAT, "key 'unk_token'"},
    {ADDED("{}"), RK_E_FORMAT, "key 'added_tokens': expected an array, got an object"},
    {ADDED("[7]"), RK_E_FORMAT, "expected an object holding 'id', got a whole number"},
    {ADDED("[{\"content\":\"c\"}]"), RK_E_FORMAT, "key 'id' is missing"},
    {ADDED("[{\"id\":4}]"), RK_E_FORMAT, "key 'content' is missing"},
    {ADDED("[{\"id\":4,\"content\":null}]"), RK_E_FORMAT, "key 'content' is missing"},
    {ADDED("[{\"id\":-4,\"content\":\"c\"}]"), RK_E_FORMAT, "key 'id': expected 0 to"},
    {ADDED("[{\"id\":4,\"content\":\"c\",\"special\":1}]"), RK_E_FORMAT, "key 'special'"},
    {ADDED("[{\"id\":2,\"content\":\"c\"}]"), RK_E_FORMAT, "id 2 is both 'ab' and 'c'"},
    {ADDED("[{\"id\":9,\"content\":\"<x>\"}]"), RK_E_FORMAT, "'<x>' has two ids, 3 and 9"},
    {ADDED("[{\"id\":4,\"content\":\"c\"},{\"id\":4,\"content\":\"c\"}]"), RK_E_FORMAT,
     "'c': id 4 is already an added token"},
};

static void broken_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken_files / sizeof *broken_files; i++)
        check_refused(broken_files[i].text, strlen(broken_files[i].text), broken_files[i].status,
                      broken_files[i].message);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    check_refused(text, DEPTH, RK_E_FORMAT, "depth");
    free(text);
}

/* A fixture cut at many places, and with single bytes changed, opens or is refused. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    rk_arena *arena = NULL;
    char *text = NULL;
    size_t n = 0, refused = 0;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_file_read(FIXTURES "mistral.json", 1 << 20, arena, &text, &n, NULL), RK_OK);
    for (size_t cut = 0; cut < n; cut += 97) {
        rk_tokenizer *t = NULL;
        rk_error err = {0};
        assert_int_equal(rk_tokenizer_parse_json(&t, text, cut, "cut", &err), RK_E_FORMAT);
        assert_true(err.text[0]);
    }
    for (size_t i = 0; i < n; i += 61) {
        rk_tokenizer *t = NULL;
        char old = text[i];
        text[i] = (char)(old ^ (1 << i % 7));
        refused += rk_tokenizer_parse_json(&t, text, n, "changed", NULL) != RK_OK;
        rk_tokenizer_close(t);
        text[i] = old;
    }
    assert_true(refused > 0);
    rk_arena_free(arena);
}

static void both_forms_of_merges_and_holes_are_read(void **state)
{
    (void)state;
    static const char *const rows[] = {
        MODEL("\"vocab\":{\"a\":10,\"b\":20,\"ab\":30},\"merges\":[\"a b\"]"),
        MODEL("\"vocab\":{\"a\":10,\"b\":20,\"ab\":30},\"merges\":[[\"a\",\"b\"]]")};
    for (int i = 0; i < 2; i++) {
        rk_tokenizer *t = NULL;
        rk_ids ids = {0};
        const int32_t hole[] = {11, 30, 0};
        char *out = NULL;
        size_t n;
        assert_int_equal(rk_tokenizer_parse_json(&t, rows[i], strlen(rows[i]), "f", NULL), RK_OK);
        assert_int_equal(rk_tokenizer_size(t), 31);
        assert_int_equal(rk_tokenizer_encode(t, "abba?", 5, 0, &ids, NULL), RK_OK);
        assert_int_equal(ids.n, 3); /* no token for "?" and no unknown token */
        assert_int_equal(ids.id[0], 30);
        assert_int_equal(ids.id[1], 20);
        assert_int_equal(ids.id[2], 10);
        /* Ids without a token have no text. */
        assert_int_equal(rk_tokenizer_decode(t, hole, 3, 0, &out, &n, NULL), RK_OK);
        assert_string_equal(out, "ab");
        free(out);
        rk_ids_free(&ids);
        rk_tokenizer_close(t);
    }
}

/* A merge list that spells a control token out does not make one of plain text. */
static void merges_never_make_a_control_token(void **state)
{
    (void)state;
    static const char text[] =
        "{\"pre_tokenizer\":" LEVEL ",\"model\":{\"ignore_merges\":true,\"vocab\":{\"a\":0,\"b\":1,"
        "\"ab\":2},\"merges\":[\"a b\"]},\"added_tokens\":[{\"id\":2,\"content\":\"ab\","
        "\"special\":true,\"normalized\":false}]}";
    rk_tokenizer *t = NULL;
    rk_ids ids = {0};
    assert_int_equal(rk_tokenizer_parse_json(&t, text, sizeof text - 1, "f", NULL), RK_OK);
    rk_tokenizer_encode(t, "ab", 2, 0, &ids, NULL);
    assert_int_equal(ids.n, 2);
    rk_tokenizer_encode(t, "ab", 2, RK_TOKENIZE_SPECIAL, &ids, NULL);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.id[2], 2);
    rk_ids_free(&ids);
    rk_tokenizer_close(t);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void bos_and_eos_come_from_the_config_beside(void **state)
{
    (void)state;
    static const char *const dir = RK_TEST_BUILD "/tokenizer_json_test";
    static const char file[] = ADDED("[{\"id\":3,\"content\":\"<x>\",\"special\":true},"
                                     "{\"id\":4,\"content\":\"<y>\",\"special\":true}]");
    static const struct {
        const char *config;
        rk_status status;
        int bos, eos;
    } rows[] = {
        {"{\"bos_token\":\"<x>\",\"eos_token\":{\"content\":\"<y>\"}}", RK_OK, 3, 4},
        {"{\"bos_token\":null}", RK_OK, -1, -1},
        {"{\"bos_token\":\"<z>\"}", RK_E_FORMAT, 0, 0},
        {"{\"bos_token\":{}}", RK_E_FORMAT, 0, 0},
        {"{\"eos_token\":7}", RK_E_FORMAT, 0, 0},
        {"[", RK_E_FORMAT, 0, 0},
    };
    char path[600], config[600];
    mkdir(dir, 0777);
    snprintf(path, sizeof path, "%s/tokenizer.json", dir);
    snprintf(config, sizeof config, "%s/tokenizer_config.json", dir);
    write_file(path, file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_tokenizer *t = NULL;
        rk_error err = {0};
        write_file(config, rows[i].config);
        assert_int_equal(rk_tokenizer_open_json(&t, path, &err), rows[i].status);
        if (rows[i].status == RK_OK) {
            assert_int_equal(rk_tokenizer_bos(t), rows[i].bos);
            assert_int_equal(rk_tokenizer_eos(t), rows[i].eos);
        } else {
            assert_non_null(strstr(err.text, "tokenizer_config.json: "));
        }
        rk_tokenizer_close(t);
    }
    remove(config);
}

static void the_hash_is_of_the_file(void **state)
{
    (void)state;
    char hex[RK_SHA256_HEX];
    rk_tokenizer *t = fixture_open("llama3.json");
    assert_int_equal(rk_sha256_file(FIXTURES "llama3.json", hex, NULL), RK_OK);
    assert_string_equal(rk_tokenizer_sha256(t), hex);
    assert_int_equal(rk_tokenizer_bos(t), rk_tokenizer_find(t, "<|begin_of_text|>"));
    assert_int_equal(rk_tokenizer_eos(t), -1);
    rk_tokenizer_close(t);
}

static void absent_files_are_named(void **state)
{
    (void)state;
    rk_tokenizer *t = NULL;
    rk_error err = {0};
    assert_int_equal(rk_tokenizer_open_json(&t, "/nowhere/tokenizer.json", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "/nowhere/tokenizer.json"));
    assert_null(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(both_forms_of_merges_and_holes_are_read),
        cmocka_unit_test(merges_never_make_a_control_token),
        cmocka_unit_test(bos_and_eos_come_from_the_config_beside),
        cmocka_unit_test(the_hash_is_of_the_file),
        cmocka_unit_test(absent_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
