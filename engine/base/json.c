/* json.c - see json.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

rk_status rk_file_read(const char *path, size_t max_bytes, rk_arena *arena, char **out, size_t *n,
                       rk_error *err)
{
    rk_status st = RK_OK;
    struct stat info;
    FILE *f = fopen(path, "rb");
    if (!f)
        return rk_fail(err, RK_E_IO, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(fileno(f), &info) || !S_ISREG(info.st_mode)) {
        st = rk_fail(err, RK_E_IO, "%s: expected a regular file", path);
        goto done;
    }
    if ((uint64_t)info.st_size > max_bytes) {
        st = rk_fail(err, RK_E_FORMAT, "%s: expected at most %zu bytes, got %lld", path, max_bytes,
                     (long long)info.st_size);
        goto done;
    }
    size_t size = (size_t)info.st_size;
    *out = rk_arena_take(arena, size + 1, 1, err);
    if (!*out) {
        st = RK_E_MEMORY;
        goto done;
    }
    *n = fread(*out, 1, size, f);
    if (*n != size)
        st = rk_fail(err, RK_E_IO, "%s: read %zu of %zu bytes", path, *n, size);
done:
    fclose(f);
    return st;
}

rk_status rk_json_parse(const char *text, size_t n, const char *what, json_t **out, rk_error *err)
{
    json_error_t e;
    *out = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
    if (!*out)
        return rk_fail(err, RK_E_FORMAT, "%s: line %d: %s", what, e.line, e.text);
    return RK_OK;
}

rk_status rk_json_load(const char *path, size_t max_bytes, json_t **out, rk_error *err)
{
    rk_arena *arena;
    char *text;
    size_t n;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_file_read(path, max_bytes, arena, &text, &n, err);
    if (st == RK_OK)
        st = rk_json_parse(text, n, path, out, err);
    rk_arena_free(arena);
    return st;
}

const char *rk_json_kind(const json_t *value)
{
    if (!value)
        return "nothing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        return "null";
    }
    return "an unknown value";
}

/* The value of `key`, NULL when absent or null. */
static rk_status find(const json_t *object, const char *key, const char *what, int required,
                      const json_t **out, rk_error *err)
{
    if (!json_is_object(object))
        return rk_fail(err, RK_E_FORMAT, "%s: expected an object holding '%s', got %s", what, key,
                       rk_json_kind(object));
    const json_t *v = json_object_get(object, key);
    *out = json_is_null(v) ? NULL : v;
    if (required && !*out)
        return rk_fail(err, RK_E_FORMAT, "%s: key '%s' is missing", what, key);
    return RK_OK;
}

static rk_status mistyped(const json_t *v, const char *key, const char *what, const char *expected,
                          rk_error *err)
{
    return rk_fail(err, RK_E_FORMAT, "%s: key '%s': expected %s, got %s", what, key, expected,
                   rk_json_kind(v));
}

rk_status rk_json_int(const json_t *object, const char *key, const char *what, int required,
                      int64_t low, int64_t high, int64_t *out, rk_error *err)
{
    const json_t *v = NULL;
    RK_TRY(find(object, key, what, required, &v, err));
    if (!v)
        return RK_OK;
    if (!json_is_integer(v))
        return mistyped(v, key, what, "a whole number", err);
    int64_t value = json_integer_value(v);
    if (value < low || value > high)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key '%s': expected %" PRId64 " to %" PRId64 ", got %" PRId64, what, key,
                       low, high, value);
    *out = value;
    return RK_OK;
}

rk_status rk_json_float(const json_t *object, const char *key, const char *what, int required,
                        double *out, rk_error *err)
{
    const json_t *v = NULL;
    RK_TRY(find(object, key, what, required, &v, err));
    if (!v)
        return RK_OK;
    if (!json_is_number(v))
        return mistyped(v, key, what, "a number", err);
    *out = json_number_value(v);
    return RK_OK;
}

rk_status rk_json_bool(const json_t *object, const char *key, const char *what, int *out,
                       rk_error *err)
{
    const json_t *v = NULL;
    RK_TRY(find(object, key, what, 0, &v, err));
    if (!v)
        return RK_OK;
    if (!json_is_boolean(v))
        return mistyped(v, key, what, "a boolean", err);
    *out = json_is_true(v);
    return RK_OK;
}

rk_status rk_json_text(const json_t *object, const char *key, const char *what, int required,
                       const char **out, rk_error *err)
{
    const json_t *v = NULL;
    RK_TRY(find(object, key, what, required, &v, err));
    if (!v)
        return RK_OK;
    if (!json_is_string(v))
        return mistyped(v, key, what, "a string", err);
    *out = json_string_value(v);
    return RK_OK;
}
