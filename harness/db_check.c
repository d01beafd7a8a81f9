/* db_check.c - see db_check.h. */
#include "db_check.h"

#include <inttypes.h>
#include <string.h>

#include "results_rows.h"

static const char *const content_keyed[] = {"host",    "env",    "build",   "model",
                                            "dataset", "method", "protocol"};

/* The row as the object that its id is the hash of: all but the first column. */
static json_t *row_object(sqlite3_stmt *s, int first)
{
    json_t *row = json_object();
    for (int i = first; i < sqlite3_column_count(s); i++) {
        json_t *value = NULL;
        if (sqlite3_column_type(s, i) == SQLITE_INTEGER)
            value = json_integer(sqlite3_column_int64(s, i));
        else if (sqlite3_column_type(s, i) == SQLITE_TEXT)
            value = json_string((const char *)sqlite3_column_text(s, i));
        if (value)
            json_object_set_new(row, sqlite3_column_name(s, i), value);
    }
    return row;
}

static rk_status check_row(sqlite3_stmt *s, const char *table, const char *where, rk_error *err)
{
    char id[RK_SHA256_HEX];
    const char *given = (const char *)sqlite3_column_text(s, 0);
    json_t *row = row_object(s, 1);
    rk_status st = rk_results_row_id(row, table, id, NULL, err);
    json_decref(row);
    if (st == RK_OK && strcmp(id, given ? given : ""))
        return rk_fail(err, RK_E_FORMAT, "%s: %s %.16s: its id is not the hash of its content",
                       where, table, given ? given : "NULL");
    return st;
}

static rk_status check_table(rk_results_db *db, const char *sql_text, const char *table,
                             const char *where, rk_error *err)
{
    sqlite3_stmt *s = NULL;
    rk_status st = RK_OK;
    int rc = SQLITE_DONE;
    if (sqlite3_prepare_v2(rk_results_handle(db), sql_text, -1, &s, NULL) != SQLITE_OK)
        return rk_results_fail(db, "checking ids", err);
    while (st == RK_OK && (rc = sqlite3_step(s)) == SQLITE_ROW)
        st = check_row(s, table, where, err);
    if (st == RK_OK && rc != SQLITE_DONE)
        st = rk_results_fail(db, "checking ids", err);
    sqlite3_finalize(s);
    return st;
}

rk_status rk_db_check_ids(rk_results_db *db, const char *schema, const char *where, rk_error *err)
{
    rk_status st = RK_OK;
    char sql[256];
    for (size_t i = 0; st == RK_OK && i < sizeof content_keyed / sizeof *content_keyed; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %.20s.%s", schema, content_keyed[i]);
        st = check_table(db, sql, content_keyed[i], where, err);
    }
    if (st != RK_OK)
        return st;
    snprintf(sql, sizeof sql,
             "SELECT cell_id, exp_id, axes_json AS axes, model_id, dataset_id, method_id, "
             "protocol_id FROM %.20s.cell",
             schema);
    return check_table(db, sql, "cell", where, err);
}

typedef struct question {
    const char *sql, *says; /* each row of `sql` is a problem; its first column names it */
} question;

static const question questions[] = {
    {"SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check<>'ok'", "pages"},
    {"SELECT \"table\"||' -> '||parent FROM pragma_foreign_key_check", "broken reference"},
    {"SELECT a.attempt_id FROM attempt a WHERE state='ok' AND n_samples IS NOT NULL AND n_samples<>"
     "(SELECT count(*) FROM sample s WHERE s.attempt_id=a.attempt_id)",
     "attempt whose samples are not as many as it says"},
    {"SELECT a.attempt_id FROM attempt a JOIN session s ON s.session_id=a.session_id WHERE "
     "a.state='running' AND s.ended_utc_ns IS NOT NULL",
     "attempt still running in a session that is over"},
    {"SELECT value FROM sample WHERE value<>value OR abs(value)>1.7976931348623157e308",
     "sample that is not finite"}};

static rk_status ask(rk_results_db *db, const question *q, FILE *out, int64_t *problems,
                     rk_error *err)
{
    sqlite3_stmt *s;
    int rc;
    RK_TRY(rk_results_prepare(db, q->sql, &s, err));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        fprintf(out, "%s: %s\n", q->says, (const char *)sqlite3_column_text(s, 0));
        ++*problems;
    }
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? RK_OK : rk_results_fail(db, "checking", err);
}

rk_status rk_db_check(rk_results_db *db, FILE *out, int64_t *problems, rk_error *err)
{
    rk_error id_error = {0};
    *problems = 0;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        RK_TRY(ask(db, &questions[i], out, problems, err));
    rk_status st = rk_db_check_ids(db, "main", rk_results_path(db), &id_error);
    if (st == RK_E_FORMAT) {
        fprintf(out, "%s\n", id_error.text);
        ++*problems;
        return RK_OK;
    }
    if (st != RK_OK && err)
        *err = id_error;
    return st;
}
