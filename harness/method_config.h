/* method_config.h - a method ready to run: options parsed, head map read. */
#ifndef RK_HARNESS_METHOD_CONFIG_H
#define RK_HARNESS_METHOD_CONFIG_H

#include "axes.h"
#include "method.h"

RK_C_BEGIN

/* Fills `out` for method `name` with the given options over its defaults. A head
 * map comes from the option `head_map` (path, all_local, all_global,
 * random:SHARE:SEED); a relative path is tried as it is. RK_E_USAGE names an
 * unknown method (with the nearest known one) or option. All memory in `arena`. */
rk_status rk_method_configure(const char *name, const rk_pair *option, int32_t options,
                              const rk_model_shape *shape, rk_arena *arena, rk_method *out,
                              rk_error *err);

/* Every effective option as canonical JSON: {"name":..,"options":{..}}. A head map is
 * named by its file's base name and, as head_map_hash, by what it says. */
rk_status rk_method_json(const rk_method *m, rk_arena *arena, const char **out, rk_error *err);

RK_C_END

#endif
