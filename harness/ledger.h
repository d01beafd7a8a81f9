/* ledger.h - raw results as a directory of CSV files, for git and for people.
 *
 *   ledger.csv     format and the rows of every other file
 *   attempt.csv    a row an attempt; behind its own columns one a metric, several
 *                  values joined by ';'
 *   TABLE.csv      the rows of other tables that those attempts need
 *
 * Same rows, same bytes. Import into an empty database and export again: equal
 * bytes. Importing twice changes nothing. Files without rows are not written. */
#ifndef RK_HARNESS_LEDGER_H
#define RK_HARNESS_LEDGER_H

#include "merge.h"
#include "results_db.h"

RK_C_BEGIN

/* NULL fields do not filter. Borrowed. */
typedef struct rk_ledger_filter {
    const char *experiment; /* exp_id */
    const char *session;    /* session_id */
} rk_ledger_filter;

/* Writes the chosen attempts and all they refer to; running ones stay out. The
 * directory is made when absent; files of an earlier export are replaced or
 * removed. RK_E_USAGE: nothing is chosen. */
rk_status rk_ledger_export(rk_results_db *db, const char *directory, const rk_ledger_filter *filter,
                           int64_t *attempts, rk_error *err);

/* Reads and checks a whole directory, then merges it in one transaction: a broken
 * file changes nothing. RK_E_FORMAT "<file>:<line>: ...". */
rk_status rk_ledger_import(rk_results_db *db, const char *directory, rk_arena *arena,
                           rk_merge_result *out, rk_error *err);

/* The reader alone, for tests: an empty attached database `src` with our tables;
 * one table from text. */
rk_status rk_ledger_stage(rk_results_db *db, rk_error *err);
void rk_ledger_unstage(rk_results_db *db);
rk_status rk_ledger_load(rk_results_db *db, const char *table, const char *text, size_t n,
                         const char *path, int64_t *rows, rk_error *err);

RK_C_END

#endif
