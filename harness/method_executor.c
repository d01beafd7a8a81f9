/* method_executor.c - see method_executor.h. */
#include "method_executor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cell_facts.h"
#include "measure.h"
#include "method_config.h"
#include "sgemm_probe.h"

enum { DEFAULT_NEW_TOKENS = 32 };

/* One context pass shared by the questions of a cell. */
typedef struct shared_context {
    int64_t point, context; /* -1: none */
    rk_session *session;
    rk_arena *arena; /* the method's configuration */
    rk_method method;
} shared_context;

struct rk_method_executor {
    const rk_spec *spec;
    rk_workbench *bench;
    rk_arena *arena; /* facts and metrics; process lifetime */
    const rk_metric *const *metric;
    int32_t metrics;
    shared_context shared;
    double sgemm_flops; /* a second; 0 = not probed yet */
};

static const char *model_of(const rk_point *p)
{
    const char *axis = rk_point_value(p, "model");
    return p->spec->model_path ? p->spec->model_path : axis ? axis : "tiny";
}

rk_status rk_method_executor_new(rk_method_executor **out, const rk_spec *spec,
                                 const rk_workbench_config *config, rk_error *err)
{
    *out = NULL;
    rk_method_executor *x = rk_heap_take(1, sizeof *x, err);
    if (!x)
        return RK_E_MEMORY;
    x->spec = spec;
    x->shared.point = x->shared.context = -1;
    rk_status st = rk_arena_new(&x->arena, err);
    if (st == RK_OK)
        st = rk_arena_new(&x->shared.arena, err);
    if (st == RK_OK)
        st = rk_workbench_new(&x->bench, config, err);
    if (st == RK_OK)
        st = rk_measure_metrics(x->arena, &x->metric, &x->metrics, err);
    if (st != RK_OK) {
        rk_method_executor_free(x);
        return st;
    }
    *out = x;
    return RK_OK;
}

static void drop_shared(rk_method_executor *x)
{
    rk_session_close(x->shared.session);
    x->shared.session = NULL;
    x->shared.point = x->shared.context = -1;
}

void rk_method_executor_free(rk_method_executor *x)
{
    if (!x)
        return;
    drop_shared(x);
    rk_workbench_free(x->bench);
    rk_arena_free(x->shared.arena);
    rk_arena_free(x->arena);
    free(x);
}

const rk_metric *const *rk_method_executor_metrics(const rk_method_executor *x, int32_t *n)
{
    *n = x->metrics;
    return x->metric;
}

/* The point's method with every option; a missing head map is the model's own. */
static rk_status configure(rk_method_executor *x, const rk_point *p, rk_arena *arena,
                           rk_method *out, rk_error *err)
{
    const rk_pair *option;
    int32_t n;
    RK_TRY(rk_point_method_options(p, arena, &option, &n, err));
    rk_pair *all = rk_arena_take(arena, (size_t)n + 1, sizeof *all, err);
    if (!all)
        return RK_E_MEMORY;
    int has_map = 0;
    for (int32_t i = 0; i < n; i++) {
        all[i] = option[i];
        has_map |= !strcmp(option[i].key, "head_map");
    }
    const rk_method_ops *ops = rk_method_find(p->method->base);
    const char *own = rk_workbench_head_map(x->bench, err);
    if (!has_map && own && ops && rk_option_find(ops->options, "head_map"))
        all[n++] = (rk_pair){"head_map", own, 0};
    return rk_method_configure(p->method->base, all, n, &rk_workbench_opened(x->bench)->shape,
                               arena, out, err);
}

/* Why this cell cannot run here, in `reason`; RK_RAN when it can. */
static rk_outcome runnable(const rk_method *m, const rk_model *model, char *reason, size_t size)
{
    rk_error err = {0};
    if (m->ops->check && m->ops->check(m, &err) != RK_OK) {
        snprintf(reason, size, "%s", err.text); /* right for a deeper model, perhaps */
        return RK_SKIPPED;
    }
    if ((m->ops->flags & RK_METHOD_NEEDS_HEAD_MAP) && !m->head_map) {
        snprintf(reason, size, "no head map for %s: make one with redknot profile", model->name);
        return RK_SKIPPED;
    }
    if (m->head_map && (m->head_map->layers != model->shape.layers ||
                        m->head_map->kv_heads != model->shape.kv_heads)) {
        snprintf(reason, size, "head map %s has %d layers of %d KV heads, %s has %d of %d",
                 m->head_map->name, m->head_map->layers, m->head_map->kv_heads, model->name,
                 model->shape.layers, model->shape.kv_heads);
        return RK_SKIPPED;
    }
    const rk_compile *c = m->ops->flags & RK_METHOD_REUSES ? m->config : NULL;
    if (c && model->bos_id < 0 && c->prefix != RK_COMPILE_SYSPREFIX &&
        c->prefix != RK_COMPILE_NONE) {
        snprintf(reason, size, "%s has no BOS token for this compile_prefix", model->name);
        return RK_SKIPPED;
    }
    return RK_RAN;
}

