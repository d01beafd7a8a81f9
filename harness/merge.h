/* merge.h - the union of two results databases. */
#ifndef RK_HARNESS_MERGE_H
#define RK_HARNESS_MERGE_H

#include <stdint.h>

#include "base/arena.h"
#include "results_db.h"

RK_C_BEGIN

enum { RK_MERGE_LISTED_MAX = 100 }; /* conflicts spelled out; all are counted */

typedef struct rk_merge_result {
    int64_t added;     /* rows that were not there, samples included */
    int64_t conflicts; /* rows with an equal key and another content: kept as they were */
    const char *conflict[RK_MERGE_LISTED_MAX]; /* "model 3fa9...: differs", in the arena */
    int32_t listed;
} rk_merge_result;

/* Adds what the attached database `src` has and `db` has not, in one transaction,
 * and a merge_log row when that is anything. Running attempts stay behind.
 * `source` and `source_sha256` go into the log. */
rk_status rk_merge_attached(rk_results_db *db, const char *source, const char *source_sha256,
                            rk_arena *arena, rk_merge_result *out, rk_error *err);

/* Attaches the file, merges, detaches. Refuses the same file, foreign and newer ones. */
rk_status rk_merge_file(rk_results_db *db, const char *path, rk_arena *arena, rk_merge_result *out,
                        rk_error *err);

RK_C_END

#endif
