/* gguf_build.h - GGUF files for tests; include after byte_file.h. */
#ifndef RK_TEST_GGUF_BUILD_H
#define RK_TEST_GGUF_BUILD_H

#include "byte_file.h"

enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 }; /* value types */

static inline void gguf_head(bytes *b, uint64_t tensors, uint64_t keys)
{
    b->n = 0;
    put(b, "GGUF", 4);
    put_number(b, 3, 4);
    put_number(b, tensors, 8);
    put_number(b, keys, 8);
}

static inline void gguf_key(bytes *b, const char *key, uint32_t type)
{
    put_text(b, key);
    put_number(b, type, 4);
}

static inline void gguf_u32(bytes *b, const char *key, uint32_t value)
{
    gguf_key(b, key, U32);
    put_number(b, value, 4);
}

static inline void gguf_f32(bytes *b, const char *key, float value)
{
    gguf_key(b, key, F32);
    put_float(b, value);
}

static inline void gguf_text(bytes *b, const char *key, const char *value)
{
    gguf_key(b, key, STRING);
    put_text(b, value);
}

static inline void gguf_array(bytes *b, const char *key, uint32_t type, uint64_t n)
{
    gguf_key(b, key, ARRAY);
    put_number(b, type, 4);
    put_number(b, n, 8);
}

/* Dimensions in the file's order, innermost first. */
static inline void gguf_tensor(bytes *b, const char *name, uint32_t rank, const uint64_t *ne,
                               uint32_t type, uint64_t offset)
{
    put_text(b, name);
    put_number(b, rank, 4);
    for (uint32_t i = 0; i < rank; i++)
        put_number(b, ne[i], 8);
    put_number(b, type, 4);
    put_number(b, offset, 8);
}

static inline void gguf_data(bytes *b, uint64_t alignment, size_t n)
{
    while (b->n % alignment)
        put_number(b, 0, 1);
    for (size_t i = 0; i < n; i++)
        put_number(b, i & 0xff, 1);
}

#endif
