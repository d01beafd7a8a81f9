/* gguf.c - reading of the directory part of a GGUF file; accessors are in
 * gguf_values.c. Layout: ggml's GGUF specification, versions 2 and 3. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/gguf_file.h"

enum {
    NEST_MAX = 4,           /* arrays in arrays; real files have none */
    NAME_BYTES_MAX = 65535, /* the specification's limit of a key */
    ALIGNMENT_MAX = 1 << 20,
};

/* Names and block sizes of ggml's types, so that the ranges of a file's tensors
 * are checked also where we could not compute with them. */
static const struct {
    const char *name;
    int32_t block, bytes;
    rk_dtype type;
} ggml_types[] = {
    [0] = {"F32", 1, 4, RK_F32},
    [1] = {"F16", 1, 2, RK_F16},
    [2] = {"Q4_0", 32, 18, RK_Q4_0},
    [3] = {"Q4_1", 32, 20, RK_Q4_1},
    [6] = {"Q5_0", 32, 22, RK_Q5_0},
    [7] = {"Q5_1", 32, 24, RK_Q5_1},
    [8] = {"Q8_0", 32, 34, RK_Q8_0},
    [9] = {"Q8_1", 32, 36, RK_DTYPES},
    [10] = {"Q2_K", 256, 84, RK_DTYPES},
    [11] = {"Q3_K", 256, 110, RK_DTYPES},
    [12] = {"Q4_K", 256, 144, RK_Q4_K},
    [13] = {"Q5_K", 256, 176, RK_Q5_K},
    [14] = {"Q6_K", 256, 210, RK_Q6_K},
    [15] = {"Q8_K", 256, 292, RK_DTYPES},
    [16] = {"IQ2_XXS", 256, 66, RK_DTYPES},
    [17] = {"IQ2_XS", 256, 74, RK_DTYPES},
    [18] = {"IQ3_XXS", 256, 98, RK_DTYPES},
    [19] = {"IQ1_S", 256, 50, RK_DTYPES},
    [20] = {"IQ4_NL", 32, 18, RK_DTYPES},
    [21] = {"IQ3_S", 256, 110, RK_DTYPES},
    [22] = {"IQ2_S", 256, 82, RK_DTYPES},
    [23] = {"IQ4_XS", 256, 136, RK_DTYPES},
    [24] = {"I8", 1, 1, RK_DTYPES},
    [25] = {"I16", 1, 2, RK_DTYPES},
    [26] = {"I32", 1, 4, RK_DTYPES},
    [27] = {"I64", 1, 8, RK_DTYPES},
    [28] = {"F64", 1, 8, RK_DTYPES},
    [29] = {"IQ1_M", 256, 56, RK_DTYPES},
    [30] = {"BF16", 1, 2, RK_BF16},
    [39] = {"MXFP4", 32, 17, RK_DTYPES},
};

const char *rk_gguf_ggml_name(uint32_t type)
{
    int known = type < sizeof ggml_types / sizeof *ggml_types && ggml_types[type].name;
    return known ? ggml_types[type].name : NULL;
}

typedef struct cursor {
    const uint8_t *data;
    uint64_t at, end;
    const char *path;
    rk_error *err;
} cursor;

static rk_status need(const cursor *c, uint64_t bytes, const char *what)
{
    if (bytes > c->end - c->at)
        return rk_fail(c->err, RK_E_FORMAT,
                       "%s: %s at byte %" PRIu64 ": expected %" PRIu64
                       " bytes, the file has %" PRIu64 " left",
                       c->path, what, c->at, bytes, c->end - c->at);
    return RK_OK;
}

static rk_status read_u32(cursor *c, const char *what, uint32_t *out)
{
    RK_TRY(need(c, 4, what));
    *out = (uint32_t)rk_gguf_load(c->data + c->at, 4);
    c->at += 4;
    return RK_OK;
}

static rk_status read_u64(cursor *c, const char *what, uint64_t *out)
{
    RK_TRY(need(c, 8, what));
    *out = rk_gguf_load(c->data + c->at, 8);
    c->at += 8;
    return RK_OK;
}

static rk_status read_text(cursor *c, const char *what, rk_gguf_text *out)
{
    uint64_t n;
    RK_TRY(read_u64(c, what, &n));
    RK_TRY(need(c, n, what));
    *out = (rk_gguf_text){.bytes = (const char *)c->data + c->at, .n = n};
    c->at += n;
    return RK_OK;
}

/* A key or a tensor's name, copied with a NUL. Control bytes are refused: such a
 * name is an attempt to hide something, or a broken file. */
