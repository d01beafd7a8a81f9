/* tokdrop_redknot.c - the stand-in that RedKnot's published code runs under the names
 * CacheBlend (0.15) and ProphetKV (0.20), under a name of its own.
 *
 * Importance of a context token = L2 distance of its last hidden state between a
 * forward of its chunk alone and one of the whole context. The top tokens and the
 * first four stay; every other context token leaves the prompt, positions close up,
 * and the survivors and the question are prefilled densely. Context means the chunks:
 * the published prompts have no system prefix, so ours stays, like the question. No K/V is reused,
 * and the selector needs a full forward of its own, which is timed here. Source: RedKnot repository
 * at 51b1737, test/srt/redknot/utils (token-level baselines). */
#include <math.h>

#include "method.h"

enum { FIRST_KEPT = 4 }; /* as the published script keeps them */

typedef struct config {
    double ratio;
} config;

static const rk_option options[] = {
    {"ratio", RK_OPT_FLOAT, offsetof(config, ratio), "0.15", 0, 1, "fraction",
     "Share of the chunk tokens that stays in the prompt.", NULL},
    {.name = NULL},
};

static rk_probe probe(const rk_method *m)
{
    (void)m;
    return RK_PROBE_HIDDEN_DRIFT;
}

static rk_status plan_request(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err)
{
    (void)m, (void)r, (void)err;
    layout->compact = 1;
    return RK_OK;
}

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    const config *c = m->config;
    if (plan->layer > 0)
        return RK_OK;
    rk_select *child = rk_plan_children(plan, 3, err);
    if (!child)
        return RK_E_MEMORY;
    child[0] = (rk_select){.kind = RK_SELECT_TOP_COUNT,
                           .signal = RK_SIGNAL_HIDDEN_DRIFT,
                           .amount = floor(c->ratio * rk_request_chunk_tokens(r)),
                           .domain = RK_DOMAIN_CHUNKS};
    child[1] =
        (rk_select){.kind = RK_SELECT_FIRST_K, .amount = FIRST_KEPT, .domain = RK_DOMAIN_CHUNKS};
    child[2] = rk_select_all(RK_DOMAIN_PREFIX | RK_DOMAIN_QUESTION);
    plan->rows = (rk_select){.kind = RK_SELECT_UNION, .child = child, .children = 3};
    return RK_OK;
}

const rk_method_ops rk_method_tokdrop_redknot = {
    .name = "tokdrop_redknot",
    .title = "Token drop (published stand-in)",
    .source = "RedKnot repository 51b1737, token-level baselines",
    .config_size = sizeof(config),
    .options = options,
    .probe = probe,
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
