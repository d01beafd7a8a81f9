/* json.h - jansson with limits and with errors that name the file and the key.
 *
 * Duplicate keys, invalid UTF-8 and nesting deeper than jansson's own limit
 * (2048) are refused. Objects returned by rk_json_load are the caller's, freed
 * by json_decref; everything got from them is borrowed. */
#ifndef RK_BASE_JSON_H
#define RK_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

/* Parses a whole file of at most `max_bytes`. `what` in messages is the path. */
rk_status rk_json_load(const char *path, size_t max_bytes, json_t **out, rk_error *err);
/* Parses a buffer; `what` names it in messages ("header of model.safetensors"). */
rk_status rk_json_parse(const char *text, size_t n, const char *what, json_t **out, rk_error *err);

/* Typed access to a key of an object. A missing key leaves *out unchanged when
 * `required` is 0; a null value counts as missing. Wrong types are RK_E_FORMAT
 * naming `what` (the file), the key, what was expected and what came. */
rk_status rk_json_int(const json_t *object, const char *key, const char *what, int required,
                      int64_t low, int64_t high, int64_t *out, rk_error *err);
rk_status rk_json_float(const json_t *object, const char *key, const char *what, int required,
                        double *out, rk_error *err);
rk_status rk_json_bool(const json_t *object, const char *key, const char *what, int *out,
                       rk_error *err);
rk_status rk_json_text(const json_t *object, const char *key, const char *what, int required,
                       const char **out, rk_error *err);

/* "an object", "a number" ...: for messages. */
const char *rk_json_kind(const json_t *value);

/* A whole file of at most `max_bytes` in the arena, NUL-terminated. */
rk_status rk_file_read(const char *path, size_t max_bytes, rk_arena *arena, char **out, size_t *n,
                       rk_error *err);

RK_C_END

#endif
