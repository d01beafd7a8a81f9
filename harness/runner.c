/* runner.c - see runner.h. */
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "progress.h"
#include "results_rows.h"
#include "run_plan.h"

/* What the executor reports of one attempt, until the attempt is stored. */
typedef struct report {
    const rk_run_config *config;
    rk_attempt_sample *sample;
    size_t samples, room;
    char *output;
    const char *not_finite; /* a metric whose value was no number */
} report;

typedef struct runner {
    const rk_run_config *config;
    rk_run_result *result;
    rk_arena *arena;
    rk_run_plan plan;
    rk_session_ids session;
    char protocol_id[RK_SHA256_HEX];
    rk_progress progress;
    report report;
    rk_error *err;
} runner;

static int stopping(const runner *r)
{
    return r->config->stop && *r->config->stop;
}

static const char *metric_name(const rk_run_config *config, const char *name)
{
    for (int32_t i = 0; i < config->metrics; i++)
        if (!strcmp(config->metric[i]->name, name))
            return config->metric[i]->name;
    return NULL;
}

static rk_status sink_add(void *self, const char *metric, double value, rk_error *err)
{
    report *rep = self;
    const char *name = metric_name(rep->config, metric);
    if (!name)
        return rk_fail(err, RK_E_ARG, "the executor reported '%s', which is no metric", metric);
    if (!isfinite(value)) {
        rep->not_finite = name;
        return RK_OK;
    }
    RK_TRY(rk_heap_grow((void **)&rep->sample, &rep->room, rep->samples + 1, sizeof *rep->sample,
                        err));
    int64_t idx = 0;
    for (size_t i = 0; i < rep->samples; i++)
        idx += rep->sample[i].metric == name;
    rep->sample[rep->samples++] = (rk_attempt_sample){.metric = name, .idx = idx, .value = value};
    return RK_OK;
}

static rk_status sink_output(void *self, const char *text, rk_error *err)
{
    report *rep = self;
    free(rep->output);
    rep->output = strdup(text);
    return rep->output ? RK_OK : rk_fail(err, RK_E_MEMORY, "out of memory: an answer");
}

static rk_status sink_ignore(void *self, const char *metric, double value, rk_error *err)
{
    (void)value;
    return metric_name(((report *)self)->config, metric)
               ? RK_OK
               : rk_fail(err, RK_E_ARG, "the executor reported '%s', which is no metric", metric);
}

static rk_status sink_ignore_output(void *self, const char *text, rk_error *err)
{
    (void)self, (void)text, (void)err;
    return RK_OK;
}

/* Static rows of the cell and the cell itself. */
static rk_status store_cell(runner *r, rk_run_cell *c, const rk_cell_facts *facts)
{
    char model[RK_SHA256_HEX], method[RK_SHA256_HEX];
    rk_results_db *db = r->config->db;
    const char *method_json = facts->method_json;
    if (!method_json)
        RK_TRY(rk_run_plan_method_json(&c->point, r->arena, &method_json, r->err));
    if (facts->model_json)
        RK_TRY(rk_results_static(db, "model", facts->model_json, model, r->err));
    if (facts->dataset_json)
        RK_TRY(rk_results_static(db, "dataset", facts->dataset_json, c->dataset_id, r->err));
    RK_TRY(rk_results_static(db, "method", method_json, method, r->err));
    rk_cell_row row = {.spec = r->config->spec,
                       .point = &c->point,
                       .model_id = facts->model_json ? model : NULL,
                       .dataset_id = facts->dataset_json ? c->dataset_id : NULL,
                       .method_id = method,
                       .protocol_id = r->protocol_id,
                       .context_tokens = facts->context_tokens};
    RK_TRY(rk_results_cell(db, &row, c->cell_id, r->err));
    if (c->outcome == RK_RAN)
        return RK_OK;
    return rk_results_cell_state(db, c->cell_id, r->session.session,
                                 c->outcome == RK_SKIPPED ? "skipped" : "failed", c->reason,
                                 r->err);
}

static rk_status prepare(const rk_run_config *config, rk_run_cell *c, rk_cell_facts *facts,
                         rk_error *err)
{
    *facts = (rk_cell_facts){0};
    c->outcome = RK_RAN;
    RK_TRY(config->executor->prepare(config->self, &c->point, &c->outcome, c->reason,
                                     sizeof c->reason, facts, err));
    c->predicted = c->outcome == RK_RAN && config->executor->predict
                       ? config->executor->predict(config->self, &c->point)
                       : -1;
    return RK_OK;
}

