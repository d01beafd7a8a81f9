/* jsonl.c - see jsonl.h. */
#include "jsonl.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

enum { WHERE_BYTES = 512 };

static rk_status visit_one(json_t *record, const char *where, rk_jsonl_visit visit, void *self,
                           rk_error *err)
{
    if (!json_is_object(record))
        return rk_fail(err, RK_E_FORMAT, "%s: expected an object, got %s", where,
                       rk_json_kind(record));
    return visit(self, record, where, err);
}

static rk_status parse_lines(const char *text, size_t n, const char *name, rk_jsonl_visit visit,
                             void *self, size_t *records, rk_error *err)
{
    rk_status st = RK_OK;
    size_t number = 0;
    for (const char *line = text, *end = text + n; line < end && st == RK_OK; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = stop ? (size_t)(stop - line) : (size_t)(end - line);
        size_t blanks = 0;
        while (blanks < length && strchr(" \t\r", line[blanks]) && line[blanks])
            blanks++;
        if (blanks < length) {
            char where[WHERE_BYTES];
            json_error_t e;
            snprintf(where, sizeof where, "%s: line %zu", name, number + 1);
            json_t *record = json_loadb(line, length, JSON_REJECT_DUPLICATES, &e);
            st = record ? visit_one(record, where, visit, self, err)
                        : rk_fail(err, RK_E_FORMAT, "%s: column %d: %s", where, e.column, e.text);
            json_decref(record);
            ++*records;
        }
        line += length + 1;
    }
    return st;
}

static rk_status parse_array(const char *text, size_t n, const char *name, rk_jsonl_visit visit,
                             void *self, size_t *records, rk_error *err)
{
    rk_status st = RK_OK;
    json_error_t e;
    json_t *array = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
    if (!array)
        return rk_fail(err, RK_E_FORMAT, "%s: line %d: %s", name, e.line, e.text);
    *records = json_array_size(array);
    for (size_t i = 0; i < *records && st == RK_OK; i++) {
        char where[WHERE_BYTES];
        snprintf(where, sizeof where, "%s: record %zu", name, i + 1);
        st = visit_one(json_array_get(array, i), where, visit, self, err);
    }
    json_decref(array);
    return st;
}

rk_status rk_jsonl_parse(const char *text, size_t n, const char *name, rk_jsonl_visit visit,
                         void *self, rk_error *err)
{
    size_t first = 0, records = 0;
    while (first < n && text[first] && strchr(" \t\r\n", text[first]))
        first++;
    RK_TRY((first < n && text[first] == '[' ? parse_array : parse_lines)(text, n, name, visit, self,
                                                                         &records, err));
    if (!records)
        return rk_fail(err, RK_E_FORMAT, "%s: expected at least one record, got none", name);
    return RK_OK;
}

rk_status rk_jsonl_read(const char *path, rk_jsonl_visit visit, void *self, rk_error *err)
{
    rk_arena *arena;
    char *text;
    size_t n;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_file_read(path, RK_JSONL_MAX_BYTES, arena, &text, &n, err);
    if (st == RK_OK)
        st = rk_jsonl_parse(text, n, path, visit, self, err);
    rk_arena_free(arena);
    return st;
}

rk_status rk_jsonl_text(const json_t *record, const char *key, const char *where, rk_arena *arena,
                        const char **out, rk_error *err)
{
    const char *text = NULL;
    RK_TRY(rk_json_text(record, key, where, 1, &text, err));
    if (!*text)
        return rk_fail(err, RK_E_FORMAT, "%s: key '%s': expected text, got nothing", where, key);
    *out = rk_arena_text(arena, text, strlen(text), err);
    return *out ? RK_OK : RK_E_MEMORY;
}

rk_status rk_jsonl_array(const json_t *record, const char *key, const char *where, size_t least,
                         const json_t **out, rk_error *err)
{
    *out = json_object_get(record, key);
    if (!json_is_array(*out))
        return rk_fail(err, RK_E_FORMAT, "%s: key '%s': expected an array, got %s", where, key,
                       rk_json_kind(*out));
    if (json_array_size(*out) < least)
        return rk_fail(err, RK_E_FORMAT, "%s: key '%s': expected at least %zu entries, got %zu",
                       where, key, least, json_array_size(*out));
    return RK_OK;
}
