/* spec_file.h - the text of an experiment file as (section, key, value, line). */
#ifndef RK_HARNESS_SPEC_FILE_H
#define RK_HARNESS_SPEC_FILE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

enum { RK_SPEC_ENTRIES_MAX = 2048 };

typedef struct rk_spec_entry {
    const char *section, *key, *value; /* in the arena; key "" in [claim] */
    int32_t line;                      /* 0: from the command line */
} rk_spec_entry;

typedef struct rk_spec_entries {
    rk_spec_entry *entry;
    int32_t n;
} rk_spec_entries;

/* A section heading is an entry of its own, so that empty sections are seen. */
int rk_spec_entry_is_marker(const rk_spec_entry *e);

/* Splits `text`. In [claim] an entry is a whole line, comment included; elsewhere
 * continued lines are joined by one comma. RK_E_USAGE names `path` and the line:
 * no section, no '=', too long, control bytes, a key given twice. */
rk_status rk_spec_file_parse(const char *text, size_t n, const char *path, rk_arena *arena,
                             rk_spec_entries *out, rk_error *err);

/* Replaces the value of (section, key) or appends it. */
rk_status rk_spec_entries_set(rk_spec_entries *e, const char *section, const char *key,
                              const char *value, int32_t line, rk_error *err);

RK_C_END

#endif
