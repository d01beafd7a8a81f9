/* cmd_profile.h - redknot profile MODEL: which heads need the whole prompt. */
#ifndef RK_HARNESS_CMD_PROFILE_H
#define RK_HARNESS_CMD_PROFILE_H

#include "base/status.h"

RK_C_BEGIN

/* argv[0] is "profile". Writes a head map with its evidence. */
rk_status rk_cmd_profile(int argc, char **argv, rk_error *err);

RK_C_END

#endif
