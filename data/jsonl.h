/* jsonl.h - files of JSON records: one object a line, or one array of objects.
 *
 * Broken lines, invalid UTF-8 and duplicate keys are errors that name the file
 * and the line; nothing is skipped but blank lines. */
#ifndef RK_DATA_JSONL_H
#define RK_DATA_JSONL_H

#include <jansson.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

enum { RK_JSONL_MAX_BYTES = 1 << 30 };

/* Called for every record in file order; `where` ("file.jsonl: line 17") is for
 * messages and, like `record`, borrowed during the call. */
typedef rk_status (*rk_jsonl_visit)(void *self, const json_t *record, const char *where,
                                    rk_error *err);

/* RK_E_IO: unreadable. RK_E_FORMAT: not records, none at all, or over
 * RK_JSONL_MAX_BYTES. Errors of `visit` end the walk and are passed up. */
rk_status rk_jsonl_read(const char *path, rk_jsonl_visit visit, void *self, rk_error *err);

/* The same on `n` bytes in memory; `name` stands for the path. */
rk_status rk_jsonl_parse(const char *text, size_t n, const char *name, rk_jsonl_visit visit,
                         void *self, rk_error *err);

/* A copy in the arena of a required text that is not empty. */
rk_status rk_jsonl_text(const json_t *record, const char *key, const char *where, rk_arena *arena,
                        const char **out, rk_error *err);
/* The array under `key` with at least `least` entries; RK_E_FORMAT otherwise. */
rk_status rk_jsonl_array(const json_t *record, const char *key, const char *where, size_t least,
                         const json_t **out, rk_error *err);

RK_C_END

#endif
