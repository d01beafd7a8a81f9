/* safetensors.c - see safetensors.h.
 *
 * Format (huggingface/safetensors): u64 length of the header, the header as JSON,
 * the data; offsets count from the end of the header, and the tensors tile the
 * data without gap or overlap. */
#define _POSIX_C_SOURCE 200809L
#include "model/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mapped_file.h"

enum {
    HEADER_BYTES_MAX = 100000000, /* the format's own limit */
    INDEX_BYTES_MAX = 100000000,
    FILES_MAX = 4096,
};

/* Every dtype of the format; `type` is RK_DTYPES for those weights cannot have. */
static const struct {
    const char *name;
    int bits;
    rk_dtype type;
} dtypes[] = {
    {"F32", 32, RK_F32},       {"F16", 16, RK_F16},       {"BF16", 16, RK_BF16},
    {"BOOL", 8, RK_DTYPES},    {"U8", 8, RK_DTYPES},      {"I8", 8, RK_DTYPES},
    {"F8_E4M3", 8, RK_DTYPES}, {"F8_E5M2", 8, RK_DTYPES}, {"F8_E8M0", 8, RK_DTYPES},
    {"F4", 4, RK_DTYPES},      {"U16", 16, RK_DTYPES},    {"I16", 16, RK_DTYPES},
    {"U32", 32, RK_DTYPES},    {"I32", 32, RK_DTYPES},    {"U64", 64, RK_DTYPES},
    {"I64", 64, RK_DTYPES},    {"F64", 64, RK_DTYPES},
};

typedef struct entry {
    rk_stored_tensor t;
    uint64_t begin, end; /* in the file's data part */
    int32_t file;
    const char *dtype; /* as written in the file */
} entry;

struct rk_safetensors {
    rk_arena *arena;
    rk_mapped_file *map; /* [files] */
    const char **path;   /* [files] */
    int32_t files;
    entry *tensor; /* [tensors], by name; on the heap */
    size_t tensors, capacity;
};

/* A JSON string without NULs, or NULL. */
static const char *plain_text(const json_t *v)
{
    const char *text = json_string_value(v);
    return text && strlen(text) == json_string_length(v) ? text : NULL;
}

static rk_status read_dtype(const json_t *object, const char *where, const char *name, entry *e,
                            int *bits, rk_error *err)
{
    const json_t *v = json_object_get(object, "dtype");
    const char *text = plain_text(v);
    if (!text)
        return rk_fail(err, RK_E_FORMAT, "%s: tensor '%.100s': dtype: expected a string, got %s",
                       where, name, rk_json_kind(v));
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (!strcmp(text, dtypes[i].name)) {
            e->t.dtype = dtypes[i].type;
            e->dtype = dtypes[i].name;
            *bits = dtypes[i].bits;
            return RK_OK;
        }
    }
    return rk_fail(err, RK_E_FORMAT,
                   "%s: tensor '%.100s': dtype '%.32s' is not one of the format's", where, name,
                   text);
}

/* The shape, and in *bytes what it takes in storage. */
static rk_status read_shape(const json_t *object, const char *where, const char *name, int bits,
                            entry *e, uint64_t *bytes, rk_error *err)
{
    const json_t *v = json_object_get(object, "shape");
    if (!json_is_array(v))
        return rk_fail(err, RK_E_FORMAT, "%s: tensor '%.100s': shape: expected an array, got %s",
                       where, name, rk_json_kind(v));
    if (json_array_size(v) > 4)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s: tensor '%.100s': shape: expected at most 4 dimensions, got %zu", where,
                       name, json_array_size(v));
    uint64_t total = (uint64_t)bits;
    e->t.rank = (int32_t)json_array_size(v);
    for (int32_t i = 0; i < e->t.rank; i++) {
        const json_t *d = json_array_get(v, (size_t)i);
        int64_t n = json_integer_value(d);
        if (!json_is_integer(d) || n < 0)
            return rk_fail(err, RK_E_FORMAT,
                           "%s: tensor '%.100s': shape[%d]: expected a whole number >= 0, got %s",
                           where, name, i, json_is_integer(d) ? "less" : rk_json_kind(d));
        if (__builtin_mul_overflow(total, (uint64_t)n, &total))
            return rk_fail(err, RK_E_FORMAT, "%s: tensor '%.100s': the shape's product overflows",
                           where, name);
        e->t.shape[i] = n;
    }
    if (total % 8)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: tensor '%.100s': expected whole bytes, got %" PRIu64 " bits", where,
                       name, total);
    *bytes = total / 8;
    return RK_OK;
}

