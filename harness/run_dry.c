/* run_dry.c - `run --dry-run`: what would run, and for how long; see runner.h. */
#include <inttypes.h>

#include "progress.h"
#include "results_rows.h"
#include "run_plan.h"
#include "runner.h"

typedef struct totals {
    int64_t cells, skipped, items;
    double seconds;
    int unknown; /* some cell has no prediction */
} totals;

/* Items of the cell's data set that the run would take. */
static rk_status items_of(const rk_run_config *config, const rk_run_cell *c, int64_t *n,
                          rk_error *err)
{
    int64_t wanted = rk_measure_items(&config->spec->measure, &c->point);
    int64_t contexts, first, items;
    *n = 0;
    RK_TRY(config->executor->layout(config->self, &c->point, wanted, &contexts, err));
    for (int64_t block = 0; block < contexts; block++) {
        RK_TRY(
            config->executor->items(config->self, &c->point, wanted, block, &first, &items, err));
        *n += items;
    }
    return RK_OK;
}

/* Attempts of this cell that a run would not repeat. */
static rk_status done_of(const rk_run_config *config, const rk_run_cell *c,
                         const rk_cell_facts *facts, int64_t items, rk_arena *arena, int64_t *n,
                         rk_error *err)
{
    char model[RK_SHA256_HEX], dataset[RK_SHA256_HEX], method[RK_SHA256_HEX];
    char protocol[RK_SHA256_HEX], host[RK_SHA256_HEX], build[RK_SHA256_HEX], id[RK_SHA256_HEX];
    const char *method_json = facts->method_json, *protocol_json;
    *n = 0;
    if (!config->db)
        return RK_OK;
    if (!method_json)
        RK_TRY(rk_run_plan_method_json(&c->point, arena, &method_json, err));
    RK_TRY(rk_results_protocol_json(&config->spec->measure, arena, &protocol_json, err));
    RK_TRY(rk_results_static_id("method", method_json, method, err));
    RK_TRY(rk_results_static_id("protocol", protocol_json, protocol, err));
    RK_TRY(rk_results_static_id("host", config->provenance->host_json, host, err));
    RK_TRY(rk_results_static_id("build", config->provenance->build_json, build, err));
    if (facts->model_json)
        RK_TRY(rk_results_static_id("model", facts->model_json, model, err));
    if (facts->dataset_json)
        RK_TRY(rk_results_static_id("dataset", facts->dataset_json, dataset, err));
    rk_cell_row row = {.spec = config->spec,
                       .point = &c->point,
                       .model_id = facts->model_json ? model : NULL,
                       .dataset_id = facts->dataset_json ? dataset : NULL,
                       .method_id = method,
                       .protocol_id = protocol};
    RK_TRY(rk_results_cell_id(&row, id, err));
    int others = config->accept_others;
    return rk_results_done_count(config->db, id, items, config->spec->measure.reps,
                                 others ? NULL : host, others ? NULL : build, n, err);
}

static void print_cell(const rk_run_config *config, const rk_run_cell *c, int64_t items,
                       int64_t done, totals *t, FILE *out)
{
    char text[256], time[32];
    double one =
        config->executor->predict ? config->executor->predict(config->self, &c->point) : -1;
    int64_t left = items * config->spec->measure.reps - done;
    int64_t runs = left ? left + config->spec->measure.warmup : 0;
    double seconds = one < 0 ? -1 : one * (double)runs;
    t->items += left;
    t->seconds += seconds < 0 ? 0 : seconds;
    t->unknown |= seconds < 0 && left;
    fprintf(out, "%s  n=%" PRId64 " reps=%" PRId64 " done=%" PRId64 " left=%" PRId64 "  %s\n",
            rk_point_text(&c->point, text, sizeof text), items, config->spec->measure.reps, done,
            left, rk_progress_time(left ? seconds : 0, time, sizeof time));
}

static rk_status plan_cell(const rk_run_config *config, rk_run_cell *c, rk_arena *arena, totals *t,
                           FILE *out, rk_error *err)
{
    char text[256];
    rk_cell_facts facts = {0};
    int64_t items, done;
    c->outcome = RK_RAN;
    RK_TRY(config->executor->prepare(config->self, &c->point, &c->outcome, c->reason,
                                     sizeof c->reason, &facts, err));
    t->cells++;
    if (c->outcome != RK_RAN) {
        t->skipped++;
        fprintf(out, "%s  %s: %s\n", rk_point_text(&c->point, text, sizeof text),
                c->outcome == RK_SKIPPED ? "skipped" : "fails", c->reason);
        return RK_OK;
    }
    RK_TRY(items_of(config, c, &items, err));
    RK_TRY(done_of(config, c, &facts, items, arena, &done, err));
    print_cell(config, c, items, done, t, out);
    return RK_OK;
}

rk_status rk_runner_plan(const rk_run_config *config, FILE *out, rk_error *err)
{
    rk_arena *arena;
    rk_run_plan plan;
    totals t = {0};
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_run_plan_build(config->spec, arena, &plan, err);
    for (int32_t i = 0; st == RK_OK && i < plan.cells; i++)
        st = plan_cell(config, &plan.cell[i], arena, &t, out, err);
    rk_arena_free(arena);
    if (st != RK_OK)
        return st;
    fprintf(out,
            "%" PRId64 " cells (%" PRId64 " skipped), %" PRId64 " runs, about %.1f minutes%s\n",
            t.cells, t.skipped, t.items, t.seconds / 60,
            t.unknown ? " besides cells without a prediction" : "");
    return RK_OK;
}
