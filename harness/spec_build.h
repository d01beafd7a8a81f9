/* spec_build.h - checks entries and expands them into a spec; used by spec.c. */
#ifndef RK_HARNESS_SPEC_BUILD_H
#define RK_HARNESS_SPEC_BUILD_H

#include "spec.h"
#include "spec_file.h"

RK_C_BEGIN

typedef struct rk_spec_builder {
    const char *path;
    rk_spec_registry registry;
    rk_spec_entries entries; /* with overrides applied */
    rk_spec *spec;           /* filled by rk_spec_build */
    rk_arena *arena;
    rk_error *err;
} rk_spec_builder;

/* Fills b->spec from b->entries: title, [measure], variants, axes, claims. */
rk_status rk_spec_build(rk_spec_builder *b);

/* "fig08.exp:12", or "command line" for line 0; for messages. */
const char *rk_spec_place(rk_spec_builder *b, int32_t line);

/* RK_E_USAGE "<place>: unknown <what> 'name'; did you mean 'near'?" */
rk_status rk_spec_unknown(rk_spec_builder *b, int32_t line, const char *what, const char *name,
                          const char *const *names, size_t n);

/* The row that checks values of an axis already built. */
rk_option rk_spec_axis_row(const rk_spec_builder *b, const rk_axis *axis);

RK_C_END

#endif