static rk_status read_range(const json_t *object, const char *where, const char *name,
                            uint64_t data_bytes, uint64_t bytes, entry *e, rk_error *err)
{
    const json_t *v = json_object_get(object, "data_offsets");
    const json_t *b = json_array_get(v, 0), *n = json_array_get(v, 1);
    if (!json_is_array(v) || json_array_size(v) != 2 || !json_is_integer(b) || !json_is_integer(n))
        return rk_fail(err, RK_E_FORMAT,
                       "%s: tensor '%.100s': data_offsets: expected two whole numbers, got %s",
                       where, name, json_is_array(v) ? "another array" : rk_json_kind(v));
    int64_t begin = json_integer_value(b), end = json_integer_value(n);
    if (begin < 0 || end < begin || (uint64_t)end > data_bytes)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: tensor '%.100s': data_offsets: expected a range inside %" PRIu64
                       " bytes of data, got %" PRId64 " to %" PRId64,
                       where, name, data_bytes, begin, end);
    if ((uint64_t)(end - begin) != bytes)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: tensor '%.100s': data_offsets: expected %" PRIu64
                       " bytes for its shape and dtype, got %" PRId64,
                       where, name, bytes, end - begin);
    e->begin = (uint64_t)begin;
    e->end = (uint64_t)end;
    return RK_OK;
}

static rk_status read_entry(rk_safetensors *s, int32_t file, const char *name, const json_t *object,
                            const uint8_t *data, uint64_t data_bytes, rk_error *err)
{
    const char *where = s->path[file];
    entry e = {.file = file};
    int bits = 0;
    uint64_t bytes = 0;
    if (!json_is_object(object))
        return rk_fail(err, RK_E_FORMAT, "%s: tensor '%.100s': expected an object, got %s", where,
                       name, rk_json_kind(object));
    RK_TRY(read_dtype(object, where, name, &e, &bits, err));
    RK_TRY(read_shape(object, where, name, bits, &e, &bytes, err));
    RK_TRY(read_range(object, where, name, data_bytes, bytes, &e, err));
    e.t.name = rk_arena_text(s->arena, name, strlen(name), err);
    if (!e.t.name)
        return RK_E_MEMORY;
    e.t.data = data + e.begin;
    RK_TRY(rk_heap_grow((void **)&s->tensor, &s->capacity, s->tensors + 1, sizeof e, err));
    s->tensor[s->tensors++] = e;
    return RK_OK;
}

static rk_status check_metadata(const json_t *object, const char *where, rk_error *err)
{
    const char *key;
    const json_t *value;
    if (!json_is_object(object))
        return rk_fail(err, RK_E_FORMAT, "%s: __metadata__: expected an object, got %s", where,
                       rk_json_kind(object));
    void *at = json_object_iter((json_t *)object);
    for (; at; at = json_object_iter_next((json_t *)object, at)) {
        key = json_object_iter_key(at);
        value = json_object_iter_value(at);
        if (!json_is_string(value))
            return rk_fail(err, RK_E_FORMAT,
                           "%s: __metadata__: key '%.100s': expected a string, got %s", where, key,
                           rk_json_kind(value));
    }
    return RK_OK;
}

static int by_offset(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* The tensors of one file tile its data. */
static rk_status check_tiling(entry *e, size_t n, const char *where, uint64_t data_bytes,
                              rk_error *err)
{
    uint64_t at = 0;
    if (n)
        qsort(e, n, sizeof *e, by_offset);
    for (size_t i = 0; i < n; at = e[i++].end)
        if (e[i].begin != at)
            return rk_fail(err, RK_E_FORMAT,
                           "%s: tensor '%.100s': expected data from byte %" PRIu64
                           ", where the one before ends, got %" PRIu64 " (%s)",
                           where, e[i].t.name, at, e[i].begin, e[i].begin < at ? "overlap" : "gap");
    if (at != data_bytes)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: expected %" PRIu64 " bytes of data as the header says, got %" PRIu64,
                       where, at, data_bytes);
    return RK_OK;
}

static rk_status read_header(rk_safetensors *s, int32_t file, json_t **header, uint64_t *length,
                             rk_error *err)
{
    const char *where = s->path[file];
    const rk_mapped_file *m = &s->map[file];
    if (m->bytes < 8)
        return rk_fail(err, RK_E_FORMAT, "%s: expected at least 8 bytes, got %zu", where, m->bytes);
    *length = 0;
    for (int i = 7; i >= 0; i--)
        *length = *length << 8 | m->data[i];
    if (*length > HEADER_BYTES_MAX || *length > m->bytes - 8)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: header length: expected at most %" PRIu64 " bytes, got %" PRIu64, where,
                       m->bytes - 8 < HEADER_BYTES_MAX ? (uint64_t)m->bytes - 8
                                                       : (uint64_t)HEADER_BYTES_MAX,
                       *length);
    if (*length < 2 || m->data[8] != '{')
        return rk_fail(err, RK_E_FORMAT, "%s: expected a header that starts with '{'", where);
    return rk_json_parse((const char *)m->data + 8, (size_t)*length, where, header, err);
}

