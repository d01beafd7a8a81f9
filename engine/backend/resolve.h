/* resolve.h - selection rules to row numbers, on the host.
 *
 * Used by the backends whose signals lie in host memory (cpu) or nowhere (count:
 * a rule that needs a score takes evenly spaced tokens, so that shapes, FLOPs and
 * bytes are those of a set of that size). */
#ifndef RK_BACKEND_RESOLVE_H
#define RK_BACKEND_RESOLVE_H

#include "backend/backend.h"

RK_C_BEGIN

/* Contract of rk_backend_ops.select; `has_values` 0 spaces scored picks evenly. */
rk_status rk_select_resolve(const rk_select_input *in, int has_values, int32_t *row, int32_t *count,
                            rk_error *err);

/* Domain bit (RK_DOMAIN_*) of a position, and its chunk (-1 outside chunks). */
int32_t rk_request_domain(const rk_request *r, int32_t pos, int32_t *chunk);

RK_C_END

#endif
