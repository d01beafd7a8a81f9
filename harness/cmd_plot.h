/* cmd_plot.h - redknot plot EXPERIMENT: SQL to data files to images. */
#ifndef RK_HARNESS_CMD_PLOT_H
#define RK_HARNESS_CMD_PLOT_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "plot". *exit_code is set on RK_OK only (0). RK_E_USAGE: the command line is wrong. */
rk_status rk_cmd_plot(int argc, char **argv, int *exit_code, rk_error *err);

RK_C_END

#endif
