/* normalize.h - what a tokenizer does to the text between added tokens before it
 * splits it: NFC, and the prepending and replacing of SentencePiece-style files. */
#ifndef RK_MODEL_NORMALIZE_H
#define RK_MODEL_NORMALIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/utf8.h"

RK_C_BEGIN

typedef enum rk_normalize_kind {
    RK_NORMALIZE_NFC,     /* utf8proc's Unicode version */
    RK_NORMALIZE_PREPEND, /* `with` in front, unless the text is empty */
    RK_NORMALIZE_REPLACE, /* every `find` (never empty) by `with` */
} rk_normalize_kind;

typedef struct rk_normalize_step {
    rk_normalize_kind kind;
    const char *find, *with; /* lifetime: the tokenizer */
    size_t find_bytes, with_bytes;
} rk_normalize_step;

enum { RK_NORMALIZE_STEPS = 8 };

typedef struct rk_normalizer {
    rk_normalize_step step[RK_NORMALIZE_STEPS];
    int32_t steps;
} rk_normalizer;

/* Working memory of one thread; start from {0}. */
typedef struct rk_normalize_room {
    rk_text text[2];
    int32_t *code; /* [codes] code points, for NFC */
    size_t codes;
} rk_normalize_room;

void rk_normalize_room_free(rk_normalize_room *room); /* leaves {0} */

/* Applies the steps in order to well-formed text. *text and *n stay as they are
 * when nothing changes, else they point into `room` until its next use. */
rk_status rk_normalize(const rk_normalizer *z, rk_normalize_room *room, const char **text,
                       size_t *n, rk_error *err);

RK_C_END

#endif
