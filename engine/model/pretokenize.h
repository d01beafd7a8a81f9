/* pretokenize.h - splits a text fragment into the pieces that are merged apart.
 *
 * A pipeline of steps, as the file lists them: each works on the pieces of the one
 * before. Digits and the byte-level split are regex steps; Metaspace is a marking
 * step and, when it splits, a string step. */
#ifndef RK_MODEL_PRETOKENIZE_H
#define RK_MODEL_PRETOKENIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/regex.h"
#include "model/utf8.h"

RK_C_BEGIN

typedef enum rk_pretokenize_kind {
    RK_PRETOKENIZE_REGEX,     /* split at matches of `regex` */
    RK_PRETOKENIZE_STRING,    /* split at `text` (never empty) */
    RK_PRETOKENIZE_METASPACE, /* blanks become `text`, and one is put in front by `prefix` */
    RK_PRETOKENIZE_BLANK,     /* a blank in front of a piece that does not start with one */
} rk_pretokenize_kind;

/* What becomes of a match, in Hugging Face's terms. */
typedef enum rk_pretokenize_behavior {
    RK_BEHAVIOR_ISOLATED,
    RK_BEHAVIOR_REMOVED,
    RK_BEHAVIOR_CONTIGUOUS,
    RK_BEHAVIOR_MERGED_WITH_PREVIOUS,
    RK_BEHAVIOR_MERGED_WITH_NEXT,
} rk_pretokenize_behavior;

/* FIRST: only the piece at the start of the whole input. */
typedef enum rk_prefix { RK_PREFIX_ALWAYS, RK_PREFIX_FIRST, RK_PREFIX_NEVER } rk_prefix;

typedef struct rk_pretokenize_step {
    rk_pretokenize_kind kind;
    rk_pretokenize_behavior behavior;
    rk_prefix prefix;
    int invert;       /* what lies between matches is the match */
    rk_regex *regex;  /* owned */
    const char *text; /* lifetime: the tokenizer */
    size_t bytes;
} rk_pretokenize_step;

enum { RK_PRETOKENIZE_STEPS = 16 };

typedef struct rk_pretokenizer {
    rk_pretokenize_step step[RK_PRETOKENIZE_STEPS];
    int32_t steps;
} rk_pretokenizer;

void rk_pretokenizer_free(rk_pretokenizer *p); /* what it owns; leaves {0} */

/* The next free step, zeroed; RK_E_UNSUPPORTED, naming `what`, when all are used. */
rk_status rk_pretokenizer_add(rk_pretokenizer *p, rk_pretokenize_step **out, const char *what,
                              rk_error *err);
/* A regex step that isolates its matches. */
rk_status rk_pretokenizer_add_regex(rk_pretokenizer *p, const char *pattern, size_t n,
                                    const char *what, rk_error *err);

/* Working memory of one thread. */
typedef struct rk_pretokenize_room rk_pretokenize_room;
rk_status rk_pretokenize_room_new(rk_pretokenize_room **out, rk_error *err);
void rk_pretokenize_room_free(rk_pretokenize_room *room);                   /* accepts NULL */
rk_regex_match *rk_pretokenize_room_match(const rk_pretokenize_room *room); /* borrowed */

/* Takes one piece, n > 0; the text is valid during the call only. */
typedef rk_status (*rk_piece_fn)(void *context, const char *piece, size_t n, rk_error *err);

/* Splits well-formed text and gives the pieces in order. `at_start`: the fragment
 * starts the whole input. */
rk_status rk_pretokenize(const rk_pretokenizer *p, rk_pretokenize_room *room, const char *text,
                         size_t n, int at_start, rk_piece_fn piece, void *context, rk_error *err);

RK_C_END

#endif
