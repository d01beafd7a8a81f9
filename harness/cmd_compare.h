/* cmd_compare.h - redknot compare A B: do two methods, commits or sessions differ? */
#ifndef RK_HARNESS_CMD_COMPARE_H
#define RK_HARNESS_CMD_COMPARE_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "compare". *exit_code is set on RK_OK only: 0, or 3 when B is slower or
 * worse somewhere. RK_E_USAGE: the command line is wrong. */
rk_status rk_cmd_compare(int argc, char **argv, int *exit_code, rk_error *err);

RK_C_END

#endif
