/* results_db.h - the SQLite file: opening, checking, statements, errors.
 *
 * One process writes (a lock file beside the database), any number read. What
 * the rows mean is results_rows.h's business. One connection, one thread. */
#ifndef RK_HARNESS_RESULTS_DB_H
#define RK_HARNESS_RESULTS_DB_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_results_db rk_results_db;

enum {
    RK_RESULTS_APPLICATION_ID = 0x524b4248, /* 'RKBH' */
    RK_RESULTS_VERSION = 1,                 /* of schema.sql, in user_version */
    RK_RESULTS_BUSY_MS = 30000
};

typedef enum rk_results_mode {
    RK_RESULTS_READ,          /* the file must exist; nothing is written */
    RK_RESULTS_WRITE,         /* made when absent; refused while another process writes */
    RK_RESULTS_WRITE_ROLLBACK /* the same without WAL, as on network file systems */
} rk_results_mode;

extern const char rk_schema_sql[]; /* generated from schema.sql */

/* Opens and checks: a foreign file, a newer schema, damage and a read-only place
 * are refused with one line that names the path. The caller ends it with
 * rk_results_close. */
rk_status rk_results_open(rk_results_db **out, const char *path, rk_results_mode mode,
                          rk_error *err);
void rk_results_close(rk_results_db *db); /* accepts NULL */

sqlite3 *rk_results_handle(rk_results_db *db); /* borrowed */
const char *rk_results_path(const rk_results_db *db);
/* "wal", or "truncate" where the file system cannot share memory. */
const char *rk_results_journal(const rk_results_db *db);

/* Turns SQLite's last failure into one line: "<path>: disk is full, while <doing>". */
rk_status rk_results_fail(rk_results_db *db, const char *doing, rk_error *err);

/* Runs statements that take and return nothing. */
rk_status rk_results_exec(rk_results_db *db, const char *sql, const char *doing, rk_error *err);

/* A prepared statement, kept by the address of `sql` (a literal); reset and
 * without bindings. Borrowed. */
rk_status rk_results_prepare(rk_results_db *db, const char *sql, sqlite3_stmt **out, rk_error *err);

/* Binds in order: 't' const char * (NULL = NULL), 'i' int64_t, 'd' double, 'n' NULL. */
rk_status rk_results_bind(rk_results_db *db, sqlite3_stmt *s, rk_error *err, const char *types,
                          ...);

/* Runs one cached statement that returns no rows. `doing` is for messages. */
rk_status rk_results_run(rk_results_db *db, const char *sql, const char *doing, rk_error *err,
                         const char *types, ...);

/* First column of the first row; *found = 0 when there is none. */
rk_status rk_results_int(rk_results_db *db, const char *sql, int64_t *out, int *found,
                         rk_error *err, const char *types, ...);

/* BEGIN IMMEDIATE; COMMIT when `st` is RK_OK, else ROLLBACK. end returns `st`, or
 * the failure of the commit. */
rk_status rk_results_begin(rk_results_db *db, rk_error *err);
rk_status rk_results_end(rk_results_db *db, rk_status st, rk_error *err);

enum { RK_UUID_TEXT = 37 };
/* A random (version 4) UUID. */
rk_status rk_results_uuid(char text[RK_UUID_TEXT], rk_error *err);

RK_C_END

#endif
