/* mapped_file.h - a whole file as read-only memory.
 *
 * Weights stay where they are: pages come in when a kernel reads them and go out
 * under pressure. A file must not shrink while it is mapped (the system answers
 * a read past its new end with SIGBUS). */
#ifndef RK_BASE_MAPPED_FILE_H
#define RK_BASE_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_mapped_file {
    const uint8_t *data; /* never NULL while open, also for an empty file */
    size_t bytes;
} rk_mapped_file;

/* RK_E_IO names the path; anything but a regular file is refused. */
rk_status rk_mapped_file_open(rk_mapped_file *out, const char *path, rk_error *err);
void rk_mapped_file_close(rk_mapped_file *f); /* accepts {0}; leaves {0} */

RK_C_END

#endif
