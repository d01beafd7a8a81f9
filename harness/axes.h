/* axes.h - the cross product of an experiment: axes, points and what they choose.
 *
 * A point is one value of every axis. Axes named NAME.KEY sweep an option of
 * method (or data set) NAME; at points of other methods they have no value, and
 * only one of those otherwise equal points is kept. Owns no memory: values are
 * borrowed from the spec's arena. */
#ifndef RK_HARNESS_AXES_H
#define RK_HARNESS_AXES_H

#include <jansson.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/status.h"

RK_C_BEGIN

enum { RK_AXES_MAX = 12, RK_AXIS_VALUES_MAX = 256, RK_POINTS_MAX = 100000 };

struct rk_spec;

typedef struct rk_pair {
    const char *key, *value;
    int32_t line; /* of the experiment file; 0: from the command line */
} rk_pair;

/* [method.NAME] or [method.NAME:LABEL] (also of readers): a row of the results. */
typedef struct rk_variant {
    const char *name;  /* as axes name it: "cacheblend" or "cacheblend:layer3" */
    const char *base;  /* the registered name: "cacheblend" */
    const char *label; /* "layer3"; NULL: none */
    const rk_pair *option;
    int32_t options;
} rk_variant;

/* What an axis varies. */
typedef enum rk_axis_role {
    RK_AXIS_PLAIN,         /* a condition: model, context, batch ... */
    RK_AXIS_DATASET,       /* its values are variants of readers */
    RK_AXIS_METHOD,        /* its values are variants of methods */
    RK_AXIS_METHOD_OPTION, /* `target`.`key` */
    RK_AXIS_READER_OPTION
} rk_axis_role;

typedef struct rk_axis {
    const char *name;
    const char *const *value; /* [n] canonical text: 64K is "65536" */
    int32_t n;
    rk_axis_role role;
    rk_option_kind kind;
    const char *target, *key; /* option axes only */
} rk_axis;

typedef struct rk_point {
    const struct rk_spec *spec;
    int64_t index;                  /* in the full cross product, last axis fastest */
    const char *value[RK_AXES_MAX]; /* [spec->axes]; NULL where an option axis does not apply */
    const rk_variant *method;       /* NULL when there is no method axis */
    const rk_variant *reader;       /* NULL when there is no dataset axis */
} rk_point;

/* The table of plain axes: names, kinds, ranges, help. */
extern const rk_option rk_axis_options[];

/* Size of the full cross product; redundant points included. */
int64_t rk_axes_points(const struct rk_spec *spec);
/* Fills point `index`. Returns 1 when it stands for itself, 0 when it repeats
 * another one (an option axis that does not apply, beyond its first value). */
int rk_axes_point(const struct rk_spec *spec, int64_t index, rk_point *out);

/* The value of an axis at a point; NULL: no such axis, or it does not apply. */
const char *rk_point_value(const rk_point *p, const char *axis);
/* Whole-number axis; `fallback` when the point has no value of it. */
int64_t rk_point_int(const rk_point *p, const char *axis, int64_t fallback);

/* Options of the point's method (or reader): its section's, then its option
 * axes on top. *out is in `arena`, in section order. */
rk_status rk_point_method_options(const rk_point *p, rk_arena *arena, const rk_pair **out,
                                  int32_t *n, rk_error *err);
rk_status rk_point_reader_options(const rk_point *p, rk_arena *arena, const rk_pair **out,
                                  int32_t *n, rk_error *err);

/* {"context":65536,"method":"redknot"}: whole numbers as numbers, the rest as
 * text, paths as base names, axes that do not apply left out. The caller's
 * reference; NULL when memory ran out. */
json_t *rk_point_json(const rk_point *p);

/* Points that differ only in the method and its options have one group number:
 * they are measured interleaved, in one block. Groups sort in file order. */
int64_t rk_axes_group(const struct rk_spec *spec, int64_t index);

/* "model=tiny context=1024 method=dense" into a buffer, for people. */
const char *rk_point_text(const rk_point *p, char *buffer, size_t size);

/* The part of a path behind the last '/'; what provenance may keep of it. */
const char *rk_base_name(const char *path);

RK_C_END

#endif
