/* haystack.h - passages of generated filler with sentences hidden in them.
 *
 * What needle.c and variable_tracking.c share. The text is made up here, so the
 * data sets carry no third party's words. Every passage is drawn anew: two equal
 * ones would be one stored chunk and make reuse look cheaper than it is. */
#ifndef RK_DATA_HAYSTACK_H
#define RK_DATA_HAYSTACK_H

#include "base/rng.h"
#include "readers/reader.h"

RK_C_BEGIN

typedef enum rk_haystack_style {
    RK_HAYSTACK_NOISE, /* a handful of fixed short sentences */
    RK_HAYSTACK_PROSE  /* sentences from a small grammar */
} rk_haystack_style;

/* A sentence to hide, in one passage, behind the share `depth` of its filler. */
typedef struct rk_needle {
    const char *text;
    int32_t passage;
    double depth; /* [0, 1) */
} rk_needle;

typedef struct rk_haystack {
    rk_haystack_style style;
    int64_t target_tokens;  /* of all passages together; reached within a sentence or two */
    int64_t passage_tokens; /* about as many in each */
    const rk_token_counter *counter;
    const char *what; /* for messages: the reader's name */
} rk_haystack;

/* How many passages the haystack will have; at least 1. */
int32_t rk_haystack_passages(const rk_haystack *h);

/* Writes the passages; those with a needle are marked gold. Needles of a passage
 * stand in order of depth. RK_E_BUDGET: a passage is too short for its needles. */
rk_status rk_haystack_build(const rk_haystack *h, const rk_needle *needle, int32_t needles,
                            rk_rng *rng, rk_arena *arena, rk_passage **out, rk_error *err);

enum { RK_HAYSTACK_NAMES = 1600 };
/* `n` names like "quiet-harbor", none twice. RK_E_BUDGET: n > RK_HAYSTACK_NAMES. */
rk_status rk_haystack_names(int32_t n, rk_rng *rng, rk_arena *arena, const char ***out,
                            rk_error *err);

RK_C_END

#endif
