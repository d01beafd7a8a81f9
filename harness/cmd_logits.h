/* cmd_logits.h - redknot logits MODEL --ids ...: the engine against others, row by row. */
#ifndef RK_HARNESS_CMD_LOGITS_H
#define RK_HARNESS_CMD_LOGITS_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "logits". Writes OUT as little-endian f32 rows and the ten best tokens of
 * the last position on stdout. RK_E_USAGE: the command line is wrong. */
rk_status rk_cmd_logits(int argc, char **argv, rk_error *err);

RK_C_END

#endif
