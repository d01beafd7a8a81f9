/* cmd_check.h - redknot check [EXPERIMENT]: the paper's claims, and its numbers
 * against each other. */
#ifndef RK_HARNESS_CMD_CHECK_H
#define RK_HARNESS_CMD_CHECK_H

#include "claims.h"

RK_C_BEGIN

/* Where the [claim] lines come from: the caller knows how to read experiments. */
typedef struct rk_claim_source {
    void *self;
    /* All claims of an experiment (NULL: of every experiment), in `arena`, each with
     * its `experiment` set. RK_E_USAGE: no such experiment. */
    rk_status (*claims)(void *self, const char *experiment, rk_arena *arena,
                        const rk_claim_input **out, int64_t *n, rk_error *err);
} rk_claim_source;

/* argv[0] is "check". *exit_code on RK_OK: 0, or 3 when a claim is contradicted or
 * not reproduced. Without a database every claim is untestable and the audit of
 * published values is still printed. */
rk_status rk_cmd_check(int argc, char **argv, const rk_claim_source *source, int *exit_code,
                       rk_error *err);

RK_C_END

#endif
