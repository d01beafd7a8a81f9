/* run_options.h - the command line of `redknot run`. */
#ifndef RK_HARNESS_RUN_OPTIONS_H
#define RK_HARNESS_RUN_OPTIONS_H

#include <stdio.h>

#include "base/arena.h"
#include "base/option.h"
#include "spec.h"

RK_C_BEGIN

#define RK_RUN_DB "results/redknot.sqlite"

typedef enum rk_run_backend { RK_RUN_CPU, RK_RUN_CUDA } rk_run_backend;

/* Texts are borrowed from argv. */
typedef struct rk_run_options {
    const char *experiment; /* path of the .exp file, found */
    const char *profile;    /* "": the lists as the file gives them */
    const char *db;
    const char *model;     /* "": the model axis names it */
    int32_t backend;       /* rk_run_backend */
    int32_t backend_given; /* 0: the default, which a `backend` axis overrides */
    const char *data;      /* directory of the data sets; "": generators only */
    int64_t threads;       /* 0 = all processors */
    int32_t dry_run, trace, accept_others;
    rk_spec_request request; /* for rk_spec_read */
    int help;                /* help was asked for; nothing else is filled */
} rk_run_options;

extern const rk_option rk_run_option_table[];

/* argv[0] is "run". RK_E_USAGE also when the experiment is not found: the message
 * has the nearest name in experiments/. */
rk_status rk_run_options_parse(int argc, char *const *argv, rk_arena *arena, rk_run_options *out,
                               rk_error *err);
void rk_run_options_help(FILE *out);

/* A path as it is; a bare name as experiments/NAME.exp here or where the source
 * lies. *out is in `arena`. */
rk_status rk_experiment_find(const char *name, rk_arena *arena, const char **out, rk_error *err);

RK_C_END

#endif
