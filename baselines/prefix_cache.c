/* prefix_cache.c - an ordinary prefix hit: system prompt and first chunk from the store.
 *
 * Exact: both lie where they were built, behind the same tokens. Everything after
 * the first chunk is computed. */
#include "method.h"

/* First position that is not part of the hit. */
static int32_t hit_end(const rk_request *r)
{
    return r->chunks > 0 ? r->chunk[0].start + r->chunk[0].n : r->question.start;
}

static rk_status plan_request(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err)
{
    (void)m, (void)err;
    layout->reuse_prefix = 1;
    if (r->chunks > 0)
        layout->reuse_chunk[0] = 1;
    return RK_OK;
}

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    (void)m, (void)err;
    plan->rows = rk_select_all(RK_DOMAIN_CHUNKS | RK_DOMAIN_QUESTION);
    plan->rows.from = hit_end(r);
    return RK_OK;
}

const rk_method_ops rk_method_prefix_cache = {
    .name = "prefix_cache",
    .title = "Prefix cache",
    .source = "longest true prefix, as every serving system has it",
    .flags = RK_METHOD_EXACT | RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY,
    .config_size = sizeof(rk_compile), /* no option: always the real system prefix */
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
