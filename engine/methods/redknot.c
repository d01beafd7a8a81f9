/* redknot.c - RedKnot (arXiv 2606.06256, Algorithm 1) as answers to the method interface.
 *
 * Every token outside a true prefix hit flows. Global heads recompute K/V for all of
 * it; local heads take theirs from the chunk store, projections skipped, and see
 * sink and window. From layer dense_until on only important tokens run the FFN.
 * Where the paper is ambiguous or its code differs, each reading is an option:
 * published-code behaviour is local_refresh=all (their online pass projects every
 * head), signal=output_norm, mass by share, prefix=system. */
#include <math.h>

#include "redknot/visible_set.h"

typedef enum local_refresh {
    REFRESH_NONE,
    REFRESH_CHUNK_START,
    REFRESH_WINDOW,
    REFRESH_ALL
} local_refresh;
typedef enum shallow { SHALLOW_MAP, SHALLOW_LOCAL_ONLY } shallow;
typedef enum prefix { PREFIX_SYSTEM, PREFIX_LONGEST, PREFIX_OFF } prefix;
typedef enum mass_rows { ROWS_QUESTION, ROWS_LAST_N, ROWS_ALL } mass_rows;
typedef enum mass_heads { HEADS_GLOBAL, HEADS_ALL } mass_heads;
typedef enum importance { SIGNAL_MASS, SIGNAL_OUTPUT_NORM } importance;

typedef struct config {
    rk_compile compile;
    const char *head_map;
    int64_t window, sink;
    int32_t local_refresh;
    int64_t refresh_tokens;
    int32_t shallow_attention;
    int64_t dense_until, deep_from;
    double ffn_mass, ffn_mass_deep, ffn_share, ffn_share_deep;
    int64_t protect_recent, protect_sink;
    int32_t mass_rows;
    int64_t mass_last_n;
    int32_t mass_heads, signal;
    double promote_above;
    int64_t probe_rows;
    int32_t prefix;
} config;

#define TOKENS(name, fallback, low, help)                                                          \
    {                                                                                              \
#name, RK_OPT_INT, offsetof(config, name), fallback, low, 1 << 30, "tokens", help, NULL    \
    }
#define FRACTION(name, fallback, low, high, help)                                                  \
    {                                                                                              \
#name, RK_OPT_FLOAT, offsetof(config, name), fallback, low, high, "fraction", help, NULL   \
    }
#define CHOICE(name, fallback, help, choices)                                                      \
    {                                                                                              \
#name, RK_OPT_CHOICE, offsetof(config, name), fallback, 0, 0, "", help, choices            \
    }
#define LAYER(name, fallback, help)                                                                \
    {                                                                                              \
#name, RK_OPT_INT, offsetof(config, name), fallback, 0, 1 << 20, "layer", help, NULL       \
    }

static const rk_option options[] = {
    RK_COMPILE_OPTIONS,
    {"head_map", RK_OPT_TEXT, offsetof(config, head_map), "", 0, 0, "",
     "Head map: a JSON file, all_local, all_global or random:SHARE:SEED.", NULL},
    TOKENS(window, "256", 1, "Window of local heads where the map gives none, the row included."),
    TOKENS(sink, "64", 0, "Sink of local heads where the map gives none."),
    CHOICE(local_refresh, "none",
           "What a local head recomputes of a reused chunk: nothing; its first refresh_tokens; "
           "the tokens whose window reaches over its start; everything (the published code).",
           "none|chunk_start|window|all"),
    TOKENS(refresh_tokens, "16", 0, "Tokens of chunk_start."),
    CHOICE(shallow_attention, "map",
           "Heads below dense_until: as the map says, or all local (Algorithm 1, one reading).",
           "map|local_only"),
    LAYER(dense_until, "5", "First layer with a sparse FFN (published class default 5)."),
    LAYER(deep_from, "1048576", "First layer of the deep amounts."),
    FRACTION(ffn_mass, "1", 0, 2,
             "The FFN runs on the tokens that hold this share of the importance; 1 = all."),
    FRACTION(ffn_mass_deep, "1", 0, 2, "The same from deep_from on."),
    FRACTION(ffn_share, "1", 0, 1, "A fixed share of the tokens instead; 1 = by ffn_mass."),
    FRACTION(ffn_share_deep, "1", 0, 1, "The same from deep_from on."),
    TOKENS(protect_recent, "128", 0, "Last context tokens that always run the FFN."),
    TOKENS(protect_sink, "4", 0, "First context tokens that always run the FFN."),
    CHOICE(mass_rows, "question", "Rows whose attention makes a token important.",
           "question|last_n|all"),
    TOKENS(mass_last_n, "64", 1, "Rows of last_n."),
    CHOICE(mass_heads, "global", "Heads whose attention counts.", "global|all"),
    CHOICE(signal, "mass",
           "Importance: attention received, or the attention output's norm (published code).",
           "mass|output_norm"),
    FRACTION(promote_above, "2", 0, 2,
             "Edge mass above which a local head runs as global (elastic restore); > 1 = never."),
    TOKENS(probe_rows, "64", 0, "Rows before the question that probe the edge, with its own."),
    CHOICE(prefix, "system",
           "True prefix hits that are not recomputed: the ids before the first chunk; also a "
           "first chunk that lies where it was built; none.",
           "system|longest|off"),
    {.name = NULL},
};

