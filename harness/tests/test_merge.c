/* test_merge.c - the union of databases: both ways the same, conflicts listed. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <unistd.h>

#include "ledger.h"
#include "merge.h"

static char directory[300];

static int setup(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "%s", run_directory());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    run_remove(directory);
    return 0;
}

static const char *in(const char *name)
{
    static char path[4][600];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

/* A run of the first `items` items, on a machine of this name. */
static void run_on(const char *path, int64_t items, const char *host_json)
{
    run_case c;
    run_open(&c, NULL, path);
    c.spec.measure.items = items;
    c.provenance.host_json = host_json;
    assert_int_equal(run_run(&c), RK_OK);
    run_close(&c);
}

static void merge(const char *to, const char *from, rk_merge_result *r)
{
    rk_results_db *db;
    rk_arena *arena;
    rk_error err;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    if (rk_results_open(&db, to, RK_RESULTS_WRITE, &err) != RK_OK ||
        rk_merge_file(db, from, arena, r, &err) != RK_OK)
        fail_msg("%s", err.text);
    run_text_is(db, "PRAGMA integrity_check", "ok");
    assert_int_equal(run_int(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    for (int32_t i = 0; i < r->listed; i++)
        assert_non_null(strstr(r->conflict[i], ": same key, other content"));
    rk_results_close(db);
    rk_arena_free(arena);
}

static void edit(const char *path, const char *sql)
{
    rk_results_db *db;
    rk_error err;
    assert_int_equal(rk_results_open(&db, path, RK_RESULTS_WRITE, &err), RK_OK);
    if (rk_results_exec(db, sql, "editing", &err) != RK_OK)
        fail_msg("%s", err.text);
    rk_results_close(db);
}

static void export_to(const char *path, const char *to)
{
    rk_results_db *db;
    rk_error err;
    int64_t n;
    assert_int_equal(rk_results_open(&db, path, RK_RESULTS_READ, &err), RK_OK);
    assert_int_equal(rk_ledger_export(db, to, NULL, &n, &err), RK_OK);
    rk_results_close(db);
}

static void union_is_the_same_both_ways(void **state)
{
    rk_merge_result r;
    char command[1500];
    (void)state;
    run_on(in("a.sqlite"), 12, "{\"cpu_model\":\"first\"}");
    run_on(in("b.sqlite"), 15, "{\"cpu_model\":\"second\"}");
    snprintf(command, sizeof command, "cp '%s' '%s'", in("a.sqlite"), in("c.sqlite"));
    assert_int_equal(system(command), 0);
    merge(in("a.sqlite"), in("b.sqlite"), &r);
    assert_int_equal(r.conflicts, 0);
    assert_true(r.added > 0);
    merge(in("a.sqlite"), in("b.sqlite"), &r);
    assert_int_equal(r.added, 0);
    merge(in("b.sqlite"), in("c.sqlite"), &r);
    assert_int_equal(r.conflicts, 0);
    export_to(in("a.sqlite"), in("one"));
    export_to(in("b.sqlite"), in("two"));
    snprintf(command, sizeof command, "diff -r '%s' '%s'", in("one"), in("two"));
    assert_int_equal(system(command), 0);
    rk_results_db *db;
    assert_int_equal(rk_results_open(&db, in("a.sqlite"), RK_RESULTS_READ, NULL), RK_OK);
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt"), 6 * 2 * (12 + 15));
    assert_int_equal(run_int(db, "SELECT count(*) FROM cell"), 6);
    assert_int_equal(run_int(db, "SELECT min(want_items) FROM cell"), 15);
    assert_int_equal(run_int(db, "SELECT count(*) FROM merge_log"), 1);
    rk_results_close(db);
}

/* Without triggers, as damage would. */
static const char *const forgeries[] = {
    "DROP TRIGGER sample_frozen; UPDATE sample SET value=value+1 WHERE "
    "(attempt_id,metric,idx)=(SELECT attempt_id,metric,idx FROM sample LIMIT 1);",
    "DROP TRIGGER attempt_frozen; UPDATE attempt SET dur_ns=1 WHERE attempt_id=(SELECT "
    "min(attempt_id) FROM attempt);",
    "UPDATE model SET arch='forged';",
    "UPDATE metric SET unit='s' WHERE metric='null_ms';",
    "INSERT INTO output SELECT attempt_id, 77, 'more' FROM attempt LIMIT 1;",
};

static void conflicts_are_listed_and_kept(void **state)
{
    rk_merge_result r;
    char command[1500];
    (void)state;
    run_on(in("a.sqlite"), 2, "{\"cpu_model\":\"first\"}");
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        snprintf(command, sizeof command, "cp '%s' '%s'", in("a.sqlite"), in("forged.sqlite"));
        assert_int_equal(system(command), 0);
        edit(in("forged.sqlite"), forgeries[i]);
        export_to(in("a.sqlite"), in("before"));
        merge(in("a.sqlite"), in("forged.sqlite"), &r);
        assert_int_equal(r.conflicts, 1);
        assert_int_equal(r.listed, 1);
        export_to(in("a.sqlite"), in("after"));
        snprintf(command, sizeof command, "diff -r '%s' '%s'", in("before"), in("after"));
        assert_int_equal(system(command), 0);
    }
}

static void running_attempts_stay_behind(void **state)
{
    rk_merge_result r;
    (void)state;
    run_on(in("a.sqlite"), 2, "{\"cpu_model\":\"first\"}");
    run_on(in("b.sqlite"), 2, "{\"cpu_model\":\"second\"}");
    edit(in("b.sqlite"), "INSERT INTO attempt(attempt_id,cell_id,session_id,item_no,rep,block,slot,"
                         "state,begun_utc_ns) SELECT 'r',cell_id,session_id,90,0,0,0,'running',1 "
                         "FROM attempt LIMIT 1");
    merge(in("a.sqlite"), in("b.sqlite"), &r);
    rk_results_db *db;
    assert_int_equal(rk_results_open(&db, in("a.sqlite"), RK_RESULTS_READ, NULL), RK_OK);
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt WHERE state='running'"), 0);
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt"), 48);
    rk_results_close(db);
}

static void refuses_itself_and_strangers(void **state)
{
    rk_merge_result r;
    rk_results_db *db;
    rk_arena *arena;
    rk_error err;
    (void)state;
    run_on(in("a.sqlite"), 2, "{\"cpu_model\":\"first\"}");
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_results_open(&db, in("a.sqlite"), RK_RESULTS_WRITE, &err), RK_OK);
    assert_int_equal(rk_merge_file(db, in("a.sqlite"), arena, &r, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "into itself"));
    assert_int_equal(rk_merge_file(db, in("none.sqlite"), arena, &r, &err), RK_E_IO);
    assert_int_equal(access(in("none.sqlite"), F_OK), -1);
    FILE *f = fopen(in("text.sqlite"), "w");
    for (int i = 0; i < 400; i++)
        fputs("this is no database\n", f);
    fclose(f);
    assert_int_equal(rk_merge_file(db, in("text.sqlite"), arena, &r, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "not a results database"));
    rk_results_close(db);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(union_is_the_same_both_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(conflicts_are_listed_and_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(running_attempts_stay_behind, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_itself_and_strangers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
