/* cmd_db.c - see cmd_db.h. */
#include "cmd_db.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "db_check.h"
#include "ledger.h"
#include "merge.h"
#include "results_db.h"
#include "run_options.h"

enum { EXIT_CONFLICT = 3 };

typedef struct config {
    const char *db, *experiment, *session;
} config;

static const rk_option options[] = {
    {"db", RK_OPT_TEXT, offsetof(config, db), RK_RUN_DB, 0, 0, "", "Results database.", NULL},
    {"experiment", RK_OPT_TEXT, offsetof(config, experiment), "", 0, 0, "",
     "export: only this experiment.", NULL},
    {"session", RK_OPT_TEXT, offsetof(config, session), "", 0, 0, "", "export: only this session.",
     NULL},
    {.name = NULL}};

static void help(const rk_arguments *a)
{
    fputs("usage: redknot db export DIRECTORY [--db FILE] [--experiment NAME] [--session ID]\n"
          "       redknot db import DIRECTORY... [--db FILE]\n"
          "       redknot db merge OTHER.sqlite... [--db FILE]\n"
          "       redknot db check [--db FILE]\n\n"
          "export writes raw results as CSV files (the ledger); import adds a ledger, merge\n"
          "another database, each without doubling anything; check looks for damage.\n"
          "Exit code 3: rows in conflict were listed (and kept as they were), or check found\n"
          "problems.\n\n",
          stdout);
    rk_arguments_help(a, stdout);
}

static rk_status export_to(const config *c, const char *directory, rk_error *err)
{
    rk_results_db *db;
    int64_t attempts = 0;
    rk_ledger_filter filter = {.experiment = c->experiment[0] ? c->experiment : NULL,
                               .session = c->session[0] ? c->session : NULL};
    RK_TRY(rk_results_open(&db, c->db, RK_RESULTS_READ, err));
    rk_status st = rk_ledger_export(db, directory, &filter, &attempts, err);
    if (st == RK_OK)
        printf("%s: %" PRId64 " attempts\n", directory, attempts);
    rk_results_close(db);
    return st;
}

static void print_merge(const char *source, const rk_merge_result *r, int *exit_code)
{
    printf("%s: %" PRId64 " rows added, %" PRId64 " conflicts\n", source, r->added, r->conflicts);
    for (int32_t i = 0; i < r->listed; i++)
        printf("  %s\n", r->conflict[i]);
    if (r->conflicts > r->listed)
        printf("  and %" PRId64 " more\n", r->conflicts - r->listed);
    if (r->conflicts)
        *exit_code = EXIT_CONFLICT;
}

/* import and merge differ only in where rows come from. */
static rk_status add_all(const config *c, const rk_arguments *a, int ledger, int *exit_code,
                         rk_arena *arena, rk_error *err)
{
    rk_results_db *db;
    RK_TRY(rk_results_open(&db, c->db, RK_RESULTS_WRITE, err));
    rk_status st = RK_OK;
    for (int32_t i = 1; st == RK_OK && i < a->words; i++) {
        rk_merge_result r;
        st = ledger ? rk_ledger_import(db, a->word[i], arena, &r, err)
                    : rk_merge_file(db, a->word[i], arena, &r, err);
        if (st == RK_OK)
            print_merge(a->word[i], &r, exit_code);
    }
    rk_results_close(db);
    return st;
}

static rk_status check(const config *c, int *exit_code, rk_error *err)
{
    rk_results_db *db;
    int64_t problems = 0;
    RK_TRY(rk_results_open(&db, c->db, RK_RESULTS_READ, err));
    rk_status st = rk_db_check(db, stdout, &problems, err);
    if (st == RK_OK)
        printf("%s: %" PRId64 " problems\n", c->db, problems);
    if (problems)
        *exit_code = EXIT_CONFLICT;
    rk_results_close(db);
    return st;
}

static rk_status dispatch(const config *c, const rk_arguments *a, int *exit_code, rk_arena *arena,
                          rk_error *err)
{
    static const char *const verbs[] = {"export", "import", "merge", "check"};
    const char *verb = a->words ? a->word[0] : "";
    if (!verb[0])
        return rk_fail(err, RK_E_USAGE, "db: expected export, import, merge or check");
    if (!strcmp(verb, "check") && a->words == 1)
        return check(c, exit_code, err);
    if (!strcmp(verb, "export") && a->words == 2)
        return export_to(c, a->word[1], err);
    int ledger = !strcmp(verb, "import");
    if ((ledger || !strcmp(verb, "merge")) && a->words >= 2)
        return add_all(c, a, ledger, exit_code, arena, err);
    for (int i = 0; i < 4; i++)
        if (!strcmp(verb, verbs[i]))
            return rk_fail(err, RK_E_USAGE,
                           "db %s: wrong number of arguments; see redknot db "
                           "--help",
                           verb);
    const char *near = rk_nearest_name(verb, verbs, 4);
    return rk_fail(err, RK_E_USAGE, "db: unknown command '%s'; %s%s?", verb,
                   near ? "did you mean " : "expected export, import, merge or check",
                   near ? near : "");
}

rk_status rk_cmd_db(int argc, char **argv, int *exit_code, rk_error *err)
{
    config c;
    rk_arena *arena;
    rk_arguments a = {.command = "db", .option = options, .config = &c};
    *exit_code = 0;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_arguments_parse(&a, argc, argv, arena, err);
    if (st == RK_OK && a.help)
        help(&a);
    else if (st == RK_OK)
        st = dispatch(&c, &a, exit_code, arena, err);
    rk_arena_free(arena);
    return st;
}
