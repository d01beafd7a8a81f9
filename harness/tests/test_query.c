/* test_query.c - which rows count: newest finished run, resumed runs, exclusions. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "query.h"
#include "results_fixture.h"

static const fixture_method dense = {"dense", 100, 0, 0, 1};
static const fixture_method redknot = {"redknot", 40, 4, 0, 0.3};

static const rk_query_point *points(rk_query *q, int64_t *n)
{
    const rk_query_point *p;
    rk_error err = {0};
    if (rk_query_points(q, &p, n, &err) != RK_OK)
        fail_msg("%s", err.text);
    return p;
}

static rk_query *open_all(const fixture *f, const rk_query_filter *filter)
{
    rk_query *q;
    rk_error err = {0};
    if (rk_query_open(&q, f->path, filter, &err) != RK_OK)
        fail_msg("%s", err.text);
    return q;
}

static void test_order_and_facts(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "query_order");
    fixture_session(&f, "s1", "b2", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &redknot, 8, "s1");
    fixture_run(&f, "e", "tiny", "16K", 16384, &dense, 8, "s1");
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 8, "s1");
    fixture_close(&f);
    rk_query *q = open_all(&f, NULL);
    int64_t n;
    const rk_query_point *p = points(q, &n);
    assert_int_equal(n, 3);
    assert_string_equal(p[0].context, "2K");
    assert_string_equal(p[0].method, "dense");
    assert_true(p[0].is_reference && p[0].exact && !p[0].cross_query_cache);
    assert_string_equal(p[1].method, "redknot");
    assert_string_equal(p[2].context, "16K"); /* by length, not by letters */
    assert_string_equal(p[0].commit, "bbbb2222");
    assert_int_equal(p[0].dirty, 1);
    assert_string_equal(p[0].machine, "CPU X, 8 threads");
    assert_string_equal(p[0].weights_kind, "trained");
    assert_string_equal(p[0].origin, "synthetic");
    assert_int_equal(p[0].items, 8);
    assert_true(rk_query_same_group(p, p + 1) && !rk_query_same_group(p, p + 2));
    rk_series s, r;
    rk_pairs pairs;
    assert_int_equal(rk_query_series(q, p[1].id, "ttft_ms", &s, NULL), RK_OK);
    assert_int_equal(s.n, 2); /* the first question of each context */
    assert_int_equal(s.item[1], 4);
    assert_true(fabs(s.value[1] - 40.4) < 1e-12);
    assert_true(s.cluster[0] != s.cluster[1]);
    assert_int_equal(rk_query_series(q, p[0].id, "em", &r, NULL), RK_OK);
    assert_int_equal(r.n, 8);
    assert_int_equal(r.cluster[0], r.cluster[3]);
    assert_int_equal(rk_query_pair(&s, &r, rk_query_arena(q), &pairs, NULL), RK_OK);
    assert_int_equal(pairs.n, 2);
    assert_true(pairs.b[0] == 1 && fabs(pairs.a[0] - 40) < 1e-12);
    assert_int_equal(rk_query_series(q, p[0].id, "no_such", &s, NULL), RK_OK);
    assert_int_equal(s.n, 0);
    rk_query_close(q);
    fixture_remove(&f);
}

/* Axes that are numbers, others beside the four, and contexts as token counts. */
static void test_axes(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "query_axes");
    fixture_session(&f, "s1", "b1", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 4, "s1");
    fixture_sql(&f, "UPDATE cell SET axes_json ="
                    " '{\"method\":\"dense\",\"context\":3072,\"seed\":7,\"budget\":\"4K\"}';");
    fixture_close(&f);
    rk_query *q = open_all(&f, NULL);
    int64_t n;
    const rk_query_point *p = points(q, &n);
    assert_int_equal(n, 1);
    assert_string_equal(p->context, "3K");
    assert_string_equal(p->model, "tiny"); /* from the model's row */
    assert_string_equal(p->dataset, "reports");
    assert_string_equal(p->rest, "budget=4K seed=7");
    rk_query_close(q);
    fixture_remove(&f);
}