static rk_status open_file(rk_safetensors *s, const char *path, rk_error *err)
{
    json_t *header = NULL;
    uint64_t length = 0;
    int32_t file = s->files;
    size_t first = s->tensors;
    s->path[file] = rk_arena_text(s->arena, path, strlen(path), err);
    if (!s->path[file])
        return RK_E_MEMORY;
    RK_TRY(rk_mapped_file_open(&s->map[file], path, err));
    s->files++;
    rk_status st = read_header(s, file, &header, &length, err);
    if (st != RK_OK)
        return st;
    const uint8_t *data = s->map[file].data + 8 + length;
    uint64_t data_bytes = s->map[file].bytes - 8 - length;
    for (void *at = json_object_iter(header); at && st == RK_OK;
         at = json_object_iter_next(header, at)) {
        const char *name = json_object_iter_key(at);
        const json_t *value = json_object_iter_value(at);
        st = strcmp(name, "__metadata__") ? read_entry(s, file, name, value, data, data_bytes, err)
                                          : check_metadata(value, path, err);
    }
    /* A first file of metadata alone leaves no table. */
    entry *added = s->tensor ? s->tensor + first : NULL;
    if (st == RK_OK)
        st = check_tiling(added, s->tensors - first, path, data_bytes, err);
    json_decref(header);
    return st;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->t.name, ((const entry *)b)->t.name);
}

static rk_status sort_by_name(rk_safetensors *s, rk_error *err)
{
    if (s->tensors)
        qsort(s->tensor, s->tensors, sizeof *s->tensor, by_name);
    for (size_t i = 1; i < s->tensors; i++) {
        const entry *a = &s->tensor[i - 1], *b = &s->tensor[i];
        if (!strcmp(a->t.name, b->t.name))
            return rk_fail(err, RK_E_FORMAT, "tensor '%.100s' is in both %.150s and %.150s",
                           a->t.name, s->path[a->file], s->path[b->file]);
    }
    return RK_OK;
}

static const entry *find(const rk_safetensors *s, const char *name)
{
    entry key = {.t.name = name};
    return s->tensors ? bsearch(&key, s->tensor, s->tensors, sizeof key, by_name) : NULL;
}

