/* file_lock.h - one writer a database: an advisory lock on a file beside it. */
#ifndef RK_HARNESS_FILE_LOCK_H
#define RK_HARNESS_FILE_LOCK_H

#include "base/status.h"

RK_C_BEGIN

/* Locks `path` (made when absent, and left behind: removing it would race) and
 * writes the pid into it. *fd keeps the lock until rk_file_lock_close, or until
 * the process ends, however it ends. RK_E_IO: held (the message names the
 * holder's pid), or it cannot be made. `what` names the thing protected. */
rk_status rk_file_lock_open(int *fd, const char *path, const char *what, rk_error *err);
void rk_file_lock_close(int fd); /* accepts -1 */

RK_C_END

#endif
