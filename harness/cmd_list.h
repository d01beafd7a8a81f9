/* cmd_list.h - redknot list [WHAT]: what there is to run. */
#ifndef RK_HARNESS_CMD_LIST_H
#define RK_HARNESS_CMD_LIST_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "list". RK_E_USAGE: the command line is wrong. */
rk_status rk_cmd_list(int argc, char **argv, rk_error *err);

RK_C_END

#endif
