/* cmd_db.h - `redknot db`: the database and its ledger. */
#ifndef RK_HARNESS_CMD_DB_H
#define RK_HARNESS_CMD_DB_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "db". Prints results on stdout. *exit_code: 0 done, 3 when rows were
 * in conflict or the database has problems. RK_E_USAGE: wrong usage. */
rk_status rk_cmd_db(int argc, char **argv, int *exit_code, rk_error *err);

RK_C_END

#endif
