/* spec.h - experiment files: what is run, over what, how often, and what is claimed.
 *
 *   [experiment]  title, source
 *   [axes]        full cross product in file order: `a, b`, `8K..64K*2`, `1..4+1`
 *   [measure]     metrics, items, reps, ... (rk_measure_options)
 *   [method.NAME] or [method.NAME:LABEL]: options, checked against that method
 *   [reader.NAME] or [reader.NAME:LABEL]: options of a data set, checked likewise
 *   [profile.P]   P = smoke, cpu, real, gpu, paper: replaces axis lists, [measure] keys
 *                 and `method.NAME.KEY` options
 *   [claim]       metric @ axis=value ... = value +- tolerance[%]  ; source
 *                 (`vs=METHOD` among the conditions names another reference)
 *
 * Lines are at most 196 bytes; a line that begins with a blank continues the
 * value above it (lists by comma). '#' or ';' at the start of a line, or behind
 * a blank, begins a comment. Everything unknown is an error that names file,
 * line and the nearest known name. */
#ifndef RK_HARNESS_SPEC_H
#define RK_HARNESS_SPEC_H

#include "axes.h"
#include "base/hash.h"
#include "method.h"
#include "metric.h"
#include "readers/reader.h"

RK_C_BEGIN

enum { RK_SPEC_BYTES_MAX = 1 << 20, RK_SPEC_CLAIMS_MAX = 1024, RK_SPEC_ITEMS_AT_MAX = 16 };

/* What experiment files may name. */
typedef struct rk_spec_registry {
    const rk_method_ops *const *method;
    int32_t methods;
    const rk_reader_ops *const *reader;
    int32_t readers;
    const rk_metric *const *metric;
    int32_t metrics;
} rk_spec_registry;

rk_spec_registry rk_spec_registry_builtin(void); /* the tables made by CMake */

typedef enum rk_order { RK_ORDER_ABBA, RK_ORDER_FILE, RK_ORDER_RANDOM } rk_order;

/* [measure]; rows of rk_measure_options. */
typedef struct rk_measure {
    const char *metrics_text;
    const char *backend;       /* "cpu": of the command line, part of the protocol */
    int64_t threads;           /* effective CPU threads, likewise */
    int64_t items;             /* n: items a cell; rk_measure_items says for a point */
    const char *items_at_text; /* "2K:60, 4K:20" */
    int64_t items_at[RK_SPEC_ITEMS_AT_MAX][2]; /* context, items */
    int32_t items_ats;
    int64_t items_per_context; /* 0 = the reader's own */
    int64_t reps;
    int64_t warmup; /* runs not kept, before a cell's first kept one */
    double timeout; /* seconds an item may take; 0 = no limit */
    int64_t seed;
    int32_t order;             /* rk_order: of methods within a block */
    int64_t decode_tokens;     /* generated an item; 0 = the reader's own */
    const char *const *metric; /* metrics_text split; [metrics] */
    int32_t metrics;           /* 0 = all that an attempt has; stored are always all */
} rk_measure;

extern const rk_option rk_measure_options[];

/* Items wanted of the cell at this point: `items_at` of its context, else `items`. */
int64_t rk_measure_items(const rk_measure *m, const rk_point *p);

/* One number the paper states. */
typedef struct rk_spec_claim {
    const char *metric;
    const rk_pair *where; /* axis and canonical value */
    int32_t wheres;
    const char *where_text; /* "model=tiny context=65536 method=redknot" */
    double value;
    double tolerance; /* absolute, or a fraction of `value` when `relative` */
    int relative;
    const char *source; /* "" when the line has none */
    const char *text;   /* the line as written, comment included */
    int32_t line;
} rk_spec_claim;

typedef struct rk_spec {
    const char *id;    /* the file's base name without .exp */
    const char *title; /* "" when the file has none */
    const char *source;
    const char *profile; /* NULL: the lists as the file gives them */
    const char *text;    /* the whole file */
    char text_sha256[RK_SHA256_HEX];
    rk_axis axis[RK_AXES_MAX];
    int32_t axes;
    const rk_variant *method; /* named by [method.*] sections or by the axis */
    int32_t methods;
    const rk_variant *reader;
    int32_t readers;
    rk_measure measure;
    const rk_spec_claim *claim;
    int32_t claims;
    const char *model_path; /* of --model; NULL: the model axis names it */
} rk_spec;

/* What the command line adds. */
typedef struct rk_spec_request {
    const char *profile;     /* NULL: none */
    const char *const *only; /* "axis=value[,value]" */
    int32_t onlys;
    const char *const *set; /* "section.key=value" */
    int32_t sets;
    const char *model; /* path of the one model to run; NULL: the file's axis */
} rk_spec_request;

/* Reads, checks and expands a file. `request` and `registry` may be NULL (the
 * file as it is; the built-in tables). Every profile of the file is checked, not
 * only the one asked for. All memory of `out` is in `arena`. RK_E_USAGE: the
 * file or the request is wrong; RK_E_IO: it cannot be read. */
rk_status rk_spec_read(const char *path, const rk_spec_request *request,
                       const rk_spec_registry *registry, rk_arena *arena, rk_spec *out,
                       rk_error *err);
/* The same for text in memory; `path` gives the id and names it in messages. */
rk_status rk_spec_parse(const char *text, size_t n, const char *path,
                        const rk_spec_request *request, const rk_spec_registry *registry,
                        rk_arena *arena, rk_spec *out, rk_error *err);

RK_C_END

#endif
