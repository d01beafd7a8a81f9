/* ids.c - the growing list of token ids; see tokenizer.h. */
#include "model/tokenizer.h"

#include <stdlib.h>

#include "base/arena.h"

rk_status rk_ids_add(rk_ids *ids, int32_t id, rk_error *err)
{
    RK_TRY(rk_heap_grow((void **)&ids->id, &ids->capacity, ids->n + 1, sizeof *ids->id, err));
    ids->id[ids->n++] = id;
    return RK_OK;
}

void rk_ids_free(rk_ids *ids)
{
    free(ids->id);
    *ids = (rk_ids){0};
}
