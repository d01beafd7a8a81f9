/* results_rows.h - what is written: static rows by content, sessions, cells, attempts.
 *
 * A static row's id is the SHA-256 of its canonical JSON: keys are the table's
 * other columns, sorted, NULLs left out, objects as their own canonical text. */
#ifndef RK_HARNESS_RESULTS_ROWS_H
#define RK_HARNESS_RESULTS_ROWS_H

#include <jansson.h>

#include "base/hash.h"
#include "executor.h"
#include "metric.h"
#include "provenance.h"
#include "results_db.h"
#include "spec.h"

RK_C_BEGIN

/* Id of a row; also the canonical text when `text` is not NULL (free() it).
 * RK_E_ARG: not an object, or a value that a static row cannot hold. */
rk_status rk_results_row_id(const json_t *row, const char *table, char id[RK_SHA256_HEX],
                            char **text, rk_error *err);

/* The id that rk_results_static would give; writes nothing. */
rk_status rk_results_static_id(const char *table, const char *json, char id[RK_SHA256_HEX],
                               rk_error *err);

/* Adds a row of host, build, env, model, dataset, method or protocol unless it is
 * there. `json` is an object; `id` receives its key. RK_E_ARG names an unknown
 * column or a broken constraint. */
rk_status rk_results_static(rk_results_db *db, const char *table, const char *json,
                            char id[RK_SHA256_HEX], rk_error *err);

typedef struct rk_session_ids {
    char session[RK_UUID_TEXT];
    char host[RK_SHA256_HEX], build[RK_SHA256_HEX], env[RK_SHA256_HEX];
} rk_session_ids;

/* Turns attempts still `running` whose owner is gone into aborted/CRASH and ends
 * their sessions, in one transaction. *recovered counts attempts. */
rk_status rk_results_recover(rk_results_db *db, int64_t *recovered, rk_error *err);

rk_status rk_results_session_begin(rk_results_db *db, const rk_provenance *p, rk_session_ids *out,
                                   rk_error *err);
/* `reason`: "done", "interrupted", "error". */
rk_status rk_results_session_end(rk_results_db *db, const char *session, const char *reason,
                                 rk_error *err);

/* The experiment's text and its claims. */
rk_status rk_results_experiment(rk_results_db *db, const rk_spec *spec, rk_error *err);
/* Adds metrics or renews their words; RK_E_ARG when a unit would change. */
rk_status rk_results_metrics(rk_results_db *db, const rk_metric *const *metric, int32_t n,
                             rk_error *err);

typedef struct rk_cell_row {
    const rk_spec *spec;
    const rk_point *point;
    const char *model_id;   /* NULL: the cell names none */
    const char *dataset_id; /* NULL: the cell names none */
    const char *method_id;
    const char *protocol_id;
    int64_t context_tokens;
} rk_cell_row;

/* {seed, timing rules} of [measure] as the `protocol` row. In `arena`. */
rk_status rk_results_protocol_json(const rk_measure *m, rk_arena *arena, const char **out,
                                   rk_error *err);

/* cell_id = SHA-256 over experiment id, axes, model, data set, method (with its
 * options), protocol and seed; not over the spec's text or the wanted counts. */
rk_status rk_results_cell_id(const rk_cell_row *row, char id[RK_SHA256_HEX], rk_error *err);
/* Adds the cell, or raises the wanted counts of one that is there. */
rk_status rk_results_cell(rk_results_db *db, const rk_cell_row *row, char id[RK_SHA256_HEX],
                          rk_error *err);
/* outcome "ran", "skipped" or "failed"; the last call of a session stays. */
rk_status rk_results_cell_state(rk_results_db *db, const char *cell, const char *session,
                                const char *outcome, const char *reason, rk_error *err);
rk_status rk_results_item(rk_results_db *db, const char *dataset_id, int64_t item,
                          const rk_item_identity *id, rk_error *err);

/* Is there an ok attempt that nobody excluded? `host` and `build` NULL: of anyone. */
rk_status rk_results_done(rk_results_db *db, const char *cell, int64_t item, int64_t rep,
                          const char *host, const char *build, int *done, rk_error *err);

/* How many (item, rep) below the limits are done. */
rk_status rk_results_done_count(rk_results_db *db, const char *cell, int64_t items, int64_t reps,
                                const char *host, const char *build, int64_t *n, rk_error *err);

typedef struct rk_attempt_start {
    const char *cell, *session;
    int64_t item, rep, block, slot, warmups;
} rk_attempt_start;

typedef struct rk_attempt_sample {
    const char *metric;
    int64_t idx; /* counts within the metric */
    double value;
} rk_attempt_sample;

typedef struct rk_attempt_end {
    const char *state;                 /* "ok", "failed", "invalid" */
    const char *fail_code, *fail_text; /* NULL when ok */
    int64_t dur_ns;
    const rk_attempt_sample *sample; /* kept whatever the state */
    int64_t samples;
    const char *output; /* generated text; NULL: none */
} rk_attempt_end;

/* First transaction of an attempt: the row `running`. */
rk_status rk_results_attempt_begin(rk_results_db *db, const rk_attempt_start *start,
                                   char attempt[RK_UUID_TEXT], rk_error *err);
/* Second transaction: samples, output and the final state together. */
rk_status rk_results_attempt_end(rk_results_db *db, const char *attempt, int64_t item,
                                 const rk_attempt_end *end, rk_error *err);

RK_C_END

#endif
