/* test_run_dry.c - the plan tells what is done and left, and writes nothing. */
#define _GNU_SOURCE
#include "run_cases.h"

static char *plan_of(run_case *c)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (rk_runner_plan(&c->config, f, &c->err) != RK_OK)
        fail_msg("%s", c->err.text);
    fclose(f);
    return text;
}

static void expect(run_case *c, const char *const *lines, int n)
{
    char *text = plan_of(c);
    for (int i = 0; i < n; i++)
        if (!strstr(text, lines[i]))
            fail_msg("'%s' lacks '%s'", text, lines[i]);
    free(text);
}

static void plans(void **state)
{
    static const char *const before[] = {
        "context=1024 method=redknot  skipped: redknot was told to be skipped\n",
        "context=1024 method=dense  n=12 reps=2 done=0 left=24  0:05\n",
        "6 cells (2 skipped), 96 runs, about 0.3 minutes\n"};
    static const char *const after[] = {"method=dense  n=12 reps=2 done=24 left=0  0:00\n",
                                        "6 cells (2 skipped), 0 runs, about 0.0 minutes\n"};
    static const char *const more[] = {"method=dense  n=14 reps=2 done=24 left=4"};
    char path[600];
    const char *directory = run_directory();
    run_case c;
    (void)state;
    snprintf(path, sizeof path, "%s/r.sqlite", directory);
    run_open(&c, NULL, path);
    c.executor.skip_method = "redknot";
    c.executor.delay_us = 200000;
    expect(&c, before, 3);
    c.config.db = NULL; /* no database yet */
    expect(&c, before, 3);
    assert_int_equal(c.executor.runs, 0);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM cell"), 0);
    c.config.db = c.db;
    c.executor.delay_us = 0;
    assert_int_equal(run_run(&c), RK_OK);
    expect(&c, after, 2);
    c.spec.measure.items = 14;
    expect(&c, more, 1);
    c.provenance.build_json = "{\"git_dirty\":0,\"bin_sha256\":\"another\"}";
    c.spec.measure.items = 12;
    expect(&c, (const char *const[]){"method=dense  n=12 reps=2 done=0 left=24"}, 1);
    c.config.accept_others = 1;
    expect(&c, after, 2);
    run_close(&c);
    run_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
