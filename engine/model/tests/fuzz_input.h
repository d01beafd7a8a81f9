/* fuzz_input.h - the fuzzer's bytes as a file with a path, without a disk. */
#ifndef RK_TEST_FUZZ_INPUT_H
#define RK_TEST_FUZZ_INPUT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Rewrites one memory file a process; the path stays valid until the next call. */
static inline const char *fuzz_path(const uint8_t *data, size_t n)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, (off_t)n) || pwrite(fd, data, n, 0) != (ssize_t)n)
        abort();
    return path;
}

#endif