static int64_t context_tokens(const rk_point *p)
{
    return rk_point_int(p, "context", 0);
}

/* Opens the model of the point and configures its method. */
static rk_status open_method(rk_method_executor *x, const rk_point *p, rk_arena *arena,
                             rk_method *method, rk_error *err)
{
    const rk_model *before = rk_workbench_opened(x->bench);
    if (!before || x->shared.point != p->index)
        drop_shared(x);
    RK_TRY(rk_workbench_model(x->bench, model_of(p), err));
    return configure(x, p, arena, method, err);
}

static rk_status open_cell(rk_method_executor *x, const rk_point *p, rk_arena *arena,
                           rk_method *method, rk_error *err)
{
    RK_TRY(open_method(x, p, arena, method, err));
    return rk_workbench_dataset(x->bench, p, context_tokens(p), err);
}

/* A missing model or data set skips the cell, a broken one fails it, one that is not
 * finite ends the run. */
static rk_status prepare(void *self, const rk_point *p, rk_outcome *outcome, char *reason,
                         size_t size, rk_cell_facts *facts, rk_error *err)
{
    rk_method_executor *x = self;
    rk_method method;
    rk_error local = {0};
    *outcome = RK_RAN;
    if (!p->method || !p->reader)
        return rk_fail(err, RK_E_USAGE, "an experiment needs the axes method and dataset");
    rk_status st = open_method(x, p, x->arena, &method, &local);
    int wrong = st == RK_E_USAGE; /* options; a data set refuses when its files are not given */
    if (st == RK_OK)
        st = rk_workbench_dataset(x->bench, p, context_tokens(p), &local);
    if (wrong || st == RK_E_MEMORY || st == RK_E_NUMERIC) {
        *err = local;
        return st;
    }
    if (st != RK_OK) {
        snprintf(reason, size, "%s", local.text);
        /* What is not here is skipped; what is here and broken has failed. */
        int absent = st == RK_E_IO || st == RK_E_USAGE || st == RK_E_UNSUPPORTED;
        *outcome = absent ? RK_SKIPPED : RK_FAILED;
        return rk_cell_facts_without_model(p, model_of(p), x->arena, facts, err);
    }
    const rk_model *model = rk_workbench_opened(x->bench);
    *outcome = runnable(&method, model, reason, size);
    const char *sha256;
    RK_TRY(rk_workbench_model_sha256(x->bench, &sha256, err));
    facts->context_tokens = context_tokens(p);
    RK_TRY(rk_cell_facts_model(model, sha256, x->arena, &facts->model_json, err));
    RK_TRY(rk_cell_facts_method(&method, p, x->arena, &facts->method_json, err));
    return rk_cell_facts_dataset(rk_workbench_reader(x->bench), p, x->spec->measure.seed, x->arena,
                                 &facts->dataset_json, err);
}

/* The runner asks for items of a cell that it prepared: open it again if another
 * one is open. */
static rk_status reopen(rk_method_executor *x, const rk_point *p, rk_error *err)
{
    if (x->shared.point != p->index)
        drop_shared(x);
    RK_TRY(rk_workbench_model(x->bench, model_of(p), err));
    return rk_workbench_dataset(x->bench, p, context_tokens(p), err);
}

static rk_status layout(void *self, const rk_point *p, int64_t n, int64_t *contexts, rk_error *err)
{
    rk_method_executor *x = self;
    int64_t first, count;
    RK_TRY(reopen(x, p, err));
    for (*contexts = 0;; (*contexts)++) {
        RK_TRY(rk_workbench_items(x->bench, *contexts, &first, &count, err));
        if (count == 0 || first >= n)
            return RK_OK;
    }
}