static rk_status read_name(cursor *c, rk_arena *arena, const char *what, const char **out)
{
    rk_gguf_text t = {0};
    RK_TRY(read_text(c, what, &t));
    if (t.n == 0 || t.n > NAME_BYTES_MAX)
        return rk_fail(c->err, RK_E_FORMAT, "%s: %s: expected 1 to %d bytes, got %" PRIu64, c->path,
                       what, NAME_BYTES_MAX, t.n);
    for (uint64_t i = 0; i < t.n; i++)
        if ((unsigned char)t.bytes[i] < 0x20 || t.bytes[i] == 0x7f)
            return rk_fail(c->err, RK_E_FORMAT, "%s: %s: byte %" PRIu64 " is a control character",
                           c->path, what, i);
    *out = rk_arena_text(arena, t.bytes, t.n, c->err);
    return *out ? RK_OK : RK_E_MEMORY;
}

static rk_status skip_value(cursor *c, uint32_t type, int depth, const char *key);

/* The head of an array, and a check that its elements can fit what is left. */
static rk_status read_array_head(cursor *c, const char *key, uint32_t *type, uint64_t *n)
{
    RK_TRY(read_u32(c, key, type));
    RK_TRY(read_u64(c, key, n));
    uint64_t least = *type == RK_GGUF_STRING  ? 8
                     : *type == RK_GGUF_ARRAY ? 12
                                              : (uint64_t)rk_gguf_value_bytes(*type);
    if (!least)
        return rk_fail(c->err, RK_E_FORMAT, "%s: key '%.100s': array of unknown value type %u",
                       c->path, key, *type);
    if (*n > (c->end - c->at) / least)
        return rk_fail(c->err, RK_E_FORMAT,
                       "%s: key '%.100s': expected at most %" PRIu64 " elements in what is left of "
                       "the file, got %" PRIu64,
                       c->path, key, (c->end - c->at) / least, *n);
    return RK_OK;
}

static rk_status skip_array(cursor *c, int depth, const char *key)
{
    uint32_t type = 0;
    uint64_t n = 0;
    if (depth >= NEST_MAX)
        return rk_fail(c->err, RK_E_FORMAT, "%s: key '%.100s': arrays nest deeper than %d", c->path,
                       key, NEST_MAX);
    RK_TRY(read_array_head(c, key, &type, &n));
    if (rk_gguf_value_bytes(type)) {
        c->at += n * (uint64_t)rk_gguf_value_bytes(type);
        return RK_OK;
    }
    for (uint64_t i = 0; i < n; i++)
        RK_TRY(skip_value(c, type, depth + 1, key));
    return RK_OK;
}

static rk_status skip_value(cursor *c, uint32_t type, int depth, const char *key)
{
    rk_gguf_text text;
    if (type == RK_GGUF_STRING)
        return read_text(c, key, &text);
    if (type == RK_GGUF_ARRAY)
        return skip_array(c, depth, key);
    int bytes = rk_gguf_value_bytes(type);
    if (!bytes)
        return rk_fail(c->err, RK_E_FORMAT, "%s: key '%.100s': unknown value type %u", c->path, key,
                       type);
    RK_TRY(need(c, (uint64_t)bytes, key));
    if (type == RK_GGUF_BOOL && c->data[c->at] > 1)
        return rk_fail(c->err, RK_E_FORMAT, "%s: key '%.100s': expected a boolean 0 or 1, got %u",
                       c->path, key, c->data[c->at]);
    c->at += (uint64_t)bytes;
    return RK_OK;
}

/* Where each string of an array starts: element access without walking. */
static rk_status index_strings(cursor *c, rk_arena *arena, rk_gguf_pair *p)
{
    p->string_at = rk_arena_take(arena, p->count, sizeof *p->string_at, c->err);
    if (!p->string_at)
        return RK_E_MEMORY;
    for (uint64_t i = 0; i < p->count; i++) {
        rk_gguf_text text;
        p->string_at[i] = c->at;
        RK_TRY(read_text(c, p->key, &text));
    }
    return RK_OK;
}

static rk_status read_pair(cursor *c, rk_arena *arena, rk_gguf_pair *p)
{
    RK_TRY(read_name(c, arena, "a key", &p->key));
    RK_TRY(read_u32(c, p->key, &p->type));
    p->at = c->at;
    if (p->type != RK_GGUF_ARRAY)
        return skip_value(c, p->type, 0, p->key);
    cursor head = *c;
    RK_TRY(read_array_head(&head, p->key, &p->element, &p->count));
    p->at = head.at;
    if (p->element == RK_GGUF_STRING) {
        *c = head;
        return index_strings(c, arena, p);
    }
    return skip_array(c, 0, p->key);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const rk_gguf_pair *)a)->key, ((const rk_gguf_pair *)b)->key);
}

