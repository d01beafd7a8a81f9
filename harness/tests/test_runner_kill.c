/* test_runner_kill.c - a sweep killed with SIGKILL at fifty random moments and
 * started again until it is done: nothing lost, nothing doubled, file sound. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"

enum { KILLS = 50, ITEMS = 300, REPS = 2, METHODS = 3, CONTEXTS = 2 };

static const char text[] = "[axes]\ncontext = 1K, 2K\nmethod = dense, redknot, cacheblend\n"
                           "[measure]\nitems = 300\nreps = 2\nwarmup = 1\n";

/* One go of the sweep in a child; the parent may kill it at any time. */
static pid_t start(const char *db_path)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    run_case c;
    run_open(&c, text, db_path);
    c.executor.delay_us = 300;
    rk_status st = run_run(&c);
    run_close(&c);
    _exit(st == RK_OK ? 0 : 1);
}

static void sleep_us(int64_t us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

/* Samples already committed may never change; their sum over `ok` grows only. */
static void check_sound(rk_results_db *db)
{
    run_text_is(db, "PRAGMA integrity_check", "ok");
    assert_int_equal(run_int(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt a WHERE state='ok' AND n_samples<>"
                                 "(SELECT count(*) FROM sample s WHERE s.attempt_id=a.attempt_id)"),
                     0);
    assert_int_equal(run_int(db, "SELECT count(*) FROM sample s JOIN attempt a USING(attempt_id) "
                                 "WHERE a.state<>'ok'"),
                     0);
    assert_int_equal(run_int(db, "SELECT count(*) FROM (SELECT 1 FROM attempt WHERE state='ok' "
                                 "GROUP BY cell_id,item_no,rep HAVING count(*)>1)"),
                     0);
}

static void check_values(rk_results_db *db)
{
    sqlite3_stmt *s;
    int64_t n = 0;
    assert_int_equal(sqlite3_prepare_v2(rk_results_handle(db),
                                        "SELECT axes_json->>'method', a.item_no, rep, idx, value "
                                        "FROM sample JOIN attempt a USING(attempt_id) "
                                        "JOIN cell USING(cell_id) WHERE metric='null_ms'",
                                        -1, &s, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(s) == SQLITE_ROW; n++)
        assert_true(rk_null_value((const char *)sqlite3_column_text(s, 0),
                                  sqlite3_column_int64(s, 1), sqlite3_column_int(s, 2),
                                  sqlite3_column_int64(s, 3)) == sqlite3_column_double(s, 4));
    sqlite3_finalize(s);
    assert_int_equal(n, 2 * ITEMS * REPS * METHODS * CONTEXTS);
}

static void survives_kills(void **state)
{
    char db_path[512];
    const char *directory = run_directory();
    int status = 0, killed = 0, done = 0, goes = 0;
    int64_t kept = 0;
    rk_rng rng;
    (void)state;
    snprintf(db_path, sizeof db_path, "%s/k.sqlite", directory);
    rk_rng_init(&rng, (uint64_t)rk_clock_ns(), "kill");
    while (!done) {
        assert_true(++goes < 1000);
        pid_t pid = start(db_path);
        assert_true(pid > 0);
        if (killed < KILLS) {
            /* From before the file exists to well inside the sweep. */
            sleep_us((int64_t)rk_rng_below(&rng, 50000));
            kill(pid, SIGKILL);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        killed += WIFSIGNALED(status);
        done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (WIFEXITED(status))
            assert_int_equal(WEXITSTATUS(status), 0);
        rk_results_db *db;
        if (rk_results_open(&db, db_path, RK_RESULTS_READ, NULL) != RK_OK)
            continue; /* killed before the schema was committed */
        int64_t now = run_int(db, "SELECT count(*) FROM attempt WHERE state='ok'");
        assert_true(now >= kept);
        kept = now;
        rk_results_close(db);
    }
    rk_results_db *db;
    assert_int_equal(rk_results_open(&db, db_path, RK_RESULTS_READ, NULL), RK_OK);
    check_sound(db);
    check_values(db);
    assert_true(killed >= KILLS); /* or the sweep is too short to be killed so often */
    assert_int_equal(kept, ITEMS * REPS * METHODS * CONTEXTS);
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt WHERE state='running'"), 0);
    assert_int_equal(run_int(db, "SELECT count(*) FROM v_todo WHERE have<>want"), 0);
    print_message("%d kills, %d goes, %lld aborted attempts\n", killed, goes,
                  (long long)run_int(db, "SELECT count(*) FROM attempt WHERE state='aborted'"));
    rk_results_close(db);
    run_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(survives_kills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
