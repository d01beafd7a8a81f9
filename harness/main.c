/* main.c - redknot VERB ...: finds the verb, prints its error, gives the exit code.
 *
 * 0 done; 1 failed at run time; 2 wrong usage; 3 a claim or a check does not hold. */
#include <stdio.h>
#include <string.h>

#include "build_info.h"
#include "cmd_check.h"
#include "cmd_compare.h"
#include "cmd_data.h"
#include "cmd_db.h"
#include "cmd_list.h"
#include "cmd_logits.h"
#include "cmd_plot.h"
#include "cmd_profile.h"
#include "cmd_report.h"
#include "cmd_run.h"
#include "cmd_tokenize.h"
#include "cmd_why.h"
#include "spec_claims.h"

static rk_status check(int argc, char **argv, int *exit_code, rk_error *err)
{
    rk_claim_source source = rk_spec_claim_source();
    return rk_cmd_check(argc, argv, &source, exit_code, err);
}

static rk_status tokenize(int argc, char **argv, int *exit_code, rk_error *err)
{
    (void)exit_code;
    return rk_cmd_tokenize(argc, argv, err);
}

static rk_status logits(int argc, char **argv, int *exit_code, rk_error *err)
{
    (void)exit_code;
    return rk_cmd_logits(argc, argv, err);
}

static rk_status data(int argc, char **argv, int *exit_code, rk_error *err)
{
    (void)exit_code;
    return rk_cmd_data(argc, argv, err);
}

static rk_status list(int argc, char **argv, int *exit_code, rk_error *err)
{
    (void)exit_code;
    return rk_cmd_list(argc, argv, err);
}

static rk_status profile(int argc, char **argv, int *exit_code, rk_error *err)
{
    (void)exit_code;
    return rk_cmd_profile(argc, argv, err);
}

static const struct {
    const char *name, *about;
    rk_status (*run)(int argc, char **argv, int *exit_code, rk_error *err);
} verbs[] = {
    {"list", "methods, metrics, data sets, models, experiments, backends", list},
    {"run", "run an experiment file; resumes what is not done", rk_cmd_run},
    {"profile", "measure a head map of a model", profile},
    {"report", "tables of an experiment, with intervals", rk_cmd_report},
    {"check", "the paper's claims, one by one, and its numbers against each other", check},
    {"compare", "two commits, methods or runs: faster, slower, same, unclear", rk_cmd_compare},
    {"plot", "figures from the database", rk_cmd_plot},
    {"why", "the rows behind one number", rk_cmd_why},
    {"db", "export, import and merge results", rk_cmd_db},
    {"data", "list, make, show and verify data sets", data},
    {"tokenize", "text to token ids", tokenize},
    {"logits", "logits of token ids, to compare engines", logits},
};

static void print_help(FILE *out)
{
    fputs("usage: redknot VERB [options]\n\n"
          "Measures whether reusing the KV cache of documents works: RedKnot and its baselines\n"
          "through one engine, raw samples in SQLite, figures from queries.\n\n",
          out);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        fprintf(out, "  %-9s %s\n", verbs[i].name, verbs[i].about);
    fputs("\nredknot VERB --help states every option, its unit and its default.\n"
          "Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed,\n"
          "2 wrong usage, 3 a claim or check does not hold.\n",
          out);
}

static int usage_error(const char *word)
{
    const char *names[sizeof verbs / sizeof *verbs];
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        names[i] = verbs[i].name;
    const char *near = rk_nearest_name(word, names, sizeof verbs / sizeof *verbs);
    fprintf(stderr, "redknot: unknown verb '%s'%s%s%s; redknot --help lists all\n", word,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return 2;
}

int main(int argc, char **argv)
{
    rk_error err = {0};
    int exit_code = 0;
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("redknot %s%s\n", RK_BUILD_COMMIT, RK_BUILD_DIRTY ? " (modified)" : "");
        return 0;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(argv[1], verbs[i].name))
            continue;
        rk_status st = verbs[i].run(argc - 1, argv + 1, &exit_code, &err);
        if (st == RK_OK && (fflush(stdout) || ferror(stdout)))
            st = rk_fail(&err, RK_E_IO, "standard output: write failed");
        if (st != RK_OK)
            fprintf(stderr, "redknot: %s\n", err.text[0] ? err.text : rk_status_text(st));
        return st == RK_OK ? exit_code : st == RK_E_USAGE ? 2 : 1;
    }
    return usage_error(argv[1]);
}
