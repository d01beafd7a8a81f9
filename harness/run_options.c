/* run_options.c - see run_options.h. */
#define _POSIX_C_SOURCE 200809L
#include "run_options.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "build_info.h"

enum { EXPERIMENTS_MAX = 512 };

const rk_option rk_run_option_table[] = {
    {"profile", RK_OPT_TEXT, offsetof(rk_run_options, profile), "", 0, 0, "",
     "smoke, cpu, real, gpu or paper: the lists of [profile.NAME] instead of the file's.", NULL},
    {"db", RK_OPT_TEXT, offsetof(rk_run_options, db), RK_RUN_DB, 0, 0, "",
     "Results database; made when absent.", NULL},
    {"model", RK_OPT_TEXT, offsetof(rk_run_options, model), "", 0, 0, "",
     "Directory, .gguf file or known name: the one model to run, instead of the axis.", NULL},
    {"data", RK_OPT_TEXT, offsetof(rk_run_options, data), "", 0, 0, "",
     "Directory that holds the data sets (redknot data list says which files).", NULL},
    {"threads", RK_OPT_INT, offsetof(rk_run_options, threads), "0", 0, 4096, "threads",
     "CPU threads; 0 = all processors.", NULL},
    {"backend", RK_OPT_CHOICE, offsetof(rk_run_options, backend), "cpu", 0, 0, "",
     "Where it runs; cuda only in builds that have it.", "cpu|cuda"},
    {"dry-run", RK_OPT_BOOL, offsetof(rk_run_options, dry_run), "false", 0, 0, "",
     "Print the cells, what is done and the predicted minutes; run nothing.", NULL},
    {"trace", RK_OPT_BOOL, offsetof(rk_run_options, trace), "false", 0, 0, "",
     "Record kernels in a separate run; timed runs never carry the tracer.", NULL},
    {"accept-others", RK_OPT_BOOL, offsetof(rk_run_options, accept_others), "false", 0, 0, "",
     "Attempts of other hosts and builds count as done.", NULL},
    {.name = NULL}};

static const rk_argument_list list_table[] = {
    {"only", "AXIS=VALUE[,VALUE]",
     "Run only these values of an axis; NAME:* keeps every labelled row of NAME.", NULL, 0},
    {"set", "SECTION.KEY=VALUE",
     "Change a line of the experiment: measure.items=4, method.redknot.window=64.", NULL, 0}};

void rk_run_options_help(FILE *out)
{
    rk_argument_list list[2] = {list_table[0], list_table[1]};
    rk_arguments a = {.option = rk_run_option_table, .list = list, .lists = 2};
    fputs("usage: redknot run EXPERIMENT [options]\n\n"
          "Runs the cells of an experiment that are not done yet and stores raw samples.\n"
          "EXPERIMENT is a path, or NAME for experiments/NAME.exp. A run may be stopped or\n"
          "killed at any moment and started again.\n\n",
          out);
    rk_arguments_help(&a, out);
}

/* Names in a directory of experiments, for the nearest one. */
static size_t names_in(const char *directory, const char **names, size_t n, rk_arena *arena)
{
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d)) && n < EXPERIMENTS_MAX;) {
        size_t length = strlen(e->d_name);
        if (length < 5 || strcmp(e->d_name + length - 4, ".exp"))
            continue;
        names[n] = rk_arena_text(arena, e->d_name, length - 4, NULL);
        n += names[n] != NULL;
    }
    if (d)
        closedir(d);
    return n;
}

static rk_status not_found(const char *name, const char *const *directory, rk_arena *arena,
                           rk_error *err)
{
    const char *names[EXPERIMENTS_MAX];
    size_t n = 0;
    for (int i = 0; i < 2; i++)
        n = names_in(directory[i], names, n, arena);
    const char *near = rk_nearest_name(name, names, n);
    return rk_fail(err, RK_E_USAGE, "no experiment '%s'%s%s%s", name,
                   near ? "; did you mean '" : " in experiments/", near ? near : "",
                   near ? "'?" : "");
}

rk_status rk_experiment_find(const char *name, rk_arena *arena, const char **out, rk_error *err)
{
    static const char *const directory[] = {"experiments", RK_SOURCE_DIR "/experiments"};
    size_t n = strlen(name);
    int is_path = strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".exp"));
    *out = name;
    if (is_path)
        return !access(name, R_OK) ? RK_OK : rk_fail(err, RK_E_USAGE, "%s: cannot be read", name);
    for (int i = 0; i < 2; i++) {
        *out = rk_arena_printf(arena, err, "%s/%s.exp", directory[i], name);
        if (!*out)
            return RK_E_MEMORY;
        if (!access(*out, R_OK))
            return RK_OK;
    }
    return not_found(name, directory, arena, err);
}

static int given(int argc, char *const *argv, const char *option)
{
    size_t n = strlen(option);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], option, n) && (!argv[i][n] || argv[i][n] == '='))
            return 1;
    return 0;
}

rk_status rk_run_options_parse(int argc, char *const *argv, rk_arena *arena, rk_run_options *out,
                               rk_error *err)
{
    rk_argument_list list[2] = {list_table[0], list_table[1]};
    rk_arguments a = {
        .command = "run", .option = rk_run_option_table, .config = out, .list = list, .lists = 2};
    memset(out, 0, sizeof *out);
    RK_TRY(rk_arguments_parse(&a, argc, argv, arena, err));
    out->help = a.help;
    if (a.help)
        return RK_OK;
    if (a.words != 1)
        return rk_fail(err, RK_E_USAGE,
                       "run: expected one EXPERIMENT, got %d; see redknot run "
                       "--help",
                       a.words);
    out->backend_given = given(argc, argv, "--backend");
    out->request = (rk_spec_request){.profile = out->profile[0] ? out->profile : NULL,
                                     .only = list[0].value,
                                     .onlys = list[0].n,
                                     .set = list[1].value,
                                     .sets = list[1].n,
                                     .model = out->model[0] ? out->model : NULL};
    return rk_experiment_find(a.word[0], arena, &out->experiment, err);
}