static rk_status prepare_cell(runner *r, rk_run_cell *c)
{
    char text[256];
    rk_cell_facts facts;
    RK_TRY(prepare(r->config, c, &facts, r->err));
    RK_TRY(rk_results_begin(r->config->db, r->err));
    RK_TRY(rk_results_end(r->config->db, store_cell(r, c, &facts), r->err));
    if (c->outcome == RK_RAN)
        return RK_OK;
    int skipped = c->outcome == RK_SKIPPED;
    c->left = 0;
    r->result->cells_skipped += skipped;
    r->result->cells_failed += !skipped;
    rk_progress_note(&r->progress, "%s: %s: %s", skipped ? "skipped" : "failed",
                     rk_point_text(&c->point, text, sizeof text), c->reason);
    return RK_OK;
}

static rk_status warm_up(runner *r, rk_run_cell *c, int64_t item)
{
    const rk_sink sink = {&r->report, sink_ignore, sink_ignore_output};
    for (; c->warmups < r->config->spec->measure.warmup && !stopping(r); c->warmups++) {
        rk_outcome outcome = RK_RAN;
        char reason[256] = "";
        RK_TRY(r->config->executor->run(r->config->self, &c->point, item, 0, 1, &sink, &outcome,
                                        reason, sizeof reason, r->err));
    }
    return RK_OK;
}

/* How the attempt ended, in the words of the database. */
static void judge(runner *r, rk_run_cell *c, rk_outcome outcome, char *reason, size_t size,
                  rk_attempt_end *end)
{
    double seconds = (double)end->dur_ns / 1e9, limit = r->config->spec->measure.timeout;
    end->state = "ok";
    if (outcome == RK_FAILED) {
        end->state = "failed", end->fail_code = "FAILED";
    } else if (outcome == RK_SKIPPED) {
        end->state = "invalid", end->fail_code = "SKIPPED";
    } else if (r->report.not_finite) {
        end->state = "failed", end->fail_code = "NONFINITE";
        snprintf(reason, size, "%s is not a finite number", r->report.not_finite);
    } else if (limit > 0 && seconds > limit) {
        end->state = "failed", end->fail_code = "TIMEOUT";
        snprintf(reason, size, "took %.3g s; the limit is %.3g s", seconds, limit);
        c->stopped = 1;
    }
    end->fail_text = end->fail_code ? reason : NULL;
}

static void count(runner *r, rk_run_cell *c, const rk_attempt_end *end)
{
    char text[256];
    c->seconds += (double)end->dur_ns / 1e9;
    c->measured++;
    if (!strcmp(end->state, "ok")) {
        r->result->attempts_ok++;
        return;
    }
    if (strcmp(end->state, "failed"))
        return;
    r->result->attempts_failed++;
    c->failed++;
    snprintf(c->reason, sizeof c->reason, "%.200s", end->fail_text);
    rk_progress_note(&r->progress, "failed: %s: %s", rk_point_text(&c->point, text, sizeof text),
                     end->fail_text);
}

/* One attempt: begin, run, end. The database is not touched while it runs. */
static rk_status attempt(runner *r, rk_run_cell *c, const rk_attempt_start *start)
{
    char id[RK_UUID_TEXT], reason[256] = "";
    rk_outcome outcome = RK_RAN;
    rk_attempt_end end = {0};
    const rk_sink sink = {&r->report, sink_add, sink_output};
    free(r->report.output);
    r->report.output = NULL;
    r->report.samples = 0;
    r->report.not_finite = NULL;
    RK_TRY(rk_results_attempt_begin(r->config->db, start, id, r->err));
    int64_t begun = rk_clock_ns();
    rk_status st =
        r->config->executor->run(r->config->self, &c->point, start->item, (int32_t)start->rep, 0,
                                 &sink, &outcome, reason, sizeof reason, r->err);
    end.dur_ns = rk_clock_ns() - begun;
    judge(r, c, outcome, reason, sizeof reason, &end);
    if (st != RK_OK) {
        end.state = "failed", end.fail_code = "ERROR";
        end.fail_text = r->err ? r->err->text : rk_status_text(st);
    }
    end.sample = r->report.sample;
    end.samples = (int64_t)r->report.samples;
    end.output = r->report.output;
    rk_error store_error = {0};
    rk_status stored = rk_results_attempt_end(r->config->db, id, start->item, &end, &store_error);
    if (st == RK_OK && stored != RK_OK && r->err)
        *r->err = store_error;
    if (st != RK_OK || stored != RK_OK)
        return st != RK_OK ? st : stored;
    count(r, c, &end);
    return RK_OK;
}

