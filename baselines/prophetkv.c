/* prophetkv.c - the tokens that the question looks at are recomputed.
 *
 * ProphetKV, arXiv 2602.02579. Stage I: the question's rows run over the stored
 * context; their attention, softmax over the context alone, is averaged over
 * heads, rows and layers. Stage II: the floor(ratio N) highest tokens, one set.
 * Stage III: that set and the question from the embeddings through all layers,
 * true causal mask. The paper does not say how the question's states advance in
 * stage I: `suffix` is an ordinary forward over context and itself, `isolated`
 * lets the question attend to itself alone. */
#include <math.h>

#include "method.h"

typedef struct config {
    rk_compile compile;
    double ratio;
    int32_t query_state;
} config;

static const rk_option options[] = {
    RK_COMPILE_OPTIONS,
    {"ratio", RK_OPT_FLOAT, offsetof(config, ratio), "0.2", 0, 1, "fraction",
     "Share of the chunk tokens that is recomputed.", NULL},
    {"query_state", RK_OPT_CHOICE, offsetof(config, query_state), "suffix", 0, 0, "",
     "What the question attends to while it scores the context.", "suffix|isolated"},
    {.name = NULL},
};

static int depends_on_question(const rk_method *m)
{
    (void)m;
    return 1;
}

static rk_probe probe(const rk_method *m)
{
    const config *c = m->config;
    return c->query_state ? RK_PROBE_QUERY_ISOLATED : RK_PROBE_QUERY;
}

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
    if (plan->layer > 0)
        return RK_OK;
    rk_select top = {.kind = RK_SELECT_TOP_COUNT,
                     .signal = RK_SIGNAL_QUERY_MASS,
                     .amount = floor(c->ratio * rk_request_chunk_tokens(r)),
                     .domain = RK_DOMAIN_CHUNKS};
    return rk_plan_keep_rows(plan, &plan->rows, top, err);
}

const rk_method_ops rk_method_prophetkv = {
    .name = "prophetkv",
    .title = "ProphetKV",
    .source = "arXiv 2602.02579",
    .flags = RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY,
    .config_size = sizeof(config),
    .options = options,
    .depends_on_question = depends_on_question,
    .probe = probe,
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
