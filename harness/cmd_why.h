/* cmd_why.h - redknot why EXPERIMENT:axis=value:...:METRIC: the rows behind a number. */
#ifndef RK_HARNESS_CMD_WHY_H
#define RK_HARNESS_CMD_WHY_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "why". *exit_code is set on RK_OK only (0). RK_E_USAGE: the command line is wrong. */
rk_status rk_cmd_why(int argc, char **argv, int *exit_code, rk_error *err);

RK_C_END

#endif
