/* test_ledger_tables.c - every table travels or is known to stay; parents first. */
#define _GNU_SOURCE
#include "run_cases.h"

#include "ledger_tables.h"

static int position(const char *name)
{
    for (int i = 0; rk_ledger_tables[i].name; i++)
        if (!strcmp(rk_ledger_tables[i].name, name))
            return i;
    return -1;
}

static void tables(void **state)
{
    /* Of this file alone: its own history, or made again from other files. */
    static const char stay[] = " meta migration merge_log published verdict sample ";
    char path[600];
    const char *directory = run_directory();
    rk_results_db *db;
    rk_arena *arena;
    sqlite3_stmt *s;
    (void)state;
    snprintf(path, sizeof path, "%s/r.sqlite", directory);
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_results_open(&db, path, RK_RESULTS_WRITE, NULL), RK_OK);
    sqlite3_prepare_v2(rk_results_handle(db),
                       "SELECT t.name, f.\"table\" FROM sqlite_schema t LEFT JOIN "
                       "pragma_foreign_key_list(t.name) f WHERE t.type='table'",
                       -1, &s, NULL);
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        const char *parent = (const char *)sqlite3_column_text(s, 1);
        if (rk_ledger_lists(stay, name))
            continue;
        if (position(name) < 0)
            fail_msg("table %s neither travels nor is known to stay", name);
        if (parent && position(parent) >= position(name))
            fail_msg("%s comes before its parent %s", name, parent);
    }
    sqlite3_finalize(s);
    for (const rk_ledger_table *t = rk_ledger_tables; t->name; t++) {
        rk_ledger_columns c;
        assert_int_equal(rk_ledger_columns_read(db, t, arena, &c, NULL), RK_OK);
        assert_true(c.n > 0);
        for (int32_t i = 0; i < c.n; i++)
            assert_false(rk_ledger_lists(t->dropped, c.c[i].name));
    }
    rk_results_close(db);
    rk_arena_free(arena);
    run_remove(directory);
}

static void lists(void **state)
{
    (void)state;
    assert_true(rk_ledger_lists(" pid boot ", "pid"));
    assert_true(rk_ledger_lists(" pidx pid ", "pid"));
    assert_false(rk_ledger_lists(" pidx xpid ", "pid"));
    assert_false(rk_ledger_lists("", "pid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables), cmocka_unit_test(lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