/* Two builds, the second continued by a session that still runs. */
static void check_filters(const fixture *f)
{
    static const struct {
        rk_query_filter filter;
        const char *session;
        int64_t items;
    } rows[] = {
        {{.session = "old"}, "old", 8},     {{.commit = "aaaa"}, "old", 8},
        {{.commit = "bbbb2222"}, "new", 5}, {{.method = "dense"}, "new", 5},
        {{.session = "open"}, "open", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t n;
        rk_query *q = open_all(f, &rows[i].filter);
        const rk_query_point *p = points(q, &n);
        assert_int_equal(n, 1);
        assert_string_equal(p->session_id, rows[i].session);
        assert_int_equal(p->items, rows[i].items);
        rk_query_close(q);
    }
}

static void test_which_run(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "query_run");
    fixture_method slow = dense, running = dense;
    slow.ttft = 200, running.ttft = 900;
    fixture_session(&f, "old", "b1", 100, 200);
    fixture_session(&f, "new", "b2", 300, 400);
    fixture_session(&f, "open", "b2", 500, 0);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 8, "old");
    fixture_run(&f, "e", "tiny", "2K", 2048, &slow, 4, "new");
    fixture_close(&f);
    rk_query *q = open_all(&f, NULL);
    int64_t n;
    const rk_query_point *p = points(q, &n);
    assert_int_equal(n, 1);
    assert_string_equal(p->session_id, "new");
    assert_int_equal(p->items, 4); /* the older build's rows are not mixed in */
    assert_int_equal(p->sessions, 2);
    assert_int_equal(p->used, 1);
    assert_int_equal(p->most_items, 8);
    assert_int_equal(p->finished, 1);
    rk_query_close(q);

    /* A running session of the same build continues it: its rows count, and the
     * finished one still names the run. */
    assert_int_equal(sqlite3_open(f.path, &f.db), SQLITE_OK);
    fixture_sql(&f, "BEGIN;");
    fixture_attempt(&f, "e/tiny/reports/2K/dense", "open", 4, 0, "ok");
    fixture_sample(&f, "e/tiny/reports/2K/dense", "open", 4, 0, "ttft_ms", running.ttft);
    fixture_close(&f);
    q = open_all(&f, NULL);
    p = points(q, &n);
    assert_string_equal(p->session_id, "new");
    assert_int_equal(p->items, 5);
    assert_int_equal(p->used, 2);
    rk_series s;
    assert_int_equal(rk_query_series(q, p->id, "ttft_ms", &s, NULL), RK_OK);
    assert_int_equal(s.n, 2);
    assert_true(s.value[0] == 200 && s.value[1] == 900);
    rk_query_close(q);

    check_filters(&f);
    q = open_all(&f, &(rk_query_filter){.experiment = "other"});
    (void)points(q, &n);
    assert_int_equal(n, 0);
    rk_query_close(q);
    fixture_remove(&f);
}

/* Killed, errors and interrupts are no end; a resumption that is done is. */
/* In one statement: a session that is over is final. */
static void end_session(fixture *f, const char *id, long ended, const char *reason)
{
    fixture_sql(f,
                "UPDATE session SET ended_utc_ns = %ld000000000, exit_reason = '%s'"
                " WHERE session_id = '%s';",
                ended, reason, id);
}