static rk_status items(void *self, const rk_point *p, int64_t n, int64_t block, int64_t *first,
                       int64_t *count, rk_error *err)
{
    rk_method_executor *x = self;
    RK_TRY(reopen(x, p, err));
    RK_TRY(rk_workbench_items(x->bench, block, first, count, err));
    if (*first + *count > n)
        *count = *first < n ? n - *first : 0;
    return RK_OK;
}

/* The context of an item and its question number there. */
static rk_status locate(rk_method_executor *x, int64_t item, int64_t *context, int32_t *question,
                        rk_error *err)
{
    int64_t first, count;
    RK_TRY(rk_workbench_find(x->bench, item, context, err));
    RK_TRY(rk_workbench_items(x->bench, *context, &first, &count, err));
    *question = (int32_t)(item - first);
    return RK_OK;
}

static rk_status item_key(void *self, const rk_point *p, int64_t item, rk_item_identity *out,
                          rk_error *err)
{
    rk_method_executor *x = self;
    int64_t index;
    int32_t q;
    const rk_context *context;
    const rk_prompt *prompt;
    RK_TRY(reopen(x, p, err));
    RK_TRY(locate(x, item, &index, &q, err));
    if (x->shared.context != index)
        drop_shared(x);
    RK_TRY(rk_workbench_context(x->bench, index, &context, &prompt, err));
    const rk_item *it = &context->item[q];
    snprintf(out->cluster, sizeof out->cluster, "%s", context->id);
    if (it->hops >= 0)
        snprintf(out->key, sizeof out->key, "%s %s hop%d", it->id, it->task ? it->task : "",
                 it->hops);
    else
        snprintf(out->key, sizeof out->key, "%s %s", it->id, it->task ? it->task : "");
    rk_arena *scratch;
    RK_TRY(rk_arena_new(&scratch, err));
    rk_status st = rk_cell_facts_item(context, it, scratch, out->sha256, err);
    rk_arena_free(scratch);
    return st;
}

/* Generates after the first token until a stop id, the stop text or the limit; the
 * text is what was generated before it stopped. */
static rk_status generate(rk_method_executor *x, rk_engine *e, rk_session *s, int32_t token,
                          rk_measurement *m, rk_arena *arena, const char **text, rk_error *err)
{
    const rk_model *model = rk_workbench_opened(x->bench);
    const rk_reader_ops *reader = rk_workbench_reader(x->bench)->ops;
    int64_t limit = x->spec->measure.decode_tokens;
    limit = limit > 0                    ? limit
            : reader->max_new_tokens > 0 ? reader->max_new_tokens
                                         : DEFAULT_NEW_TOKENS;
    int32_t *id = rk_arena_take(arena, (size_t)limit + 1, sizeof *id, err), n = 0;
    if (!id)
        return RK_E_MEMORY;
    *text = "";
    int64_t decode_ns = 0; /* of the engine alone: text is made outside */
    for (;;) {
        int stop = 0;
        m->output_tokens++;
        for (int32_t i = 0; i < model->stop_ids; i++)
            stop |= token == model->stop_id[i];
        if (stop)
            break;
        id[n++] = token;
        char *heap;
        size_t bytes;
        RK_TRY(rk_tokenizer_decode(model->tokenizer, id, (size_t)n, 0, &heap, &bytes, err));
        *text = rk_arena_text(arena, heap, bytes, err);
        free(heap);
        if (!*text)
            return RK_E_MEMORY;
        if ((reader->stop && strstr(*text, reader->stop)) || n >= limit)
            break;
        rk_session *one[] = {s};
        int64_t start = rk_clock_ns();
        RK_TRY(rk_engine_decode(e, one, 1, &token, err));
        decode_ns += rk_clock_ns() - start;
        m->decoded++;
    }
    m->decode_ms = (double)decode_ns * 1e-6;
    return RK_OK;
}

/* The BOS put in front of every chunk, or -1. */
static int32_t kept_bos(const rk_method *m, const rk_model *model)
{
    const rk_compile *c = m->ops->flags & RK_METHOD_REUSES ? m->config : NULL;
    return c && c->prefix == RK_COMPILE_BOS_KEEP ? model->bos_id : -1;
}

/* States of every compile prefix in a block may be more than the pool holds: then those
 * of the other methods go, and are built again when their turn comes. */
static rk_status build_states(rk_engine *e, const rk_method *method, const rk_request *r,
                              rk_error *err)
{
    double ms;
    int64_t built;
    rk_status st = rk_engine_build_states(e, method, r, &ms, &built, err);
    if (st != RK_E_MEMORY)
        return st;
    rk_engine_forget_states(e);
    return rk_engine_build_states(e, method, r, &ms, &built, err);
}

