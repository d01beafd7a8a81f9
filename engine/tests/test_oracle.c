/* test_oracle.c - the `count` backend gives the FLOPs that the closed forms give.
 *
 * Dense TFLOP and fractions of it for a question of 64 tokens behind N chunk tokens,
 * no prefix, LM head left out; selected rows evenly spread. The values come from the
 * formulas per token and layer (qkv, o, ffn, 4HD a visible key), worked out apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "engine.h"

typedef struct oracle {
    const char *shape;
    int32_t n;
    double dense_tflop, cacheblend, prophetkv, epic, full_reuse, attention, ffn;
} oracle;

static const oracle oracles[] = {
    {"llama-3.1-8b", 8192, 133.1, .186, .216, .0395, .0088, .13, .70},
    {"mistral-7b", 8192, 133.1, .186, .216, .0395, .0088, .13, .70},
    {"llama-3.1-8b", 16384, 300.5, .183, .209, .0357, .0048, .24, .62},
    {"llama-3.1-8b", 32768, 740.9, .181, .205, .0337, .0027, .38, .50},
    {"llama-3.1-8b", 65536, 2043.8, .179, .203, .0326, .0015, .55, .36},
    {"qwen3-32b", 16384, 1310.2, .168, .208, .0356, .0047, .22, .63},
    {"qwen3-32b", 65536, 8606.6, .165, .203, .0326, .0015, .52, .38},
    {"llama-3.3-70b", 16384, 2606.4, .165, .208, .0354, .0044, .14, .71},
    {"llama-3.3-70b", 65536, 14621.4, .162, .202, .0325, .0014, .39, .51},
};

enum { QUESTION = 64, CHUNK = 512 };

typedef struct counted {
    double total, attention, ffn, scoring; /* FLOPs */
} counted;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != RK_OK)                                                                       \
            fail_msg("%s", err.text);                                                              \
    } while (0)

static counted run(rk_engine *e, const rk_model *model, const rk_request *r, const char *name,
                   const char *option, const char *value)
{
    rk_error err = {0};
    const rk_method_ops *ops = rk_method_find(name);
    char config[1024] = {0};
    assert_true(ops->config_size <= sizeof config);
    if (ops->options)
        MUST(rk_options_default(ops->options, config, &err));
    if (option)
        MUST(rk_options_set(ops->options, config, option, value, &err));
    rk_method m = {.ops = ops, .shape = &model->shape, .config = config};
    rk_session *s;
    double ms;
    int64_t built;
    rk_report report;
    rk_prefill_out out = {.report = &report};
    MUST(rk_engine_build_states(e, &m, r, &ms, &built, &err));
    MUST(rk_session_open(&s, e, &m, &err));
    MUST(rk_session_prefill(s, r, RK_PART_WHOLE, &out, &err));
    rk_session_close(s);
    const rk_counters *c = &report.counters;
    return (counted){(double)(rk_counters_flops(c) - c->flops[RK_PHASE_HEAD]),
                     (double)c->flops[RK_PHASE_ATTEND], (double)c->flops[RK_PHASE_FFN],
                     (double)c->flops[RK_PHASE_SELECT]};
}

static void near(const oracle *o, const char *what, double got, double expected, double half_digit)
{
    if (fabs(got - expected) > half_digit)
        fail_msg("%s at %d: %s is %.5g, expected %.5g", o->shape, o->n, what, got, expected);
}

static void check(const oracle *o, rk_engine *e, const rk_model *model, const rk_request *r)
{
    counted dense = run(e, model, r, "dense", NULL, NULL);
    near(o, "dense TFLOP", dense.total * 1e-12, o->dense_tflop, 0.0501);
    near(o, "attention's share", dense.attention / dense.total, o->attention, 0.00501);
    near(o, "the FFN's share", dense.ffn / dense.total, o->ffn, 0.00501);
    near(o, "cacheblend", run(e, model, r, "cacheblend", "ratio", "0.15").total / dense.total,
         o->cacheblend, 0.000501);
    /* The closed form has the query's forward; what scoring by a second QK^T adds is
     * counted apart, as selection. */
    counted prophet = run(e, model, r, "prophetkv", "ratio", "0.2");
    near(o, "prophetkv", (prophet.total - prophet.scoring) / dense.total, o->prophetkv, 0.000501);
    assert_true(prophet.scoring > 0 && prophet.scoring < 0.003 * dense.total);
    near(o, "epic", run(e, model, r, "epic", "k", "16").total / dense.total, o->epic, 0.0000501);
    near(o, "full_reuse", run(e, model, r, "full_reuse", NULL, NULL).total / dense.total,
         o->full_reuse, 0.0000501);
}

static void check_shape(const oracle *o)
{
    static int32_t ids[65536 + QUESTION];
    rk_error err = {0};
    rk_model *model;
    rk_engine *e;
    rk_arena *arena;
    rk_request r;
    rk_ids_span chunk[65536 / CHUNK];
    for (int32_t i = 0; i < o->n + QUESTION; i++)
        ids[i] = i / CHUNK; /* chunks differ */
    for (int32_t c = 0; c < o->n / CHUNK; c++)
        chunk[c] = (rk_ids_span){ids + c * CHUNK, CHUNK};
    MUST(rk_model_open_shape(&model, o->shape, rk_model_shape_find(o->shape), &err));
    size_t page = (size_t)2 * RK_PAGE_TOKENS * (size_t)model->shape.head_dim * 4;
    size_t pages = (size_t)model->shape.layers * (size_t)model->shape.kv_heads *
                   ((size_t)o->n / RK_PAGE_TOKENS + 64) * 3;
    rk_engine_config config = {.backend = "count", .kv_bytes = page * pages};
    MUST(rk_engine_open(&e, model, &config, &err));
    MUST(rk_arena_new(&arena, &err));
    MUST(rk_request_build(&r, (rk_ids_span){NULL, 0}, chunk, o->n / CHUNK,
                          (rk_ids_span){ids + o->n, QUESTION}, arena, &err));
    check(o, e, model, &r);
    rk_arena_free(arena);
    rk_engine_close(e);
    rk_model_close(model);
}

static void counts_equal_the_closed_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++)
        check_shape(&oracles[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_equal_the_closed_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
