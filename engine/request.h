/* request.h - a prompt as segments of token ids, and where every token stands.
 *
 * Positions: prefix [0,P), chunks in order, question last. `pos` is the place in
 * the prompt (causality, windows, page slots); the rotary position may differ
 * (rk_layout) only for methods that leave keys where they were built. */
#ifndef RK_REQUEST_H
#define RK_REQUEST_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

/* What is put in front of a chunk when its state is built (baselines' survey in
 * the README): the real system prefix; BOS whose KV is dropped; `dummies` BOS
 * copies and one more, all dropped; nothing. */
typedef enum rk_compile_prefix {
    RK_COMPILE_SYSPREFIX,
    RK_COMPILE_BOS_DROP,
    RK_COMPILE_BOS_KEEP,
    RK_COMPILE_SINK_DROP,
    RK_COMPILE_NONE
} rk_compile_prefix;

typedef struct rk_segment {
    const int32_t *id; /* [n] token ids, borrowed */
    int32_t n;
    int32_t start; /* position of the first token in the prompt */
} rk_segment;

typedef struct rk_request {
    rk_segment prefix; /* n may be 0 */
    rk_segment *chunk; /* [chunks] reusable passages, in prompt order */
    int32_t chunks;
    rk_segment question; /* n >= 1 */
    int32_t tokens;      /* N, all segments */
} rk_request;

typedef struct rk_ids_span {
    const int32_t *id;
    int32_t n;
} rk_ids_span;

/* Fills starts and the total. Ids are borrowed, the rest is in `arena`. RK_E_ARG:
 * an empty question or chunk, or more than INT32_MAX tokens. */
rk_status rk_request_build(rk_request *r, rk_ids_span prefix, const rk_ids_span *chunks,
                           int32_t chunk_count, rk_ids_span question, rk_arena *arena,
                           rk_error *err);

RK_C_END

#endif
