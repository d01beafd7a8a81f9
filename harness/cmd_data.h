/* cmd_data.h - `redknot data`: what the readers give, without running a model on it. */
#ifndef RK_HARNESS_CMD_DATA_H
#define RK_HARNESS_CMD_DATA_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "data". Results go to standard output. RK_E_USAGE for wrong usage,
 * RK_E_FORMAT when `verify` finds a file that differs, RK_E_IO when it finds none. */
rk_status rk_cmd_data(int argc, char **argv, rk_error *err);

RK_C_END

#endif
