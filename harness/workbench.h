/* workbench.h - what stays open between attempts: model, engine, data set, context.
 *
 * One model and one data set at a time; switching closes the old ones. Owns the
 * prompt of the current context and the dense reference logits of its questions. */
#ifndef RK_HARNESS_WORKBENCH_H
#define RK_HARNESS_WORKBENCH_H

#include "axes.h"
#include "engine.h"
#include "prompt.h"

RK_C_BEGIN

typedef struct rk_workbench_config {
    const char *backend; /* "cpu" */
    int32_t threads;     /* 0 = all */
    const char *data;    /* directory of data sets; NULL: only generators run */
    int64_t seed;
    int64_t items_per_context; /* 0 = the reader's own */
} rk_workbench_config;

typedef struct rk_workbench rk_workbench;

rk_status rk_workbench_new(rk_workbench **out, const rk_workbench_config *config, rk_error *err);
void rk_workbench_free(rk_workbench *w); /* accepts NULL */

/* Opens the model that `name` says: a directory or .gguf file as it is, else
 * data/models/NAME, models/NAME.gguf or models/NAME under the working directory
 * or the source tree. RK_E_IO lists where it looked. */
rk_status rk_workbench_model(rk_workbench *w, const char *name, rk_error *err);
const rk_model *rk_workbench_opened(const rk_workbench *w);
/* SHA-256 of the opened model's weights; computed once. */
rk_status rk_workbench_model_sha256(rk_workbench *w, const char **hex, rk_error *err);
/* "data/head_maps/NAME.json" for the opened model when there is one, else NULL. */
const char *rk_workbench_head_map(rk_workbench *w, rk_error *err);

/* Opens the point's data set (reader options applied) at `context_tokens` for the
 * opened model. Does nothing when it is open already. */
rk_status rk_workbench_dataset(rk_workbench *w, const rk_point *point, int64_t context_tokens,
                               rk_error *err);
const rk_reader *rk_workbench_reader(const rk_workbench *w); /* the open one */

/* First item number and item count of context `index`, read on demand; contexts are
 * taken in order. *count 0: the data set ends before it. */
rk_status rk_workbench_items(rk_workbench *w, int64_t index, int64_t *first, int64_t *count,
                             rk_error *err);
/* The context that holds an item. */
rk_status rk_workbench_find(rk_workbench *w, int64_t item, int64_t *index, rk_error *err);

/* Makes context `index` the current one: passages, prompt, an engine with room for it;
 * forgets stored states of another context. Sessions of an earlier context must be
 * closed before. Borrowed until the next context. */
rk_status rk_workbench_context(rk_workbench *w, int64_t index, const rk_context **context,
                               const rk_prompt **prompt, rk_error *err);

/* The engine of the current context; borrowed until the next one. */
rk_engine *rk_workbench_engine(const rk_workbench *w);

/* Dense logits [V] of question `q` of the current context; computed at first use,
 * untimed. Borrowed until the next context. */
rk_status rk_workbench_reference(rk_workbench *w, int32_t q, const float **logits, rk_error *err);

/* The request of question `q` of the current context; `bos` >= 0 puts it in front
 * of every chunk (compile_prefix = bos_keep). Memory lives as long as the context. */
rk_status rk_workbench_request(rk_workbench *w, int32_t q, int32_t bos, const rk_request **out,
                               rk_error *err);

RK_C_END

#endif
