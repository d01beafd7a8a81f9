/* test_runner.c - order, resume, failures and what is stored of them. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <unistd.h>

enum { CELLS = 6, ITEMS = 12, REPS = 2, ATTEMPTS = CELLS * ITEMS * REPS };

static char db_path[512];

static int setup(void **state)
{
    char *directory = strdup(run_directory());
    snprintf(db_path, sizeof db_path, "%s/r.sqlite", directory);
    *state = directory;
    return 0;
}

static int teardown(void **state)
{
    run_remove(*state);
    free(*state);
    return 0;
}

static void runs_all_once(void **state)
{
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(c.result.cells, CELLS);
    assert_int_equal(c.result.cells_ran, CELLS);
    assert_int_equal(c.result.attempts_ok, ATTEMPTS);
    assert_int_equal(c.executor.kept, ATTEMPTS);
    assert_int_equal(c.executor.runs, ATTEMPTS + CELLS); /* one warm-up a cell */
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM attempt WHERE state='ok'"), ATTEMPTS);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM sample"), 3 * ATTEMPTS);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM output"), ATTEMPTS);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM item"), ITEMS);
    assert_int_equal(run_int(c.db, "SELECT sum(want=have) FROM v_todo"), CELLS);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM cell_state WHERE outcome='ran'"), CELLS);
    assert_int_equal(run_int(c.db, "SELECT sum(n_samples)=3*count(*) FROM attempt"), 1);
    run_text_is(c.db, "SELECT DISTINCT exit_reason FROM session", "done");
    run_text_is(c.db, "SELECT argv_json FROM session",
                "[\"test\",\"run\",\"x.exp\",\"--db=y.sqlite\"]");
    run_text_is(c.db, "SELECT axes_json FROM cell WHERE ctx_tokens=1024 ORDER BY 1 LIMIT 1",
                "{\"context\":1024,\"method\":\"cacheblend:layer3\"}");
    run_text_is(c.db, "SELECT params_json FROM method WHERE name='cacheblend'",
                "{\"mode\":\"paper\"}");
    run_text_is(c.db, "SELECT statement FROM claim", "section 5");
    run_close(&c);
}

static void second_run_adds_nothing(void **state)
{
    run_case c;
    (void)state;
    for (int i = 0; i < 2; i++) {
        run_open(&c, NULL, db_path);
        assert_int_equal(run_run(&c), RK_OK);
        if (i) {
            assert_int_equal(c.executor.runs, 0);
            assert_int_equal(c.result.attempts_reused, ATTEMPTS);
            assert_int_equal(run_int(c.db, "SELECT count(*) FROM attempt"), ATTEMPTS);
        }
        run_close(&c);
    }
}

/* Another build's attempts count only when that is asked for. */
static void others_work_counts_on_request(void **state)
{
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    assert_int_equal(run_run(&c), RK_OK);
    run_close(&c);
    for (int accept = 1; accept >= 0; accept--) {
        run_open(&c, NULL, db_path);
        c.provenance.build_json = "{\"git_dirty\":0,\"bin_sha256\":\"another\"}";
        c.config.accept_others = accept;
        assert_int_equal(run_run(&c), RK_OK);
        assert_int_equal(c.result.attempts_ok, accept ? 0 : ATTEMPTS);
        run_close(&c);
    }
}

static void more_items_run_only_what_is_new(void **state)
{
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    assert_int_equal(run_run(&c), RK_OK);
    run_close(&c);
    run_open(&c, NULL, db_path);
    c.spec.measure.items = ITEMS + 3;
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(c.result.attempts_ok, CELLS * 3 * REPS);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM cell"), CELLS);
    assert_int_equal(run_int(c.db, "SELECT min(want_items) FROM cell"), ITEMS + 3);
    c.spec.measure.seed = 2; /* another protocol: other cells */
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM cell"), 2 * CELLS);
    run_close(&c);
}

