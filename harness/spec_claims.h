/* spec_claims.h - the [claim] lines of experiment files, for redknot check. */
#ifndef RK_HARNESS_SPEC_CLAIMS_H
#define RK_HARNESS_SPEC_CLAIMS_H

#include "cmd_check.h"

RK_C_BEGIN

/* Reads experiments/NAME.exp (or a path), or every experiment there. */
rk_claim_source rk_spec_claim_source(void);

RK_C_END

#endif
