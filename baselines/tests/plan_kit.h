/* plan_kit.h - test kit: a method's plans on a toy request, and the sets its rules give.
 *
 * Toy: 2 layers, 4 KV heads, 32 tokens: prefix [0,4), chunks [4,14) [14,17) [17,28),
 * question [28,32). 24 chunk tokens. Every set is written as text, "0-3 7". */
#ifndef RK_BASELINES_TESTS_PLAN_KIT_H
#define RK_BASELINES_TESTS_PLAN_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/resolve.h"
#include "method.h"

enum { TOY_LAYERS = 2, TOY_HEADS = 4, TOY_TOKENS = 32, TOY_CHUNK_TOKENS = 24 };

typedef struct toy {
    rk_arena *arena;
    rk_model_shape shape;
    rk_request request;
    rk_method method;
    rk_layout layout;
    rk_layer_plan plan;
    float signal[RK_SIGNALS][TOY_TOKENS];
    char set[256]; /* the last set resolved */
} toy;

#define TOY_MUST(call)                                                                             \
    do {                                                                                           \
        if ((call) != RK_OK)                                                                       \
            fail_msg("%s", err.text);                                                              \
    } while (0)

static inline void toy_open(toy *t)
{
    static const int32_t chunk_tokens[] = {10, 3, 11};
    rk_error err = {0};
    rk_ids_span chunk[3];
    memset(t, 0, sizeof *t);
    TOY_MUST(rk_arena_new(&t->arena, &err));
    int32_t *id = rk_arena_take(t->arena, TOY_TOKENS, sizeof *id, &err);
    for (int32_t i = 0, at = 4; i < 3; at += chunk_tokens[i++])
        chunk[i] = (rk_ids_span){id + at, chunk_tokens[i]};
    TOY_MUST(rk_request_build(&t->request, (rk_ids_span){id, 4}, chunk, 3,
                              (rk_ids_span){id + 28, 4}, t->arena, &err));
    t->shape.layers = TOY_LAYERS;
    t->shape.kv_heads = TOY_HEADS;
    t->shape.heads = TOY_HEADS;
}

static inline void toy_close(toy *t)
{
    rk_arena_free(t->arena);
}

/* Configures by option text, "ratio=0.5 mode=paper"; RK_OK or what was refused. */
static inline rk_status toy_configure(toy *t, const rk_method_ops *ops, const char *options,
                                      rk_error *err)
{
    char *copy = rk_arena_printf(t->arena, err, "%s", options), *save = NULL;
    void *config = rk_arena_take(t->arena, 1, ops->config_size, err);
    t->method = (rk_method){
        .ops = ops, .shape = &t->shape, .config = config, .head_map = t->method.head_map};
    RK_TRY(rk_options_default(ops->options, config, err));
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        RK_TRY(rk_options_set(ops->options, config, word, equals + 1, err));
    }
    return ops->check ? ops->check(&t->method, err) : RK_OK;
}

static inline void toy_method(toy *t, const rk_method_ops *ops, const char *options)
{
    rk_error err = {0};
    TOY_MUST(toy_configure(t, ops, options, &err));
    t->layout = (rk_layout){.question_rope = t->request.question.start};
    t->layout.reuse_chunk = rk_arena_take(t->arena, 3, 1, &err);
    t->layout.rope_start = rk_arena_take(t->arena, 3, sizeof *t->layout.rope_start, &err);
    for (int32_t c = 0; c < 3; c++)
        t->layout.rope_start[c] = t->request.chunk[c].start;
    if (ops->plan_request)
        TOY_MUST(ops->plan_request(&t->method, &t->request, &t->layout, &err));
}

/* The plan of a layer, from what the engine hands over. */
static inline void toy_plan(toy *t, int32_t layer, int32_t layers)
{
    rk_error err = {0};
    t->plan = (rk_layer_plan){.layer = layer,
                              .layers = layers,
                              .kv_heads = TOY_HEADS,
                              .rows = rk_select_all(RK_DOMAIN_PROMPT),
                              .attend = rk_select_all(RK_DOMAIN_PROMPT),
                              .drift_k = 1,
                              .drift_v = 1,
                              .ffn = rk_select_all(RK_DOMAIN_PROMPT),
                              .mass = {.global_heads = 1},
                              .probe_rows = 64,
                              .arena = t->arena};
    t->plan.head = rk_arena_take(t->arena, TOY_HEADS, sizeof *t->plan.head, &err);
    t->plan.refresh = rk_arena_take(t->arena, TOY_HEADS, sizeof *t->plan.refresh, &err);
    for (int32_t h = 0; h < TOY_HEADS; h++) {
        t->plan.head[h].promote_above = 2;
        t->plan.refresh[h] = rk_select_all(RK_DOMAIN_PROMPT);
    }
    if (t->method.ops->plan_layer)
        TOY_MUST(t->method.ops->plan_layer(&t->method, &t->request, &t->plan, &err));
}

/* The positions a rule selects when the rows `live` (NULL: all 32) live, as text. */
static inline const char *toy_set_of(toy *t, const rk_select *rule, const int32_t *live, int32_t n)
{
    rk_error err = {0};
    int32_t all[TOY_TOKENS], row[TOY_TOKENS], count = 0;
    size_t used = 0;
    for (int32_t i = 0; i < TOY_TOKENS; i++)
        all[i] = i;
    rk_select_input in = {
        .rule = rule, .request = &t->request, .pos = live ? live : all, .n = live ? n : TOY_TOKENS};
    for (int s = 1; s < RK_SIGNALS; s++)
        in.signal[s] = t->signal[s];
    TOY_MUST(rk_select_resolve(&in, 1, row, &count, &err));
    t->set[0] = '\0';
    for (int32_t i = 0, first; i < count; i++) {
        for (first = i; i + 1 < count && in.pos[row[i + 1]] == in.pos[row[i]] + 1;)
            i++;
        used +=
            (size_t)snprintf(t->set + used, sizeof t->set - used, first == i ? "%s%d" : "%s%d-%d",
                             used ? " " : "", in.pos[row[first]], in.pos[row[i]]);
    }
    return t->set;
}

static inline const char *toy_set(toy *t, const rk_select *rule)
{
    return toy_set_of(t, rule, NULL, 0);
}

static inline int toy_asks(const toy *t)
{
    const rk_method_ops *ops = t->method.ops;
    return ops->depends_on_question && ops->depends_on_question(&t->method);
}

#endif
