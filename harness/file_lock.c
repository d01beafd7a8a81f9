/* file_lock.c - flock(2): the kernel drops it with the process, so a crash
 * never leaves a lock behind. */
#define _DEFAULT_SOURCE
#include "file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static long holder(int fd)
{
    char text[32] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    return n > 0 ? strtol(text, NULL, 10) : 0;
}

rk_status rk_file_lock_open(int *fd, const char *path, const char *what, rk_error *err)
{
    char text[32];
    rk_status st;
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (*fd < 0)
        return rk_fail(err, RK_E_IO, "%s: cannot lock it for writing: %s: %s", what, path,
                       strerror(errno));
    if (flock(*fd, LOCK_EX | LOCK_NB)) {
        int busy = errno == EWOULDBLOCK;
        st = busy ? rk_fail(err, RK_E_IO, "%s: in use by process %ld, which holds %s", what,
                            holder(*fd), path)
                  : rk_fail(err, RK_E_IO, "%s: flock: %s", path, strerror(errno));
        goto failed;
    }
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(*fd, 0) || pwrite(*fd, text, (size_t)n, 0) != n) {
        st = rk_fail(err, RK_E_IO, "%s: cannot write the lock file %s: %s", what, path,
                     strerror(errno));
        goto failed;
    }
    return RK_OK;
failed:
    close(*fd);
    *fd = -1;
    return st;
}

void rk_file_lock_close(int fd)
{
    if (fd >= 0)
        close(fd);
}
