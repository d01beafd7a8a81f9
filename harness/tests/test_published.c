/* test_published.c - the csv format, the files of the repository, the table. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "published.h"
#include "results_fixture.h"

#define HEAD "exp_id,series,x,metric,value,unit,origin,locator,provenance,hw\n"
#define PUBLISHED RK_TEST_DATA "/../experiments/published"

static rk_status read_text(const char *text, rk_arena *arena, rk_published *out, rk_error *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s/published_%ld.csv", RK_TEST_BUILD, (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    rk_status status = rk_published_read(path, arena, out, err);
    unlink(path);
    return status;
}

static void test_rows(void **state)
{
    (void)state;
    rk_arena *arena;
    rk_published p;
    rk_error err = {0};
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    if (read_text(HEAD "fig1,dense,16K,em,0.60,fraction,repo-json,\"a, b\",HX,8x H800\n"
                       "fig1,dense,16K,em,1,fraction,paper-text,page 3,D,\n",
                  arena, &p, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(p.n, 2);
    assert_true(p.row[0].value == 0.6 && p.row[0].decimals == 2 && p.row[1].decimals == 0);
    assert_string_equal(p.row[0].locator, "a, b");
    assert_string_equal(p.row[0].provenance, "HX");
    assert_string_equal(p.row[1].hw, "");
    assert_int_equal(p.row[1].line, 3);
    rk_arena_free(arena);
}

static void test_bad_rows(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"exp_id,series\n", "line 1: expected column 3 to be x"},
        {"exp,series,x,metric,value,unit,origin,locator,provenance,hw\n", "column 1 to be exp_id"},
        {HEAD "f,s,x,m,1,u,repo-json,l,H\n", "line 2: expected 10 columns, got 'fewer'"},
        {HEAD "f,s,x,m,1,u,repo-json,l,H,h,more\n", "expected 10 columns, got 'more'"},
        {HEAD "f,s,x,m,many,u,repo-json,l,H,h\n", "expected a number as value, got 'many'"},
        {HEAD "f,s,x,m,nan,u,repo-json,l,H,h\n", "expected a number as value"},
        {HEAD "f,s,x,m,1,u,rumour,l,H,h\n", "got 'rumour'"},
        {HEAD "f,s,x,m,1,u,blog,l,Q,h\n", "letters M A H S X D, got 'Q'"},
        {HEAD "f,s,x,m,1,u,blog,l,,h\n", "letters M A H S X D"},
        {HEAD "f,s,x,m,1,u,blog,,D,h\n", "locator to be filled"},
        {HEAD "f,s,x,m,1,u,blog,l,D,h\nf,s,x,m,2,u,blog,l,D,h\n", "is also at"},
        {HEAD "f,s,x,m,1,u,blog,\"l,D,h\n", "line 2:"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_arena *arena;
        rk_published p;
        rk_error err = {0};
        assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
        assert_int_equal(read_text(rows[i][0], arena, &p, &err), RK_E_FORMAT);
        if (!strstr(err.text, rows[i][1]) || !strstr(err.text, ".csv"))
            fail_msg("row %zu: %s", i, err.text);
        assert_int_equal(p.n, 0);
        rk_arena_free(arena);
    }
    rk_published p;
    rk_error err = {0};
    assert_int_equal(rk_published_read("/no/such", NULL, &p, &err), RK_E_IO);
}

static void test_repository(void **state)
{
    (void)state;
    rk_arena *arena;
    rk_published p;
    rk_error err = {0};
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    if (rk_published_read(PUBLISHED, arena, &p, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(p.n, 540);
    double speedup = 0;
    int figures = 0;
    const char *last = "";
    for (int64_t i = 0; i < p.n; i++) {
        const rk_published_row *r = p.row + i;
        if (!strcmp(r->exp_id, "fig08_quality_ttft") && !strcmp(r->series, "redknot") &&
            !strcmp(r->x, "L70-HQA-64K") && !strcmp(r->metric, "ttft_speedup"))
            speedup = r->value;
        figures += strcmp(r->file, last) != 0;
        last = r->file;
    }
    assert_true(speedup == 3.52);
    assert_int_equal(figures, 13);
    rk_arena_free(arena);
}

static int64_t count(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return n;
}

static void test_store(void **state)
{
    (void)state;
    fixture f;
    rk_arena *arena;
    rk_published p;
    rk_error err = {0};
    fixture_open(&f, "published");
    fixture_sql(&f, "COMMIT;");
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_published_read(PUBLISHED, arena, &p, NULL), RK_OK);
    /* Twice is once: rows are replaced by their key. */
    for (int i = 0; i < 2; i++)
        if (rk_published_store(&p, f.db, "main", &err) != RK_OK)
            fail_msg("%s", err.text);
    assert_int_equal(count(f.db, "SELECT count(*) FROM main.published"), p.n);
    assert_int_equal(rk_published_store(&p, f.db, "temp", &err), RK_OK);
    assert_int_equal(count(f.db, "SELECT count(*) FROM temp.published"), p.n);
    assert_int_equal(count(f.db, "SELECT count(*) FROM published WHERE locator LIKE '% [H]'"
                                 " AND exp_id = 'fig08_quality_ttft' AND metric = 'em'"),
                     16);
    assert_int_equal(rk_published_store(&p, f.db, "other", &err), RK_E_ARG);
    /* A table that refuses leaves nothing half done. */
    fixture_sql(&f, "DELETE FROM main.published; CREATE TRIGGER t BEFORE INSERT ON main.published"
                    " WHEN NEW.exp_id = 'fig13' BEGIN SELECT RAISE(ABORT, 'full'); END;");
    assert_int_equal(rk_published_store(&p, f.db, "main", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "full"));
    assert_int_equal(count(f.db, "SELECT count(*) FROM main.published"), 0);
    rk_arena_free(arena);
    fixture_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_repository),
        cmocka_unit_test(test_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