static int ffn_is_sparse(const config *c)
{
    return c->ffn_mass < 1 || c->ffn_share < 1 || c->ffn_mass_deep < 1 || c->ffn_share_deep < 1;
}

static int depends_on_question(const rk_method *m)
{
    const config *c = m->config;
    return c->promote_above <= 1 || (ffn_is_sparse(c) && c->signal == SIGNAL_MASS);
}

static rk_status plan_request(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err)
{
    const config *c = m->config;
    (void)err;
    rk_layout_reuse_all(layout, r);
    layout->reuse_prefix = c->prefix != PREFIX_OFF;
    return RK_OK;
}

/* The first chunk stands where it was built, behind the tokens it was built behind. */
static int first_chunk_hits(const config *c, const rk_request *r)
{
    if (c->prefix != PREFIX_LONGEST || r->chunks == 0)
        return 0;
    return c->compile.prefix == RK_COMPILE_SYSPREFIX ||
           (r->prefix.n == 0 &&
            (c->compile.prefix == RK_COMPILE_NONE || c->compile.prefix == RK_COMPILE_BOS_KEEP));
}

/* First position that is not part of the true prefix hit. */
static int32_t hit_end(const config *c, const rk_request *r)
{
    if (c->prefix == PREFIX_OFF)
        return 0;
    return first_chunk_hits(c, r) ? r->chunk[0].start + r->chunk[0].n : r->prefix.n;
}

/* Rows that flow: all but the true prefix hit. */
static rk_select live_rows(const config *c, const rk_request *r)
{
    if (c->prefix == PREFIX_OFF)
        return rk_select_all(RK_DOMAIN_PROMPT);
    rk_select rows = rk_select_all(RK_DOMAIN_CHUNKS | RK_DOMAIN_QUESTION);
    if (first_chunk_hits(c, r))
        rows.from = hit_end(c, r);
    return rows;
}

/* What a local head recomputes of the reused chunks. */
static rk_select local_rule(const config *c, int32_t window)
{
    rk_select rule = {
        .kind = RK_SELECT_FIRST_K, .scope = RK_SCOPE_CHUNK, .domain = RK_DOMAIN_CHUNKS};
    switch ((local_refresh)c->local_refresh) {
    case REFRESH_NONE:
        return (rk_select){.kind = RK_SELECT_NONE};
    case REFRESH_CHUNK_START:
        rule.amount = (double)c->refresh_tokens;
        break;
    case REFRESH_WINDOW:
        rule.amount = window - 1; /* token i < window - 1 of a chunk sees before it */
        break;
    case REFRESH_ALL:
        return rk_select_all(RK_DOMAIN_PROMPT);
    }
    return rule;
}

static void plan_heads(const rk_method *m, const config *c, rk_layer_plan *plan)
{
    int all_local = c->shallow_attention == SHALLOW_LOCAL_ONLY && plan->layer < c->dense_until;
    for (int32_t h = 0; h < plan->kv_heads; h++) {
        rk_head_rule rule =
            rk_visible_rule(m->head_map, plan->layer, h, (int32_t)c->window, (int32_t)c->sink);
        if (all_local && rule.window == 0)
            rule = (rk_head_rule){.window = (int32_t)c->window, .sink = (int32_t)c->sink};
        rule.promote_above = c->promote_above;
        plan->head[h] = rule;
        if (rule.window > 0)
            plan->refresh[h] = local_rule(c, rule.window);
    }
}

