/* test_cmd_tokenize.c - the command on each kind of MODEL, and its usage errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd_tokenize.h"

#define FIXTURES RK_TEST_DATA "/fixtures/tokenizers/"

enum { WORDS = 6 };

/* Runs the command with `n` bytes on standard input; what it printed is in `out`. */
static rk_status run(const char *const *words, const char *input, size_t n, char *out, size_t size,
                     rk_error *err)
{
    char *argv[WORDS + 2] = {"tokenize"};
    int argc = 1;
    FILE *in = tmpfile(), *printed = tmpfile();
    assert_non_null(in);
    assert_non_null(printed);
    while (argc <= WORDS && words[argc - 1]) {
        argv[argc] = (char *)words[argc - 1];
        argc++;
    }
    fwrite(input, 1, n, in);
    fflush(in);
    rewind(in);
    fflush(stdout);
    int old_in = dup(0), old_out = dup(1);
    dup2(fileno(in), 0);
    dup2(fileno(printed), 1);
    clearerr(stdin);
    rk_status st = rk_cmd_tokenize(argc, argv, err);
    fflush(stdout);
    dup2(old_in, 0);
    dup2(old_out, 1);
    close(old_in);
    close(old_out);
    rewind(printed);
    size_t got = fread(out, 1, size - 1, printed);
    out[got] = 0;
    fclose(in);
    fclose(printed);
    return st;
}

static void ids_on_one_line(void **state)
{
    (void)state;
    char plain[4000], other[4000];
    rk_error err = {0};
    static const char text[] = "The river\0 <|im_start|>\n";
    const char *const json[WORDS + 1] = {FIXTURES "smollm.json"};
    const char *const gguf[WORDS + 1] = {FIXTURES "smollm.gguf"};
    const char *const special[WORDS + 1] = {"--special", "--", FIXTURES "smollm.gguf"};
    if (run(json, text, sizeof text - 1, plain, sizeof plain, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(run(gguf, text, sizeof text - 1, other, sizeof other, &err), RK_OK);
    assert_string_equal(plain, other);
    assert_int_equal(run(special, text, sizeof text - 1, other, sizeof other, &err), RK_OK);
    assert_string_not_equal(plain, other);
    assert_non_null(strstr(other, " 1 ")); /* <|im_start|> */
    assert_null(strstr(plain, " 1 "));
    assert_int_equal(plain[strlen(plain) - 1], '\n');
    assert_ptr_equal(strchr(plain, '\n'), plain + strlen(plain) - 1);
    assert_null(strstr(plain, "  "));
    /* The final newline is a token of its own. */
    char without[4000];
    assert_int_equal(run(json, text, sizeof text - 2, without, sizeof without, &err), RK_OK);
    assert_true(strlen(without) < strlen(plain));
    assert_memory_equal(plain, without, strlen(without) - 1);
}

static void nothing_gives_an_empty_line(void **state)
{
    (void)state;
    char out[100];
    const char *const words[WORDS + 1] = {FIXTURES "llama3.json"};
    assert_int_equal(run(words, "", 0, out, sizeof out, NULL), RK_OK);
    assert_string_equal(out, "\n");
}

static void long_input_is_read_whole(void **state)
{
    (void)state;
    enum { N = 300000 };
    char *text = malloc(N), *out = malloc(4 * N);
    size_t ids = 1;
    const char *const words[WORDS + 1] = {FIXTURES "llama3.json"};
    assert_non_null(text);
    assert_non_null(out);
    for (size_t i = 0; i < N; i++)
        text[i] = i % 2 ? ' ' : '#'; /* "#" and then " #" again and again */
    assert_int_equal(run(words, text, N, out, 4 * N, NULL), RK_OK);
    for (const char *p = out; *p; p++)
        ids += *p == ' ';
    assert_true(ids > N / 2);
    free(text);
    free(out);
}

static void a_directory_holds_its_tokenizer(void **state)
{
    (void)state;
    static const char dir[] = RK_TEST_BUILD "/cmd_tokenize_model";
    static const char tokenizer[] = "{\"model\":{\"vocab\":{\"a\":7},\"merges\":[]}}";
    char out[100];
    rk_error err = {0};
    const char *const words[WORDS + 1] = {dir};
    mkdir(dir, 0777);
    remove(RK_TEST_BUILD "/cmd_tokenize_model/tokenizer.json");
    assert_int_equal(run(words, "aa", 2, out, sizeof out, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "/tokenizer.json"));
    FILE *f = fopen(RK_TEST_BUILD "/cmd_tokenize_model/tokenizer.json", "wb");
    assert_non_null(f);
    fputs(tokenizer, f);
    fclose(f);
    assert_int_equal(run(words, "aa", 2, out, sizeof out, &err), RK_OK);
    assert_string_equal(out, "7 7\n");
}

static void wrong_usage_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *words[WORDS + 1];
        rk_status status;
        const char *message;
    } rows[] = {
        {{NULL}, RK_E_USAGE, "MODEL is missing"},
        {{"--special"}, RK_E_USAGE, "MODEL is missing"},
        {{"--fast", "m"}, RK_E_USAGE, "unknown option '--fast'"},
        {{"m", "n"}, RK_E_USAGE, "expected one MODEL, got 'm' and 'n'"},
        {{"--", "--special", "--special"}, RK_E_USAGE, "expected one MODEL"},
        {{"/nowhere/model"}, RK_E_IO, "/nowhere/model"},
        {{FIXTURES "corpus.json"}, RK_E_FORMAT, "key 'model'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[100];
        rk_error err = {0};
        assert_int_equal(run(rows[i].words, "a", 1, out, sizeof out, &err), rows[i].status);
        if (!strstr(err.text, rows[i].message))
            fail_msg("row %zu: %s", i, err.text);
        assert_string_equal(out, "");
    }
}

static void help_names_every_option(void **state)
{
    (void)state;
    char out[2000];
    const char *const words[WORDS + 1] = {"--help"};
    assert_int_equal(run(words, "", 0, out, sizeof out, NULL), RK_OK);
    assert_non_null(strstr(out, "redknot tokenize MODEL [--special] < text"));
    assert_non_null(strstr(out, "--special  "));
    assert_non_null(strstr(out, "--help  "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_on_one_line),
        cmocka_unit_test(nothing_gives_an_empty_line),
        cmocka_unit_test(long_input_is_read_whole),
        cmocka_unit_test(a_directory_holds_its_tokenizer),
        cmocka_unit_test(wrong_usage_is_named),
        cmocka_unit_test(help_names_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
