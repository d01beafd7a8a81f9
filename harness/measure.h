/* measure.h - what one attempt left behind: the input of every metric. */
#ifndef RK_HARNESS_MEASURE_H
#define RK_HARNESS_MEASURE_H

#include "engine.h"
#include "metric.h"
#include "scorers.h"

RK_C_BEGIN

struct rk_measurement {
    int whole;              /* 1: the prompt ran unforked, so times and counters are valid */
    rk_report report;       /* of the prefill; when whole */
    int32_t prompt_tokens;  /* N */
    int32_t context_tokens; /* prefix and chunks */
    int32_t chunk_tokens;   /* of it, reusable */
    int32_t layers, kv_heads;
    int32_t decoded;  /* tokens after the first */
    double decode_ms; /* for these */
    int64_t output_tokens;
    double offline_ms; /* building the states this method reads of this context */
    int has_offline;
    int has_quality; /* trained weights and a scorer */
    rk_score score;
    const float *logits;    /* [V] of the first token; NULL: none */
    const float *reference; /* [V] of dense prefill on the same prompt; NULL: none */
    int32_t vocab;
};

/* Every metric an attempt can have: the files of harness/metrics/, one a phase of the
 * engine for time and FLOPs, one a counter. Built once in `arena`. */
rk_status rk_measure_metrics(rk_arena *arena, const rk_metric *const **out, int32_t *n,
                             rk_error *err);

/* Value of the metric; 1 when the attempt has it. */
int rk_measure_value(const rk_metric *metric, const rk_measurement *m, double *out);

RK_C_END

#endif
