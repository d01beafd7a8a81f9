/* cmd_report.h - redknot report EXPERIMENT: tables with intervals, on stdout. */
#ifndef RK_HARNESS_CMD_REPORT_H
#define RK_HARNESS_CMD_REPORT_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "report". *exit_code is set on RK_OK only (0). RK_E_USAGE: the command line is wrong.
 */
rk_status rk_cmd_report(int argc, char **argv, int *exit_code, rk_error *err);

RK_C_END

#endif