static void show(runner *r, const rk_run_cell *c)
{
    char text[256];
    int64_t want = 0, left = 0;
    for (int32_t i = 0; i < r->plan.cells; i++) {
        want += r->plan.cell[i].want;
        left += r->plan.cell[i].left;
    }
    rk_progress_show(&r->progress, want - left, want, r->result->attempts_failed,
                     rk_run_plan_to_go(&r->plan), rk_point_text(&c->point, text, sizeof text));
}

static rk_status run_item(runner *r, rk_run_cell *c, int64_t item, int64_t rep, int64_t block,
                          int64_t slot)
{
    int done, others = r->config->accept_others;
    rk_item_identity id = {0};
    RK_TRY(rk_results_done(r->config->db, c->cell_id, item, rep, others ? NULL : r->session.host,
                           others ? NULL : r->session.build, &done, r->err));
    if (done) {
        r->result->attempts_reused++;
        c->left--;
        return RK_OK;
    }
    if (c->dataset_id[0]) {
        RK_TRY(r->config->executor->item_key(r->config->self, &c->point, item, &id, r->err));
        RK_TRY(rk_results_item(r->config->db, c->dataset_id, item, &id, r->err));
    }
    RK_TRY(warm_up(r, c, item));
    if (stopping(r))
        return RK_OK;
    rk_attempt_start start = {.cell = c->cell_id,
                              .session = r->session.session,
                              .item = item,
                              .rep = rep,
                              .block = block,
                              .slot = slot,
                              .warmups = c->warmups};
    RK_TRY(attempt(r, c, &start));
    c->left--;
    show(r, c);
    return RK_OK;
}

/* All methods of the group on one context, once a repetition. */
static rk_status run_block(runner *r, rk_run_cell *cell, int32_t n, int64_t block, int64_t first,
                           int64_t items, int32_t *order)
{
    const rk_measure *m = &r->config->spec->measure;
    for (int64_t rep = 0; rep < m->reps; rep++) {
        rk_run_plan_order(m, cell->group, block, rep, n, order);
        for (int32_t i = 0; i < n; i++) {
            rk_run_cell *c = &cell[order[i]];
            for (int64_t item = first; item < first + items; item++) {
                if (c->outcome != RK_RAN || c->stopped || stopping(r))
                    break;
                RK_TRY(run_item(r, c, item, rep, block, rep * n + i));
            }
        }
    }
    return RK_OK;
}

/* What became of the cells; an interrupted cell is simply not finished. */
static rk_status close_group(runner *r, rk_run_cell *cell, int32_t n, int64_t items)
{
    for (int32_t i = 0; i < n; i++) {
        rk_run_cell *c = &cell[i];
        char reason[400];
        if (c->outcome != RK_RAN || (stopping(r) && !c->failed))
            continue;
        r->result->cells_ran += !c->failed;
        r->result->cells_failed += c->failed > 0;
        snprintf(reason, sizeof reason, "%" PRId64 " of %" PRId64 " attempts failed%s: %s",
                 c->failed, items * r->config->spec->measure.reps,
                 c->stopped ? ", the rest was not run" : "", c->reason);
        RK_TRY(rk_results_cell_state(r->config->db, c->cell_id, r->session.session,
                                     c->failed ? "failed" : "ran", c->failed ? reason : NULL,
                                     r->err));
        c->left = 0;
    }
    return RK_OK;
}

static rk_run_cell *first_runnable(rk_run_cell *cell, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (cell[i].outcome == RK_RAN)
            return &cell[i];
    return NULL;
}

