/* test_file_lock.c - one holder; the kernel frees it with the process. */
#define _GNU_SOURCE
#include "cmocka_all.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_lock.h"

static char path[256];

static void second_holder_is_told_of_the_first(void **state)
{
    int fd, other;
    rk_error err;
    char expected[64];
    (void)state;
    assert_int_equal(rk_file_lock_open(&fd, path, "r.sqlite", &err), RK_OK);
    assert_int_equal(rk_file_lock_open(&other, path, "r.sqlite", &err), RK_E_IO);
    snprintf(expected, sizeof expected, "r.sqlite: in use by process %ld", (long)getpid());
    assert_non_null(strstr(err.text, expected));
    assert_int_equal(other, -1);
    rk_file_lock_close(fd);
    assert_int_equal(rk_file_lock_open(&fd, path, "r.sqlite", &err), RK_OK);
    rk_file_lock_close(fd);
    rk_file_lock_close(-1);
}

static void a_killed_holder_leaves_it_free(void **state)
{
    int fd, ready[2], status;
    char byte;
    rk_error err;
    (void)state;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (rk_file_lock_open(&fd, path, "x", NULL) == RK_OK && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(rk_file_lock_open(&fd, path, "x", &err), RK_E_IO);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    assert_int_equal(rk_file_lock_open(&fd, path, "x", &err), RK_OK);
    rk_file_lock_close(fd);
    close(ready[0]);
    close(ready[1]);
}

static void impossible_places_are_named(void **state)
{
    int fd;
    rk_error err;
    (void)state;
    assert_int_equal(rk_file_lock_open(&fd, "/nonexistent/x.lock", "x", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "/nonexistent/x.lock: No such file"));
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/lock-XXXXXX", RK_TEST_BUILD);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_holder_is_told_of_the_first),
                                       cmocka_unit_test(a_killed_holder_leaves_it_free),
                                       cmocka_unit_test(impossible_places_are_named)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
