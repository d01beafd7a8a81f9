/* dense_masked.c - head sparsity expressed as a mask over a dense layout.
 *
 * Every row and every key is multiplied; what a local head must not see is masked
 * afterwards. It shows that sparsity on paper alone saves nothing (RedKnot,
 * arXiv 2606.06256, 5.3), and must equal paged attention numerically. Chunks are
 * ignored: everything is computed. */
#include "redknot/visible_set.h"

typedef struct config {
    const char *head_map;
    int64_t window, sink;
} config;

static const rk_option options[] = {
    {"head_map", RK_OPT_TEXT, offsetof(config, head_map), "", 0, 0, "",
     "Head map: a JSON file, all_local, all_global or random:SHARE:SEED.", NULL},
    {"window", RK_OPT_INT, offsetof(config, window), "256", 1, 1 << 30, "tokens",
     "Window of local heads where the map gives none.", NULL},
    {"sink", RK_OPT_INT, offsetof(config, sink), "64", 0, 1 << 30, "tokens",
     "Sink of local heads where the map gives none.", NULL},
    {.name = NULL},
};

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    const config *c = m->config;
    (void)r, (void)err;
    for (int32_t h = 0; h < plan->kv_heads; h++) {
        plan->head[h] =
            rk_visible_rule(m->head_map, plan->layer, h, (int32_t)c->window, (int32_t)c->sink);
        plan->head[h].masked = 1;
    }
    return RK_OK;
}

const rk_method_ops rk_method_dense_masked = {
    .name = "dense_masked",
    .title = "Dense + mask",
    .source = "arXiv 2606.06256, 5.3 (control)",
    .flags = RK_METHOD_NEEDS_HEAD_MAP,
    .config_size = sizeof(config),
    .options = options,
    .plan_layer = plan_layer,
};
