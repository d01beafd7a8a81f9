/* test_cmd_data.c - what `redknot data` prints, and how it refuses. */
#define _POSIX_C_SOURCE 200809L
#include "tests/reader_kit.h"

#include <jansson.h>
#include <unistd.h>

#include "cmd_data.h"

#define HOTPOT RK_TEST_DATA "/fixtures/readers/hotpotqa.jsonl"
#define TINY RK_TEST_DATA "/models/tiny"

static char output[1 << 20];

/* Runs the words (NULL at the end) with standard output in `output`. */
static rk_status run(rk_error *err, const char *first, ...)
{
    char *argv[32] = {"data"};
    int argc = 1;
    va_list words;
    va_start(words, first);
    for (const char *w = first; w; w = va_arg(words, const char *))
        argv[argc++] = (char *)w;
    va_end(words);
    fflush(stdout);
    FILE *to = tmpfile();
    int saved = dup(1);
    assert_non_null(to);
    assert_true(saved >= 0 && dup2(fileno(to), 1) == 1);
    rk_status st = rk_cmd_data(argc, argv, err);
    fflush(stdout);
    assert_int_equal(dup2(saved, 1), 1);
    close(saved);
    rewind(to);
    output[fread(output, 1, sizeof output - 1, to)] = '\0';
    fclose(to);
    return st;
}

static void help_and_list(void **state)
{
    (void)state;
    rk_error err = {0};
    assert_int_equal(run(&err, "--help", NULL), RK_OK);
    assert_non_null(strstr(output, "usage: redknot data list"));
    assert_non_null(strstr(output, "--context = 0..16777216 tokens"));
    assert_int_equal(run(&err, "make", "x", "-h", NULL), RK_OK);
    assert_int_equal(run(&err, "list", "--manifest", RK_TEST_DATA "/manifest.csv", NULL), RK_OK);
    for (int32_t i = 0; i < rk_readers_count; i++)
        assert_non_null(strstr(output, rk_readers[i]->title));
    assert_non_null(strstr(output, "models/tiny/model.safetensors (model,"));
}

static void make_prints_json_lines(void **state)
{
    (void)state;
    rk_error err = {0};
    if (run(&err, "make", "reports", "--model", TINY, "--context=1K", "--n", "3", "--seed", "7",
            "--set", "tasks=T3", "--items", "4", NULL) != RK_OK)
        fail_msg("%s", err.text);
    int lines = 0;
    for (char *at = output, *end; (end = strchr(at, '\n')); at = end + 1, lines++) {
        json_t *c = json_loadb(at, (size_t)(end - at), 0, NULL);
        assert_non_null(c);
        json_int_t tokens = json_integer_value(json_object_get(c, "tokens"));
        assert_true(tokens > 700 && tokens <= 990);
        assert_int_equal(json_array_size(json_object_get(c, "items")), 4);
        json_t *item = json_array_get(json_object_get(c, "items"), 0);
        assert_string_equal(json_string_value(json_object_get(item, "task")), "T3");
        assert_true(json_array_size(json_object_get(c, "passages")) >= 3);
        json_decref(c);
    }
    assert_int_equal(lines, 3);
}

static void show_prints_text(void **state)
{
    (void)state;
    rk_error err = {0};
    assert_int_equal(run(&err, "show", "hotpotqa", "1", "--data", HOTPOT, NULL), RK_OK);
    assert_non_null(strstr(output, "== context inv1: 6 passages, 2 gold\n"));
    assert_non_null(strstr(output, "(gold)\nPassage:\nOren Vasse\n"));
    assert_non_null(
        strstr(output, "bridge, 2 hops, distance -1\nWhere was the founder of Brimmow"));
    assert_non_null(strstr(output, "\n   Elmar\n"));
}

static void verify_compares_hashes(void **state)
{
    (void)state;
    rk_error err = {0};
    assert_int_equal(run(&err, "verify", RK_TEST_DATA, NULL), RK_OK);
    assert_non_null(strstr(output, "ok      models/tiny/model.safetensors\n"));
    assert_non_null(strstr(output, "absent  hotpotqa/hotpot_dev_distractor_400.jsonl\n"));
    assert_int_equal(run(&err, "verify", RK_TEST_DATA "/fixtures", NULL), RK_E_IO);
    const char *wrong = "name,kind,source,licence,sha256,bytes,rows\n"
                        "readers/musique.jsonl,d,s,l,"
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855,1,\n";
    char *path = kit_file(wrong, strlen(wrong));
    assert_int_equal(run(&err, "verify", RK_TEST_DATA "/fixtures", "--manifest", path, NULL),
                     RK_E_FORMAT);
    assert_non_null(strstr(output, "differs readers/musique.jsonl sha256 "));
    assert_non_null(strstr(err.text, "1 of 1 files differ"));
    remove(path);
    free(path);
}

static void wrong_usage_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *word[6];
        rk_status status;
        const char *expected;
    } cases[] = {
        {{NULL}, RK_E_USAGE, "expected list, make, show or verify"},
        {{"draw"}, RK_E_USAGE, "got 'draw'"},
        {{"make"}, RK_E_USAGE, "expected NAME, got 0 words"},
        {{"show", "reports"}, RK_E_USAGE, "expected NAME INDEX"},
        {{"make", "hotpot"}, RK_E_USAGE, "no reader 'hotpot'; did you mean 'hotpotqa'?"},
        {{"make", "reports", "--n", "0"}, RK_E_USAGE, "n: expected 1 to"},
        {{"make", "reports", "--n"}, RK_E_USAGE, "--n needs a value"},
        {{"make", "reports", "--contxt", "1"}, RK_E_USAGE, "did you mean 'context'?"},
        {{"make", "reports", "--context", "1K"}, RK_E_USAGE, "--context needs --model"},
        {{"make", "reports"}, RK_E_USAGE, "needs a context length"},
        {{"make", "reports", "--set", "tasks"}, RK_E_USAGE, "expected key=value, got 'tasks'"},
        {{"make", "reports", "--set", "task=T3"}, RK_E_USAGE, "unknown option 'task'"},
        {{"make", "hotpotqa"}, RK_E_USAGE, "hotpotqa: needs the data"},
        {{"show", "hotpotqa", "x", "--data", HOTPOT}, RK_E_USAGE, "INDEX"},
        {{"show", "hotpotqa", "99", "--data", HOTPOT}, RK_E_ARG, "context 99 of 8"},
        {{"verify"}, RK_E_USAGE, "expected one DIR"},
        {{"verify", "a", "b", "c", "d"}, RK_E_USAGE, "unexpected argument 'd'"},
        {{"list", "--manifest", "no/such"}, RK_E_IO, "no/such"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *w = cases[i].word;
        rk_error err = {0};
        assert_int_equal(run(&err, w[0], w[1], w[2], w[3], w[4], w[5], NULL), cases[i].status);
        if (!strstr(err.text, cases[i].expected))
            fail_msg("case %zu: %s", i, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_list),        cmocka_unit_test(make_prints_json_lines),
        cmocka_unit_test(show_prints_text),     cmocka_unit_test(verify_compares_hashes),
        cmocka_unit_test(wrong_usage_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