/* Forward, back, forward ... over (block + repetition), and slots in that order. */
static void methods_take_turns(void **state)
{
    static rk_null_run log[400];
    static const char *const name[] = {"dense", "redknot", "cacheblend:layer3"};
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    c.executor.log = log;
    c.executor.log_room = 400;
    c.spec.measure.warmup = 0;
    assert_int_equal(run_run(&c), RK_OK);
    int64_t at = 0;
    for (int group = 0; group < 2; group++)
        for (int block = 0; block < 3; block++)
            for (int rep = 0; rep < REPS; rep++)
                for (int place = 0; place < 3; place++)
                    for (int item = 5 * block; item < 5 * block + 5 && item < ITEMS; item++, at++) {
                        int method = (block + rep) % 2 ? 2 - place : place;
                        assert_string_equal(log[at].method, name[method]);
                        assert_int_equal(log[at].item, item);
                        assert_int_equal(log[at].rep, rep);
                    }
    assert_int_equal(at, ATTEMPTS);
    assert_int_equal(run_int(c.db, "SELECT max(slot) FROM attempt"), 5);
    assert_int_equal(run_int(c.db, "SELECT max(block) FROM attempt"), 2);
    assert_int_equal(
        run_int(c.db, "SELECT count(*) FROM (SELECT DISTINCT block, slot FROM attempt)"), 18);
    run_close(&c);
}

static void other_orders(void **state)
{
    static rk_null_run log[400], again[400];
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    c.executor.log = log;
    c.executor.log_room = 400;
    c.spec.measure.warmup = 0;
    c.spec.measure.order = RK_ORDER_FILE;
    assert_int_equal(run_run(&c), RK_OK);
    for (int i = 0; i < ATTEMPTS; i++)
        if (log[i].item == 0)
            assert_string_equal(log[i].method, i % 72 % 15 / 5 == 0   ? "dense"
                                               : i % 72 % 15 / 5 == 1 ? "redknot"
                                                                      : "cacheblend:layer3");
    c.spec.measure.order = RK_ORDER_RANDOM;
    c.executor.runs = 0;
    assert_int_equal(run_run(&c), RK_OK);
    run_close(&c);
    unlink(db_path);
    run_open(&c, NULL, db_path);
    c.executor.log = again;
    c.executor.log_room = 400;
    c.spec.measure.warmup = 0;
    c.spec.measure.order = RK_ORDER_RANDOM;
    assert_int_equal(run_run(&c), RK_OK);
    int differs = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        assert_int_equal(log[i].item, again[i].item);
        assert_string_equal(log[i].method, again[i].method);
        differs += strcmp(again[i].method, again[i % 72].method) != 0;
    }
    assert_true(differs > 0);
    run_close(&c);
}

static void skipped_and_failed_cells_are_rows(void **state)
{
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    c.executor.skip_method = "redknot";
    c.executor.fail_method = "dense";
    c.executor.fail_item = 3;
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(c.result.cells_skipped, 2);
    assert_int_equal(c.result.cells_failed, 2);
    assert_int_equal(c.result.cells_ran, 2);
    assert_int_equal(c.result.attempts_failed, 2 * REPS);
    run_text_is(c.db, "SELECT DISTINCT reason FROM cell_state WHERE outcome='skipped'",
                "redknot was told to be skipped");
    run_text_is(c.db, "SELECT DISTINCT reason FROM cell_state WHERE outcome='failed'",
                "2 of 24 attempts failed: item 3 was told to fail");
    run_text_is(c.db,
                "SELECT DISTINCT fail_code||': '||fail_text FROM attempt WHERE state='failed'",
                "FAILED: item 3 was told to fail");
    c.executor.fail_method = NULL; /* repaired: only those are run again */
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(c.result.attempts_ok, 2 * REPS);
    assert_int_equal(c.result.cells_failed, 0);
    run_close(&c);
}

static void bad_values_and_slow_items_fail(void **state)
{
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    c.executor.unfinite_method = "dense";
    c.executor.slow_method = "redknot";
    c.executor.slow_us = 3000;
    c.spec.measure.timeout = 0.002;
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(c.result.cells_failed, 4);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM attempt WHERE fail_code='NONFINITE'"),
                     2 * ITEMS * REPS);
    /* The first time-out of a cell ends it. */
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM attempt WHERE fail_code='TIMEOUT'"), 2);
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM sample s JOIN attempt USING(attempt_id) "
                                   "WHERE fail_code='NONFINITE'"),
                     0);
    run_close(&c);
}

