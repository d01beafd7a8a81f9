/* cmd_plot.c - see cmd_plot.h. */
#include "cmd_plot.h"

#include <stdio.h>

#include "arguments.h"
#include "plot.h"

typedef struct config {
    const char *db, *plots, *out, *published, *session;
    int32_t data_only;
} config;

static const rk_option options[] = {
    {"db", RK_OPT_TEXT, offsetof(config, db), RK_COMMAND_DB_DEFAULT, 0, 0, "", RK_COMMAND_DB_HELP,
     NULL},
    {"plots", RK_OPT_TEXT, offsetof(config, plots), "plots", 0, 0, "",
     "Directory of EXPERIMENT.sql, EXPERIMENT.gp and style.gp.", NULL},
    {"out", RK_OPT_TEXT, offsetof(config, out), "plots", 0, 0, "",
     "Directory of the images; the data files go to its data/.", NULL},
    {"published", RK_OPT_TEXT, offsetof(config, published), "experiments/published", 0, 0, "",
     "Published values that figures show beside measured ones; empty: none.", NULL},
    {"session", RK_OPT_TEXT, offsetof(config, session), "", 0, 0, "",
     "Rows of this session only; empty: of the newest finished one of each cell.", NULL},
    {"data-only", RK_OPT_BOOL, offsetof(config, data_only), "false", 0, 0, "",
     "Write the data files and do not draw.", NULL},
    {.name = NULL}};

static const rk_command cmd = {
    "plot",
    "EXPERIMENT",
    "Draws a figure: the queries of plots/EXPERIMENT.sql write data files, plots/EXPERIMENT.gp\n"
    "draws PNG, SVG and PDF from them with gnuplot. The same rows give the same bytes.",
    options,
    1,
    1};

rk_status rk_cmd_plot(int argc, char **argv, int *exit_code, rk_error *err)
{
    config c;
    const char *word[1];
    int32_t n;
    int help;
    RK_TRY(rk_command_parse(&cmd, argc, argv, &c, word, &n, &help, err));
    *exit_code = 0;
    if (help)
        return RK_OK;
    rk_plot_request request = {.db = c.db,
                               .name = word[0],
                               .plots = c.plots,
                               .out = c.out,
                               .published = c.published,
                               .session = c.session[0] ? c.session : NULL};
    return c.data_only ? rk_plot_data(&request, err) : rk_plot_draw(&request, stdout, err);
}
