/* cmd_check.c - see cmd_check.h. */
#define _POSIX_C_SOURCE 200809L
#include "cmd_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit.h"
#include "arguments.h"
#include "table.h"

enum { EXIT_CLAIM = 3 }; /* ran, but a claim failed */

typedef struct config {
    const char *db, *published;
    int32_t format;
} config;

static const rk_option options[] = {{"db", RK_OPT_TEXT, offsetof(config, db), RK_COMMAND_DB_DEFAULT,
                                     0, 0, "", RK_COMMAND_DB_HELP, NULL},
                                    {"published", RK_OPT_TEXT, offsetof(config, published),
                                     "experiments/published", 0, 0, "",
                                     "Published values to audit; empty: none.", NULL},
                                    {"format", RK_OPT_CHOICE, offsetof(config, format), "text", 0,
                                     0, "", "How it is written.", RK_TABLE_FORMATS},
                                    {.name = NULL}};

static const rk_command cmd = {
    "check",
    "[EXPERIMENT]",
    "The paper's claims against what was measured: reproduced, direction-only, not-reproduced,\n"
    "contradicted or untestable, with n and a 95 % interval; then an audit of the published\n"
    "numbers against each other. Exits with 3 when a claim is contradicted or not reproduced.",
    options,
    0,
    1};

/* ---- claims ---- */

enum { C_EXP, C_METRIC, C_WHERE, C_STATED, C_GOT, C_STATUS, C_WHY, C_SOURCE, C_COLUMNS };
static const rk_table_column claim_columns[C_COLUMNS] = {
    [C_EXP] = {"experiment", "experiment", -1, 0, 0},
    [C_METRIC] = {"metric", "claim on", -1, 0, 0},
    [C_WHERE] = {"where", "where", -1, 0, 0},
    [C_STATED] = {"stated", "stated", -1, 0, 0},
    [C_GOT] = {"measured", "measured (n)", 3, 1, 1},
    [C_STATUS] = {"status", "status", -1, 0, 0},
    [C_WHY] = {"why", "why", -1, 0, 0},
    [C_SOURCE] = {"source", "source", -1, 0, 0},
};

static rk_status claim_row(rk_table *t, const rk_claim_input *c, const rk_claim_verdict *v,
                           rk_arena *arena, rk_error *err)
{
    const char *stated =
        c->relative ? rk_arena_printf(arena, err, "%g +- %g %%", c->value, 100 * c->tolerance)
                    : rk_arena_printf(arena, err, "%g +- %g", c->value, c->tolerance);
    const char *status = rk_arena_printf(arena, err, "%s%s", rk_claim_status_name(v->status),
                                         v->weak ? " (weak)" : "");
    const char *why = rk_arena_text(arena, v->why, strlen(v->why), err);
    if (!stated || !status || !why)
        return RK_E_MEMORY;
    RK_TRY(rk_table_row(t, err));
    rk_table_text(t, C_EXP, c->experiment ? c->experiment : "");
    rk_table_text(t, C_METRIC, c->metric);
    rk_table_text(t, C_WHERE, c->where);
    rk_table_text(t, C_STATED, stated);
    rk_table_interval(t, C_GOT, &v->got);
    rk_table_text(t, C_STATUS, status);
    rk_table_text(t, C_WHY, why);
    rk_table_text(t, C_SOURCE, c->source ? c->source : "");
    return RK_OK;
}

static void no_database(const rk_claim_input *c, rk_claim_verdict *v)
{
    rk_interval none = {NAN, NAN, NAN, 0, 0};
    rk_claim_decide(c->value, c->tolerance, c->relative, NAN, &none, v);
    snprintf(v->why, sizeof v->why, "not run on this machine");
}

static rk_status print_claims(const config *c, rk_query *q, const rk_claim_input *claim, int64_t n,
                              rk_arena *arena, int64_t count[5], rk_error *err)
{
    rk_table *t;
    RK_TRY(rk_table_new(&t, claim_columns, C_COLUMNS, arena, err));
    for (int64_t i = 0; i < n; i++) {
        rk_claim_verdict v;
        if (q)
            RK_TRY(rk_claim_check(q, claim + i, &v, err));
        else
            no_database(claim + i, &v);
        count[v.status]++;
        RK_TRY(claim_row(t, claim + i, &v, arena, err));
    }
    rk_table_format format = (rk_table_format)c->format;
    RK_TRY(rk_table_write(t, format, "Claims", 1, stdout, err));
    if (format != RK_TABLE_CSV)
        rk_table_note(
            stdout, format,
            "%lld claims: %lld reproduced, %lld direction-only, %lld not-reproduced, "
            "%lld contradicted, %lld untestable here.",
            (long long)n, (long long)count[RK_CLAIM_REPRODUCED],
            (long long)count[RK_CLAIM_DIRECTION_ONLY], (long long)count[RK_CLAIM_NOT_REPRODUCED],
            (long long)count[RK_CLAIM_CONTRADICTED], (long long)count[RK_CLAIM_UNTESTABLE]);
    return RK_OK;
}

