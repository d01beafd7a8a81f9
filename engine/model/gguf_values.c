/* gguf_values.c - typed access to what gguf.c read; see gguf.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/gguf_file.h"

static const struct {
    const char *name;
    int bytes;
} value_types[] = {
    [RK_GGUF_U8] = {"an 8-bit number", 1},    [RK_GGUF_I8] = {"an 8-bit number", 1},
    [RK_GGUF_U16] = {"a 16-bit number", 2},   [RK_GGUF_I16] = {"a 16-bit number", 2},
    [RK_GGUF_U32] = {"a 32-bit number", 4},   [RK_GGUF_I32] = {"a 32-bit number", 4},
    [RK_GGUF_F32] = {"a 32-bit fraction", 4}, [RK_GGUF_BOOL] = {"a boolean", 1},
    [RK_GGUF_STRING] = {"a string", 0},       [RK_GGUF_ARRAY] = {"an array", 0},
    [RK_GGUF_U64] = {"a 64-bit number", 8},   [RK_GGUF_I64] = {"a 64-bit number", 8},
    [RK_GGUF_F64] = {"a 64-bit fraction", 8},
};

int rk_gguf_value_bytes(uint32_t type)
{
    return type < sizeof value_types / sizeof *value_types ? value_types[type].bytes : 0;
}

uint64_t rk_gguf_load(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

const char *rk_gguf_path(const rk_gguf *g)
{
    return g->path;
}

static int by_key(const void *key, const void *pair)
{
    return strcmp(key, ((const rk_gguf_pair *)pair)->key);
}

static const rk_gguf_pair *find(const rk_gguf *g, const char *key)
{
    return g->pairs ? bsearch(key, g->pair, g->pairs, sizeof *g->pair, by_key) : NULL;
}

int rk_gguf_has(const rk_gguf *g, const char *key)
{
    return find(g, key) != NULL;
}

static rk_status find_required(const rk_gguf *g, const char *key, int required,
                               const rk_gguf_pair **out, rk_error *err)
{
    *out = find(g, key);
    if (!*out && required)
        return rk_fail(err, RK_E_FORMAT, "%s: key '%.100s' is missing", g->path, key);
    return RK_OK;
}

static rk_status mistyped(const rk_gguf *g, const rk_gguf_pair *p, uint32_t type,
                          const char *expected, rk_error *err)
{
    return rk_fail(err, RK_E_FORMAT, "%s: key '%.100s': expected %s, got %s", g->path, p->key,
                   expected, value_types[type].name);
}

/* A whole number of any width; 0 where the type is no whole number or the value
 * does not fit. */
static int load_int(const uint8_t *p, uint32_t type, int64_t *out)
{
    switch (type) {
    case RK_GGUF_I8:
        *out = (int8_t)rk_gguf_load(p, 1);
        return 1;
    case RK_GGUF_I16:
        *out = (int16_t)rk_gguf_load(p, 2);
        return 1;
    case RK_GGUF_I32:
        *out = (int32_t)rk_gguf_load(p, 4);
        return 1;
    case RK_GGUF_U8:
    case RK_GGUF_U16:
    case RK_GGUF_U32:
    case RK_GGUF_I64:
        *out = (int64_t)rk_gguf_load(p, value_types[type].bytes);
        return 1;
    case RK_GGUF_U64:
        *out = (int64_t)rk_gguf_load(p, 8);
        return *out >= 0;
    }
    return 0;
}

static int load_float(const uint8_t *p, uint32_t type, double *out)
{
    int64_t whole;
    if (type == RK_GGUF_F32) {
        uint32_t bits = (uint32_t)rk_gguf_load(p, 4);
        float f;
        memcpy(&f, &bits, sizeof f);
        *out = (double)f;
        return 1;
    }
    if (type == RK_GGUF_F64) {
        uint64_t bits = rk_gguf_load(p, 8);
        memcpy(out, &bits, sizeof *out);
        return 1;
    }
    if (!load_int(p, type, &whole))
        return 0;
    *out = (double)whole;
    return 1;
}

rk_status rk_gguf_int(const rk_gguf *g, const char *key, int required, int64_t low, int64_t high,
                      int64_t *out, rk_error *err)
{
    const rk_gguf_pair *p;
    int64_t value;
    RK_TRY(find_required(g, key, required, &p, err));
    if (!p)
        return RK_OK;
    if (!load_int(g->map.data + p->at, p->type, &value))
        return mistyped(g, p, p->type, "a whole number below 2^63", err);
    if (value < low || value > high)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key '%.100s': expected %" PRId64 " to %" PRId64 ", got %" PRId64,
                       g->path, key, low, high, value);
    *out = value;
    return RK_OK;
}

rk_status rk_gguf_float(const rk_gguf *g, const char *key, int required, double *out, rk_error *err)
{
    const rk_gguf_pair *p;
    RK_TRY(find_required(g, key, required, &p, err));
    if (p && !load_float(g->map.data + p->at, p->type, out))
        return mistyped(g, p, p->type, "a number", err);
    return RK_OK;
}

rk_status rk_gguf_bool(const rk_gguf *g, const char *key, int required, int *out, rk_error *err)
{
    const rk_gguf_pair *p;
    RK_TRY(find_required(g, key, required, &p, err));
    if (!p)
        return RK_OK;
    if (p->type != RK_GGUF_BOOL)
        return mistyped(g, p, p->type, "a boolean", err);
    *out = g->map.data[p->at];
    return RK_OK;
}

