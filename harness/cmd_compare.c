/* cmd_compare.c - see cmd_compare.h. */
#include "cmd_compare.h"

#include <stdio.h>

#include "arguments.h"
#include "compare.h"

enum { EXIT_GATE = 3 }; /* ran, but something got worse */

typedef struct config {
    const char *db, *experiment;
    double floor_time, floor_quality;
    int32_t format;
} config;

static const rk_option options[] = {
    {"db", RK_OPT_TEXT, offsetof(config, db), RK_COMMAND_DB_DEFAULT, 0, 0, "", RK_COMMAND_DB_HELP,
     NULL},
    {"experiment", RK_OPT_TEXT, offsetof(config, experiment), "", 0, 0, "",
     "Cells of this experiment only; empty: all.", NULL},
    {"floor-time", RK_OPT_FLOAT, offsetof(config, floor_time), "0.05", 0, 10, "fraction",
     "Times that differ by less are the same.", NULL},
    {"floor-quality", RK_OPT_FLOAT, offsetof(config, floor_quality), "0.02", 0, 1, "",
     "Scores that differ by less are the same.", NULL},
    {"format", RK_OPT_CHOICE, offsetof(config, format), "text", 0, 0, "", "How it is written.",
     RK_TABLE_FORMATS},
    {.name = NULL}};

static const rk_command cmd = {
    "compare",
    "A B",
    "Compares two methods, or two commits or sessions (their beginnings do), on the same items:\n"
    "faster, slower, better, worse, same or unclear, with intervals that hold for all\n"
    "comparisons together. Exits with 3 when B is slower or worse somewhere.",
    options,
    2,
    2};

rk_status rk_cmd_compare(int argc, char **argv, int *exit_code, rk_error *err)
{
    config c;
    const char *word[2];
    int32_t n;
    int help;
    RK_TRY(rk_command_parse(&cmd, argc, argv, &c, word, &n, &help, err));
    *exit_code = 0;
    if (help)
        return RK_OK;
    rk_compare_request request = {.a = word[0],
                                  .b = word[1],
                                  .experiment = c.experiment[0] ? c.experiment : NULL,
                                  .floor_time = c.floor_time,
                                  .floor_quality = c.floor_quality,
                                  .format = (rk_table_format)c.format};
    int64_t worse;
    RK_TRY(rk_compare_write(c.db, &request, stdout, &worse, err));
    *exit_code = worse ? EXIT_GATE : 0;
    return RK_OK;
}
