/* test_results_rows.c - ids by content, recovery of dead owners, refusals. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <unistd.h>

#include "results_rows.h"

static char directory[300], path[400];
static run_case c;

static int setup(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "%s", run_directory());
    snprintf(path, sizeof path, "%s/r.sqlite", directory);
    run_open(&c, NULL, path);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    run_close(&c);
    run_remove(directory);
    return 0;
}

static void ids_are_by_content(void **state)
{
    char a[RK_SHA256_HEX], b[RK_SHA256_HEX];
    (void)state;
    static const char one[] = "{\"cpu_model\":\"x\",\"n_cores\":2,\"numa_json\":{\"b\":1,\"a\":2}}";
    static const char two[] = "{ \"numa_json\":\"{\\\"a\\\":2,\\\"b\\\":1}\", \"n_cores\":2, "
                              "\"ram_bytes\":null, \"cpu_model\":\"x\"}";
    assert_int_equal(rk_results_static(c.db, "host", one, a, &c.err), RK_OK);
    assert_int_equal(rk_results_static(c.db, "host", two, b, &c.err), RK_OK);
    assert_string_equal(a, b);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM host"), 1);
    run_text_is(c.db, "SELECT numa_json FROM host", "{\"a\":2,\"b\":1}");
    assert_int_equal(rk_results_static_id("host", one, b, &c.err), RK_OK);
    assert_string_equal(a, b);
    assert_int_equal(rk_results_static(c.db, "host", "{\"n_cores\":3}", b, &c.err), RK_OK);
    assert_string_not_equal(a, b);
}

static void bad_rows_are_refused(void **state)
{
    static const struct {
        const char *table, *json, *message;
    } cases[] = {
        {"host", "{\"no_such\":1}", "no_such"},
        {"host", "{\"n_cores\":1.5}", "column 'n_cores' has a fraction"},
        {"host", "[1]", "expected an object"},
        {"host", "{", "host row is no JSON"},
        {"host", "{\"n_cores\":1,\"n_cores\":2}", "host row is no JSON"},
        {"host", "{\"n_cores\":\"two\"}", "n_cores"},
        {"model", "{\"name\":\"x\"}", "model.arch"},
        {"model", "{\"name\":\"x\",\"arch\":\"y\",\"weights_kind\":\"odd\"}", "CHECK"},
    };
    char id[RK_SHA256_HEX];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_status st = rk_results_static(c.db, cases[i].table, cases[i].json, id, &c.err);
        if (st == RK_OK || !strstr(c.err.text, cases[i].message))
            fail_msg("'%s': '%s' lacks '%s'", cases[i].json, c.err.text, cases[i].message);
    }
}

static void a_metric_keeps_its_unit(void **state)
{
    static const rk_metric other = {"null_ms", "s", "lower", "time", "Changed.", NULL};
    static const rk_metric renamed = {"null_ms", "ms", "higher", "time", "Better words.", NULL};
    const rk_metric *list[] = {&other}, *words[] = {&renamed};
    (void)state;
    assert_int_equal(rk_results_metrics(c.db, rk_null_metrics, RK_NULL_METRICS, &c.err), RK_OK);
    assert_int_equal(rk_results_metrics(c.db, list, 1, &c.err), RK_E_ARG);
    assert_non_null(strstr(c.err.text, "metric 'null_ms' is stored in another unit than 's'"));
    assert_int_equal(rk_results_metrics(c.db, words, 1, &c.err), RK_OK);
    run_text_is(c.db, "SELECT doc FROM metric WHERE metric='null_ms'", "Better words.");
}

/* Sessions of this live process, of a dead pid, of another boot, and imported. */
static void only_the_dead_are_recovered(void **state)
{
    char sql[2048];
    int64_t recovered;
    rk_provenance dead = c.provenance, rebooted = c.provenance;
    rk_session_ids live_ids, dead_ids, rebooted_ids;
    (void)state;
    assert_int_equal(run_run(&c), RK_OK);
    dead.pid_start_ticks++; /* the pid has been given to another process */
    rebooted.boot_id = "another";
    assert_int_equal(rk_results_session_begin(c.db, &c.provenance, &live_ids, &c.err), RK_OK);
    assert_int_equal(rk_results_session_begin(c.db, &dead, &dead_ids, &c.err), RK_OK);
    assert_int_equal(rk_results_session_begin(c.db, &rebooted, &rebooted_ids, &c.err), RK_OK);
    const char *ids[] = {live_ids.session, dead_ids.session, rebooted_ids.session};
    for (int i = 0; i < 3; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO attempt(attempt_id,cell_id,session_id,item_no,rep,block,slot,state,"
                 "begun_utc_ns) SELECT 'a%d',cell_id,'%s',99,0,0,0,'running',1 FROM cell LIMIT 1",
                 i, ids[i]);
        assert_int_equal(rk_results_exec(c.db, sql, "testing", &c.err), RK_OK);
    }
    assert_int_equal(rk_results_recover(c.db, &recovered, &c.err), RK_OK);
    assert_int_equal(recovered, 2);
    run_text_is(c.db,
                "SELECT group_concat(attempt_id||state||ifnull(fail_code,''),' ') FROM "
                "(SELECT * FROM attempt WHERE item_no=99 ORDER BY 1)",
                "a0running a1abortedCRASH a2abortedCRASH");
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM session WHERE exit_reason='crash'"), 2);
    assert_int_equal(rk_results_recover(c.db, &recovered, &c.err), RK_OK);
    assert_int_equal(recovered, 0);
}

static void a_failed_end_leaves_nothing_of_it(void **state)
{
    char id[RK_UUID_TEXT], sql[256];
    (void)state;
    assert_int_equal(run_run(&c), RK_OK);
    rk_attempt_start start = {.item = 50};
    static char cell[RK_SHA256_HEX], session[RK_UUID_TEXT];
    sqlite3_stmt *s;
    sqlite3_prepare_v2(rk_results_handle(c.db), "SELECT cell_id, session_id FROM attempt LIMIT 1",
                       -1, &s, NULL);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    snprintf(cell, sizeof cell, "%s", (const char *)sqlite3_column_text(s, 0));
    snprintf(session, sizeof session, "%s", (const char *)sqlite3_column_text(s, 1));
    sqlite3_finalize(s);
    start.cell = cell;
    start.session = session;
    assert_int_equal(rk_results_attempt_begin(c.db, &start, id, &c.err), RK_OK);
    const rk_attempt_sample samples[] = {{"null_ms", 0, 1}, {"no_such", 0, 1}};
    rk_attempt_end end = {.state = "ok", .sample = samples, .samples = 2, .output = "x"};
    assert_int_equal(rk_results_attempt_end(c.db, id, 50, &end, &c.err), RK_E_ARG);
    assert_non_null(strstr(c.err.text, "FOREIGN KEY"));
    snprintf(sql, sizeof sql, "SELECT count(*) FROM sample WHERE attempt_id='%s'", id);
    assert_int_equal(run_int(c.db, sql), 0);
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM attempt WHERE attempt_id='%s' AND "
             "state='running'",
             id);
    assert_int_equal(run_int(c.db, sql), 1);
    end.samples = 1; /* the same attempt can still be ended well */
    assert_int_equal(rk_results_attempt_end(c.db, id, 50, &end, &c.err), RK_OK);
    assert_int_equal(rk_results_attempt_end(c.db, id, 50, &end, &c.err), RK_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ids_are_by_content, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_rows_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_metric_keeps_its_unit, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_dead_are_recovered, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failed_end_leaves_nothing_of_it, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
