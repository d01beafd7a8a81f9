/* test_tokenizer.c - ids and texts of whole tokenizers against Hugging Face's.
 *
 * expected.json holds what `tokenizers` gave for each text of corpus.json. Texts
 * keep to Unicode 14, the version of PCRE2's classes; the code points of Unicode 15
 * to 16 that Hugging Face sees differently are listed in test_regex.c. */
#include "tokenizer_fixture.h"

#include <pthread.h>

#include "base/rng.h"

static const char *const names[] = {"smollm",        "qwen2",          "llama3",     "mistral",
                                    "spm_always",    "spm_never",      "spm_legacy", "spm_unk",
                                    "spm_unk_fused", "odd_marks",      "odd_prefix", "odd_removed",
                                    "odd_next",      "odd_contiguous", "odd_invert", "odd_empty"};
static const char *const gguf_names[] = {"smollm", "qwen2", "llama3", "mistral"};

static void check_case(const rk_tokenizer *t, const char *file, const char *name,
                       const rk_text *text, uint32_t flags, const json_t *want)
{
    rk_ids ids = {0};
    rk_error err = {0};
    if (rk_tokenizer_encode(t, text->bytes, text->n, flags, &ids, &err) != RK_OK)
        fail_msg("%s: %s: %s", file, name, err.text);
    if (!fixture_same(want, &ids)) {
        for (size_t i = 0; i < ids.n && i < 40; i++)
            print_error("%d ", ids.id[i]);
        fail_msg("%s: '%s' with flags %u: other ids (%zu of them)", file, name, flags, ids.n);
    }
    for (size_t i = 0; i < ids.n; i++)
        assert_in_range(ids.id[i], 0, rk_tokenizer_size(t) - 1);
    rk_ids_free(&ids);
}

static void check_file(const json_t *corpus, const json_t *want, const char *file)
{
    rk_tokenizer *t = fixture_open(file);
    rk_text text = {0};
    const json_t *plain = json_object_get(want, "plain"),
                 *special = json_object_get(want, "special");
    assert_true(json_array_size(corpus) > 90);
    assert_int_equal(json_array_size(plain), json_array_size(corpus));
    for (size_t i = 0; i < json_array_size(corpus); i++) {
        const json_t *entry = json_array_get(corpus, i), *other = json_array_get(special, i);
        const char *name = json_string_value(json_object_get(entry, "name"));
        fixture_text(entry, &text);
        check_case(t, file, name, &text, 0, json_array_get(plain, i));
        check_case(t, file, name, &text, RK_TOKENIZE_SPECIAL,
                   json_is_null(other) ? json_array_get(plain, i) : other);
    }
    rk_text_free(&text);
    rk_tokenizer_close(t);
}

static void ids_are_hugging_faces(void **state)
{
    (void)state;
    char file[64];
    json_t *corpus = fixture_json("corpus.json"), *expected = fixture_json("expected.json");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s.json", names[i]);
        check_file(corpus, json_object_get(expected, names[i]), file);
    }
    for (size_t i = 0; i < sizeof gguf_names / sizeof *gguf_names; i++) {
        snprintf(file, sizeof file, "%s.gguf", gguf_names[i]);
        check_file(corpus, json_object_get(expected, gguf_names[i]), file);
    }
    json_decref(corpus);
    json_decref(expected);
}

/* Texts whose bytes all have tokens come back whole, save for NFC and ill-formed
 * places, which these tokenizers' texts are free of. */
