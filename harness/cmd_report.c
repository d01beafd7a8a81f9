/* cmd_report.c - see cmd_report.h. */
#include "cmd_report.h"

#include <stdio.h>

#include "arguments.h"
#include "report.h"

typedef struct config {
    const char *db, *session, *commit;
    int32_t format;
} config;

static const rk_option options[] = {
    {"db", RK_OPT_TEXT, offsetof(config, db), RK_COMMAND_DB_DEFAULT, 0, 0, "", RK_COMMAND_DB_HELP,
     NULL},
    {"format", RK_OPT_CHOICE, offsetof(config, format), "text", 0, 0, "",
     "How tables are written; csv holds the main table with every column.", RK_TABLE_FORMATS},
    {"session", RK_OPT_TEXT, offsetof(config, session), "", 0, 0, "",
     "Rows of this session only; empty: of the newest finished one of each cell.", NULL},
    {"commit", RK_OPT_TEXT, offsetof(config, commit), "", 0, 0, "",
     "Rows of builds whose commit begins so.", NULL},
    {.name = NULL}};

static const rk_command cmd = {
    "report",
    "EXPERIMENT",
    "Tables of an experiment: for each model, data set and context one row a method with time,\n"
    "quality and cost against dense on the same items, n beside every number, 95 % intervals,\n"
    "and the fairness card of offline costs.",
    options,
    1,
    1};

static const char *given(const char *text)
{
    return text[0] ? text : NULL;
}

rk_status rk_cmd_report(int argc, char **argv, int *exit_code, rk_error *err)
{
    config c;
    const char *word[1];
    int32_t n;
    int help;
    RK_TRY(rk_command_parse(&cmd, argc, argv, &c, word, &n, &help, err));
    *exit_code = 0;
    if (help)
        return RK_OK;
    rk_query *q;
    rk_query_filter filter = {
        .experiment = word[0], .session = given(c.session), .commit = given(c.commit)};
    RK_TRY(rk_query_open(&q, c.db, &filter, err));
    rk_status status = rk_report_write(q, (rk_table_format)c.format, stdout, err);
    rk_query_close(q);
    return status;
}
