/* arena.h - bump allocation, one arena a lifetime (process, model, request, step).
 *
 * Memory is zeroed, aligned to 64 bytes, and freed all at once. A pointer into
 * an arena never outlives it. Sizes are checked for overflow here, once. */
#ifndef RK_BASE_ARENA_H
#define RK_BASE_ARENA_H

#include <stddef.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_arena rk_arena;

rk_status rk_arena_new(rk_arena **out, rk_error *err);
void rk_arena_free(rk_arena *a); /* accepts NULL */

/* count * size zeroed bytes, or NULL with `err` filled (RK_E_MEMORY). A zero
 * product still gives a unique address. */
void *rk_arena_take(rk_arena *a, size_t count, size_t size, rk_error *err);

/* A NUL-terminated copy of `n` bytes; NULL with `err` filled on failure. */
char *rk_arena_text(rk_arena *a, const char *text, size_t n, rk_error *err);
/* printf into the arena; NULL with `err` filled on failure. */
char *rk_arena_printf(rk_arena *a, rk_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

size_t rk_arena_bytes(const rk_arena *a); /* taken so far, for tests and reports */

/* Forgets everything taken so far but keeps the blocks for reuse. */
void rk_arena_reset(rk_arena *a);

/* Heap memory with the same checks; the caller frees it with free(). */
void *rk_heap_take(size_t count, size_t size, rk_error *err);
/* Grows *memory (of `size`-byte elements) so that `need` elements fit; doubles
 * *capacity. On failure *memory is unchanged and still the caller's. */
rk_status rk_heap_grow(void **memory, size_t *capacity, size_t need, size_t size, rk_error *err);

RK_C_END

#endif
