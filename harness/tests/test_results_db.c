/* test_results_db.c - opening: what is made, what is refused, and in which words. */
#define _GNU_SOURCE
#include "run_cases.h"

#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results_rows.h"

static char directory[300], path[500];

static int setup(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "%s", run_directory());
    snprintf(path, sizeof path, "%s/r.sqlite", directory);
    return 0;
}

static int teardown(void **state)
{
    char mount_point[400];
    (void)state;
    /* A test that failed may have left a mount behind. */
    snprintf(mount_point, sizeof mount_point, "%s/tiny", directory);
    umount2(mount_point, MNT_DETACH);
    snprintf(mount_point, sizeof mount_point, "%s/ro", directory);
    umount2(mount_point, MNT_DETACH);
    run_remove(directory);
    return 0;
}

static void refused(rk_results_mode mode, rk_status status, const char *message)
{
    rk_results_db *db;
    rk_error err = {0};
    rk_status st = rk_results_open(&db, path, mode, &err);
    if (st != status || !strstr(err.text, message) || !strstr(err.text, path))
        fail_msg("status %d (expected %d), '%s' lacks '%s'", st, status, err.text, message);
    assert_null(db);
}

static void edit(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void make(void)
{
    run_case c;
    run_open(&c, NULL, path);
    assert_int_equal(run_run(&c), RK_OK);
    run_close(&c);
}

static void makes_a_file_with_our_marks(void **state)
{
    rk_results_db *db;
    rk_error err;
    (void)state;
    assert_int_equal(rk_results_open(&db, path, RK_RESULTS_WRITE, &err), RK_OK);
    assert_string_equal(rk_results_journal(db), "wal");
    assert_int_equal(run_int(db, "PRAGMA application_id"), 0x524b4248);
    assert_int_equal(run_int(db, "PRAGMA user_version"), RK_RESULTS_VERSION);
    assert_int_equal(run_int(db, "PRAGMA foreign_keys"), 1);
    assert_int_equal(run_int(db, "PRAGMA synchronous"), 2);
    assert_int_equal(run_int(db, "PRAGMA busy_timeout"), RK_RESULTS_BUSY_MS);
    assert_int_equal(run_int(db, "SELECT count(*) FROM migration"), 1);
    assert_int_equal(run_int(db, "SELECT length(value) FROM meta WHERE key='db_id'"), 36);
    rk_results_close(db);
    rk_results_close(NULL);
}

static void works_without_shared_memory(void **state)
{
    rk_results_db *db;
    rk_error err;
    (void)state;
    make();
    assert_int_equal(rk_results_open(&db, path, RK_RESULTS_WRITE_ROLLBACK, &err), RK_OK);
    assert_string_equal(rk_results_journal(db), "truncate");
    assert_int_equal(rk_results_exec(db, "INSERT INTO meta VALUES('a','b')", "testing", &err),
                     RK_OK);
    rk_results_close(db);
    assert_int_equal(rk_results_open(&db, path, RK_RESULTS_READ, &err), RK_OK);
    assert_int_equal(run_int(db, "SELECT count(*) FROM meta"), 2);
    rk_results_close(db);
}

static void one_writer_many_readers(void **state)
{
    rk_results_db *writer, *reader;
    rk_error err;
    char pid[64];
    (void)state;
    make();
    assert_int_equal(rk_results_open(&writer, path, RK_RESULTS_WRITE, &err), RK_OK);
    snprintf(pid, sizeof pid, "in use by process %ld", (long)getpid());
    refused(RK_RESULTS_WRITE, RK_E_IO, pid);
    assert_int_equal(rk_results_open(&reader, path, RK_RESULTS_READ, &err), RK_OK);
    assert_int_equal(rk_results_begin(writer, &err), RK_OK);
    assert_int_equal(run_int(reader, "SELECT count(*) FROM attempt"), 144);
    assert_int_equal(rk_results_exec(reader, "DELETE FROM meta", "testing", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "read-only"));
    assert_int_equal(rk_results_end(writer, RK_E_ARG, &err), RK_E_ARG); /* rolls back */
    rk_results_close(reader);
    rk_results_close(writer);
    assert_int_equal(rk_results_open(&writer, path, RK_RESULTS_WRITE, &err), RK_OK);
    rk_results_close(writer);
}

static void lock_of_a_stranger_is_named(void **state)
{
    rk_results_db *db;
    rk_error err;
    sqlite3 *other;
    (void)state;
    make();
    assert_int_equal(rk_results_open(&db, path, RK_RESULTS_WRITE, &err), RK_OK);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_busy_timeout(rk_results_handle(db), 20);
    assert_int_equal(rk_results_begin(db, &err), RK_E_IO);
    assert_non_null(strstr(err.text, "locked by another process"));
    sqlite3_close(other);
    rk_results_close(db);
}

static void strange_files_are_refused(void **state)
{
    FILE *f;
    (void)state;
    refused(RK_RESULTS_READ, RK_E_IO, "No such file");
    f = fopen(path, "w");
    fclose(f);
    refused(RK_RESULTS_READ, RK_E_FORMAT, "holds no results yet");
    f = fopen(path, "w");
    for (int i = 0; i < 300; i++)
        fputs("twenty bytes of text", f);
    fclose(f);
    refused(RK_RESULTS_READ, RK_E_FORMAT, "not a results database");
    refused(RK_RESULTS_WRITE, RK_E_FORMAT, "not a results database");
    unlink(path);
    edit("CREATE TABLE t(a)");
    refused(RK_RESULTS_READ, RK_E_FORMAT, "another program (application id 0x0");
    refused(RK_RESULTS_WRITE, RK_E_FORMAT, "another program");
    unlink(path);
    make();
    edit("PRAGMA user_version=9");
    refused(RK_RESULTS_READ, RK_E_UNSUPPORTED, "newer redknot (schema 9; this one knows 1)");
    refused(RK_RESULTS_WRITE, RK_E_UNSUPPORTED, "newer redknot");
    edit("PRAGMA user_version=0");
    refused(RK_RESULTS_WRITE, RK_E_FORMAT, "schema 0, expected 1");
}

static void directories_and_missing_places(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/none/r.sqlite", directory);
    refused(RK_RESULTS_WRITE, RK_E_IO, "cannot lock it for writing");
    snprintf(path, sizeof path, "%s", directory);
    refused(RK_RESULTS_READ, RK_E_IO, "not a file");
}

/* Cut off, or with a page overwritten: one line, whatever SQLite says of it. */
static void damage_is_found(void **state)
{
    struct stat info;
    rk_results_db *db;
    rk_error err;
    (void)state;
    make();
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size / 2 / 4096 * 4096), 0);
    refused(RK_RESULTS_WRITE, RK_E_FORMAT, "damaged");
    assert_int_equal(truncate(path, 700), 0);
    assert_int_not_equal(rk_results_open(&db, path, RK_RESULTS_WRITE, &err), RK_OK);
    unlink(path);
    make();
    FILE *f = fopen(path, "r+");
    fseek(f, info.st_size / 2 / 4096 * 4096, SEEK_SET);
    for (int i = 0; i < 4096; i++)
        fputc(0xa5, f);
    fclose(f);
    refused(RK_RESULTS_WRITE, RK_E_FORMAT, "damaged");
}