/* The important tokens of this layer, by mass or as a fixed share of the context that
 * flows. */
static rk_select important(const config *c, const rk_request *r, const rk_layer_plan *plan)
{
    int deep = plan->layer >= c->deep_from;
    double mass = deep ? c->ffn_mass_deep : c->ffn_mass;
    double share = deep ? c->ffn_share_deep : c->ffn_share;
    rk_select top = {.kind = RK_SELECT_TOP_MASS,
                     .signal =
                         c->signal == SIGNAL_MASS ? RK_SIGNAL_TOKEN_MASS : RK_SIGNAL_OUTPUT_NORM,
                     .amount = mass,
                     .domain = RK_DOMAIN_CONTEXT};
    if (share < 1) {
        top.kind = RK_SELECT_TOP_COUNT;
        top.amount = floor(share * (r->question.start - hit_end(c, r)));
    }
    return top;
}

/* 1 when a global head of the map counts in this layer. */
static int has_global(const rk_method *m, const config *c, int32_t layer)
{
    if (c->shallow_attention == SHALLOW_LOCAL_ONLY && layer < c->dense_until)
        return 0;
    for (int32_t h = 0; h < m->head_map->kv_heads; h++)
        if (rk_head_map_is_global(m->head_map, layer, h))
            return 1;
    return 0;
}

/* Is this dense layer the one whose importance the first sparse layers take over,
 * because they have no global head of their own? */
static int lends_importance(const rk_method *m, const config *c, const rk_layer_plan *plan)
{
    if (c->signal != SIGNAL_MASS || c->mass_heads != HEADS_GLOBAL || !ffn_is_sparse(c) ||
        c->dense_until >= plan->layers || !has_global(m, c, plan->layer))
        return 0;
    for (int32_t l = plan->layer + 1; l <= c->dense_until; l++)
        if (has_global(m, c, l))
            return 0;
    return 1;
}

static void plan_mass(const config *c, rk_layer_plan *plan)
{
    plan->mass.global_heads = c->mass_heads == HEADS_GLOBAL;
    plan->mass.last_rows = c->mass_rows == ROWS_QUESTION ? 0
                           : c->mass_rows == ROWS_ALL    ? -1
                                                         : (int32_t)c->mass_last_n;
}

static rk_status plan_ffn(const rk_method *m, const config *c, const rk_request *r,
                          rk_layer_plan *plan, rk_error *err)
{
    plan_mass(c, plan);
    if (plan->layer < c->dense_until || !ffn_is_sparse(c)) {
        plan->mass.measure = plan->layer < c->dense_until && lends_importance(m, c, plan);
        return RK_OK;
    }
    rk_select *child = rk_plan_children(plan, 4, err);
    if (!child)
        return RK_E_MEMORY;
    child[0] = important(c, r, plan);
    child[1] = (rk_select){
        .kind = RK_SELECT_LAST_N, .amount = (double)c->protect_recent, .domain = RK_DOMAIN_CONTEXT};
    child[2] = (rk_select){
        .kind = RK_SELECT_FIRST_K, .amount = (double)c->protect_sink, .domain = RK_DOMAIN_CONTEXT};
    child[3] = rk_select_all(RK_DOMAIN_QUESTION);
    plan->ffn = (rk_select){.kind = RK_SELECT_UNION, .child = child, .children = 4};
    return RK_OK;
}

static rk_status plan_layer(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err)
{
    const config *c = m->config;
    if (plan->layer == 0)
        plan->rows = live_rows(c, r);
    plan->probe_rows = (int32_t)c->probe_rows;
    plan_heads(m, c, plan);
    return plan_ffn(m, c, r, plan, err);
}

const rk_method_ops rk_method_redknot = {
    .name = "redknot",
    .title = "RedKnot",
    .source = "arXiv 2606.06256",
    .flags = RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY | RK_METHOD_NEEDS_HEAD_MAP,
    .config_size = sizeof(config),
    .options = options,
    .depends_on_question = depends_on_question,
    .plan_request = plan_request,
    .plan_layer = plan_layer,
};