static void decoding_gives_the_text_back(void **state)
{
    (void)state;
    static const char *const files[] = {"llama3.json",   "llama3.gguf",     "mistral.json",
                                        "mistral.gguf",  "spm_always.json", "spm_legacy.json",
                                        "spm_never.json"};
    json_t *corpus = fixture_json("corpus.json");
    rk_text text = {0};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        rk_tokenizer *t = fixture_open(files[f]);
        int first = strstr(files[f], "mistral") || strstr(files[f], "always");
        for (size_t i = 0; i < json_array_size(corpus); i++) {
            const json_t *entry = json_array_get(corpus, i);
            rk_ids ids = {0};
            char *back = NULL;
            size_t n = 0;
            fixture_text(entry, &text);
            /* "first" and "always" put no mark in front of a blank, so that blank is
             * lost; a mark in the text comes back as a blank. */
            int lossy = json_object_get(entry, "hex") ||
                        (strncmp(files[f], "llama3", 6) && text.n &&
                         rk_text_find(text.bytes, text.n, "\xe2\x96\x81", 3)) ||
                        (first && text.n && text.bytes[0] == ' ');
            if (lossy)
                continue;
            assert_int_equal(rk_tokenizer_encode(t, text.bytes, text.n, 0, &ids, NULL), RK_OK);
            assert_int_equal(rk_tokenizer_decode(t, ids.id, ids.n, 0, &back, &n, NULL), RK_OK);
            if (n != text.n || (n && memcmp(back, text.bytes, n) != 0))
                fail_msg("%s: '%s' comes back as '%s'", files[f],
                         json_string_value(json_object_get(entry, "name")), back);
            assert_int_equal(back[n], 0);
            free(back);
            rk_ids_free(&ids);
        }
        rk_tokenizer_close(t);
    }
    rk_text_free(&text);
    json_decref(corpus);
}

static void control_tokens_only_when_asked(void **state)
{
    (void)state;
    static const char text[] = "<|im_start|>user\n<think>";
    rk_tokenizer *t = fixture_open("qwen2.json");
    int32_t start = rk_tokenizer_find(t, "<|im_start|>"), think = rk_tokenizer_find(t, "<think>");
    rk_ids plain = {0}, special = {0};
    char *out = NULL;
    size_t n;
    assert_true(start >= 0 && think >= 0);
    rk_tokenizer_encode(t, text, sizeof text - 1, 0, &plain, NULL);
    rk_tokenizer_encode(t, text, sizeof text - 1, RK_TOKENIZE_SPECIAL, &special, NULL);
    assert_int_equal(special.id[0], start);
    for (size_t i = 0; i < plain.n; i++)
        assert_int_not_equal(plain.id[i], start);
    assert_int_equal(plain.id[plain.n - 1], think); /* user-defined: always */
    assert_int_equal(special.id[special.n - 1], think);
    rk_tokenizer_decode(t, special.id, special.n, 0, &out, &n, NULL);
    assert_string_equal(out, "user\n<think>");
    free(out);
    rk_tokenizer_decode(t, special.id, special.n, RK_TOKENIZE_SPECIAL, &out, &n, NULL);
    assert_string_equal(out, text);
    free(out);
    rk_ids_free(&plain);
    rk_ids_free(&special);
    rk_tokenizer_close(t);
}

static void inner_text_has_no_prefix(void **state)
{
    (void)state;
    rk_tokenizer *t = fixture_open("mistral.json"), *never = fixture_open("spm_never.json");
    rk_ids inner = {0}, outer = {0}, want = {0};
    char *out = NULL;
    size_t n;
    rk_tokenizer_encode(t, "river", 5, RK_TOKENIZE_INNER, &inner, NULL);
    rk_tokenizer_encode(t, "river", 5, 0, &outer, NULL);
    rk_tokenizer_encode(never, "river", 5, 0, &want, NULL);
    assert_int_equal(inner.n, want.n);
    assert_memory_equal(inner.id, want.id, want.n * sizeof *want.id);
    assert_int_not_equal(inner.id[0], outer.id[0]);
    rk_tokenizer_decode(t, outer.id, outer.n, 0, &out, &n, NULL);
    assert_string_equal(out, "river");
    free(out);
    rk_tokenizer_decode(t, outer.id, outer.n, RK_TOKENIZE_INNER, &out, &n, NULL);
    assert_string_equal(out, " river");
    free(out);
    rk_ids_free(&inner);
    rk_ids_free(&outer);
    rk_ids_free(&want);
    rk_tokenizer_close(t);
    rk_tokenizer_close(never);
}

