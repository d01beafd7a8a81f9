/* test_arguments.c - options, lists, words, help; what is refused. */
#define _GNU_SOURCE
#include "cmocka_all.h"

#include "arguments.h"

typedef struct config {
    const char *db;
    int64_t n;
    int32_t dry;
} config;

static const rk_option table[] = {
    {"db", RK_OPT_TEXT, offsetof(config, db), "x.db", 0, 0, "", "A file.", NULL},
    {"n", RK_OPT_INT, offsetof(config, n), "5", 1, 9, "items", "A number.", NULL},
    {"dry-run", RK_OPT_BOOL, offsetof(config, dry), "false", 0, 0, "", "A switch.", NULL},
    {.name = NULL}};

static rk_arena *arena;
static config c;
static rk_argument_list list[1];
static rk_arguments a;

static rk_status parse(rk_error *err, int argc, ...)
{
    char *argv[16] = {"cmd"};
    va_list ap;
    va_start(ap, argc);
    for (int i = 0; i < argc; i++)
        argv[i + 1] = va_arg(ap, char *);
    va_end(ap);
    list[0] = (rk_argument_list){.name = "set", .unit = "K=V", .help = "Again and again."};
    a = (rk_arguments){.command = "cmd", .option = table, .config = &c, .list = list, .lists = 1};
    return rk_arguments_parse(&a, argc + 1, argv, arena, err);
}

static void forms(void **state)
{
    rk_error err;
    (void)state;
    assert_int_equal(parse(&err, 0), RK_OK);
    assert_string_equal(c.db, "x.db");
    assert_int_equal(c.n, 5);
    assert_int_equal(
        parse(&err, 8, "w", "--db", "y", "--n=3", "--dry-run", "--set=a=1", "--set", "b=2"), RK_OK);
    assert_string_equal(c.db, "y");
    assert_int_equal(c.n, 3);
    assert_int_equal(c.dry, 1);
    assert_int_equal(list[0].n, 2);
    assert_string_equal(list[0].value[0], "a=1");
    assert_string_equal(list[0].value[1], "b=2");
    assert_int_equal(a.words, 1);
    assert_int_equal(parse(&err, 4, "--dry-run=no", "--", "--db", "-"), RK_OK);
    assert_int_equal(c.dry, 0);
    assert_int_equal(a.words, 2);
    assert_string_equal(a.word[0], "--db");
    assert_int_equal(parse(&err, 2, "-h", "--nonsense"), RK_OK);
    assert_int_equal(a.help, 1);
}

static void refusals(void **state)
{
    static const struct {
        char *argument;
        const char *message;
    } cases[] = {{"--dryrun", "cmd: unknown option --dryrun; did you mean --dry-run?"},
                 {"--zzzzzzz", "see redknot cmd --help"},
                 {"--db", "cmd: --db needs a value"},
                 {"--set", "cmd: --set needs a value"},
                 {"--n=x", "cmd: n: expected a whole number"},
                 {"--n=10", "cmd: n: expected 1 to 9 items"},
                 {"-n", "cmd: unknown option -n"},
                 {"--dry-run=perhaps", "expected true or false"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        if (parse(&err, 1, cases[i].argument) != RK_E_USAGE || !strstr(err.text, cases[i].message))
            fail_msg("'%s' lacks '%s'", err.text, cases[i].message);
    }
}

static void help_names_all(void **state)
{
    char *text = NULL;
    size_t n = 0;
    (void)state;
    FILE *f = open_memstream(&text, &n);
    rk_arguments_help(&a, f);
    fclose(f);
    assert_non_null(strstr(text, "--db"));
    assert_non_null(strstr(text, "--dry-run"));
    assert_non_null(strstr(text, "--set K=V  (repeatable)\n      Again and again."));
    free(text);
}

/* ---- rk_command_parse ---- */

typedef struct go_config {
    const char *db;
    int64_t n;
    int32_t fast;
} go_config;

static const rk_option go_options[] = {
    {"db", RK_OPT_TEXT, offsetof(go_config, db), "x.sqlite", 0, 0, "", "A file.", NULL},
    {"n", RK_OPT_INT, offsetof(go_config, n), "3", 1, 10, "items", "How many.", NULL},
    {"fast", RK_OPT_BOOL, offsetof(go_config, fast), "false", 0, 0, "", "Hurry.", NULL},
    {.name = NULL}};
static const rk_command command = {"go", "WHERE [HOW]", "Goes.", go_options, 1, 2};

static void command_words(void **state)
{
    (void)state;
    static const struct {
        const char *argv[6];
        const char *says; /* NULL: fine */
        const char *db, *words[2];
        int64_t n;
        int32_t fast;
    } rows[] = {
        {{"go", "home"}, NULL, "x.sqlite", {"home"}, 3, 0},
        {{"go", "--db", "y", "home", "--n=7"}, NULL, "y", {"home"}, 7, 0},
        {{"go", "--fast", "home", "slowly"}, NULL, "x.sqlite", {"home", "slowly"}, 3, 1},
        {{"go", "--fast=no", "home"}, NULL, "x.sqlite", {"home"}, 3, 0},
        {{"go", "--", "--home"}, NULL, "x.sqlite", {"--home"}, 3, 0},
        {{"go", "--db=", "-"}, NULL, "", {"-"}, 3, 0},
        {{"go", "-x"}, "go: unknown option -x", NULL, {0}, 0, 0},
        {{"go"}, "go: expected WHERE", NULL, {0}, 0, 0},
        {{"go", "a", "b", "c"}, "go: unexpected 'c'", NULL, {0}, 0, 0},
        {{"go", "a", "--n"}, "go: --n needs a value", NULL, {0}, 0, 0},
        {{"go", "a", "--n", "11"}, "go: n: expected 1 to 10 items, got '11'", NULL, {0}, 0, 0},
        {{"go", "a", "--dd", "y"}, "did you mean --db?", NULL, {0}, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *argv[6];
        const char *words[2] = {0};
        int argc = 0, help;
        int32_t n;
        go_config go;
        rk_error err = {0};
        for (; argc < 6 && rows[i].argv[argc]; argc++)
            argv[argc] = (char *)rows[i].argv[argc];
        rk_status status = rk_command_parse(&command, argc, argv, &go, words, &n, &help, &err);
        if (rows[i].says) {
            assert_int_equal(status, RK_E_USAGE);
            if (!strstr(err.text, rows[i].says))
                fail_msg("row %zu: %s", i, err.text);
            continue;
        }
        if (status != RK_OK)
            fail_msg("row %zu: %s", i, err.text);
        assert_string_equal(go.db, rows[i].db);
        assert_int_equal(go.n, rows[i].n);
        assert_int_equal(go.fast, rows[i].fast);
        assert_int_equal(n, rows[i].words[1] ? 2 : 1);
        for (int32_t k = 0; k < n; k++)
            assert_string_equal(words[k], rows[i].words[k]);
        assert_false(help);
    }
}

static void command_help(void **state)
{
    (void)state;
    char *argv[] = {"go", "--help", "--no-such"};
    const char *words[2];
    int32_t n;
    int help;
    go_config go;
    assert_int_equal(rk_command_parse(&command, 3, argv, &go, words, &n, &help, NULL), RK_OK);
    assert_true(help);
}

static int setup(void **state)
{
    (void)state;
    return rk_arena_new(&arena, NULL);
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms), cmocka_unit_test(refusals), cmocka_unit_test(help_names_all),
        cmocka_unit_test(command_words), cmocka_unit_test(command_help)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