/* The string whose length field is at `at`; checked when the file was opened. */
static rk_gguf_text text_at(const rk_gguf *g, uint64_t at)
{
    return (rk_gguf_text){.bytes = (const char *)g->map.data + at + 8,
                          .n = rk_gguf_load(g->map.data + at, 8)};
}

rk_status rk_gguf_string(const rk_gguf *g, const char *key, int required, rk_gguf_text *out,
                         rk_error *err)
{
    const rk_gguf_pair *p;
    RK_TRY(find_required(g, key, required, &p, err));
    if (!p)
        return RK_OK;
    if (p->type != RK_GGUF_STRING)
        return mistyped(g, p, p->type, "a string", err);
    *out = text_at(g, p->at);
    return RK_OK;
}

rk_status rk_gguf_array(const rk_gguf *g, const char *key, int required, int64_t *n, rk_error *err)
{
    const rk_gguf_pair *p;
    RK_TRY(find_required(g, key, required, &p, err));
    if (!p)
        return RK_OK;
    if (p->type != RK_GGUF_ARRAY)
        return mistyped(g, p, p->type, "an array", err);
    *n = (int64_t)p->count;
    return RK_OK;
}

static rk_status find_element(const rk_gguf *g, const char *key, int64_t i,
                              const rk_gguf_pair **out, rk_error *err)
{
    int64_t n = 0;
    RK_TRY(rk_gguf_array(g, key, 1, &n, err));
    if (i < 0 || i >= n)
        return rk_fail(err, RK_E_ARG, "%s: key '%.100s': element %" PRId64 " of %" PRId64, g->path,
                       key, i, n);
    *out = find(g, key);
    return RK_OK;
}

rk_status rk_gguf_array_string(const rk_gguf *g, const char *key, int64_t i, rk_gguf_text *out,
                               rk_error *err)
{
    const rk_gguf_pair *p = NULL;
    RK_TRY(find_element(g, key, i, &p, err));
    if (p->element != RK_GGUF_STRING)
        return mistyped(g, p, p->element, "an array of strings, an element", err);
    *out = text_at(g, p->string_at[i]);
    return RK_OK;
}

/* Address of element i of an array of numbers; NULL for strings and arrays. */
static const uint8_t *number_at(const rk_gguf *g, const rk_gguf_pair *p, int64_t i)
{
    int bytes = rk_gguf_value_bytes(p->element);
    return bytes ? g->map.data + p->at + (uint64_t)i * (uint64_t)bytes : NULL;
}

rk_status rk_gguf_array_int(const rk_gguf *g, const char *key, int64_t i, int64_t *out,
                            rk_error *err)
{
    const rk_gguf_pair *p = NULL;
    RK_TRY(find_element(g, key, i, &p, err));
    const uint8_t *at = number_at(g, p, i);
    if (!at || !load_int(at, p->element, out))
        return mistyped(g, p, p->element, "an array of whole numbers below 2^63, an element", err);
    return RK_OK;
}

rk_status rk_gguf_array_float(const rk_gguf *g, const char *key, int64_t i, double *out,
                              rk_error *err)
{
    const rk_gguf_pair *p = NULL;
    RK_TRY(find_element(g, key, i, &p, err));
    const uint8_t *at = number_at(g, p, i);
    if (!at || !load_float(at, p->element, out))
        return mistyped(g, p, p->element, "an array of numbers, an element", err);
    return RK_OK;
}

static int by_name(const void *name, const void *tensor)
{
    return strcmp(name, ((const rk_gguf_tensor *)tensor)->t.name);
}

static const rk_gguf_tensor *find_tensor(const rk_gguf *g, const char *name)
{
    return g->tensors ? bsearch(name, g->tensor, g->tensors, sizeof *g->tensor, by_name) : NULL;
}

int rk_gguf_has_tensor(const rk_gguf *g, const char *name)
{
    return find_tensor(g, name) != NULL;
}

int64_t rk_gguf_tensors(const rk_gguf *g)
{
    return (int64_t)g->tensors;
}

static rk_status usable(const rk_gguf *g, const rk_gguf_tensor *t, rk_error *err)
{
    if (t->t.dtype != RK_DTYPES)
        return RK_OK;
    const char *name = rk_gguf_ggml_name(t->ggml);
    return rk_fail(err, RK_E_UNSUPPORTED,
                   "%s: tensor '%.100s': expected F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, "
                   "Q4_K, Q5_K or Q6_K, got ggml type %u (%s)",
                   g->path, t->t.name, t->ggml, name ? name : "unknown");
}

rk_status rk_gguf_get(const rk_gguf *g, const char *name, int32_t rank, const int64_t *shape,
                      rk_stored_tensor *out, rk_error *err)
{
    const rk_gguf_tensor *t = find_tensor(g, name);
    if (!t)
        return rk_fail(err, RK_E_FORMAT, "%s: tensor '%.100s' is missing", g->path, name);
    RK_TRY(usable(g, t, err));
    RK_TRY(rk_stored_tensor_check(&t->t, g->path, rank, shape, err));
    *out = t->t;
    return RK_OK;
}

rk_status rk_gguf_tensor_at(const rk_gguf *g, int64_t i, rk_stored_tensor *out, rk_error *err)
{
    if (i < 0 || i >= rk_gguf_tensors(g))
        return rk_fail(err, RK_E_ARG, "%s: tensor %" PRId64 " of %" PRIu64, g->path, i, g->tensors);
    RK_TRY(usable(g, &g->tensor[i], err));
    *out = g->tensor[i].t;
    return RK_OK;
}
