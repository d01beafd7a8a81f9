/* test_ledger.c - equal bytes after a round trip, filters, what stays at home. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <sys/stat.h>
#include <unistd.h>

#include "ledger.h"

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

/* A database with every kind of row: ok, failed, skipped, odd text, odd numbers. */
static void fill(const char *path, const char *text)
{
    run_case c;
    run_open(&c, text, path);
    c.executor.skip_method = "redknot";
    c.executor.fail_method = "dense";
    c.executor.fail_item = 3;
    assert_int_equal(run_run(&c), RK_OK);
    static const char extra[] =
        "INSERT INTO attempt(attempt_id,cell_id,session_id,item_no,rep,block,slot,state,"
        "begun_utc_ns,ended_utc_ns,fail_text,n_samples) SELECT 'odd',cell_id,session_id,900,0,0,0,"
        "'ok',1,2,' \"quoted\", and\nnewline ',4 FROM attempt LIMIT 1;"
        "INSERT INTO sample VALUES('odd','null_ms',0,900,0.1),('odd','null_ms',7,900,1e-300),"
        "('odd','null_ms',8,900,-5e-324),('odd','null_tokens',0,NULL,123456789012345678);"
        "INSERT INTO output VALUES('odd',900,'');"
        "INSERT INTO request(attempt_id,req,status,itl_ns_blob) VALUES('odd',0,'ok',x'00ff10');"
        "INSERT INTO request(attempt_id,req,status,itl_ns_blob) VALUES('odd',1,'ok',x'');"
        "INSERT INTO kernel_event VALUES('odd','prefill',NULL,'k_a',1,5,6),"
        "('odd','prefill',2,'k_a',NULL,5,6);"
        "INSERT INTO exclusion VALUES('odd','a test','me',5);"
        "INSERT INTO attempt(attempt_id,cell_id,session_id,item_no,rep,block,slot,state,"
        "begun_utc_ns) SELECT 'runs',cell_id,session_id,901,0,0,0,'running',1 FROM attempt LIMIT "
        "1;";
    if (rk_results_exec(c.db, extra, "filling", &c.err) != RK_OK)
        fail_msg("%s", c.err.text);
    run_close(&c);
}

static void export_to(const char *db_path, const char *to, const rk_ledger_filter *filter)
{
    rk_results_db *db;
    rk_error err;
    int64_t attempts;
    if (rk_results_open(&db, db_path, RK_RESULTS_READ, &err) != RK_OK ||
        rk_ledger_export(db, to, filter, &attempts, &err) != RK_OK)
        fail_msg("%s", err.text);
    rk_results_close(db);
}