static rk_status read_pairs(rk_gguf *g, cursor *c)
{
    /* key length 8 + at least 1 byte, type 4, value at least 1 */
    if (g->pairs > (c->end - c->at) / 14)
        return rk_fail(c->err, RK_E_FORMAT, "%s: %" PRIu64 " keys do not fit %" PRIu64 " bytes",
                       c->path, g->pairs, c->end - c->at);
    g->pair = rk_arena_take(g->arena, g->pairs, sizeof *g->pair, c->err);
    if (!g->pair)
        return RK_E_MEMORY;
    for (uint64_t i = 0; i < g->pairs; i++)
        RK_TRY(read_pair(c, g->arena, &g->pair[i]));
    qsort(g->pair, g->pairs, sizeof *g->pair, by_key);
    for (uint64_t i = 1; i < g->pairs; i++)
        if (!strcmp(g->pair[i - 1].key, g->pair[i].key))
            return rk_fail(c->err, RK_E_FORMAT, "%s: key '%.100s' is there twice", c->path,
                           g->pair[i].key);
    return RK_OK;
}

static rk_status read_dimensions(cursor *c, rk_gguf_tensor *t)
{
    uint32_t rank = 0;
    RK_TRY(read_u32(c, t->t.name, &rank));
    if (rank > 4)
        return rk_fail(c->err, RK_E_FORMAT,
                       "%s: tensor '%.100s': expected at most 4 dimensions, got %u", c->path,
                       t->t.name, rank);
    t->t.rank = (int32_t)rank;
    t->values = 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t n = 0;
        RK_TRY(read_u64(c, t->t.name, &n));
        if (n == 0 || n > INT64_MAX || __builtin_mul_overflow(t->values, n, &t->values))
            return rk_fail(c->err, RK_E_FORMAT,
                           "%s: tensor '%.100s': dimension %u of %" PRIu64 " is zero or too large",
                           c->path, t->t.name, i, n);
        t->t.shape[rank - 1 - i] = (int64_t)n;
    }
    return RK_OK;
}

/* Sizes a tensor of a known type; an unknown one keeps 0 bytes and only its
 * offset is checked. */
static rk_status size_tensor(const cursor *c, rk_gguf_tensor *t)
{
    t->t.dtype = RK_DTYPES;
    if (!rk_gguf_ggml_name(t->ggml))
        return RK_OK;
    uint64_t block = (uint64_t)ggml_types[t->ggml].block;
    uint64_t row = t->t.rank ? (uint64_t)t->t.shape[t->t.rank - 1] : 1;
    if (row % block)
        return rk_fail(c->err, RK_E_FORMAT,
                       "%s: tensor '%.100s': expected rows of a multiple of %" PRIu64
                       " values for type %s, got %" PRIu64,
                       c->path, t->t.name, block, ggml_types[t->ggml].name, row);
    if (__builtin_mul_overflow(t->values / block, (uint64_t)ggml_types[t->ggml].bytes, &t->bytes))
        return rk_fail(c->err, RK_E_FORMAT, "%s: tensor '%.100s': its size overflows", c->path,
                       t->t.name);
    t->t.dtype = ggml_types[t->ggml].type;
    return RK_OK;
}

static rk_status read_tensor(rk_gguf *g, cursor *c, rk_gguf_tensor *t)
{
    RK_TRY(read_name(c, g->arena, "a tensor's name", &t->t.name));
    RK_TRY(read_dimensions(c, t));
    RK_TRY(read_u32(c, t->t.name, &t->ggml));
    RK_TRY(read_u64(c, t->t.name, &t->offset));
    return size_tensor(c, t);
}

static int by_offset(const void *a, const void *b)
{
    const rk_gguf_tensor *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const rk_gguf_tensor *)a)->t.name, ((const rk_gguf_tensor *)b)->t.name);
}

