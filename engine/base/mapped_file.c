/* mapped_file.c - see mapped_file.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t empty_file[1]; /* mmap refuses a length of 0 */

rk_status rk_mapped_file_open(rk_mapped_file *out, const char *path, rk_error *err)
{
    rk_status st = RK_OK;
    struct stat info;
    *out = (rk_mapped_file){0};
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return rk_fail(err, RK_E_IO, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(fd, &info)) {
        st = rk_fail(err, RK_E_IO, "%s: cannot stat: %s", path, strerror(errno));
        goto done;
    }
    if (!S_ISREG(info.st_mode)) {
        st = rk_fail(err, RK_E_IO, "%s: expected a regular file", path);
        goto done;
    }
    if (info.st_size == 0) {
        out->data = empty_file;
        goto done;
    }
    void *p = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
        st = rk_fail(err, RK_E_IO, "%s: cannot map %lld bytes: %s", path, (long long)info.st_size,
                     strerror(errno));
        goto done;
    }
    *out = (rk_mapped_file){.data = p, .bytes = (size_t)info.st_size};
done:
    close(fd); /* the map outlives its descriptor */
    return st;
}

void rk_mapped_file_close(rk_mapped_file *f)
{
    if (f->bytes)
        munmap((void *)f->data, f->bytes);
    *f = (rk_mapped_file){0};
}