static rk_status import_to(const char *db_path, const char *from, rk_merge_result *r, rk_error *err)
{
    rk_results_db *db;
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    if (rk_results_open(&db, db_path, RK_RESULTS_WRITE, err) != RK_OK)
        fail_msg("%s", err->text);
    rk_status st = rk_ledger_import(db, from, arena, r, err);
    run_text_is(db, "PRAGMA integrity_check", "ok");
    assert_int_equal(run_int(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    rk_results_close(db);
    rk_arena_free(arena);
    return st;
}

static void same_directory(const char *a, const char *b)
{
    char command[1400];
    snprintf(command, sizeof command, "diff -r '%s' '%s'", a, b);
    assert_int_equal(system(command), 0);
}

static void round_trip_gives_equal_bytes(void **state)
{
    rk_merge_result r;
    rk_error err = {0};
    (void)state;
    fill(in("a.sqlite"), NULL);
    export_to(in("a.sqlite"), in("one"), NULL);
    if (import_to(in("b.sqlite"), in("one"), &r, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_true(r.added > 400);
    assert_int_equal(r.conflicts, 0);
    export_to(in("b.sqlite"), in("two"), NULL);
    same_directory(in("one"), in("two"));
    assert_int_equal(import_to(in("b.sqlite"), in("one"), &r, &err), RK_OK);
    assert_int_equal(r.added, 0);
    assert_int_equal(r.conflicts, 0);
    export_to(in("b.sqlite"), in("two"), NULL); /* over the old files */
    same_directory(in("one"), in("two"));
    rk_results_db *db;
    assert_int_equal(rk_results_open(&db, in("b.sqlite"), RK_RESULTS_READ, &err), RK_OK);
    assert_int_equal(run_int(db, "SELECT count(*) FROM merge_log"), 1);
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt WHERE attempt_id='runs'"), 0);
    run_text_is(db, "SELECT fail_text FROM attempt WHERE attempt_id='odd'",
                " \"quoted\", and\nnewline ");
    assert_int_equal(run_int(db, "SELECT count(*) FROM sample WHERE value=-5e-324 AND idx=8"), 1);
    assert_int_equal(run_int(db, "SELECT text='' FROM output WHERE attempt_id='odd'"), 1);
    run_text_is(db, "SELECT hex(itl_ns_blob) FROM request WHERE req=0", "00FF10");
    assert_int_equal(run_int(db, "SELECT typeof(itl_ns_blob)='blob' FROM request WHERE req=1"), 1);
    assert_int_equal(run_int(db, "SELECT count(*) FROM kernel_event"), 2);
    rk_results_close(db);
}

static void filters_choose(void **state)
{
    rk_merge_result r;
    rk_error err;
    rk_results_db *db;
    int64_t n;
    (void)state;
    fill(in("a.sqlite"), NULL);
    export_to(in("a.sqlite"), in("one"), &(rk_ledger_filter){.experiment = "null"});
    assert_int_equal(import_to(in("b.sqlite"), in("one"), &r, &err), RK_OK);
    assert_int_equal(rk_results_open(&db, in("a.sqlite"), RK_RESULTS_READ, &err), RK_OK);
    assert_int_equal(
        rk_ledger_export(db, in("x"), &(rk_ledger_filter){.experiment = "other"}, &n, &err),
        RK_E_USAGE);
    assert_non_null(strstr(err.text, "no results of other"));
    assert_int_equal(access(in("x"), F_OK), -1);
    assert_int_equal(
        rk_ledger_export(db, in("x"), &(rk_ledger_filter){.session = "none"}, &n, &err),
        RK_E_USAGE);
    rk_results_close(db);
}

static void nothing_private_is_exported(void **state)
{
    char command[1024], host[256] = "";
    (void)state;
    fill(in("a.sqlite"), NULL);
    export_to(in("a.sqlite"), in("one"), NULL);
    gethostname(host, sizeof host - 1);
    snprintf(command, sizeof command, "grep -rlE '(^|[^a-z.])/(tmp|home|usr|etc|root)/' '%s'",
             in("one"));
    assert_int_not_equal(system(command), 0);
    snprintf(command, sizeof command, "grep -rlF -- '%s' '%s'", host, in("one"));
    if (strlen(host) > 3)
        assert_int_not_equal(system(command), 0);
    snprintf(command, sizeof command, "grep -qE 'boot_id|pid' '%s/session.csv'", in("one"));
    assert_int_not_equal(system(command), 0);
}

static void unwritable_places_are_named(void **state)
{
    rk_error err;
    rk_results_db *db;
    int64_t n;
    (void)state;
    fill(in("a.sqlite"), NULL);
    assert_int_equal(rk_results_open(&db, in("a.sqlite"), RK_RESULTS_READ, &err), RK_OK);
    assert_int_equal(rk_ledger_export(db, in("no/such/place"), NULL, &n, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "no/such/place: cannot be made"));
    assert_int_equal(rk_ledger_export(db, in("a.sqlite"), NULL, &n, &err), RK_E_IO);
    rk_results_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip_gives_equal_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(filters_choose, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_private_is_exported, setup, teardown),
        cmocka_unit_test_setup_teardown(unwritable_places_are_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
