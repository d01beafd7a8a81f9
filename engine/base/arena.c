/* arena.c - blocks of at least 64 KiB, chained; see arena.h. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, BLOCK_BYTES = 64 * 1024 };

typedef struct block {
    struct block *next;
    size_t bytes, used; /* payload size and what of it is taken */
} block;

struct rk_arena {
    block *first, *current;
    size_t taken;
};

/* The payload begins at the next multiple of ALIGNMENT behind the header. */
enum { HEADER_BYTES = (sizeof(block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

static char *payload(block *b)
{
    return (char *)b + HEADER_BYTES;
}

static block *block_new(size_t bytes)
{
    if (bytes > SIZE_MAX - HEADER_BYTES - ALIGNMENT)
        return NULL;
    size_t total = (HEADER_BYTES + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block *b = aligned_alloc(ALIGNMENT, total);
    if (b)
        *b = (block){.next = NULL, .bytes = bytes, .used = 0};
    return b;
}

rk_status rk_arena_new(rk_arena **out, rk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return rk_fail(err, RK_E_MEMORY, "out of memory: an arena of %zu bytes", sizeof **out);
    return RK_OK;
}

void rk_arena_free(rk_arena *a)
{
    if (!a)
        return;
    for (block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

void rk_arena_reset(rk_arena *a)
{
    for (block *b = a->first; b; b = b->next)
        b->used = 0;
    a->current = a->first;
    a->taken = 0;
}

/* A block with `bytes` free, from the chain or new. */
static block *block_with_room(rk_arena *a, size_t bytes)
{
    for (block *b = a->current; b; b = b->next) {
        if (b->bytes - b->used >= bytes)
            return b;
        if (!b->next)
            break;
    }
    block *b = block_new(bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
    if (!b)
        return NULL;
    block **link = &a->first;
    while (*link)
        link = &(*link)->next;
    *link = b;
    return b;
}

void *rk_arena_take(rk_arena *a, size_t count, size_t size, rk_error *err)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ALIGNMENT) {
        rk_fail(err, RK_E_MEMORY, "out of memory: %zu elements of %zu bytes overflow", count, size);
        return NULL;
    }
    bytes = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    block *b = block_with_room(a, bytes);
    if (!b) {
        rk_fail(err, RK_E_MEMORY, "out of memory: %zu bytes of host memory", bytes);
        return NULL;
    }
    void *p = payload(b) + b->used;
    b->used += bytes;
    a->current = b;
    a->taken += bytes;
    return memset(p, 0, bytes);
}

char *rk_arena_text(rk_arena *a, const char *text, size_t n, rk_error *err)
{
    char *copy = NULL;
    if (n == SIZE_MAX)
        rk_fail(err, RK_E_MEMORY, "out of memory: a text of %zu bytes", n);
    else
        copy = rk_arena_take(a, n + 1, 1, err);
    if (copy && n)
        memcpy(copy, text, n);
    return copy;
}

char *rk_arena_printf(rk_arena *a, rk_error *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) {
        rk_fail(err, RK_E_ARG, "a text cannot be formatted: '%s'", fmt);
        return NULL;
    }
    char *text = rk_arena_take(a, (size_t)n + 1, 1, err);
    if (!text)
        return NULL;
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return text;
}

size_t rk_arena_bytes(const rk_arena *a)
{
    return a->taken;
}

void *rk_heap_take(size_t count, size_t size, rk_error *err)
{
    size_t bytes;
    void *p = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes))
        p = calloc(1, bytes ? bytes : 1);
    if (!p)
        rk_fail(err, RK_E_MEMORY, "out of memory: %zu elements of %zu bytes", count, size);
    return p;
}

rk_status rk_heap_grow(void **memory, size_t *capacity, size_t need, size_t size, rk_error *err)
{
    if (need <= *capacity)
        return RK_OK;
    size_t grown = *capacity < 16 ? 16 : *capacity, bytes;
    while (grown < need && grown <= SIZE_MAX / 2)
        grown *= 2;
    void *p = NULL;
    if (grown >= need && !__builtin_mul_overflow(grown, size, &bytes))
        p = realloc(*memory, bytes);
    if (!p)
        return rk_fail(err, RK_E_MEMORY, "out of memory: %zu elements of %zu bytes", need, size);
    *memory = p;
    *capacity = grown;
    return RK_OK;
}
