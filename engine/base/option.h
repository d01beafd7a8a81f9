/* option.h - option tables: one row serves the command line, the experiment
 * file, --help, the defaults and the results database (after fio's table). */
#ifndef RK_BASE_OPTION_H
#define RK_BASE_OPTION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

typedef enum rk_option_kind {
    RK_OPT_BOOL,   /* field: int32_t 0 or 1; text: true false yes no on off 1 0 */
    RK_OPT_INT,    /* field: int64_t; text may end in K or M (x 1024, x 1024^2) */
    RK_OPT_FLOAT,  /* field: double */
    RK_OPT_TEXT,   /* field: const char *, borrowed from the value's text */
    RK_OPT_CHOICE, /* field: int32_t index into `choices` */
} rk_option_kind;

/* A table ends with a row whose name is NULL. */
typedef struct rk_option {
    const char *name; /* key in a spec file and after -- on the command line */
    rk_option_kind kind;
    size_t offset;        /* offsetof(config struct, field) */
    const char *fallback; /* default, as text; always present */
    double low, high;     /* inclusive range, for numbers */
    const char *unit;     /* "tokens", "fraction", "ms", "bytes", "" */
    const char *help;     /* one sentence: effect, then source */
    const char *choices;  /* RK_OPT_CHOICE: "fixed|paper|refcode" */
} rk_option;

/* Fills every field of `config` from the table's defaults. */
rk_status rk_options_default(const rk_option *table, void *config, rk_error *err);

/* Sets one option from text. RK_E_USAGE names the option, what was given and
 * what is allowed; for an unknown name also the nearest known one. */
rk_status rk_options_set(const rk_option *table, void *config, const char *name, const char *value,
                         rk_error *err);

const rk_option *rk_option_find(const rk_option *table, const char *name); /* NULL: unknown */

/* The current value as canonical text: what set() would read back. */
char *rk_option_text(const rk_option *row, const void *config, rk_arena *arena, rk_error *err);

/* One help line a row: name, unit, range or choices, default, sentence. */
void rk_options_help(const rk_option *table, const char *prefix, FILE *out);

/* The entry of `names` nearest to `name` by edit distance, or NULL when none
 * is near enough to be a likely slip (more than a third of its letters). */
const char *rk_nearest_name(const char *name, const char *const *names, size_t n);

/* Numbers as users write them: "8K" = 8192, "2M" = 2097152. RK_E_USAGE names
 * `what` and the text. */
rk_status rk_parse_int(const char *text, const char *what, int64_t *out, rk_error *err);
rk_status rk_parse_float(const char *text, const char *what, double *out, rk_error *err);

RK_C_END

#endif