/* Offsets are aligned, inside the data part, and no two tensors overlap. */
static rk_status place_tensors(rk_gguf *g, cursor *c, uint64_t alignment)
{
    uint64_t start = c->at + (alignment - c->at % alignment) % alignment, end = 0;
    if (g->tensors && start > c->end)
        return rk_fail(c->err, RK_E_FORMAT, "%s: the file ends before its tensors' data", c->path);
    qsort(g->tensor, g->tensors, sizeof *g->tensor, by_offset);
    for (uint64_t i = 0; i < g->tensors; i++) {
        rk_gguf_tensor *t = &g->tensor[i];
        if (t->offset % alignment)
            return rk_fail(c->err, RK_E_FORMAT,
                           "%s: tensor '%.100s': expected an offset aligned to %" PRIu64
                           ", got %" PRIu64,
                           c->path, t->t.name, alignment, t->offset);
        if (t->offset > c->end - start || t->bytes > c->end - start - t->offset)
            return rk_fail(c->err, RK_E_FORMAT,
                           "%s: tensor '%.100s': expected %" PRIu64 " bytes at offset %" PRIu64
                           " inside %" PRIu64 " bytes of data",
                           c->path, t->t.name, t->bytes, t->offset, c->end - start);
        if (t->offset < end)
            return rk_fail(c->err, RK_E_FORMAT, "%s: tensors '%.100s' and '%.100s' overlap",
                           c->path, g->tensor[i - 1].t.name, t->t.name);
        end = t->offset + t->bytes;
        t->t.data = c->data + start + t->offset;
    }
    return RK_OK;
}

static rk_status read_tensors(rk_gguf *g, cursor *c)
{
    int64_t alignment = 32;
    /* name length 8 + at least 1 byte, rank 4, type 4, offset 8 */
    if (g->tensors > (c->end - c->at) / 25)
        return rk_fail(c->err, RK_E_FORMAT, "%s: %" PRIu64 " tensors do not fit %" PRIu64 " bytes",
                       c->path, g->tensors, c->end - c->at);
    RK_TRY(rk_gguf_int(g, "general.alignment", 0, 1, ALIGNMENT_MAX, &alignment, c->err));
    if (alignment & (alignment - 1))
        return rk_fail(c->err, RK_E_FORMAT,
                       "%s: key 'general.alignment': expected a power of two, got %" PRId64,
                       c->path, alignment);
    g->tensor = rk_arena_take(g->arena, g->tensors, sizeof *g->tensor, c->err);
    if (!g->tensor)
        return RK_E_MEMORY;
    for (uint64_t i = 0; i < g->tensors; i++)
        RK_TRY(read_tensor(g, c, &g->tensor[i]));
    RK_TRY(place_tensors(g, c, (uint64_t)alignment));
    qsort(g->tensor, g->tensors, sizeof *g->tensor, by_name);
    for (uint64_t i = 1; i < g->tensors; i++)
        if (!strcmp(g->tensor[i - 1].t.name, g->tensor[i].t.name))
            return rk_fail(c->err, RK_E_FORMAT, "%s: tensor '%.100s' is there twice", c->path,
                           g->tensor[i].t.name);
    return RK_OK;
}

static rk_status read_file(rk_gguf *g, rk_error *err)
{
    cursor c = {.data = g->map.data, .end = g->map.bytes, .path = g->path, .err = err};
    uint32_t version = 0;
    if (c.end < 4 || memcmp(c.data, "GGUF", 4))
        return rk_fail(err, RK_E_FORMAT, "%s: expected the magic 'GGUF'", g->path);
    c.at = 4;
    RK_TRY(read_u32(&c, "the version", &version));
    if (version && !(version & 0xffffff))
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: a big-endian GGUF file; expected little-endian",
                       g->path);
    if (version != 2 && version != 3)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: expected GGUF version 2 or 3, got %u", g->path,
                       version);
    RK_TRY(read_u64(&c, "the tensor count", &g->tensors));
    RK_TRY(read_u64(&c, "the key count", &g->pairs));
    RK_TRY(read_pairs(g, &c));
    return read_tensors(g, &c);
}

rk_status rk_gguf_open(rk_gguf **out, const char *path, rk_error *err)
{
    *out = NULL;
    rk_gguf *g = rk_heap_take(1, sizeof *g, err);
    if (!g)
        return RK_E_MEMORY;
    rk_status st = rk_arena_new(&g->arena, err);
    if (st == RK_OK) {
        g->path = rk_arena_text(g->arena, path, strlen(path), err);
        st = g->path ? rk_mapped_file_open(&g->map, path, err) : RK_E_MEMORY;
    }
    if (st == RK_OK)
        st = read_file(g, err);
    if (st != RK_OK) {
        rk_gguf_close(g);
        return st;
    }
    *out = g;
    return RK_OK;
}

void rk_gguf_close(rk_gguf *g)
{
    if (!g)
        return;
    rk_mapped_file_close(&g->map);
    rk_arena_free(g->arena);
    free(g);
}
