/* gguf.h - memory-mapped GGUF v2 and v3: metadata and tensors.
 *
 * Everything is checked before use: magic, version, counts against the file
 * size, string and array lengths, nesting depth, offsets, alignment, overlap.
 * Accessors widen integers of any stored width. */
#ifndef RK_MODEL_GGUF_H
#define RK_MODEL_GGUF_H

#include <stdint.h>

#include "base/status.h"
#include "model/safetensors.h" /* rk_stored_tensor */

RK_C_BEGIN

typedef struct rk_gguf rk_gguf;

typedef struct rk_gguf_text {
    const char *bytes; /* in the map; not NUL-terminated, may hold NULs */
    uint64_t n;
} rk_gguf_text;

rk_status rk_gguf_open(rk_gguf **out, const char *path, rk_error *err);
void rk_gguf_close(rk_gguf *g); /* accepts NULL */
const char *rk_gguf_path(const rk_gguf *g);

int rk_gguf_has(const rk_gguf *g, const char *key);
/* A missing key leaves *out unchanged when `required` is 0. Wrong types are
 * RK_E_FORMAT naming file, key, expectation and finding. */
rk_status rk_gguf_int(const rk_gguf *g, const char *key, int required, int64_t low, int64_t high,
                      int64_t *out, rk_error *err);
rk_status rk_gguf_float(const rk_gguf *g, const char *key, int required, double *out,
                        rk_error *err);
rk_status rk_gguf_bool(const rk_gguf *g, const char *key, int required, int *out, rk_error *err);
rk_status rk_gguf_string(const rk_gguf *g, const char *key, int required, rk_gguf_text *out,
                         rk_error *err);
/* Arrays: *n elements; get one by index (strings walk an index built at open). */
rk_status rk_gguf_array(const rk_gguf *g, const char *key, int required, int64_t *n, rk_error *err);
rk_status rk_gguf_array_string(const rk_gguf *g, const char *key, int64_t i, rk_gguf_text *out,
                               rk_error *err);
rk_status rk_gguf_array_int(const rk_gguf *g, const char *key, int64_t i, int64_t *out,
                            rk_error *err);
rk_status rk_gguf_array_float(const rk_gguf *g, const char *key, int64_t i, double *out,
                              rk_error *err);

/* Tensors; shape is outermost first (GGUF's ne reversed), -1 stands for any size.
 * RK_E_FORMAT names file and tensor, what was expected and what came; a ggml type
 * that is unknown or that we cannot compute with is RK_E_UNSUPPORTED here, not at
 * open. Tensors are numbered by name. */
rk_status rk_gguf_get(const rk_gguf *g, const char *name, int32_t rank, const int64_t *shape,
                      rk_stored_tensor *out, rk_error *err);
int rk_gguf_has_tensor(const rk_gguf *g, const char *name);
int64_t rk_gguf_tensors(const rk_gguf *g);
rk_status rk_gguf_tensor_at(const rk_gguf *g, int64_t i, rk_stored_tensor *out, rk_error *err);

RK_C_END

#endif
