/* cmd_why.c - see cmd_why.h. */
#include "cmd_why.h"

#include <stdio.h>

#include "arguments.h"
#include "why.h"

typedef struct config {
    const char *db, *session;
} config;

static const rk_option options[] = {
    {"db", RK_OPT_TEXT, offsetof(config, db), RK_COMMAND_DB_DEFAULT, 0, 0, "", RK_COMMAND_DB_HELP,
     NULL},
    {"session", RK_OPT_TEXT, offsetof(config, session), "", 0, 0, "",
     "Rows of this session only; empty: of the newest finished one.", NULL},
    {.name = NULL}};

static const rk_command cmd = {
    "why",
    "EXPERIMENT:axis=value:...:METRIC",
    "Everything behind one number: the query, the cell, machine, commit and sessions, each\n"
    "attempt with its place in the order, what was left out and why.",
    options,
    1,
    1};

rk_status rk_cmd_why(int argc, char **argv, int *exit_code, rk_error *err)
{
    config c;
    const char *word[1];
    int32_t n;
    int help;
    RK_TRY(rk_command_parse(&cmd, argc, argv, &c, word, &n, &help, err));
    *exit_code = 0;
    if (help)
        return RK_OK;
    return rk_why_write(c.db, word[0], c.session[0] ? c.session : NULL, stdout, err);
}
