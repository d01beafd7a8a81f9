/* test_ledger_import.c - broken ledgers: the file and the line, and nothing changed. */
#define _GNU_SOURCE
#include "run_cases.h"

#include "ledger.h"

static char directory[300];

static void command(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void command(const char *fmt, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    assert_int_equal(system(text), 0);
}

static int setup(void **state)
{
    char path[400];
    run_case c;
    int64_t n;
    (void)state;
    snprintf(directory, sizeof directory, "%s", run_directory());
    snprintf(path, sizeof path, "%s/a.sqlite", directory);
    run_open(&c, NULL, path);
    assert_int_equal(run_run(&c), RK_OK);
    snprintf(path, sizeof path, "%s/good", directory);
    assert_int_equal(rk_ledger_export(c.db, path, NULL, &n, &c.err), RK_OK);
    run_close(&c);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    run_remove(directory);
    return 0;
}

typedef struct damage {
    const char *edit; /* shell, in a copy of the ledger */
    const char *message;
} damage;

static const damage damages[] = {
    {"rm ledger.csv", "ledger.csv: cannot open"},
    {"rm cell.csv", "cell.csv: cannot open"},
    {"sed -i 's/format,1/format,2/' ledger.csv", "ledger.csv:2: expected 'format,1'"},
    {"sed -i 's/^cell,/cells,/' ledger.csv", "expected a table and its rows"},
    {"sed -i 's/^cell,6/cell,7/' ledger.csv", "cell.csv: 6 rows; ledger.csv says 7"},
    {"sed -i '$d' attempt.csv", "attempt.csv: 143 rows; ledger.csv says 144"},
    {"truncate -s -1 attempt.csv", "attempt.csv:145: the last line has no end"},
    {": > attempt.csv", "attempt.csv:1: the file is empty"},
    {"sed -i '1s/item_no/item/' attempt.csv", "attempt.csv:1: expected column 4 to be 'item_no'"},
    {"sed -i '1s/null_ms/null_us/' attempt.csv", "attempt.csv:2: FOREIGN KEY"},
    {"sed -i '7s/,ok,/,good,/' attempt.csv", "attempt.csv:7: CHECK"},
    {"sed -i '9s/^[^,]*,/,/' attempt.csv", "attempt.csv:9: NOT NULL"},
    {"sed -i '5s/$/,1/' attempt.csv", "attempt.csv:5: 22 fields, expected 21"},
    {"sed -i '5s/,[^,]*$/,1;x/' attempt.csv",
     "attempt.csv:5: null_tokens: expected a finite number"},
    {"sed -i '5s/,[^,]*$/,1;nan/' attempt.csv", "expected a finite number, got 'nan'"},
    {"sed -i '5s/,[^,]*$/,1 2/' attempt.csv",
     "attempt.csv:5: null_tokens: expected numbers joined"},
    {"sed -i '5s/,[^,]*$/,a:2/' attempt.csv",
     "attempt.csv:5: null_tokens: expected a whole number"},
    {"sed -i '5s/,[^,]*$/,0:2;0:3/' attempt.csv", "attempt.csv:5: UNIQUE"},
    {"sed -i '4{p}' attempt.csv", "attempt.csv:5: UNIQUE"},
    {"sed -i '6s/,ok,[0-9]*,/,ok,12x,/' attempt.csv",
     "attempt.csv:6: begun_utc_ns: expected a whole"},
    {"sed -i '6s/,ok,[0-9]*,/,ok,99999999999999999999,/' attempt.csv", "expected a whole number"},
    {"sed -i '3s/^/\"/' attempt.csv", "attempt.csv:"},
    {"sed -i '3s/,ok,/,o\"k,/' attempt.csv", "attempt.csv:3:"},
    {"printf 'a\\0b\\n' >> attempt.csv", "attempt.csv:146: a NUL byte"},
    {"sed -i '2s/,none$/,nine/' model.csv", "model.csv:2: CHECK"},
    {"sed -i '2s/,null,/,nill,/' model.csv", "its id is not the hash of its content"},
    {"sed -i 's/:1024/:1025/g' cell.csv", "its id is not the hash of its content"},
};

static void broken_ledgers_change_nothing(void **state)
{
    char db_path[400], bad[400];
    rk_results_db *db;
    rk_arena *arena;
    rk_error err;
    rk_merge_result r;
    (void)state;
    snprintf(db_path, sizeof db_path, "%s/b.sqlite", directory);
    snprintf(bad, sizeof bad, "%s/bad", directory);
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_results_open(&db, db_path, RK_RESULTS_WRITE, &err), RK_OK);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        command("rm -rf '%s' && cp -r '%s/good' '%s' && cd '%s' && %s", bad, directory, bad, bad,
                damages[i].edit);
        rk_status st = rk_ledger_import(db, bad, arena, &r, &err);
        if ((st != RK_E_FORMAT && st != RK_E_IO) || !strstr(err.text, damages[i].message))
            fail_msg("%s: status %d, '%s' lacks '%s'", damages[i].edit, st, err.text,
                     damages[i].message);
        assert_int_equal(run_int(db, "SELECT (SELECT count(*) FROM attempt)+(SELECT count(*) FROM "
                                     "host)+(SELECT count(*) FROM merge_log)"),
                         0);
    }
    snprintf(bad, sizeof bad, "%s/good", directory);
    assert_int_equal(rk_ledger_import(db, bad, arena, &r, &err), RK_OK);
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt"), 144);
    rk_results_close(db);
    rk_arena_free(arena);
}

static void unknown_tables_are_refused(void **state)
{
    char db_path[400];
    rk_results_db *db;
    rk_error err;
    int64_t rows;
    (void)state;
    snprintf(db_path, sizeof db_path, "%s/c.sqlite", directory);
    assert_int_equal(rk_results_open(&db, db_path, RK_RESULTS_WRITE, &err), RK_OK);
    assert_int_equal(rk_ledger_stage(db, &err), RK_OK);
    assert_int_equal(rk_ledger_load(db, "meta", "a\n", 2, "x.csv", &rows, &err), RK_E_FORMAT);
    assert_int_equal(rk_ledger_load(db, "request", "a\n", 2, "x.csv", &rows, &err), RK_E_FORMAT);
    static const char odd[] = "attempt_id,req,item_no,sched_ns,sent_ns,first_ns,last_ns,n_in,n_out,"
                              "n_hit,n_recomputed,status,out_sha256,itl_ns_blob\n"
                              "x,0,,,,,,,,,,ok,,0g\n";
    assert_int_equal(rk_ledger_load(db, "request", odd, sizeof odd - 1, "x.csv", &rows, &err),
                     RK_E_FORMAT);
    assert_non_null(strstr(err.text, "x.csv:2: itl_ns_blob: expected bytes in hexadecimal"));
    rk_ledger_unstage(db);
    rk_results_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(broken_ledgers_change_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_tables_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
