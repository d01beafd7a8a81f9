/* safetensors.h - memory-mapped tensors of one or several .safetensors files.
 *
 * Header checks before anything is used: length, JSON, dtype, shape product,
 * range inside the file, no overlap, no duplicate name. */
#ifndef RK_MODEL_SAFETENSORS_H
#define RK_MODEL_SAFETENSORS_H

#include <stdint.h>

#include "base/status.h"
#include "base/tensor.h"

RK_C_BEGIN

typedef struct rk_safetensors rk_safetensors;

typedef struct rk_stored_tensor {
    const char *name; /* borrowed from the container */
    const void *data; /* in the map; may be unaligned for its dtype */
    rk_dtype dtype;   /* RK_DTYPES: a dtype that weights cannot have (I64, ...) */
    int32_t rank;     /* 0..4 */
    int64_t shape[4]; /* outermost first */
} rk_stored_tensor;

/* RK_E_FORMAT unless `t` has this shape; -1 stands for any size. `where` names
 * the file. Both containers check with it. */
rk_status rk_stored_tensor_check(const rk_stored_tensor *t, const char *where, int32_t rank,
                                 const int64_t *shape, rk_error *err);

/* `path` is one file, or a directory with model.safetensors or, failing that,
 * model.safetensors.index.json (plain shard names only). */
rk_status rk_safetensors_open(rk_safetensors **out, const char *path, rk_error *err);
void rk_safetensors_close(rk_safetensors *s); /* accepts NULL */

/* Finds a tensor and checks its shape (-1: any size); RK_E_FORMAT names file and
 * tensor, what was expected and what came. A dtype that weights cannot have (I64,
 * ...) is RK_E_UNSUPPORTED. */
rk_status rk_safetensors_get(const rk_safetensors *s, const char *name, int32_t rank,
                             const int64_t *shape, rk_stored_tensor *out, rk_error *err);
int rk_safetensors_has(const rk_safetensors *s, const char *name);
int64_t rk_safetensors_count(const rk_safetensors *s);
const rk_stored_tensor *rk_safetensors_at(const rk_safetensors *s, int64_t i);
/* The weight files, for hashing: count and paths (borrowed). */
int32_t rk_safetensors_files(const rk_safetensors *s, const char *const **paths);

RK_C_END

#endif
