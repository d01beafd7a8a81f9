/* head_profile.h - how a head map is measured: which KV heads need the whole prompt.
 *
 * Dense prefills of probe contexts; per (layer, KV head), means over probe rows and
 * over the query heads of the group:
 *   far_question  probability that the question's rows send outside sink + window
 *   far_context   the same of rows spread over the passages
 *   edge          probability that the question's rows send to the P oldest keys of their
 *                 window, which a window of P tokens less hides (elastic restore's signal)
 *   needle        probability that the question's last row sends to gold passages
 *                 outside sink + window
 *   prefix_shift  1 - cos(A0, Ap): attention inside a passage when it stands alone
 *                 behind the prefix against the same rows and keys in the prompt
 * The paper (3.2) speaks of needle tests; its published profiler has prefix shift and
 * edge mass, and no shipped map was made by either. Offline, never in a timed path. */
#ifndef RK_HEAD_PROFILE_H
#define RK_HEAD_PROFILE_H

#include "engine.h"

RK_C_BEGIN

typedef struct rk_profile_config {
    int32_t window, sink;
    int32_t rows; /* probe rows a context for far_context, and a passage for prefix_shift */
} rk_profile_config;

typedef struct rk_profile rk_profile;

/* `shape` is borrowed: the model's. */
rk_status rk_profile_new(rk_profile **out, const rk_model_shape *shape,
                         const rk_profile_config *config, rk_error *err);
void rk_profile_free(rk_profile *p); /* accepts NULL */

/* One probe on an engine of that model, with a backend that has values: a request and,
 * per chunk, 1 when it holds the evidence. */
rk_status rk_profile_add(rk_profile *p, rk_engine *e, const rk_request *r, const uint8_t *gold,
                         rk_error *err);

typedef enum rk_profile_score {
    RK_PROFILE_FAR, /* max of far_question and far_context */
    RK_PROFILE_EDGE,
    RK_PROFILE_NEEDLE,
    RK_PROFILE_SHIFT,
    RK_PROFILE_MAX, /* max of far, needle and shift */
    RK_PROFILE_SCORES
} rk_profile_score;

/* Mean score of (layer, head) over what was added; 0 before any. */
double rk_profile_value(const rk_profile *p, rk_profile_score score, int32_t layer, int32_t head);

/* The map: the round(share L G) heads of the highest score are global (share >= 0), or
 * those whose score is above `threshold` (share < 0). Ties go to the lower layer and
 * head. Local heads get the profile's window and sink. */
rk_status rk_profile_map(const rk_profile *p, rk_profile_score score, double share,
                         double threshold, rk_arena *arena, rk_head_map **out, rk_error *err);

/* The measured tables as a JSON object's text. */
rk_status rk_profile_evidence(const rk_profile *p, rk_arena *arena, char **out, rk_error *err);

RK_C_END

#endif
