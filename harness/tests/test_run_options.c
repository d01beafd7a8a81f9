/* test_run_options.c - the command line of run; finding experiments. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <sys/stat.h>
#include <unistd.h>

#include "run_options.h"

static rk_arena *arena;
static char directory[300], before[1024];

/* Experiments are looked for where we stand: a directory of the test's own. */
static int setup(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "%s", run_directory());
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(mkdir("experiments", 0777), 0);
    FILE *f = fopen("experiments/zebra08.exp", "w");
    fclose(f);
    return rk_arena_new(&arena, NULL);
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    assert_int_equal(chdir(before), 0);
    run_remove(directory);
    return 0;
}

static void everything(void **state)
{
    char *argv[] = {
        "run",       "zebra08", "--profile", "smoke",      "--db=a.db",      "--model",
        "/m/x",      "--only",  "a=1",       "--only=b=2", "--set",          "measure.items=3",
        "--backend", "cuda",    "--dry-run", "--trace",    "--accept-others"};
    rk_run_options o;
    rk_error err;
    (void)state;
    if (rk_run_options_parse(17, argv, arena, &o, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_string_equal(o.experiment, "experiments/zebra08.exp");
    assert_string_equal(o.request.profile, "smoke");
    assert_string_equal(o.db, "a.db");
    assert_string_equal(o.request.model, "/m/x");
    assert_int_equal(o.request.onlys, 2);
    assert_string_equal(o.request.only[1], "b=2");
    assert_int_equal(o.request.sets, 1);
    assert_int_equal(o.backend, RK_RUN_CUDA);
    assert_true(o.backend_given && o.dry_run && o.trace && o.accept_others);
}

static void defaults(void **state)
{
    char *argv[] = {"run", "experiments/zebra08.exp"};
    rk_run_options o;
    rk_error err;
    (void)state;
    assert_int_equal(rk_run_options_parse(2, argv, arena, &o, &err), RK_OK);
    assert_string_equal(o.experiment, "experiments/zebra08.exp");
    assert_null(o.request.profile);
    assert_null(o.request.model);
    assert_string_equal(o.db, RK_RUN_DB);
    assert_int_equal(o.backend, RK_RUN_CPU);
    assert_false(o.backend_given || o.dry_run || o.trace || o.accept_others || o.help);
}

static void refusals(void **state)
{
    static const struct {
        const char *word, *message;
    } cases[] = {{"zebra8", "no experiment 'zebra8'; did you mean 'zebra08'?"},
                 {"qqqqqqqq", "no experiment 'qqqqqqqq' in experiments/"},
                 {"none.exp", "none.exp: cannot be read"},
                 {"a/b", "a/b: cannot be read"},
                 {"--backend=gpu", "run: backend: expected one of cpu|cuda,"},
                 {"--dry", "unknown option --dry"},
                 {"--dry-run", "expected one EXPERIMENT, got 0"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *argv[] = {"run", (char *)cases[i].word};
        rk_run_options o;
        rk_error err = {0};
        if (rk_run_options_parse(2, argv, arena, &o, &err) != RK_E_USAGE ||
            !strstr(err.text, cases[i].message))
            fail_msg("'%s' lacks '%s'", err.text, cases[i].message);
    }
}

static void help(void **state)
{
    char *argv[] = {"run", "--help"}, *text = NULL;
    size_t n = 0;
    rk_run_options o;
    (void)state;
    assert_int_equal(rk_run_options_parse(2, argv, arena, &o, NULL), RK_OK);
    assert_true(o.help);
    FILE *f = open_memstream(&text, &n);
    rk_run_options_help(f);
    fclose(f);
    static const char *const names[] = {"--profile",       "--db",      "--model",
                                        "--backend",       "--dry-run", "--trace",
                                        "--accept-others", "--only",    "--set"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(strstr(text, names[i]));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything), cmocka_unit_test(defaults),
                                       cmocka_unit_test(refusals), cmocka_unit_test(help)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
