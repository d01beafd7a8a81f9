/* test_arguments.c - options, lists, words, help. */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(refusals),
                                       cmocka_unit_test(help_names_all)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
