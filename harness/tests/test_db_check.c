/* test_db_check.c - a sound database has no problems; each kind of damage is one. */
#define _GNU_SOURCE
#include "run_cases.h"

#include "db_check.h"

static const struct {
    const char *sql, *says;
} damages[] = {
    {"DROP TRIGGER sample_nodelete; DELETE FROM sample WHERE attempt_id=(SELECT min(attempt_id) "
     "FROM attempt) AND metric='null_tokens'",
     "attempt whose samples are not as many as it says"},
    {"UPDATE model SET name='forged'", "its id is not the hash of its content"},
    {"UPDATE cell SET axes_json='{}'", "its id is not the hash of its content"},
    {"PRAGMA foreign_keys=OFF; DELETE FROM protocol; PRAGMA foreign_keys=ON",
     "broken reference: cell -> protocol"},
    {"DROP TRIGGER sample_frozen; UPDATE sample SET value=9e999 WHERE attempt_id=(SELECT "
     "min(attempt_id) FROM attempt) AND metric='null_tokens'",
     "sample that is not finite"},
    {"DROP TRIGGER attempt_frozen; UPDATE attempt SET state='running', ended_utc_ns=NULL WHERE "
     "attempt_id=(SELECT min(attempt_id) FROM attempt)",
     "attempt still running in a session that is over"},
};

static char *check(rk_results_db *db, int64_t *problems)
{
    char *text = NULL;
    size_t n = 0;
    rk_error err;
    FILE *f = open_memstream(&text, &n);
    if (rk_db_check(db, f, problems, &err) != RK_OK)
        fail_msg("%s", err.text);
    fclose(f);
    return text;
}

static void damage_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char path[600];
        const char *directory = run_directory();
        int64_t problems;
        run_case c;
        snprintf(path, sizeof path, "%s/r.sqlite", directory);
        run_open(&c, NULL, path);
        assert_int_equal(run_run(&c), RK_OK);
        char *text = check(c.db, &problems);
        assert_int_equal(problems, 0);
        assert_string_equal(text, "");
        free(text);
        if (rk_results_exec(c.db, damages[i].sql, "damaging", &c.err) != RK_OK)
            fail_msg("%s", c.err.text);
        text = check(c.db, &problems);
        assert_true(problems > 0);
        if (!strstr(text, damages[i].says))
            fail_msg("'%s' lacks '%s'", text, damages[i].says);
        free(text);
        run_close(&c);
        run_remove(directory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damage_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
