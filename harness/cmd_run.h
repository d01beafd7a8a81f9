/* cmd_run.h - redknot run EXPERIMENT: runs what is not done, into the database. */
#ifndef RK_HARNESS_CMD_RUN_H
#define RK_HARNESS_CMD_RUN_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "run". *exit_code: 0 when every cell ran or was skipped with a reason, 1
 * when one failed or the run was interrupted. */
rk_status rk_cmd_run(int argc, char **argv, int *exit_code, rk_error *err);

RK_C_END

#endif