/* A run on a file system that fills up ends with one line, and the file is sound. */
static void check_after_full(const char *full_path)
{
    rk_results_db *db;
    rk_error err;
    if (rk_results_open(&db, full_path, RK_RESULTS_READ, &err) != RK_OK)
        fail_msg("%s", err.text);
    run_text_is(db, "PRAGMA integrity_check", "ok");
    assert_int_equal(run_int(db, "SELECT count(*) FROM attempt a WHERE state='ok' AND n_samples<>"
                                 "(SELECT count(*) FROM sample s WHERE s.attempt_id=a.attempt_id)"),
                     0);
    rk_results_close(db);
}

static void full_disk(void **state)
{
    char mount_point[400], full_path[420];
    run_case c;
    (void)state;
    snprintf(mount_point, sizeof mount_point, "%s/tiny", directory);
    assert_int_equal(mkdir(mount_point, 0777), 0);
    if (mount("tmpfs", mount_point, "tmpfs", 0, "size=1m"))
        skip(); /* not root, or no mounts here: full_disk_by_limit has the case */
    snprintf(full_path, sizeof full_path, "%s/r.sqlite", mount_point);
    run_open(&c, NULL, full_path);
    c.spec.measure.items = 2000;
    rk_status st = run_run(&c);
    run_close(&c);
    check_after_full(full_path);
    umount(mount_point);
    assert_int_equal(st, RK_E_IO);
    assert_non_null(strstr(c.err.text, "full"));
}

static void full_disk_by_limit(void **state)
{
    struct rlimit limit = {.rlim_cur = 600 * 1024, .rlim_max = RLIM_INFINITY};
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        run_case c;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        run_open(&c, NULL, path);
        c.spec.measure.items = 2000;
        rk_status st = run_run(&c);
        int good = st == RK_E_IO && (strstr(c.err.text, "full") || strstr(c.err.text, "is there room"));
        if (!good)
            fprintf(stderr, "%d %s\n", st, c.err.text);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    check_after_full(path);
}

static void read_only_place(void **state)
{
    char mount_point[400], save[500];
    rk_results_db *db;
    rk_error err;
    (void)state;
    snprintf(mount_point, sizeof mount_point, "%s/ro", directory);
    assert_int_equal(mkdir(mount_point, 0777), 0);
    if (mount("tmpfs", mount_point, "tmpfs", 0, "size=64m"))
        skip();
    snprintf(save, sizeof save, "%s", path);
    snprintf(path, sizeof path, "%s/r.sqlite", mount_point);
    make();
    assert_int_equal(mount("tmpfs", mount_point, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64m"), 0);
    refused(RK_RESULTS_WRITE, RK_E_IO, "Read-only");
    rk_status st = rk_results_open(&db, path, RK_RESULTS_READ, &err);
    int64_t n = st == RK_OK ? run_int(db, "SELECT count(*) FROM attempt") : -1;
    rk_results_close(st == RK_OK ? db : NULL);
    umount(mount_point);
    snprintf(path, sizeof path, "%s", save);
    assert_int_equal(n, 144);
}

static void uuids_differ(void **state)
{
    char a[RK_UUID_TEXT], b[RK_UUID_TEXT];
    (void)state;
    assert_int_equal(rk_results_uuid(a, NULL), RK_OK);
    assert_int_equal(rk_results_uuid(b, NULL), RK_OK);
    assert_string_not_equal(a, b);
    assert_int_equal(a[14], '4');
    assert_int_equal(strlen(a), 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(makes_a_file_with_our_marks, setup, teardown),
        cmocka_unit_test_setup_teardown(works_without_shared_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(one_writer_many_readers, setup, teardown),
        cmocka_unit_test_setup_teardown(lock_of_a_stranger_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(strange_files_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(directories_and_missing_places, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(full_disk_by_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(read_only_place, setup, teardown),
        cmocka_unit_test_setup_teardown(uuids_differ, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
