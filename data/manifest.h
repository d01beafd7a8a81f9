/* manifest.h - the list of data files known by content: data/manifest.csv.
 *
 * Columns name,kind,source,licence,sha256,bytes,rows. A name is the path under a
 * data directory; rows is empty where a file has none. */
#ifndef RK_DATA_MANIFEST_H
#define RK_DATA_MANIFEST_H

#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"

RK_C_BEGIN

typedef struct rk_manifest_row {
    const char *name, *kind, *source, *licence, *sha256;
    int64_t bytes;
    int64_t rows; /* -1: the file has no rows */
} rk_manifest_row;

/* RK_E_IO, or RK_E_FORMAT naming file, line and column. Memory in `arena`. */
rk_status rk_manifest_read(const char *path, rk_arena *arena, rk_manifest_row **out, int32_t *rows,
                           rk_error *err);

typedef enum rk_manifest_state {
    RK_MANIFEST_ABSENT,
    RK_MANIFEST_EQUAL,
    RK_MANIFEST_DIFFERS
} rk_manifest_state;

/* Looks for the row's file as directory/name or, for a fetched model,
 * directory/name.gguf, and compares its hash; `got` is the hash found, ""
 * when absent. RK_E_IO: unreadable. */
rk_status rk_manifest_check(const rk_manifest_row *row, const char *directory, rk_arena *arena,
                            rk_manifest_state *state, char got[RK_SHA256_HEX], rk_error *err);

RK_C_END

#endif
