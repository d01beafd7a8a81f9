/* test_cmd_run.c - from an experiment file to rows in a database, through the verb. */
#define _POSIX_C_SOURCE 200809L
#include "cmocka_all.h"

#include "cmd_fixture.h"
#include "cmd_run.h"

static char base[400], spec[512], db[512];

typedef struct call {
    char *argv[16];
    int argc, exit_code;
    rk_status status;
    rk_error err;
} call;

static void invoke(void *self)
{
    call *c = self;
    c->status = rk_cmd_run(c->argc, c->argv, &c->exit_code, &c->err);
}

static char *run(call *c, const char *const *words)
{
    *c = (call){.argv = {"run"}, .argc = 1, .exit_code = 99};
    for (; *words; words++)
        c->argv[c->argc++] = (char *)*words;
    return cmd_output(invoke, c);
}

static int64_t count(const char *sql)
{
    sqlite3 *handle;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(db, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(handle);
    return n;
}

#define OPTIONS spec, "--db", db, "--threads", "1"

static void cells_become_rows(void **state)
{
    call c;
    (void)state;
    char *text = run(&c, (const char *[]){OPTIONS, "--dry-run", NULL});
    if (c.status != RK_OK)
        fail_msg("%s", c.err.text);
    assert_non_null(strstr(text, "method=epic"));
    assert_int_equal(access(db, F_OK), -1);
    free(text);
    text = run(&c, (const char *[]){OPTIONS, "--only", "method=dense", NULL});
    if (c.status != RK_OK)
        fail_msg("%s", c.err.text);
    assert_int_equal(c.exit_code, 0);
    assert_string_equal(text, "");
    assert_int_equal(count("SELECT count(*) FROM attempt WHERE state = 'ok'"), 2);
    free(text);
    free(run(&c, (const char *[]){OPTIONS, NULL}));
    assert_int_equal(c.status, RK_OK);
    assert_int_equal(count("SELECT count(*) FROM attempt WHERE state = 'ok'"), 4);
    assert_int_equal(count("SELECT count(*) FROM attempt WHERE state <> 'ok'"), 0);
    assert_int_equal(count("SELECT count(*) FROM cell"), 2);
    /* one timed question a context and method */
    assert_int_equal(count("SELECT count(*) FROM sample WHERE metric = 'ttft_ms'"), 2);
    assert_int_equal(count("SELECT count(*) FROM sample WHERE metric = 'top1_agreement'"), 4);
    assert_int_equal(count("SELECT sum(value) FROM sample s JOIN attempt a USING(attempt_id) JOIN "
                           "cell c USING(cell_id) WHERE metric = 'reused_tokens' AND "
                           "axes_json->>'method' = 'dense'"),
                     0);
    /* nothing is run twice */
    free(run(&c, (const char *[]){OPTIONS, NULL}));
    assert_int_equal(count("SELECT count(*) FROM attempt WHERE state = 'ok'"), 4);
}

static void refusals(void **state)
{
    static const struct {
        const char *words[6];
        rk_status status;
        const char *says;
    } cases[] = {
        {{spec, "--db", db, "--backend", "cuda"}, RK_E_UNSUPPORTED, "no cuda backend"},
        {{spec, "--db", db, "--backend", "count"}, RK_E_USAGE, "cpu|cuda"},
        {{spec, "--db", db, "--trace"}, RK_E_UNSUPPORTED, "cuda backend"},
        {{spec, "--only", "method=none"}, RK_E_USAGE, "none"},
        {{"/no/such.exp"}, RK_E_USAGE, "/no/such.exp: cannot be read"},
        {{NULL}, RK_E_USAGE, "expected one EXPERIMENT"},
        {{spec, "--db", "/proc/none/x.sqlite"}, RK_E_IO, "/proc/none/x.sqlite"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call c;
        char *text = run(&c, cases[i].words);
        if (c.status != cases[i].status || !strstr(c.err.text, cases[i].says) || text[0])
            fail_msg("case %zu: %s: %s", i, rk_status_name(c.status), c.err.text);
        free(text);
    }
    call c;
    char *text = run(&c, (const char *[]){"--help", NULL});
    assert_int_equal(c.status, RK_OK);
    assert_non_null(strstr(text, "usage: redknot run EXPERIMENT"));
    free(text);
}

static int setup(void **state)
{
    (void)state;
    snprintf(base, sizeof base, "%s/cmd_run_%ld", RK_TEST_BUILD, (long)getpid());
    snprintf(spec, sizeof spec, "%s.exp", base);
    snprintf(db, sizeof db, "%s.sqlite", base);
    unlink(db);
    FILE *f = fopen(spec, "w");
    if (!f)
        return -1;
    fputs("[experiment]\ntitle = t\n[axes]\nmodel = tiny\ndataset = reports\ncontext = 160\n"
          "method = dense, epic\n[measure]\nitems = 2\nitems_per_context = 2\ndecode_tokens = 2\n"
          "warmup = 0\n",
          f);
    return fclose(f);
}

static int teardown(void **state)
{
    static const char *const ends[] = {".exp", ".sqlite", ".sqlite-wal", ".sqlite-shm",
                                       ".sqlite.lock"};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", base, ends[i]);
        unlink(path);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells_become_rows),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
