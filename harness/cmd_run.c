/* cmd_run.c - see cmd_run.h: options, spec, database, executor and runner together. */
#define _DEFAULT_SOURCE
#include "cmd_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unistd.h>

#include "interrupt.h"
#include "method_executor.h"
#include "run_options.h"
#include "runner.h"

static const char *backend_name(int32_t backend)
{
    static const char *const names[] = {"cpu", "cuda"};
    return names[backend];
}

/* The directory of the database, so that a first run needs no mkdir. */
static void make_parent(const char *path)
{
    char parent[1024];
    const char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) >= sizeof parent)
        return;
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = '\0';
    mkdir(parent, 0777); /* opening the database says what is wrong if it is */
}

static rk_status check_backend(const rk_run_options *o, rk_error *err)
{
    if (o->trace)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "run: --trace records kernels of the cuda backend, which this build lacks");
    if (o->backend == RK_RUN_CUDA)
        return rk_fail(err, RK_E_UNSUPPORTED, "run: this build has no cuda backend");
    return RK_OK;
}

static void summarise(const rk_run_result *r)
{
    fprintf(stderr,
            "run: %" PRId64 " cells: %" PRId64 " ran, %" PRId64 " skipped, %" PRId64
            " failed; attempts: %" PRId64 " new, %" PRId64 " already done, %" PRId64 " failed%s\n",
            r->cells, r->cells_ran, r->cells_skipped, r->cells_failed, r->attempts_ok,
            r->attempts_reused, r->attempts_failed, r->interrupted ? "; interrupted" : "");
}

/* What is done is read from the database, when there is one; nothing is written. */
static rk_status plan(const rk_run_options *o, rk_run_config *config, rk_error *err)
{
    if (access(o->db, F_OK) == 0)
        RK_TRY(rk_results_open(&config->db, o->db, RK_RESULTS_READ, err));
    rk_status st = rk_runner_plan(config, stdout, err);
    rk_results_close(config->db);
    return st;
}

static rk_status run_all(const rk_run_options *o, rk_run_config *config, int *exit_code,
                         rk_error *err)
{
    rk_run_result result = {0};
    if (o->dry_run)
        return plan(o, config, err);
    make_parent(o->db);
    RK_TRY(rk_results_open(&config->db, o->db, RK_RESULTS_WRITE, err));
    rk_status st = rk_interrupt_install(&config->stop, err);
    if (st == RK_OK)
        st = rk_runner_run(config, &result, err);
    rk_results_close(config->db);
    if (st == RK_OK)
        summarise(&result);
    *exit_code = result.cells_failed > 0 || result.interrupted;
    return st;
}

static rk_status run_spec(int argc, char **argv, const rk_run_options *o, rk_arena *arena,
                          int *exit_code, rk_error *err)
{
    rk_spec spec;
    rk_provenance provenance;
    rk_method_executor *x;
    RK_TRY(check_backend(o, err));
    RK_TRY(rk_spec_read(o->experiment, &o->request, NULL, arena, &spec, err));
    RK_TRY(rk_provenance_collect(argc, argv, arena, &provenance, err));
    spec.measure.backend = backend_name(o->backend);
    spec.measure.threads = o->threads > 0 ? o->threads : sysconf(_SC_NPROCESSORS_ONLN);
    rk_workbench_config bench = {.backend = backend_name(o->backend),
                                 .threads = (int32_t)o->threads,
                                 .data = o->data[0] ? o->data : NULL,
                                 .seed = spec.measure.seed,
                                 .items_per_context = spec.measure.items_per_context};
    RK_TRY(rk_method_executor_new(&x, &spec, &bench, err));
    rk_run_config config = {.spec = &spec,
                            .executor = &rk_method_executor_ops,
                            .self = x,
                            .provenance = &provenance,
                            .accept_others = o->accept_others,
                            .progress = stderr};
    config.metric = rk_method_executor_metrics(x, &config.metrics);
    rk_status st = run_all(o, &config, exit_code, err);
    rk_method_executor_free(x);
    return st;
}

rk_status rk_cmd_run(int argc, char **argv, int *exit_code, rk_error *err)
{
    rk_run_options o;
    rk_arena *arena;
    *exit_code = 0;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_run_options_parse(argc, argv, arena, &o, err);
    if (st == RK_OK && o.help)
        rk_run_options_help(stdout);
    else if (st == RK_OK)
        st = run_spec(argc, argv, &o, arena, exit_code, err);
    rk_arena_free(arena);
    return st;
}