/* ---- audit ---- */

enum { A_RULE, A_EXP, A_SERIES, A_X, A_TEXT, A_LOCATOR, A_COLUMNS };
static const rk_table_column audit_columns[A_COLUMNS] = {
    [A_RULE] = {"rule", "rule", -1, 0, 0},       [A_EXP] = {"exp_id", "figure", -1, 0, 0},
    [A_SERIES] = {"series", "series", -1, 0, 0}, [A_X] = {"x", "at", -1, 0, 0},
    [A_TEXT] = {"finding", "finding", -1, 0, 0}, [A_LOCATOR] = {"locator", "stated in", -1, 0, 0},
};

/* Does a published row belong to the experiment asked for? NULL: all do. */
static int wanted(const rk_published_row *r, const char *experiment)
{
    return !experiment || !strcmp(r->exp_id, experiment);
}

static rk_status print_audit(const config *c, const char *experiment, rk_arena *arena,
                             rk_error *err)
{
    rk_published all, p;
    rk_audit audit;
    rk_table *t;
    RK_TRY(rk_published_read(c->published, arena, &all, err));
    rk_published_row *kept = rk_arena_take(arena, (size_t)all.n, sizeof *kept, err);
    if (!kept)
        return RK_E_MEMORY;
    p = (rk_published){kept, 0};
    for (int64_t i = 0; i < all.n; i++)
        if (wanted(all.row + i, experiment))
            kept[p.n++] = all.row[i];
    RK_TRY(rk_audit_run(&p, arena, &audit, err));
    RK_TRY(rk_table_new(&t, audit_columns, A_COLUMNS, arena, err));
    for (int64_t i = 0; i < audit.n; i++) {
        const rk_published_row *r = audit.finding[i].row;
        RK_TRY(rk_table_row(t, err));
        rk_table_text(t, A_RULE, audit.finding[i].rule);
        rk_table_text(t, A_EXP, r->exp_id);
        rk_table_text(t, A_SERIES, r->series);
        rk_table_text(t, A_X, r->x);
        rk_table_text(t, A_TEXT, audit.finding[i].text);
        rk_table_text(t, A_LOCATOR, r->locator);
    }
    rk_table_format format = (rk_table_format)c->format;
    if (audit.n)
        RK_TRY(rk_table_write(t, format, "Published numbers that do not agree with each other", 1,
                              stdout, err));
    if (format != RK_TABLE_CSV)
        rk_table_note(stdout, format,
                      "Audit of %lld published values: %lld comparisons, %lld findings. Script "
                      "literals may differ from the printed figure.",
                      (long long)p.n, (long long)audit.checked, (long long)audit.n);
    return RK_OK;
}

/* ---- */

static rk_status check(const config *c, const char *experiment, const rk_claim_source *source,
                       rk_arena *arena, int *exit_code, rk_error *err)
{
    const rk_claim_input *claim = NULL;
    int64_t n = 0, count[5] = {0};
    rk_query *q = NULL;
    RK_TRY(source->claims(source->self, experiment, arena, &claim, &n, err));
    rk_query_filter filter = {.experiment = experiment};
    if (access(c->db, F_OK) == 0)
        RK_TRY(rk_query_open(&q, c->db, &filter, err));
    else if (c->format != RK_TABLE_CSV)
        rk_table_note(stdout, (rk_table_format)c->format,
                      "No results database at %s: nothing was run here.", c->db);
    rk_status status = RK_OK;
    if (n)
        status = print_claims(c, q, claim, n, arena, count, err);
    rk_query_close(q);
    RK_TRY(status);
    *exit_code = count[RK_CLAIM_CONTRADICTED] || count[RK_CLAIM_NOT_REPRODUCED] ? EXIT_CLAIM : 0;
    return c->published[0] ? print_audit(c, experiment, arena, err) : RK_OK;
}

rk_status rk_cmd_check(int argc, char **argv, const rk_claim_source *source, int *exit_code,
                       rk_error *err)
{
    config c;
    const char *word[1] = {NULL};
    int32_t n;
    int help;
    RK_TRY(rk_command_parse(&cmd, argc, argv, &c, word, &n, &help, err));
    *exit_code = 0;
    if (help)
        return RK_OK;
    rk_arena *arena;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status status = check(&c, n ? word[0] : NULL, source, arena, exit_code, err);
    rk_arena_free(arena);
    return status;
}
