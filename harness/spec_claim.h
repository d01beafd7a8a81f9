/* spec_claim.h - claim lines of an experiment file. */
#ifndef RK_HARNESS_SPEC_CLAIM_H
#define RK_HARNESS_SPEC_CLAIM_H

#include "spec.h"

RK_C_BEGIN

/* "metric @ axis=value ... = value +- tolerance[%]  ; source". Conditions are
 * taken as written; the spec checks them against its axes. RK_E_USAGE without a
 * place: the caller puts file and line in front. */
rk_status rk_spec_claim_parse(const char *text, rk_arena *arena, rk_spec_claim *out, rk_error *err);

RK_C_END

#endif