static rk_status take_tables(rk_safetensors *s, size_t files, rk_error *err)
{
    s->map = rk_arena_take(s->arena, files, sizeof *s->map, err);
    s->path = rk_arena_take(s->arena, files, sizeof *s->path, err);
    return s->map && s->path ? RK_OK : RK_E_MEMORY;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The file names that the index uses, sorted, each once. */
static rk_status shard_names(const json_t *map, const char *index, rk_arena *arena,
                             const char ***out, size_t *n, rk_error *err)
{
    size_t count = 0;
    const char **names = rk_arena_take(arena, json_object_size(map) + 1, sizeof *names, err);
    if (!names)
        return RK_E_MEMORY;
    for (void *at = json_object_iter((json_t *)map); at;
         at = json_object_iter_next((json_t *)map, at)) {
        const char *file = plain_text(json_object_iter_value(at));
        if (!file || !*file || strchr(file, '/') || strchr(file, '\\') || !strcmp(file, ".") ||
            !strcmp(file, ".."))
            return rk_fail(err, RK_E_FORMAT,
                           "%s: weight_map['%.100s']: expected a plain file name, got '%.100s'",
                           index, json_object_iter_key(at), file ? file : "no text");
        names[count++] = file;
    }
    qsort(names, count, sizeof *names, by_text);
    *n = 0;
    for (size_t i = 0; i < count; i++)
        if (!*n || strcmp(names[*n - 1], names[i]))
            names[(*n)++] = names[i];
    if (!*n || *n > FILES_MAX)
        return rk_fail(err, RK_E_FORMAT, "%s: weight_map: expected 1 to %d files, got %zu", index,
                       FILES_MAX, *n);
    *out = names;
    return RK_OK;
}

/* Every tensor the index names lies in the shard it names. */
static rk_status check_map(const rk_safetensors *s, const json_t *map, const char *index,
                           rk_error *err)
{
    for (void *at = json_object_iter((json_t *)map); at;
         at = json_object_iter_next((json_t *)map, at)) {
        const char *name = json_object_iter_key(at);
        const char *file = json_string_value(json_object_iter_value(at));
        const entry *e = find(s, name);
        const char *base = e ? strrchr(s->path[e->file], '/') + 1 : "no shard";
        if (!e || strcmp(base, file))
            return rk_fail(err, RK_E_FORMAT,
                           "%s: tensor '%.100s': expected it in %.100s, found it in %.100s", index,
                           name, file, base);
    }
    return RK_OK;
}

static rk_status open_shards(rk_safetensors *s, const char *dir, const char *index, rk_error *err)
{
    json_t *root = NULL;
    const char **name = NULL;
    size_t n = 0;
    RK_TRY(rk_json_load(index, INDEX_BYTES_MAX, &root, err));
    const json_t *map = json_object_get(root, "weight_map");
    rk_status st = RK_OK;
    if (!json_is_object(map))
        st = rk_fail(err, RK_E_FORMAT, "%s: weight_map: expected an object, got %s", index,
                     rk_json_kind(map));
    if (st == RK_OK)
        st = shard_names(map, index, s->arena, &name, &n, err);
    if (st == RK_OK)
        st = take_tables(s, n, err);
    for (size_t i = 0; i < n && st == RK_OK; i++) {
        const char *path = rk_arena_printf(s->arena, err, "%s/%s", dir, name[i]);
        st = path ? open_file(s, path, err) : RK_E_MEMORY;
    }
    if (st == RK_OK)
        st = sort_by_name(s, err);
    if (st == RK_OK)
        st = check_map(s, map, index, err);
    json_decref(root);
    return st;
}

static rk_status open_path(rk_safetensors *s, const char *path, rk_error *err)
{
    struct stat info;
    const char *single = path;
    if (!stat(path, &info) && S_ISDIR(info.st_mode)) {
        single = rk_arena_printf(s->arena, err, "%s/model.safetensors", path);
        const char *index = rk_arena_printf(s->arena, err, "%s/model.safetensors.index.json", path);
        if (!single || !index)
            return RK_E_MEMORY;
        /* transformers' order: one file before an index. */
        if (stat(single, &info)) {
            if (stat(index, &info))
                return rk_fail(err, RK_E_IO,
                               "%s: expected model.safetensors or model.safetensors.index.json, "
                               "found neither",
                               path);
            return open_shards(s, path, index, err);
        }
    }
    RK_TRY(take_tables(s, 1, err));
    RK_TRY(open_file(s, single, err));
    return sort_by_name(s, err);
}

rk_status rk_safetensors_open(rk_safetensors **out, const char *path, rk_error *err)
{
    *out = NULL;
    rk_safetensors *s = rk_heap_take(1, sizeof *s, err);
    if (!s)
        return RK_E_MEMORY;
    rk_status st = rk_arena_new(&s->arena, err);
    if (st == RK_OK)
        st = open_path(s, path, err);
    if (st != RK_OK) {
        rk_safetensors_close(s);
        return st;
    }
    *out = s;
    return RK_OK;
}

void rk_safetensors_close(rk_safetensors *s)
{
    if (!s)
        return;
    for (int32_t i = 0; i < s->files; i++)
        rk_mapped_file_close(&s->map[i]);
    free(s->tensor);
    rk_arena_free(s->arena);
    free(s);
}

int rk_safetensors_has(const rk_safetensors *s, const char *name)
{
    return find(s, name) != NULL;
}

rk_status rk_safetensors_get(const rk_safetensors *s, const char *name, int32_t rank,
                             const int64_t *shape, rk_stored_tensor *out, rk_error *err)
{
    const entry *e = find(s, name);
    if (!e)
        return rk_fail(err, RK_E_FORMAT, "%s: tensor '%.100s' is missing", s->path[0], name);
    const char *where = s->path[e->file];
    if (e->t.dtype == RK_DTYPES)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s: tensor '%.100s': expected dtype F32, F16 or BF16, got %s", where, name,
                       e->dtype);
    RK_TRY(rk_stored_tensor_check(&e->t, where, rank, shape, err));
    *out = e->t;
    return RK_OK;
}

int64_t rk_safetensors_count(const rk_safetensors *s)
{
    return (int64_t)s->tensors;
}

const rk_stored_tensor *rk_safetensors_at(const rk_safetensors *s, int64_t i)
{
    return &s->tensor[i].t;
}

int32_t rk_safetensors_files(const rk_safetensors *s, const char *const **paths)
{
    *paths = s->path;
    return s->files;
}