/* The unforked, timed prefill; its session is the scored one. */
static rk_status run_whole(rk_engine *e, const rk_method *method, const rk_request *r,
                           rk_measurement *m, rk_session **s, int32_t *token, rk_error *err)
{
    rk_prefill_out out = {.report = &m->report};
    RK_TRY(build_states(e, method, r, err));
    RK_TRY(rk_engine_offline_ms(e, method, r, &m->offline_ms, err));
    m->has_offline = (method->ops->flags & RK_METHOD_REUSES) != 0;
    RK_TRY(rk_session_open(s, e, method, err));
    RK_TRY(rk_session_prefill(*s, r, RK_PART_WHOLE, &out, err));
    m->whole = 1;
    *token = out.token;
    return RK_OK;
}

/* The question on a fork of the cell's context pass. */
static rk_status run_forked(rk_method_executor *x, rk_engine *e, const rk_point *p, int64_t context,
                            const rk_request *r, rk_session **s, int32_t *token, rk_error *err)
{
    shared_context *shared = &x->shared;
    rk_prefill_out out = {0};
    if (shared->point != p->index || shared->context != context) {
        drop_shared(x);
        rk_arena_reset(shared->arena);
        RK_TRY(configure(x, p, shared->arena, &shared->method, err));
        RK_TRY(build_states(e, &shared->method, r, err));
        RK_TRY(rk_session_open(&shared->session, e, &shared->method, err));
        RK_TRY(rk_session_prefill(shared->session, r, RK_PART_CONTEXT, NULL, err));
        shared->point = p->index;
        shared->context = context;
    }
    RK_TRY(rk_session_fork(s, shared->session, err));
    RK_TRY(rk_session_prefill(*s, r, RK_PART_QUESTION, &out, err));
    *token = out.token;
    return RK_OK;
}

static rk_status score(rk_method_executor *x, const rk_item *item, const char *text,
                       rk_arena *arena, rk_measurement *m, const char **answer, rk_error *err)
{
    const rk_reader_ops *reader = rk_workbench_reader(x->bench)->ops;
    const rk_scorer *scorer = rk_scorer_find(reader->scorer);
    *answer = rk_prompt_answer(reader, text, arena, err);
    if (!*answer)
        return RK_E_MEMORY;
    if (!scorer)
        return rk_fail(err, RK_E_ARG, "%s names the scorer '%s', which does not exist",
                       reader->name, reader->scorer);
    m->has_quality = rk_workbench_opened(x->bench)->weights_kind == RK_WEIGHTS_TRAINED;
    return scorer->score(*answer, item->answer, item->answers, &m->score, err);
}

static rk_status report_all(const rk_method_executor *x, const rk_measurement *m,
                            const rk_sink *sink, rk_error *err)
{
    for (int32_t i = 0; i < x->metrics; i++) {
        double value;
        if (rk_measure_value(x->metric[i], m, &value))
            RK_TRY(sink->add(sink->self, x->metric[i]->name, value, err));
    }
    return RK_OK;
}

/* A reusing method that took nothing from the store did not do what it claims. */
static int reuses_nothing(const rk_method *method, const rk_measurement *m)
{
    return m->whole && m->chunk_tokens > 0 && (method->ops->flags & RK_METHOD_REUSES) &&
           m->report.counters.reused_tokens == 0;
}

typedef struct attempt {
    int reused_nothing;
    int64_t context;
    int32_t question;
    const rk_item *item;
    rk_arena *arena;
    rk_method method;
    rk_session *session;
} attempt;

