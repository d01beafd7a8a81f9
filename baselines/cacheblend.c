/* cacheblend.c - the tokens whose K/V drift most from the stored ones are recomputed.
 *
 * CacheBlend, arXiv 2405.16444. Modes:
 *   fixed    layers below check_layer run every row; at check_layer Q, K, V of every
 *            row, score = squared distance of V alone; the floor(ratio N) highest
 *            chunk tokens and the whole question live on; true causal mask. The
 *            reference code with its mask and its forced suffix repaired.
 *   paper    score over K and V; gradual filtering from check_layer on: r_i falls
 *            linearly from 1.5 r over the first quarter of the layers to the value
 *            that makes the mean r (the paper gives no numbers; ours is a declared
 *            choice), and stays there.
 *   refcode  YaoJiayi/CacheBlend 55ad026 literally: the question too is compiled
 *            alone and competes for the budget, only the very last token is forced,
 *            and the mask is bottom-right, so that selected rows see the future.
 *   lmcache  LMCache v1's blender: keys alone, every token scored, only selected
 *            rows replace the stored K/V at check_layer, the same mask. The last
 *            token is kept, since the first output token is read from it. */
#include <math.h>

#include "method.h"

typedef enum mode { FIXED, PAPER, REFCODE, LMCACHE } mode;

typedef struct config {
    rk_compile compile;
    int32_t mode;
    double ratio;
    int64_t check_layer;
} config;

static const rk_option options[] = {
    RK_COMPILE_OPTIONS,
    {"mode", RK_OPT_CHOICE, offsetof(config, mode), "fixed", 0, 0, "",
     "Which reading of the algorithm runs.", "fixed|paper|refcode|lmcache"},
    {"ratio", RK_OPT_FLOAT, offsetof(config, ratio), "0.15", 0, 1, "fraction",
     "Share of the tokens that is recomputed.", NULL},
    {"check_layer", RK_OPT_INT, offsetof(config, check_layer), "1", 1, 4096, "layer",
     "Layer (from 0) at which drift is measured; layer 0's K/V never drift.", NULL},
    {.name = NULL},
};

/* The published scripts compile the question like a chunk. */
static int question_is_chunk(const config *c)
{
    return c->mode == REFCODE || c->mode == LMCACHE;
}

static rk_status check(const rk_method *m, rk_error *err)
{
    const config *c = m->config;
    if (m->shape->layers < 2)
        return rk_fail(err, RK_E_USAGE, "cacheblend needs a model of 2 layers or more");
    if (c->check_layer >= m->shape->layers)
        return rk_fail(err, RK_E_USAGE, "cacheblend: check_layer: expected 1 to %d, got %lld",
                       m->shape->layers - 1, (long long)c->check_layer);
    return RK_OK;
}

static int depends_on_question(const rk_method *m)
{
    return question_is_chunk(m->config);
}

static rk_status plan_request(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err)
{
    (void)err;
    rk_layout_reuse_all(layout, r);
    layout->reuse_question = question_is_chunk(m->config);
    return RK_OK;
}

/* r_i of mode paper, for the i-th of n filtered layers: over the first quarter (`ramp`
 * layers) linear from 1.5 r, at most 1, down to `flat`, which makes the mean over all n
 * equal r. With r = 1 every layer keeps everything. */
static double gradual_ratio(double r, int32_t i, int32_t n)
{
    int32_t ramp = (n + 3) / 4;
    double first = 1.5 * r < 1 ? 1.5 * r : 1;
    if (n == 1)
        return r;
    if (ramp == 1)
        return i == 0 ? first : (n * r - first) / (n - 1);
    double flat = (n * r - 0.5 * ramp * first) / (n - 0.5 * ramp);
    return i >= ramp ? flat : first + (flat - first) * i / (ramp - 1);
}

/* The budget of a layer, in tokens. */
static double budget(const config *c, const rk_request *r, const rk_layer_plan *plan)
{
    int32_t since = plan->layer - (int32_t)c->check_layer;
    double ratio = c->ratio;
    if (c->mode == PAPER)
        ratio = gradual_ratio(c->ratio, since, plan->layers - (int32_t)c->check_layer);
    int32_t scored = rk_request_chunk_tokens(r);
    if (c->mode == REFCODE)
        scored = r->tokens - 1;
    else if (c->mode == LMCACHE)
        scored = r->tokens;
    return floor(ratio * scored);
}

/* The published code's rows: the best of every token, and the very last. */
static rk_status select_as_published(const config *c, const rk_request *r, rk_layer_plan *plan,
                                     rk_select top, rk_error *err)
{
    rk_select *child = rk_plan_children(plan, 2, err);
    if (!child)
        return RK_E_MEMORY;
    top.domain = RK_DOMAIN_PROMPT;
    top.to = c->mode == REFCODE ? r->tokens - 1 : 0;
    child[0] = top;
    child[1] = (rk_select){.kind = RK_SELECT_LAST_N, .amount = 1, .domain = RK_DOMAIN_PROMPT};
    plan->attend = (rk_select){.kind = RK_SELECT_UNION, .child = child, .children = 2};
    plan->mask = RK_MASK_BOTTOM_RIGHT;
    plan->write_attended_only = c->mode == LMCACHE;
    return RK_OK;
}

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    const config *c = m->config;
    if (plan->layer == 0 && !question_is_chunk(c))
        plan->rows = rk_select_all(RK_DOMAIN_CHUNKS | RK_DOMAIN_QUESTION);
    int filters =
        plan->layer == c->check_layer || (c->mode == PAPER && plan->layer > c->check_layer);
    if (!filters)
        return RK_OK;
    rk_select top = {.kind = RK_SELECT_TOP_COUNT,
                     .signal = RK_SIGNAL_KV_DRIFT,
                     .amount = budget(c, r, plan),
                     .domain = RK_DOMAIN_CHUNKS};
    plan->drift_k = c->mode == PAPER || c->mode == LMCACHE;
    plan->drift_v = c->mode != LMCACHE;
    if (question_is_chunk(c))
        return select_as_published(c, r, plan, top, err);
    return rk_plan_keep_rows(plan, &plan->attend, top, err);
}

const rk_method_ops rk_method_cacheblend = {
    .name = "cacheblend",
    .title = "CacheBlend",
    .source = "arXiv 2405.16444; YaoJiayi/CacheBlend 55ad026; LMCache v1",
    .flags = RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY,
    .config_size = sizeof(config),
    .options = options,
    .check = check,
    .depends_on_question = depends_on_question,
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
