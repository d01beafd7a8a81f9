/* fuzz_spec.c - libFuzzer target: any bytes as an experiment file. */
#include "spec_cases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rk_arena *arena;
    rk_spec spec;
    rk_error err;
    if (rk_arena_new(&arena, &err) != RK_OK)
        return 0;
    if (rk_spec_parse((const char *)data, size, "fuzz.exp", NULL, &case_registry, arena, &spec,
                      &err) == RK_OK) {
        int64_t n = rk_axes_points(&spec);
        for (int64_t i = 0; i < n && i < 64; i++) {
            rk_point p;
            char text[256];
            rk_axes_point(&spec, i, &p);
            rk_point_text(&p, text, sizeof text);
            json_decref(rk_point_json(&p));
        }
    }
    rk_arena_free(arena);
    return 0;
}
