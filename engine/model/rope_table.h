/* rope_table.h - the table of rotary frequencies, from what a model's file says.
 *
 * Formulas: transformers' modeling_rope_utils (default, linear, llama3, yarn),
 * computed in double and rounded once. */
#ifndef RK_MODEL_ROPE_TABLE_H
#define RK_MODEL_ROPE_TABLE_H

#include "base/arena.h"
#include "model/model.h"

RK_C_BEGIN

typedef enum rk_rope_kind {
    RK_ROPE_DEFAULT,
    RK_ROPE_LINEAR,
    RK_ROPE_LLAMA3,
    RK_ROPE_YARN
} rk_rope_kind;

typedef struct rk_rope_spec {
    rk_rope_kind kind;
    int32_t dim; /* rotary dims, even */
    double theta;
    double factor;               /* all but default */
    double original;             /* trained positions: llama3, yarn */
    double low_freq, high_freq;  /* llama3 */
    double beta_fast, beta_slow; /* yarn */
    double attention_factor;     /* yarn; <= 0: 0.1 ln(factor) + 1 */
    int32_t truncate;            /* yarn: whole-numbered bounds of the ramp */
    const float *divisor;        /* [dim/2] of GGUF's rope_freqs.weight, or NULL */
} rk_rope_spec;

/* "default" in every field that has one. */
rk_rope_spec rk_rope_spec_default(int32_t dim);

/* Fills `out` with a table in `arena`. RK_E_FORMAT names `where` and the value
 * that makes a frequency not finite or not positive. */
rk_status rk_rope_build(const rk_rope_spec *spec, const char *where, rk_arena *arena, rk_rope *out,
                        rk_error *err);

RK_C_END

#endif