static rk_status run_attempt(rk_method_executor *x, const rk_point *p, attempt *a,
                             const rk_sink *sink, rk_error *err)
{
    const rk_model *model = rk_workbench_opened(x->bench);
    const rk_request *r;
    rk_engine *e = rk_workbench_engine(x->bench);
    int32_t token = -1;
    const char *text, *answer;
    RK_TRY(rk_workbench_request(x->bench, a->question, kept_bos(&a->method, model), &r, err));
    rk_measurement m = {.prompt_tokens = r->tokens,
                        .context_tokens = r->question.start,
                        .chunk_tokens = r->question.start - r->prefix.n,
                        .layers = model->shape.layers,
                        .kv_heads = model->shape.kv_heads,
                        .vocab = model->shape.vocab};
    RK_TRY(rk_workbench_reference(x->bench, a->question, &m.reference, err));
    int shares = a->question > 0 && !(a->method.ops->depends_on_question &&
                                      a->method.ops->depends_on_question(&a->method));
    if (shares)
        RK_TRY(run_forked(x, e, p, a->context, r, &a->session, &token, err));
    else
        RK_TRY(run_whole(e, &a->method, r, &m, &a->session, &token, err));
    float *logits = rk_arena_take(a->arena, (size_t)m.vocab, sizeof *logits, err);
    if (!logits)
        return RK_E_MEMORY;
    memcpy(logits, rk_session_logits(a->session), (size_t)m.vocab * sizeof *logits);
    m.logits = logits;
    RK_TRY(generate(x, e, a->session, token, &m, a->arena, &text, err));
    RK_TRY(score(x, a->item, text, a->arena, &m, &answer, err));
    m.whole = m.whole && a->question == 0; /* times are sampled once a context */
    RK_TRY(report_all(x, &m, sink, err));
    a->reused_nothing = reuses_nothing(&a->method, &m);
    return sink->output(sink->self, answer, err);
}

static rk_status run(void *self, const rk_point *p, int64_t item, int32_t rep, int warmup,
                     const rk_sink *sink, rk_outcome *outcome, char *reason, size_t size,
                     rk_error *err)
{
    rk_method_executor *x = self;
    const rk_context *context;
    const rk_prompt *prompt;
    attempt a = {0};
    rk_error local = {0};
    (void)rep, (void)warmup;
    RK_TRY(rk_arena_new(&a.arena, err));
    rk_status st = open_cell(x, p, a.arena, &a.method, &local);
    if (st == RK_OK)
        st = locate(x, item, &a.context, &a.question, &local);
    if (st == RK_OK && x->shared.context != a.context)
        drop_shared(x);
    if (st == RK_OK)
        st = rk_workbench_context(x->bench, a.context, &context, &prompt, &local);
    if (st == RK_OK) {
        a.item = &context->item[a.question];
        st = run_attempt(x, p, &a, sink, &local);
    }
    rk_session_close(a.session);
    rk_arena_free(a.arena);
    *outcome = st == RK_OK ? RK_RAN : RK_FAILED;
    if (st == RK_E_NUMERIC) { /* nothing this model says can be trusted */
        if (err)
            *err = local;
        return st;
    }
    if (st != RK_OK)
        snprintf(reason, size, "%s", local.text);
    if (st == RK_OK && a.reused_nothing) { /* stored as invalid, with this reason */
        *outcome = RK_SKIPPED;
        snprintf(reason, size, "%s reused no stored token", a.method.ops->name);
    }
    return RK_OK;
}

/* Seconds an item takes: FLOPs of a dense prefill at this length over a measured
 * sgemm rate, shared by the questions of a context. An estimate of the order only. */
static double predict(void *self, const rk_point *p)
{
    rk_method_executor *x = self;
    const rk_model *model = rk_workbench_opened(x->bench);
    if (!model)
        return -1;
    if (x->sgemm_flops == 0)
        x->sgemm_flops = rk_sgemm_probe();
    const rk_model_shape *m = &model->shape;
    double tokens = (double)context_tokens(p);
    const rk_context *context;
    const rk_prompt *prompt;
    if (tokens == 0 && rk_workbench_context(x->bench, 0, &context, &prompt, NULL) == RK_OK)
        tokens = (double)prompt->context_tokens; /* of the first one, for all */
    double layer = 2.0 * m->width * (2.0 * m->heads + 2.0 * m->kv_heads) * m->head_dim +
                   6.0 * m->width * m->ffn_width;
    double flops = m->layers * (tokens * layer + 2.0 * m->heads * m->head_dim * tokens * tokens);
    double shared =
        x->spec->measure.items_per_context > 0 ? (double)x->spec->measure.items_per_context : 1;
    /* A method's passes cost about 0.7 of dense on average; the timed and the shared one,
     * a part of states and reference; at half of the sgemm rate. */
    return flops * (shared > 1 ? 1.8 / shared : 1.1) / (0.5 * x->sgemm_flops);
}

const rk_executor_ops rk_method_executor_ops = {.prepare = prepare,
                                                .layout = layout,
                                                .items = items,
                                                .item_key = item_key,
                                                .run = run,
                                                .predict = predict};