/* A streaming caller decodes growing prefixes: each is a prefix of the next. */
static void a_prefix_may_cut_a_character(void **state)
{
    (void)state;
    static const char text[] = "a \xf0\x9f\x91\xbe b";
    static const char *const files[] = {"qwen2.json", "mistral.json"};
    for (int f = 0; f < 2; f++) {
        rk_tokenizer *t = fixture_open(files[f]);
        rk_ids ids = {0};
        size_t cut = 0;
        rk_tokenizer_encode(t, text, sizeof text - 1, 0, &ids, NULL);
        for (size_t k = 0; k <= ids.n; k++) {
            char *out = NULL;
            size_t n;
            assert_int_equal(rk_tokenizer_decode(t, ids.id, k, 0, &out, &n, NULL), RK_OK);
            assert_memory_equal(out, text, n);
            cut += n == 3 || n == 4 || n == 5;
            assert_true(k < ids.n || n == sizeof text - 1);
            free(out);
        }
        assert_true(cut > 0);
        rk_ids_free(&ids);
        rk_tokenizer_close(t);
    }
}

static void bytes_without_tokens_vanish(void **state)
{
    (void)state;
    static const unsigned char missing[] = {0x04, 0x06, 0x13, 0x14, 0x16, 0x1d};
    rk_tokenizer *t = fixture_open("smollm.gguf");
    for (size_t i = 0; i < sizeof missing; i++) {
        const char text[3] = {'a', (char)missing[i], 'b'};
        rk_ids ids = {0};
        char *out = NULL;
        size_t n;
        rk_tokenizer_encode(t, text, 3, 0, &ids, NULL);
        rk_tokenizer_decode(t, ids.id, ids.n, 0, &out, &n, NULL);
        assert_string_equal(out, "ab");
        free(out);
        rk_ids_free(&ids);
    }
    rk_tokenizer_close(t);
}

static void ids_outside_are_refused(void **state)
{
    (void)state;
    rk_tokenizer *t = fixture_open("llama3.json");
    const int32_t high[] = {0, rk_tokenizer_size(t)}, low[] = {-1};
    char *out = NULL;
    size_t n;
    rk_error err = {0};
    assert_int_equal(rk_tokenizer_decode(t, high, 2, 0, &out, &n, &err), RK_E_ARG);
    assert_string_equal(err.text, "decode: id 678 at place 1: expected 0 to 677");
    assert_int_equal(rk_tokenizer_decode(t, low, 1, 0, &out, &n, &err), RK_E_ARG);
    assert_null(out);
    rk_ids ids = {0};
    assert_int_equal(rk_tokenizer_encode(t, "a", 1, 64, &ids, &err), RK_E_ARG);
    assert_int_equal(rk_tokenizer_decode(t, NULL, 0, 0, &out, &n, &err), RK_OK);
    assert_int_equal(n, 0);
    assert_string_equal(out, "");
    free(out);
    rk_tokenizer_close(t);
    rk_tokenizer_close(NULL);
}

static void tokens_are_found_by_their_text(void **state)
{
    (void)state;
    rk_tokenizer *q = fixture_open("qwen2.json"), *m = fixture_open("mistral.gguf");
    rk_ids ids = {0};
    rk_tokenizer_encode(q, " the", 4, 0, &ids, NULL);
    assert_int_equal(ids.n, 1);
    assert_int_equal(rk_tokenizer_find(q, " the"), ids.id[0]);
    assert_int_equal(rk_tokenizer_find(q, "no such token"), -1);
    assert_int_equal(rk_tokenizer_find(m, "[INST]"), 3);
    assert_int_equal(rk_tokenizer_find(m, "<0x0A>"), 5 + 10);
    assert_int_equal(rk_tokenizer_find(m, "\xe2\x96\x81the") >= 0, 1);
    rk_ids_free(&ids);
    rk_tokenizer_close(q);
    rk_tokenizer_close(m);
}

