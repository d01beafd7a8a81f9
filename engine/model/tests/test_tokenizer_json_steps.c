/* test_tokenizer_json_steps.c - which normalizers, pre-tokenizers and decoders are
 * read, and how the others are refused. What the steps do is in test_tokenizer.c. */
#include "tokenizer_fixture.h"

#include "model/tokenizer_parts.h"

#define LEVEL "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}"
#define META(rest) "{\"type\":\"Metaspace\",\"replacement\":\"\xe2\x96\x81\"" rest "}"
#define SEQ(key, list) "{\"type\":\"Sequence\",\"" key "\":[" list "]}"
#define SPLIT(pattern, behavior)                                                                   \
    "{\"type\":\"Split\",\"pattern\":" pattern ",\"behavior\":\"" behavior "\",\"invert\":false}"

/* One block in a file of its own. */
static rk_status open_with(const char *key, const char *block, rk_tokenizer **out, rk_error *err)
{
    char text[2000];
    int n =
        snprintf(text, sizeof text,
                 "{\"%s\":%s,\"model\":{\"vocab\":{\"a\":0,\" \":1},\"merges\":[]}}", key, block);
    assert_true(n > 0 && (size_t)n < sizeof text);
    *out = NULL;
    return rk_tokenizer_parse_json(out, text, (size_t)n, "f.json", err);
}

static void known_blocks_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *key, *block;
        int normalizers, splitters;
    } rows[] = {
        {"normalizer", "null", 0, 0},
        {"normalizer", "{\"type\":\"NFC\"}", 1, 0},
        {"normalizer", "{\"type\":\"Prepend\",\"prepend\":\"_\"}", 1, 0},
        {"normalizer",
         SEQ("normalizers",
             "{\"type\":\"NFC\"},{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},"
             "\"content\":\"_\"}"),
         2, 0},
        {"normalizer", SEQ("normalizers", ""), 0, 0},
        {"pre_tokenizer", "null", 0, 0},
        {"pre_tokenizer", LEVEL, 0, 0},
        {"pre_tokenizer", "{\"type\":\"ByteLevel\"}", 0, 2}, /* both settings default to true */
        {"pre_tokenizer", META(""), 0, 2},
        {"pre_tokenizer", META(",\"split\":false,\"prepend_scheme\":\"first\""), 0, 1},
        {"pre_tokenizer", META(",\"add_prefix_space\":true,\"split\":false"), 0, 1},
        {"pre_tokenizer",
         META(",\"add_prefix_space\":false,\"prepend_scheme\":\"never\",\"split\":false"), 0, 1},
        {"pre_tokenizer",
         SEQ("pretokenizers",
             SPLIT("{\"Regex\":\"a\"}", "Isolated") "," SPLIT(
                 "{\"String\":\"a\"}", "MergedWithNext") ",{\"type\":\"Digits\"}," LEVEL),
         0, 3},
        {"pre_tokenizer",
         SEQ("pretokenizers", SEQ("pretokenizers", "{\"type\":\"Digits\"}") "," LEVEL), 0, 1},
        {"decoder", "{\"type\":\"Fuse\"}", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_tokenizer *t;
        rk_error err = {0};
        if (open_with(rows[i].key, rows[i].block, &t, &err) != RK_OK)
            fail_msg("%s: %s", rows[i].block, err.text);
        assert_int_equal(t->normalizer.steps, rows[i].normalizers);
        assert_int_equal(t->pretokenizer.steps, rows[i].splitters);
        rk_tokenizer_close(t);
    }
}

