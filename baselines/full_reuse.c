/* full_reuse.c - every chunk's stored K/V as they are; only the question is computed.
 *
 * What CacheBlend, EPIC and FusionRAG call full (naive) reuse: chunks compiled
 * alone, keys rotated to their place, the question's rows over all of it under
 * the causal mask. `positions` also offers PromptCache (arXiv 2311.04934): keys
 * keep the ids of the slot that the schema reserves, gaps stay unused; and keys
 * left at the ids they were built at, which then overlap. */
#include "method.h"

typedef enum positions { ASSEMBLED, SCHEMA, LOCAL } positions;

typedef struct config {
    rk_compile compile;
    int32_t positions;
} config;

static const rk_option options[] = {
    RK_COMPILE_OPTIONS,
    {"positions", RK_OPT_CHOICE, offsetof(config, positions), "assembled", 0, 0, "",
     "Rotary ids of chunks: their place in the prompt; PromptCache's slots of equal length "
     "(schema); where they were built (local, overlapping).",
     "assembled|schema|local"},
    {.name = NULL},
};

/* Rotary position at which every chunk was compiled. */
static int32_t built_at(const config *c, const rk_request *r)
{
    switch ((rk_compile_prefix)c->compile.prefix) {
    case RK_COMPILE_SYSPREFIX:
        return r->prefix.n;
    case RK_COMPILE_BOS_DROP:
        return 1;
    case RK_COMPILE_SINK_DROP:
        return (int32_t)c->compile.dummies + 1;
    case RK_COMPILE_BOS_KEEP:
    case RK_COMPILE_NONE:
        break;
    }
    return 0;
}

static rk_status plan_request(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err)
{
    const config *c = m->config;
    int32_t slot = 0;
    layout->reuse_prefix = 1;
    for (int32_t i = 0; i < r->chunks; i++) {
        layout->reuse_chunk[i] = 1;
        slot = r->chunk[i].n > slot ? r->chunk[i].n : slot;
    }
    if (c->positions == ASSEMBLED)
        return RK_OK;
    if (c->positions == SCHEMA && (int64_t)slot * r->chunks + r->prefix.n > INT32_MAX / 2)
        return rk_fail(err, RK_E_ARG, "full_reuse: %d slots of %d tokens overflow", r->chunks,
                       slot);
    for (int32_t i = 0; i < r->chunks; i++)
        layout->rope_start[i] = c->positions == LOCAL ? built_at(c, r) : r->prefix.n + i * slot;
    if (c->positions == SCHEMA)
        layout->question_rope = r->prefix.n + r->chunks * slot;
    return RK_OK;
}

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    (void)m, (void)r, (void)err;
    plan->rows = rk_select_all(RK_DOMAIN_QUESTION);
    return RK_OK;
}

const rk_method_ops rk_method_full_reuse = {
    .name = "full_reuse",
    .title = "Full reuse",
    .source = "naive reuse of CacheBlend and EPIC; PromptCache, arXiv 2311.04934",
    .flags = RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY,
    .config_size = sizeof(config),
    .options = options,
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
