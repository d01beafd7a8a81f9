/* method.c - finding methods, and the few helpers that plans share. */
#include "method.h"

#include <string.h>

const rk_method_ops *rk_method_find(const char *name)
{
    for (int32_t i = 0; i < rk_methods_count; i++)
        if (!strcmp(rk_methods[i]->name, name))
            return rk_methods[i];
    return NULL;
}

rk_select *rk_plan_children(rk_layer_plan *plan, int32_t n, rk_error *err)
{
    return rk_arena_take(plan->arena, (size_t)n, sizeof(rk_select), err);
}

rk_status rk_plan_keep_rows(rk_layer_plan *plan, rk_select *where, rk_select context, rk_error *err)
{
    rk_select *child = rk_plan_children(plan, 2, err);
    if (!child)
        return RK_E_MEMORY;
    child[0] = context;
    child[1] = rk_select_all(RK_DOMAIN_QUESTION);
    *where = (rk_select){.kind = RK_SELECT_UNION, .child = child, .children = 2};
    return RK_OK;
}

void rk_layout_reuse_all(rk_layout *layout, const rk_request *r)
{
    layout->reuse_prefix = 1;
    for (int32_t c = 0; c < r->chunks; c++)
        layout->reuse_chunk[c] = 1;
}

int32_t rk_request_chunk_tokens(const rk_request *r)
{
    return r->question.start - r->prefix.n;
}