static const struct {
    const char *key, *block;
    rk_status status;
    const char *message;
} other_blocks[] = {
    {"normalizer", "{\"type\":\"Lowercase\"}", RK_E_UNSUPPORTED,
     "normalizer 'Lowercase' is not supported"},
    {"normalizer", "{\"type\":\"NFKC\"}", RK_E_UNSUPPORTED, "normalizer 'NFKC'"},
    {"normalizer", "{\"type\":\"Precompiled\"}", RK_E_UNSUPPORTED, "normalizer 'Precompiled'"},
    {"normalizer", "{\"type\":7}", RK_E_FORMAT, "key 'type': expected a string"},
    {"normalizer", "{}", RK_E_FORMAT, "key 'type' is missing"},
    {"normalizer", "[]", RK_E_FORMAT, "expected an object holding 'type', got an array"},
    {"normalizer", "{\"type\":\"Prepend\"}", RK_E_FORMAT, "key 'prepend' is missing"},
    {"normalizer", "{\"type\":\"Sequence\"}", RK_E_FORMAT, "key 'normalizers': expected an"},
    {"normalizer", "{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a\"},\"content\":\"\"}",
     RK_E_UNSUPPORTED, "'Regex' is not supported"},
    {"normalizer", "{\"type\":\"Replace\",\"pattern\":{\"String\":\"\"},\"content\":\"\"}",
     RK_E_FORMAT, "key 'pattern'"},
    {"normalizer", "{\"type\":\"Replace\",\"pattern\":\"a\",\"content\":\"\"}", RK_E_FORMAT,
     "key 'pattern'"},
    {"normalizer", "{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"}}", RK_E_FORMAT,
     "key 'content' is missing"},
    {"pre_tokenizer", "{\"type\":\"Whitespace\"}", RK_E_UNSUPPORTED,
     "pre_tokenizer 'Whitespace' is not supported"},
    {"pre_tokenizer", "{\"type\":\"BertPreTokenizer\"}", RK_E_UNSUPPORTED, "BertPreTokenizer"},
    {"pre_tokenizer", SEQ("pretokenizers", LEVEL ",{\"type\":\"Digits\"}"), RK_E_UNSUPPORTED,
     "pre_tokenizer 'Digits' behind ByteLevel"},
    {"pre_tokenizer", SPLIT("{\"Regex\":\"a\"}", "Sideways"), RK_E_UNSUPPORTED,
     "the split behavior 'Sideways'"},
    {"pre_tokenizer", SPLIT("{\"Regex\":\"(a\"}", "Isolated"), RK_E_FORMAT, "regex '(a'"},
    {"pre_tokenizer", SPLIT("{\"Regex\":\"^a\"}", "Isolated"), RK_E_UNSUPPORTED, "an anchor"},
    {"pre_tokenizer", SPLIT("{\"String\":\"\"}", "Isolated"), RK_E_FORMAT, "key 'pattern'"},
    {"pre_tokenizer", SPLIT("null", "Isolated"), RK_E_FORMAT, "key 'pattern'"},
    {"pre_tokenizer", "{\"type\":\"ByteLevel\",\"use_regex\":\"yes\"}", RK_E_FORMAT,
     "key 'use_regex': expected a boolean"},
    {"pre_tokenizer", META(",\"prepend_scheme\":\"last\""), RK_E_UNSUPPORTED,
     "the prepend_scheme 'last'"},
    {"pre_tokenizer", META(",\"add_prefix_space\":false"), RK_E_FORMAT,
     "key 'add_prefix_space' is false, but prepend_scheme is 'always'"},
    {"pre_tokenizer", "{\"type\":\"Metaspace\"}", RK_E_FORMAT, "key 'replacement' is missing"},
    {"pre_tokenizer", "{\"type\":\"Metaspace\",\"replacement\":\"__\"}", RK_E_FORMAT,
     "expected one character"},
    {"pre_tokenizer", "{\"type\":\"Metaspace\",\"replacement\":\"\"}", RK_E_FORMAT,
     "expected one character"},
    {"decoder", "{\"type\":\"WordPiece\"}", RK_E_UNSUPPORTED,
     "decoder 'WordPiece' is not supported"},
    {"decoder", "{\"type\":\"ByteLevel\"}", RK_E_UNSUPPORTED, "decoder 'ByteLevel'"},
    {"decoder", "{\"type\":\"Strip\",\"content\":\"x\",\"start\":1,\"stop\":0}", RK_E_UNSUPPORTED,
     "decoder Strip"},
    {"decoder", "{\"type\":\"Strip\",\"content\":\" \",\"start\":-1,\"stop\":0}", RK_E_FORMAT,
     "key 'start'"},
    {"decoder", "{\"type\":\"Replace\",\"pattern\":{\"String\":\"_\"},\"content\":\"-\"}",
     RK_E_UNSUPPORTED, "a decoder that replaces with '-'"},
};

static void other_blocks_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof other_blocks / sizeof *other_blocks; i++) {
        rk_tokenizer *t;
        rk_error err = {0};
        rk_status got = open_with(other_blocks[i].key, other_blocks[i].block, &t, &err);
        if (got != other_blocks[i].status || !strstr(err.text, other_blocks[i].message))
            fail_msg("%s: status %d, '%s'", other_blocks[i].block, got, err.text);
        assert_null(t);
        assert_int_equal(strncmp(err.text, "f.json: ", 8), 0);
    }
}

/* `inner` in `depth` sequences. */
static void nest(char *out, size_t size, const char *key, int depth, const char *inner)
{
    size_t n = 0;
    for (int i = 0; i < depth; i++)
        n += (size_t)snprintf(out + n, size - n, "{\"type\":\"Sequence\",\"%s\":[", key);
    n += (size_t)snprintf(out + n, size - n, "%s", inner);
    for (int i = 0; i < depth; i++)
        n += (size_t)snprintf(out + n, size - n, "]}");
}

static void sequences_nest_a_little(void **state)
{
    (void)state;
    char block[1500];
    rk_tokenizer *t;
    rk_error err = {0};
    nest(block, sizeof block, "normalizers", 4, "{\"type\":\"NFC\"}");
    assert_int_equal(open_with("normalizer", block, &t, &err), RK_OK);
    rk_tokenizer_close(t);
    nest(block, sizeof block, "normalizers", 5, "{\"type\":\"NFC\"}");
    assert_int_equal(open_with("normalizer", block, &t, &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "nested deeper than 4"));
}

static void too_many_steps_are_refused(void **state)
{
    (void)state;
    char block[1900] = "{\"type\":\"Sequence\",\"pretokenizers\":[";
    rk_tokenizer *t;
    rk_error err = {0};
    for (int i = 0; i < 17; i++)
        strcat(block, i ? ",{\"type\":\"Digits\"}" : "{\"type\":\"Digits\"}");
    strcat(block, "]}");
    assert_int_equal(open_with("pre_tokenizer", block, &t, &err), RK_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "at most 16"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_blocks_are_read),
        cmocka_unit_test(other_blocks_are_refused_by_name),
        cmocka_unit_test(sequences_nest_a_little),
        cmocka_unit_test(too_many_steps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
