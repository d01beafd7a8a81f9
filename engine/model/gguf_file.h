/* gguf_file.h - what gguf.c found in a file, for gguf_values.c alone. */
#ifndef RK_MODEL_GGUF_FILE_H
#define RK_MODEL_GGUF_FILE_H

#include "base/arena.h"
#include "base/mapped_file.h"
#include "model/gguf.h"

RK_C_BEGIN

/* Value types of the GGUF specification. */
enum {
    RK_GGUF_U8 = 0,
    RK_GGUF_I8 = 1,
    RK_GGUF_U16 = 2,
    RK_GGUF_I16 = 3,
    RK_GGUF_U32 = 4,
    RK_GGUF_I32 = 5,
    RK_GGUF_F32 = 6,
    RK_GGUF_BOOL = 7,
    RK_GGUF_STRING = 8,
    RK_GGUF_ARRAY = 9,
    RK_GGUF_U64 = 10,
    RK_GGUF_I64 = 11,
    RK_GGUF_F64 = 12,
};

typedef struct rk_gguf_pair {
    const char *key;
    uint32_t type, element; /* element: of an array */
    uint64_t at;            /* byte of the value, or of an array's first element */
    uint64_t count;         /* elements of an array */
    uint64_t *string_at;    /* [count] byte of each string of an array of strings */
} rk_gguf_pair;

typedef struct rk_gguf_tensor {
    rk_stored_tensor t;
    uint32_t ggml;
    uint64_t values, bytes, offset; /* bytes: 0 where the type is unknown */
} rk_gguf_tensor;

struct rk_gguf {
    rk_arena *arena;
    rk_mapped_file map;
    const char *path;
    rk_gguf_pair *pair; /* [pairs] by key */
    uint64_t pairs;
    rk_gguf_tensor *tensor; /* [tensors] by name */
    uint64_t tensors;
};

/* Bytes of a value of fixed size; 0 for strings, arrays and unknown types. */
int rk_gguf_value_bytes(uint32_t type);
/* `bytes` (1..8) little-endian bytes as a number. */
uint64_t rk_gguf_load(const uint8_t *p, int bytes);
/* "Q4_K"; NULL for a type that ggml does not have. */
const char *rk_gguf_ggml_name(uint32_t type);

RK_C_END

#endif
