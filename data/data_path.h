/* data_path.h - where a data set's file lies under the directory a user names. */
#ifndef RK_DATA_DATA_PATH_H
#define RK_DATA_DATA_PATH_H

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

/* `path` itself when it is a file; when it is a directory, the first of `places`
 * (relative paths, ends with NULL) found as path/place or path/<its last part>.
 * RK_E_USAGE without a path, RK_E_IO when nothing is there; both name the places. */
rk_status rk_data_path_find(const char *path, const char *const *places, const char *reader,
                            rk_arena *arena, const char **out, rk_error *err);

RK_C_END

#endif
