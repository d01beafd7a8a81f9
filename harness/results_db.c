/* results_db.c - see results_db.h.
 *
 * Write-ahead logging needs memory shared through the file system; where it
 * cannot be had (network, FUSE) the file is opened with a truncated rollback
 * journal and exclusive locking instead. synchronous=FULL: a committed attempt
 * survives a power cut (0.4 ms a commit where it was measured). */
#define _GNU_SOURCE
#include "results_db.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "build_info.h"
#include "file_lock.h"

enum { STATEMENTS_MAX = 64 };

struct rk_results_db {
    sqlite3 *handle;
    char *path;
    int lock; /* -1: read only */
    rk_results_mode mode;
    char journal[16];
    struct {
        const char *sql;
        sqlite3_stmt *stmt;
    } cache[STATEMENTS_MAX];
    int cached;
};

sqlite3 *rk_results_handle(rk_results_db *db)
{
    return db->handle;
}

const char *rk_results_path(const rk_results_db *db)
{
    return db->path;
}

const char *rk_results_journal(const rk_results_db *db)
{
    return db->journal;
}

/* What a reader of the message can act on. SQLite tells a file that may not grow
 * (a quota, a limit) and a failing disk by the same code. */
static const char *reason(int code)
{
    if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_SHMSIZE)
        return "writing failed; is there room?";
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "locked by another process";
    case SQLITE_READONLY:
        return "it, or its directory, is read-only";
    case SQLITE_NOTADB:
        return "not a results database";
    case SQLITE_CORRUPT:
        return "the file is damaged; restore it or rebuild it from the ledger";
    case SQLITE_CANTOPEN:
        return "cannot be opened";
    case SQLITE_IOERR:
        return "reading or writing failed";
    default:
        return NULL;
    }
}

rk_status rk_results_fail(rk_results_db *db, const char *doing, rk_error *err)
{
    int code = sqlite3_extended_errcode(db->handle), os_error = sqlite3_system_errno(db->handle);
    const char *why = reason(code);
    rk_status st = (code & 0xff) == SQLITE_NOMEM        ? RK_E_MEMORY
                   : (code & 0xff) == SQLITE_NOTADB     ? RK_E_FORMAT
                   : (code & 0xff) == SQLITE_CORRUPT    ? RK_E_FORMAT
                   : (code & 0xff) == SQLITE_CONSTRAINT ? RK_E_ARG
                                                        : RK_E_IO;
    if (!why)
        return rk_fail(err, st, "%s: %s, while %s", db->path, sqlite3_errmsg(db->handle), doing);
    return rk_fail(err, st, "%s: %s, while %s (%s%s%s)", db->path, why, doing,
                   sqlite3_errmsg(db->handle), os_error ? "; " : "",
                   os_error ? strerror(os_error) : "");
}

rk_status rk_results_exec(rk_results_db *db, const char *sql, const char *doing, rk_error *err)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK
               ? RK_OK
               : rk_results_fail(db, doing, err);
}

rk_status rk_results_prepare(rk_results_db *db, const char *sql, sqlite3_stmt **out, rk_error *err)
{
    for (int i = 0; i < db->cached; i++)
        if (db->cache[i].sql == sql) {
            *out = db->cache[i].stmt;
            sqlite3_reset(*out);
            sqlite3_clear_bindings(*out);
            return RK_OK;
        }
    if (db->cached == STATEMENTS_MAX)
        return rk_fail(err, RK_E_ARG, "more than %d prepared statements", STATEMENTS_MAX);
    if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) != SQLITE_OK)
        return rk_results_fail(db, "preparing a statement", err);
    db->cache[db->cached].sql = sql;
    db->cache[db->cached++].stmt = *out;
    return RK_OK;
}

