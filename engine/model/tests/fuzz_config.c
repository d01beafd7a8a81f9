/* Any bytes as config.json and as generation_config.json: a configuration whose
 * rotary table can be built or refused, or a message. */
#include <stddef.h>

#include "model/model_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rk_error err;
    rk_config c;
    rk_arena *arena;
    rk_rope rope;
    json_t *json = NULL;
    if (rk_arena_new(&arena, &err) != RK_OK)
        return 0;
    if (rk_json_parse((const char *)data, n, "fuzz", &json, &err) == RK_OK &&
        rk_config_of_json(json, "fuzz", json_is_object(json) ? json : NULL, "fuzz", &c, &err) ==
            RK_OK)
        rk_rope_build(&c.rope, "fuzz", arena, &rope, &err);
    json_decref(json);
    rk_arena_free(arena);
    return 0;
}
