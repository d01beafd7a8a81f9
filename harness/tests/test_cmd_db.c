/* test_cmd_db.c - the sub-command end to end: exit codes and what it prints. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <unistd.h>

#include "cmd_db.h"

static char directory[300];

static int setup(void **state)
{
    char path[400];
    run_case c;
    (void)state;
    snprintf(directory, sizeof directory, "%s", run_directory());
    snprintf(path, sizeof path, "%s/a.sqlite", directory);
    run_open(&c, NULL, path);
    assert_int_equal(run_run(&c), RK_OK);
    run_close(&c);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    run_remove(directory);
    return 0;
}

/* Runs `db <words>`, '@' standing for the directory; stdout goes to *out. */
static rk_status db(const char *words, int *exit_code, char *out, size_t size, rk_error *err)
{
    static char text[4096];
    char *argv[16] = {"db"}, file[400];
    int argc = 1;
    size_t n = 0;
    for (const char *w = words; *w; w++)
        if (*w == '@')
            n += (size_t)sprintf(text + n, "%s", directory);
        else
            text[n++] = *w;
    text[n] = '\0';
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    snprintf(file, sizeof file, "%s/stdout", directory);
    fflush(stdout);
    int saved = dup(1);
    assert_non_null(freopen(file, "w", stdout));
    rk_status st = rk_cmd_db(argc, argv, exit_code, err);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    FILE *f = fopen(file, "r");
    out[fread(out, 1, size - 1, f)] = '\0';
    fclose(f);
    return st;
}

typedef struct step {
    const char *words;
    rk_status status;
    int exit_code;
    const char *prints; /* on stdout, or in the error */
} step;

static const step steps[] = {
    {"--help", RK_OK, 0, "usage: redknot db export"},
    {"check --db @/a.sqlite", RK_OK, 0, "a.sqlite: 0 problems"},
    {"export @/one --db @/a.sqlite", RK_OK, 0, "one: 144 attempts"},
    {"export @/x --db @/a.sqlite --experiment null", RK_OK, 0, "x: 144 attempts"},
    {"export @/y --db=@/a.sqlite --experiment no", RK_E_USAGE, 0, "no results of no"},
    {"import @/one --db @/b.sqlite", RK_OK, 0, " rows added, 0 conflicts"},
    {"import @/one @/x --db @/b.sqlite", RK_OK, 0, "x: 0 rows added, 0 conflicts"},
    {"merge @/b.sqlite --db @/a.sqlite", RK_OK, 0, "b.sqlite: 0 rows added, 0 conflicts"},
    {"import @/none --db @/b.sqlite", RK_E_IO, 0, "none/ledger.csv: cannot open"},
    {"check --db @/none.sqlite", RK_E_IO, 0, "No such file"},
    {"", RK_E_USAGE, 0, "expected export, import, merge or check"},
    {"exprt x", RK_E_USAGE, 0, "unknown command 'exprt'; did you mean export?"},
    {"export", RK_E_USAGE, 0, "db export: wrong number of arguments"},
    {"check a b", RK_E_USAGE, 0, "db check: wrong number"},
    {"check --dbb x", RK_E_USAGE, 0, "did you mean --db?"},
};

static void walk(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char out[8192];
        int exit_code = -1;
        rk_error err = {0};
        rk_status st = db(steps[i].words, &exit_code, out, sizeof out, &err);
        const char *where = st == RK_OK ? out : err.text;
        if (st != steps[i].status || exit_code != steps[i].exit_code ||
            !strstr(where, steps[i].prints))
            fail_msg("db %s: status %d, exit %d, '%s' lacks '%s'", steps[i].words, st, exit_code,
                     where, steps[i].prints);
    }
}

static void conflicts_and_problems_exit_with_3(void **state)
{
    char out[8192], path[400];
    int exit_code;
    rk_error err;
    rk_results_db *b;
    (void)state;
    assert_int_equal(db("export @/one --db @/a.sqlite", &exit_code, out, sizeof out, &err), RK_OK);
    assert_int_equal(db("import @/one --db @/c.sqlite", &exit_code, out, sizeof out, &err), RK_OK);
    snprintf(path, sizeof path, "%s/c.sqlite", directory);
    assert_int_equal(rk_results_open(&b, path, RK_RESULTS_WRITE, &err), RK_OK);
    assert_int_equal(rk_results_exec(b, "UPDATE model SET arch='forged'", "forging", &err), RK_OK);
    rk_results_close(b);
    assert_int_equal(db("merge @/c.sqlite --db @/a.sqlite", &exit_code, out, sizeof out, &err),
                     RK_OK);
    assert_int_equal(exit_code, 3);
    assert_non_null(strstr(out, "0 rows added, 1 conflicts\n  model "));
    assert_int_equal(db("check --db @/c.sqlite", &exit_code, out, sizeof out, &err), RK_OK);
    assert_int_equal(exit_code, 3);
    assert_non_null(strstr(out, "its id is not the hash"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(walk),
                                       cmocka_unit_test(conflicts_and_problems_exit_with_3)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