static rk_status bind_list(rk_results_db *db, sqlite3_stmt *s, rk_error *err, const char *types,
                           va_list ap)
{
    int rc = SQLITE_OK;
    for (int i = 1; types[i - 1] && rc == SQLITE_OK; i++)
        switch (types[i - 1]) {
        case 't':
            rc = sqlite3_bind_text(s, i, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
            break;
        case 'i':
            rc = sqlite3_bind_int64(s, i, va_arg(ap, int64_t));
            break;
        case 'd':
            rc = sqlite3_bind_double(s, i, va_arg(ap, double));
            break;
        default:
            rc = sqlite3_bind_null(s, i);
        }
    return rc == SQLITE_OK ? RK_OK : rk_results_fail(db, "binding a value", err);
}

rk_status rk_results_bind(rk_results_db *db, sqlite3_stmt *s, rk_error *err, const char *types, ...)
{
    va_list ap;
    va_start(ap, types);
    rk_status st = bind_list(db, s, err, types, ap);
    va_end(ap);
    return st;
}

rk_status rk_results_run(rk_results_db *db, const char *sql, const char *doing, rk_error *err,
                         const char *types, ...)
{
    sqlite3_stmt *s;
    RK_TRY(rk_results_prepare(db, sql, &s, err));
    va_list ap;
    va_start(ap, types);
    rk_status st = bind_list(db, s, err, types, ap);
    va_end(ap);
    if (st == RK_OK && sqlite3_step(s) != SQLITE_DONE)
        st = rk_results_fail(db, doing, err);
    sqlite3_reset(s);
    return st;
}

rk_status rk_results_int(rk_results_db *db, const char *sql, int64_t *out, int *found,
                         rk_error *err, const char *types, ...)
{
    sqlite3_stmt *s;
    RK_TRY(rk_results_prepare(db, sql, &s, err));
    va_list ap;
    va_start(ap, types);
    rk_status st = bind_list(db, s, err, types, ap);
    va_end(ap);
    int rc = st == RK_OK ? sqlite3_step(s) : SQLITE_DONE;
    *found = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(s, 0);
    else if (rc != SQLITE_DONE)
        st = rk_results_fail(db, "reading", err);
    sqlite3_reset(s);
    return st;
}

rk_status rk_results_begin(rk_results_db *db, rk_error *err)
{
    return rk_results_exec(db, "BEGIN IMMEDIATE", "starting a transaction", err);
}

rk_status rk_results_end(rk_results_db *db, rk_status st, rk_error *err)
{
    if (st == RK_OK)
        st = rk_results_exec(db, "COMMIT", "committing", err);
    /* SQLite has already rolled back after some failures; then this is idle. */
    if (st != RK_OK && !sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

rk_status rk_results_uuid(char text[RK_UUID_TEXT], rk_error *err)
{
    unsigned char b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        return rk_fail(err, RK_E_IO, "getrandom: %s", strerror(errno));
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    char *to = text;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *to++ = '-';
        to += sprintf(to, "%02x", b[i]);
    }
    return RK_OK;
}

static rk_status pragma_int(rk_results_db *db, const char *sql, int64_t *out, rk_error *err)
{
    sqlite3_stmt *s = NULL;
    rk_status st = RK_OK;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        st = rk_results_fail(db, "opening", err);
    else
        *out = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return st;
}

/* Whose file this is; *fresh when it holds nothing yet. */
static rk_status check_identity(rk_results_db *db, int *fresh, rk_error *err)
{
    int64_t application = 0, version = 0, objects = 0;
    RK_TRY(pragma_int(db, "PRAGMA application_id", &application, err));
    RK_TRY(pragma_int(db, "PRAGMA user_version", &version, err));
    RK_TRY(pragma_int(db, "SELECT count(*) FROM sqlite_schema", &objects, err));
    *fresh = !application && !version && !objects;
    if (*fresh)
        return RK_OK;
    if (application != RK_RESULTS_APPLICATION_ID)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: a SQLite file of another program (application id 0x%llx, expected "
                       "0x%x)",
                       db->path, (unsigned long long)application, RK_RESULTS_APPLICATION_ID);
    if (version > RK_RESULTS_VERSION)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s: written by a newer redknot (schema %lld; this one knows %d)", db->path,
                       (long long)version, RK_RESULTS_VERSION);
    if (version < RK_RESULTS_VERSION)
        return rk_fail(err, RK_E_FORMAT, "%s: schema %lld, expected %d", db->path,
                       (long long)version, RK_RESULTS_VERSION);
    return RK_OK;
}

/* Damage shows only where pages are read; a writer reads them all before it adds. */
static rk_status check_pages(rk_results_db *db, rk_error *err)
{
    sqlite3_stmt *s = NULL;
    rk_status st = RK_OK;
    if (sqlite3_prepare_v2(db->handle, "PRAGMA quick_check(1)", -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW) {
        st = rk_results_fail(db, "checking it", err);
        goto done;
    }
    const char *text = (const char *)sqlite3_column_text(s, 0);
    if (!text || strcmp(text, "ok"))
        st = rk_fail(err, RK_E_FORMAT,
                     "%s: the file is damaged; restore it or rebuild it from the ledger (%s)",
                     db->path, text ? text : "no answer");
done:
    sqlite3_finalize(s);
    return st;
}

/* NFS, SMB, CIFS, FUSE, 9p, virtio-fs: no shared memory between hosts. */
static int shares_memory(const char *path)
{
    struct statfs fs;
    char *directory = strdup(path);
    char *slash = directory ? strrchr(directory, '/') : NULL;
    if (slash)
        slash[slash == directory] = '\0';
    int known = statfs(slash ? directory : ".", &fs) == 0;
    free(directory);
    if (!known)
        return 1;
    switch ((uint32_t)fs.f_type) {
    case 0x6969:
    case 0x517b:
    case 0xff534d42:
    case 0xfe534d42:
    case 0x65735546:
    case 0x01021997:
    case 0x6a656a63:
        return 0;
    }
    return 1;
}

static rk_status set_journal(rk_results_db *db, rk_error *err)
{
    sqlite3_stmt *s = NULL;
    int wal = db->mode == RK_RESULTS_WRITE && shares_memory(db->path);
    const char *sql = wal ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=TRUNCATE";
    if (!wal)
        RK_TRY(rk_results_exec(db, "PRAGMA locking_mode=EXCLUSIVE", "opening", err));
    if (sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW) {
        rk_status st = rk_results_fail(db, "choosing the journal", err);
        sqlite3_finalize(s);
        return st;
    }
    snprintf(db->journal, sizeof db->journal, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    if (wal && strcmp(db->journal, "wal")) {
        db->mode = RK_RESULTS_WRITE_ROLLBACK;
        return set_journal(db, err);
    }
    return RK_OK;
}

static rk_status write_identity(rk_results_db *db, rk_error *err)
{
    char id[RK_UUID_TEXT], hash[RK_SHA256_HEX];
    RK_TRY(rk_results_uuid(id, err));
    RK_TRY(rk_sha256_bytes(rk_schema_sql, strlen(rk_schema_sql), hash, err));
    RK_TRY(rk_results_run(db, "INSERT INTO meta(key,value) VALUES('db_id',?)", "creating", err, "t",
                          id));
    return rk_results_run(db, "INSERT INTO migration VALUES(?,'schema',?,?,?)", "creating", err,
                          "itit", (int64_t)RK_RESULTS_VERSION, hash, rk_clock_utc_ns(),
                          RK_BUILD_COMMIT);
}

/* All of it or nothing: killed half-way, the file is still empty. */
static rk_status create(rk_results_db *db, rk_error *err)
{
    RK_TRY(rk_results_begin(db, err));
    rk_status st = rk_results_exec(db, rk_schema_sql, "creating the schema", err);
    if (st == RK_OK)
        st = write_identity(db, err);
    return rk_results_end(db, st, err);
}

static rk_status open_writer(rk_results_db *db, rk_error *err)
{
    int fresh;
    char lock[4096];
    if (snprintf(lock, sizeof lock, "%s.lock", db->path) >= (int)sizeof lock)
        return rk_fail(err, RK_E_USAGE, "%s: the path is too long", db->path);
    RK_TRY(rk_file_lock_open(&db->lock, lock, db->path, err));
    if (sqlite3_open_v2(db->path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return rk_results_fail(db, "opening", err);
    sqlite3_busy_timeout(db->handle, RK_RESULTS_BUSY_MS);
    if (sqlite3_db_readonly(db->handle, "main") == 1)
        return rk_fail(err, RK_E_IO, "%s: it, or its directory, is read-only", db->path);
    RK_TRY(check_identity(db, &fresh, err));
    if (!fresh)
        RK_TRY(check_pages(db, err));
    RK_TRY(set_journal(db, err));
    RK_TRY(rk_results_exec(db, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;", "opening", err));
    return fresh ? create(db, err) : RK_OK;
}

/* A reader of a WAL database in a read-only place cannot make the shared index;
 * when no log is left behind, the file alone is the whole truth. */
static int open_immutable(rk_results_db *db)
{
    char wal[4096];
    struct stat info;
    snprintf(wal, sizeof wal, "%s-wal", db->path);
    if (!stat(wal, &info) && info.st_size > 0)
        return SQLITE_CANTOPEN;
    char *uri = sqlite3_mprintf("file:%s?immutable=1", db->path);
    if (!uri || strpbrk(db->path, "?#%")) {
        sqlite3_free(uri);
        return SQLITE_CANTOPEN;
    }
    sqlite3_close(db->handle);
    int rc = sqlite3_open_v2(uri, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    sqlite3_free(uri);
    return rc;
}

static rk_status open_reader(rk_results_db *db, rk_error *err)
{
    struct stat info;
    int fresh;
    if (stat(db->path, &info))
        return rk_fail(err, RK_E_IO, "%s: %s", db->path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return rk_fail(err, RK_E_IO, "%s: not a file", db->path);
    if (sqlite3_open_v2(db->path, &db->handle, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return rk_results_fail(db, "opening", err);
    sqlite3_busy_timeout(db->handle, RK_RESULTS_BUSY_MS);
    int rc = sqlite3_exec(db->handle, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    if (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY)
        if (open_immutable(db) != SQLITE_OK)
            return rk_results_fail(db, "opening", err);
    RK_TRY(check_identity(db, &fresh, err));
    if (fresh)
        return rk_fail(err, RK_E_FORMAT, "%s: holds no results yet", db->path);
    snprintf(db->journal, sizeof db->journal, "read");
    return rk_results_exec(db, "PRAGMA foreign_keys=ON", "opening", err);
}

rk_status rk_results_open(rk_results_db **out, const char *path, rk_results_mode mode,
                          rk_error *err)
{
    *out = NULL;
    rk_results_db *db = rk_heap_take(1, sizeof *db, err);
    if (!db)
        return RK_E_MEMORY;
    db->lock = -1;
    db->mode = mode;
    db->path = strdup(path);
    rk_status st = db->path ? RK_OK : rk_fail(err, RK_E_MEMORY, "out of memory: a path");
    if (st == RK_OK)
        st = mode == RK_RESULTS_READ ? open_reader(db, err) : open_writer(db, err);
    if (st != RK_OK) {
        rk_results_close(db);
        return st;
    }
    *out = db;
    return RK_OK;
}

void rk_results_close(rk_results_db *db)
{
    if (!db)
        return;
    for (int i = 0; i < db->cached; i++)
        sqlite3_finalize(db->cache[i].stmt);
    sqlite3_close(db->handle);
    rk_file_lock_close(db->lock);
    free(db->path);
    free(db);
}