static void encode_appends(void **state)
{
    (void)state;
    rk_tokenizer *t = fixture_open("llama3.json");
    rk_ids ids = {0}, alone = {0};
    rk_ids_add(&ids, 42, NULL);
    rk_tokenizer_encode(t, "The mill", 8, 0, &ids, NULL);
    rk_tokenizer_encode(t, "The mill", 8, 0, &alone, NULL);
    assert_int_equal(ids.n, alone.n + 1);
    assert_int_equal(ids.id[0], 42);
    assert_memory_equal(ids.id + 1, alone.id, alone.n * sizeof *alone.id);
    rk_ids_free(&ids);
    rk_ids_free(&alone);
    rk_tokenizer_close(t);
}

typedef struct worker {
    const rk_tokenizer *t;
    const rk_text *text;
    const rk_ids *want;
    int wrong;
} worker;

static void *encode_often(void *context)
{
    worker *w = context;
    for (int i = 0; i < 20; i++) {
        rk_ids ids = {0};
        rk_status st = rk_tokenizer_encode(w->t, w->text->bytes, w->text->n, 0, &ids, NULL);
        w->wrong += st != RK_OK || ids.n != w->want->n ||
                    memcmp(ids.id, w->want->id, ids.n * sizeof *ids.id) != 0;
        rk_ids_free(&ids);
    }
    return NULL;
}

static void threads_share_one_tokenizer(void **state)
{
    (void)state;
    rk_tokenizer *t = fixture_open("qwen2.json");
    json_t *corpus = fixture_json("corpus.json");
    rk_text all = {0}, one = {0};
    rk_ids want = {0};
    pthread_t thread[4];
    worker work[4];
    for (size_t i = 0; i < 60; i++) {
        fixture_text(json_array_get(corpus, i), &one);
        rk_text_add(&all, one.n ? one.bytes : "", one.n, NULL);
    }
    assert_int_equal(rk_tokenizer_encode(t, all.bytes, all.n, 0, &want, NULL), RK_OK);
    for (int i = 0; i < 4; i++) {
        work[i] = (worker){t, &all, &want, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, encode_often, &work[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(work[i].wrong, 0);
    }
    rk_ids_free(&want);
    rk_text_free(&all);
    rk_text_free(&one);
    json_decref(corpus);
    rk_tokenizer_close(t);
}

/* Random bytes: the same ids as for the text with ill-formed places replaced. */
static void ill_formed_text_is_repaired_first(void **state)
{
    (void)state;
    rk_rng rng;
    rk_tokenizer *t = fixture_open("qwen2.json");
    rk_rng_init(&rng, 3, "bytes");
    for (int round = 0; round < 2000; round++) {
        char bytes[40];
        const char *fixed = bytes;
        size_t n = (size_t)rk_rng_below(&rng, sizeof bytes + 1), m;
        rk_text room = {0};
        rk_ids a = {0}, b = {0};
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)(rk_rng_below(&rng, 3) ? 0x80 + rk_rng_below(&rng, 128)
                                                    : rk_rng_below(&rng, 128));
        m = n;
        assert_int_equal(rk_utf8_repair(&fixed, &m, &room, NULL), RK_OK);
        assert_int_equal(rk_tokenizer_encode(t, bytes, n, 0, &a, NULL), RK_OK);
        assert_int_equal(rk_tokenizer_encode(t, fixed, m, 0, &b, NULL), RK_OK);
        assert_int_equal(a.n, b.n);
        if (a.n)
            assert_memory_equal(a.id, b.id, a.n * sizeof *a.id);
        rk_ids_free(&a);
        rk_ids_free(&b);
        rk_text_free(&room);
    }
    rk_tokenizer_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_hugging_faces),
        cmocka_unit_test(decoding_gives_the_text_back),
        cmocka_unit_test(control_tokens_only_when_asked),
        cmocka_unit_test(inner_text_has_no_prefix),
        cmocka_unit_test(a_prefix_may_cut_a_character),
        cmocka_unit_test(bytes_without_tokens_vanish),
        cmocka_unit_test(ids_outside_are_refused),
        cmocka_unit_test(tokens_are_found_by_their_text),
        cmocka_unit_test(encode_appends),
        cmocka_unit_test(threads_share_one_tokenizer),
        cmocka_unit_test(ill_formed_text_is_repaired_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