/* The data of a group cannot be read: its cells have failed, the sweep goes on. */
static rk_status fail_group(runner *r, rk_run_cell *cell, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        rk_run_cell *c = &cell[i];
        if (c->outcome != RK_RAN)
            continue;
        c->outcome = RK_FAILED;
        c->left = 0;
        snprintf(c->reason, sizeof c->reason, "%.200s", r->err ? r->err->text : "unreadable data");
        r->result->cells_failed++;
        RK_TRY(rk_results_cell_state(r->config->db, c->cell_id, r->session.session, "failed",
                                     c->reason, r->err));
    }
    rk_progress_note(&r->progress, "failed: %s", cell[0].reason);
    return RK_OK;
}

static int is_of_the_data(rk_status st)
{
    return st == RK_E_FORMAT || st == RK_E_IO || st == RK_E_BUDGET || st == RK_E_ARG;
}

static rk_status run_group(runner *r, rk_run_cell *cell, int32_t n)
{
    const rk_executor_ops *x = r->config->executor;
    int64_t wanted = rk_measure_items(&r->config->spec->measure, &cell[0].point);
    int64_t contexts = 0, total = 0;
    int32_t *order = rk_arena_take(r->arena, (size_t)n, sizeof *order, r->err);
    if (!order)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < n; i++)
        RK_TRY(prepare_cell(r, &cell[i]));
    rk_run_cell *one = first_runnable(cell, n);
    if (!one)
        return RK_OK;
    rk_status st = x->layout(r->config->self, &one->point, wanted, &contexts, r->err);
    if (is_of_the_data(st))
        return fail_group(r, cell, n);
    RK_TRY(st);
    for (int64_t block = 0; block < contexts && !stopping(r); block++) {
        int64_t first, items;
        RK_TRY(x->items(r->config->self, &one->point, wanted, block, &first, &items, r->err));
        total += items;
        RK_TRY(run_block(r, cell, n, block, first, items, order));
    }
    return close_group(r, cell, n, total);
}

static rk_status run_all(runner *r)
{
    const rk_run_config *c = r->config;
    const char *protocol;
    RK_TRY(rk_results_protocol_json(&c->spec->measure, r->arena, &protocol, r->err));
    RK_TRY(rk_results_begin(c->db, r->err));
    rk_status st = rk_results_experiment(c->db, c->spec, r->err);
    if (st == RK_OK)
        st = rk_results_metrics(c->db, c->metric, c->metrics, r->err);
    if (st == RK_OK)
        st = rk_results_static(c->db, "protocol", protocol, r->protocol_id, r->err);
    RK_TRY(rk_results_end(c->db, st, r->err));
    for (int32_t i = 0, n; i < r->plan.cells && !stopping(r); i += n) {
        n = rk_run_plan_group(&r->plan, i);
        RK_TRY(run_group(r, &r->plan.cell[i], n));
    }
    return RK_OK;
}

/* The reason of an error stays the first one, whatever ending the session gives. */
static rk_status run_session(runner *r)
{
    RK_TRY(rk_results_recover(r->config->db, &r->result->attempts_recovered, r->err));
    if (r->result->attempts_recovered)
        rk_progress_note(&r->progress,
                         "%" PRId64 " attempts of a run that was killed are run again",
                         r->result->attempts_recovered);
    RK_TRY(rk_results_session_begin(r->config->db, r->config->provenance, &r->session, r->err));
    rk_status st = run_all(r);
    r->result->interrupted = stopping(r);
    rk_error ignored;
    rk_status ended = rk_results_session_end(r->config->db, r->session.session,
                                             st != RK_OK              ? "error"
                                             : r->result->interrupted ? "interrupted"
                                                                      : "done",
                                             st != RK_OK ? &ignored : r->err);
    return st != RK_OK ? st : ended;
}

rk_status rk_runner_run(const rk_run_config *config, rk_run_result *out, rk_error *err)
{
    runner r = {.config = config, .result = out, .err = err, .report = {.config = config}};
    *out = (rk_run_result){0};
    RK_TRY(rk_arena_new(&r.arena, err));
    rk_status st = rk_run_plan_build(config->spec, r.arena, &r.plan, err);
    if (st == RK_OK) {
        out->cells = r.plan.cells;
        rk_progress_open(&r.progress, config->progress);
        st = run_session(&r);
        rk_progress_close(&r.progress);
    }
    free(r.report.sample);
    free(r.report.output);
    rk_arena_free(r.arena);
    return st;
}