static void test_killed_run(void **state)
{
    (void)state;
    fixture f;
    fixture_method newer = dense;
    newer.ttft = 500;
    fixture_open(&f, "query_killed");
    fixture_session(&f, "old", "b1", 100, 0);
    fixture_session(&f, "killed", "b2", 300, 0);
    end_session(&f, "old", 200, "done");
    end_session(&f, "killed", 400, "crash");
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 8, "old");
    fixture_run(&f, "e", "tiny", "2K", 2048, &newer, 4, "killed");
    fixture_close(&f);
    int64_t n;
    rk_query *q = open_all(&f, NULL);
    const rk_query_point *p = points(q, &n);
    assert_string_equal(p->session_id, "old");
    rk_query_close(q);

    assert_int_equal(sqlite3_open(f.path, &f.db), SQLITE_OK);
    fixture_sql(&f, "BEGIN;");
    fixture_session(&f, "resumed", "b2", 500, 0);
    end_session(&f, "resumed", 600, "done");
    fixture_close(&f);
    q = open_all(&f, NULL);
    p = points(q, &n);
    assert_string_equal(p->session_id, "killed");
    assert_int_equal(p->finished, 1);
    rk_query_close(q);
    fixture_remove(&f);
}

static void test_bad_rows(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "query_bad");
    fixture_session(&f, "s1", "b1", 100, 200);
    fixture_run(&f, "e", "tiny", "2K", 2048, &dense, 4, "s1");
    fixture_attempt(&f, "e/tiny/reports/2K/dense", "s1", 4, 0, "failed");
    fixture_attempt(&f, "e/tiny/reports/2K/dense", "s1", 5, 0, "invalid");
    fixture_sample(&f, "e/tiny/reports/2K/dense", "s1", 5, 0, "em", 1);
    fixture_sql(&f, "INSERT INTO exclusion VALUES('e/tiny/reports/2K/dense#3.0@s1', 'noise', 'me',"
                    " 1);");
    /* Three repetitions of an item are one value, their median. */
    for (int rep = 1; rep < 3; rep++) {
        fixture_attempt(&f, "e/tiny/reports/2K/dense", "s1", 0, rep, "ok");
        fixture_sample(&f, "e/tiny/reports/2K/dense", "s1", 0, rep, "ttft_ms", 10.0 * rep);
    }
    fixture_close(&f);
    rk_query *q = open_all(&f, NULL);
    int64_t n;
    const rk_query_point *p = points(q, &n);
    assert_int_equal(p->items, 3);
    rk_series s;
    assert_int_equal(rk_query_series(q, p->id, "em", &s, NULL), RK_OK);
    assert_int_equal(s.n, 3);
    assert_int_equal(rk_query_series(q, p->id, "ttft_ms", &s, NULL), RK_OK);
    assert_int_equal(s.n, 1);
    assert_true(s.value[0] == 20); /* of 100, 10, 20 */
    rk_query_close(q);
    fixture_remove(&f);
}

static void test_no_database(void **state)
{
    (void)state;
    rk_query *q;
    rk_error err = {0};
    assert_int_equal(rk_query_open(&q, "/no/such.sqlite", NULL, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "/no/such.sqlite"));
    char path[512];
    snprintf(path, sizeof path, "%s/not_a_database_%ld", RK_TEST_BUILD, (long)getpid());
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (int i = 0; i < 200; i++)
        fputs("this is text, not a database\n", out);
    fclose(out);
    assert_int_equal(rk_query_open(&q, path, NULL, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, path));
    unlink(path);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(rk_query_open(&q, path, NULL, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "application id"));
    assert_null(q);
    rk_query_close(NULL);
    unlink(path);
}

static rk_status refuse(void *self, sqlite3_stmt *s, rk_error *err)
{
    (void)s;
    ++*(int *)self;
    return rk_fail(err, RK_E_NUMERIC, "no");
}

static void test_each(void **state)
{
    (void)state;
    sqlite3 *db;
    rk_error err = {0};
    int calls = 0;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(rk_query_each(db, "that", "SELEKT 1", NULL, 0, NULL, NULL, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "that: near"));
    assert_int_equal(
        rk_query_each(db, "two", "SELECT 1 UNION SELECT 2", NULL, 0, refuse, &calls, &err),
        RK_E_NUMERIC);
    assert_int_equal(calls, 1);
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_facts),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_which_run),
        cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_killed_run),
        cmocka_unit_test(test_no_database),
        cmocka_unit_test(test_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
