/* counters.h - what was executed: FLOPs, bytes, tokens, heads.
 *
 * Incremented where the work is done, by the functions below, so that the `cpu`
 * and the `count` backend cannot disagree. A multiply-add is 2 FLOPs; norms,
 * rotations and softmax are not counted (as in the papers' own accounting). */
#ifndef RK_BACKEND_COUNTERS_H
#define RK_BACKEND_COUNTERS_H

#include <stdint.h>

#include "base/tensor.h"

RK_C_BEGIN

/* The parts of a step, for FLOPs and for time. */
#define RK_PHASE_MAP(X)                                                                            \
    X(LOOKUP, "lookup")     /* finding chunk states, embedding, bookkeeping */                     \
    X(RELOCATE, "relocate") /* rotating and writing stored K/V */                                  \
    X(PROBE, "probe")       /* a method's own passes before layer 0 */                             \
    X(PROJECT, "project")   /* norms, Q, K, V, O projections, page writes */                       \
    X(ATTEND, "attend")     /* attention */                                                        \
    X(SELECT, "select")     /* drift, mass, edge mass, resolving rules, gathering rows */          \
    X(FFN, "ffn")           /* feed-forward network */                                             \
    X(HEAD, "head")         /* final norm, LM head, argmax */

typedef enum rk_phase {
#define RK_PHASE_ENUM(name, text) RK_PHASE_##name,
    RK_PHASE_MAP(RK_PHASE_ENUM)
#undef RK_PHASE_ENUM
        RK_PHASES
} rk_phase;

const char *rk_phase_name(rk_phase phase);

typedef struct rk_counters {
    uint64_t flops[RK_PHASES]; /* by part; rk_counters_flops sums them */
    uint64_t bytes;            /* operands read and results written, as stored */
    /* Context tokens (prefix and chunks) whose stored K/V served at least one head
     * of one layer. */
    uint64_t reused_tokens;
    /* Context tokens still live in the last layer: their states were computed anew. */
    uint64_t recomputed_tokens;
    uint64_t projected_kv_rows;       /* sum over layers and KV heads of rows projected to K, V */
    uint64_t projected_chunk_kv_rows; /* the part of it that lies in chunks */
    uint64_t probed_kv_rows;          /* the same sum for probe passes, not in the two above */
    /* The part of projected_kv_rows done for local heads on rows whose stored K/V were reused. */
    uint64_t projected_local_kv_rows_reused;
    uint64_t ffn_tokens;     /* sum over layers of rows through the FFN */
    uint64_t promoted_heads; /* local heads that ran as global (elastic restore) */
    uint64_t fallbacks;      /* slower paths taken instead of the asked one */
    uint64_t attended_pairs; /* (query head, key) pairs multiplied */
} rk_counters;

uint64_t rk_counters_flops(const rk_counters *c);

/* One row a scalar counter: name as in the JSON and as a metric. */
typedef struct rk_counter_field {
    const char *name;
    size_t offset; /* of a uint64_t in rk_counters */
    const char *unit;
    const char *doc;
} rk_counter_field;
extern const rk_counter_field rk_counter_fields[]; /* ends with name NULL */

/* y[T,O] = x[T,I] w[O,I]^T, activations of `activation_bytes` each. */
void rk_count_matmul(rk_counters *c, rk_phase phase, int64_t rows, const rk_weight *w,
                     int64_t activation_bytes);
/* Keys that a row at position `pos` sees: all up to `limit` (window 0), else of these
 * the sink's and the last `window` ones, itself included, each once. */
int64_t rk_visible_keys(int32_t pos, int32_t limit, int32_t sink, int32_t window);

RK_C_END

#endif
