/* run_cases.h - a sweep over the null executor, for tests of what surrounds it. */
#ifndef RK_TEST_RUN_CASES_H
#define RK_TEST_RUN_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "null_executor.h"
#include "results_db.h"
#include "runner.h"
#include "spec_cases.h"

static const rk_spec_registry run_registry = {case_methods,   3, case_readers, 2, rk_null_metrics,
                                              RK_NULL_METRICS};

static const char run_text[] = "[experiment]\n"
                               "title = Nothing, \"measured\"\n"
                               "[axes]\n"
                               "context = 1K, 2K\n"
                               "method = dense, redknot, cacheblend:layer3\n"
                               "[method.cacheblend:layer3]\n"
                               "mode = paper\n"
                               "[measure]\n"
                               "items = 12\n"
                               "reps = 2\n"
                               "[claim]\n"
                               "null_ms @ method=redknot context=1K = 3 +- 10 % ; section 5\n";

/* A directory of the test's own, removed by the caller's test run. */
static inline const char *run_directory(void)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/harness-test-XXXXXX", RK_TEST_BUILD);
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void run_remove(const char *directory)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
}

/* Everything a run needs; `text` NULL = run_text. */
typedef struct run_case {
    rk_arena *arena;
    rk_spec spec;
    rk_provenance provenance;
    rk_null_executor executor;
    rk_results_db *db;
    rk_run_config config;
    rk_run_result result;
    rk_error err;
} run_case;

static inline void run_open(run_case *c, const char *text, const char *db_path)
{
    static char *argv[] = {"/usr/bin/test", "run", "/etc/x.exp", "--db=/tmp/y.sqlite"};
    memset(c, 0, sizeof *c);
    text = text ? text : run_text;
    assert_int_equal(rk_arena_new(&c->arena, &c->err), RK_OK);
    if (rk_spec_parse(text, strlen(text), "null.exp", NULL, &run_registry, c->arena, &c->spec,
                      &c->err) != RK_OK)
        fail_msg("%s", c->err.text);
    assert_int_equal(rk_provenance_collect(4, argv, c->arena, &c->provenance, &c->err), RK_OK);
    if (rk_results_open(&c->db, db_path, RK_RESULTS_WRITE, &c->err) != RK_OK)
        fail_msg("%s", c->err.text);
    c->config = (rk_run_config){.spec = &c->spec,
                                .executor = &rk_null_executor_ops,
                                .self = &c->executor,
                                .db = c->db,
                                .provenance = &c->provenance,
                                .metric = rk_null_metrics,
                                .metrics = RK_NULL_METRICS};
}

static inline rk_status run_run(run_case *c)
{
    return rk_runner_run(&c->config, &c->result, &c->err);
}

static inline void run_close(run_case *c)
{
    rk_results_close(c->db);
    rk_arena_free(c->arena);
    c->db = NULL;
    c->arena = NULL;
}

static inline int64_t run_int(rk_results_db *db, const char *sql)
{
    sqlite3_stmt *s;
    int64_t value = -1;
    if (sqlite3_prepare_v2(rk_results_handle(db), sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(rk_results_handle(db)));
    if (sqlite3_step(s) == SQLITE_ROW)
        value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

static inline void run_text_is(rk_results_db *db, const char *sql, const char *expected)
{
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(rk_results_handle(db), sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const char *got = (const char *)sqlite3_column_text(s, 0);
    if (!got || strcmp(got, expected))
        fail_msg("%s: got '%s', expected '%s'", sql, got ? got : "NULL", expected);
    sqlite3_finalize(s);
}

#endif
