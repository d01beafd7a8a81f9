/* epic.c - LegoLink-k: the first k tokens of every chunk are recomputed, always.
 *
 * EPIC, arXiv 2410.15332: static selection, no scoring, no full layers. Recomputed
 * tokens run from the embeddings through all layers under the true causal mask and
 * overwrite the stored K/V. Every chunk is relinked, the first too; the prefix
 * never is. LegoLink-0 is k = 0 with compile_prefix = sink_drop. */
#include "method.h"

typedef struct config {
    rk_compile compile;
    int64_t k;
} config;

static const rk_option options[] = {
    RK_COMPILE_OPTIONS,
    {"k", RK_OPT_INT, offsetof(config, k), "16", 0, 1 << 30, "tokens",
     "Tokens recomputed at the start of each chunk; a longer k recomputes it whole.", NULL},
    {.name = NULL},
};

static rk_status plan_request(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err)
{
    (void)m, (void)err;
    rk_layout_reuse_all(layout, r);
    return RK_OK;
}

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    const config *c = m->config;
    (void)r;
    if (plan->layer > 0)
        return RK_OK;
    rk_select heads = {.kind = RK_SELECT_FIRST_K,
                       .amount = (double)c->k,
                       .scope = RK_SCOPE_CHUNK,
                       .domain = RK_DOMAIN_CHUNKS};
    return rk_plan_keep_rows(plan, &plan->rows, heads, err);
}

const rk_method_ops rk_method_epic = {
    .name = "epic",
    .title = "EPIC",
    .source = "arXiv 2410.15332 (LegoLink-k)",
    .flags = RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY,
    .config_size = sizeof(config),
    .options = options,
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