static void broken_executor_stops_the_run(void **state)
{
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    c.executor.broken_method = "redknot";
    c.spec.measure.warmup = 0;
    assert_int_equal(run_run(&c), RK_E_ARG);
    assert_non_null(strstr(c.err.text, "no_such_metric"));
    run_text_is(c.db, "SELECT exit_reason FROM session", "error");
    run_text_is(c.db, "SELECT fail_code FROM attempt WHERE state='failed'", "ERROR");
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM attempt WHERE state='running'"), 0);
    run_close(&c);
}

static void stops_cleanly_and_goes_on(void **state)
{
    volatile sig_atomic_t stop = 0;
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    c.config.stop = &stop;
    c.executor.stop = &stop;
    c.executor.stop_after = 17;
    assert_int_equal(run_run(&c), RK_OK);
    assert_true(c.result.interrupted);
    assert_int_equal(c.result.attempts_ok, 17);
    run_text_is(c.db, "SELECT exit_reason FROM session", "interrupted");
    assert_int_equal(run_int(c.db, "SELECT count(*) FROM cell_state"), 0);
    stop = 0;
    c.executor.stop = NULL;
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(c.result.attempts_ok, ATTEMPTS - 17);
    assert_int_equal(c.result.cells_ran, CELLS);
    run_close(&c);
}

static void short_data_sets_end_early(void **state)
{
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    c.executor.items = 7;
    assert_int_equal(run_run(&c), RK_OK);
    assert_int_equal(c.result.attempts_ok, CELLS * 7 * REPS);
    assert_int_equal(c.result.cells_ran, CELLS);
    run_close(&c);
}

static void finished_rows_are_frozen(void **state)
{
    static const char *const forbidden[] = {
        "UPDATE attempt SET state='failed'",  "DELETE FROM attempt",
        "UPDATE sample SET value=1",          "DELETE FROM sample",
        "UPDATE session SET exit_reason='x'", "DELETE FROM output",
        "UPDATE output SET text=''"};
    run_case c;
    (void)state;
    run_open(&c, NULL, db_path);
    assert_int_equal(run_run(&c), RK_OK);
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        assert_int_equal(rk_results_exec(c.db, forbidden[i], "tampering", &c.err), RK_E_ARG);
    run_close(&c);
}

static void progress_is_plain_lines_in_a_file(void **state)
{
    char text[4096] = "", path[600];
    run_case c;
    snprintf(path, sizeof path, "%s/progress", (char *)*state);
    run_open(&c, NULL, db_path);
    c.executor.skip_method = "dense";
    c.config.progress = fopen(path, "w+");
    assert_int_equal(run_run(&c), RK_OK);
    rewind(c.config.progress);
    assert_true(fread(text, 1, sizeof text - 1, c.config.progress) > 0);
    fclose(c.config.progress);
    assert_non_null(strstr(text, "skipped: context=1024 method=dense: dense was told"));
    assert_non_null(strstr(text, "100% 144/144"));
    assert_null(strchr(text, '\r'));
    run_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs_all_once, setup, teardown),
        cmocka_unit_test_setup_teardown(second_run_adds_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(others_work_counts_on_request, setup, teardown),
        cmocka_unit_test_setup_teardown(more_items_run_only_what_is_new, setup, teardown),
        cmocka_unit_test_setup_teardown(methods_take_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(other_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(skipped_and_failed_cells_are_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_values_and_slow_items_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_executor_stops_the_run, setup, teardown),
        cmocka_unit_test_setup_teardown(stops_cleanly_and_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(short_data_sets_end_early, setup, teardown),
        cmocka_unit_test_setup_teardown(finished_rows_are_frozen, setup, teardown),
        cmocka_unit_test_setup_teardown(progress_is_plain_lines_in_a_file, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
