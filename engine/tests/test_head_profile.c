/* test_head_profile.c - the profiler finds the heads that the tiny model was given.
 *
 * Its training assigned KV head 3 of layers 2 to 7 the global role (data/models/tiny). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "prompt.h"
#include "head_profile.h"

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != RK_OK)                                                                       \
            fail_msg("%s", err.text);                                                              \
    } while (0)

static const rk_reader_ops *reports(void)
{
    for (int32_t i = 0; i < rk_readers_count; i++)
        if (!strcmp(rk_readers[i]->name, "reports"))
            return rk_readers[i];
    fail_msg("no reader of reports");
    return NULL;
}

/* One context of about 1000 tokens and its first question, profiled. */
static void add_context(rk_profile *p, rk_engine *e, const rk_model *m, rk_arena *arena)
{
    rk_error err = {0};
    rk_token_counter counter = rk_prompt_counter(m);
    rk_reader reader = {.ops = reports(),
                        .config = {.seed = 5, .target_tokens = 1000, .counter = &counter}};
    rk_context context;
    rk_prompt prompt;
    rk_request r;
    if (reader.ops->options) {
        void *config = rk_arena_take(arena, 1, reader.ops->config_size, &err);
        MUST(rk_options_default(reader.ops->options, config, &err));
        reader.config.options = config;
    }
    MUST(reader.ops->open(&reader, &err));
    MUST(reader.ops->context(&reader, 0, arena, &context, &err));
    MUST(rk_prompt_build(m, reader.ops, &context, arena, &prompt, &err));
    MUST(rk_request_build(&r, prompt.prefix, prompt.passage, prompt.passages, prompt.question[0],
                          arena, &err));
    uint8_t *gold = rk_arena_take(arena, (size_t)context.passages, 1, &err);
    for (int32_t i = 0; i < context.passages; i++)
        gold[i] = context.passage[i].gold != 0;
    MUST(rk_profile_add(p, e, &r, gold, &err));
    reader.ops->close(&reader);
}

static void check_map(const rk_profile *p, double share, double threshold, rk_arena *arena)
{
    rk_error err = {0};
    rk_head_map *map;
    MUST(rk_profile_map(p, RK_PROFILE_FAR, share, threshold, arena, &map, &err));
    for (int32_t l = 0; l < 8; l++)
        for (int32_t h = 0; h < 4; h++) {
            int global = l >= 2 && h == 3;
            if (rk_head_map_is_global(map, l, h) != global)
                fail_msg("share %g: head (%d, %d) is %s, score %.4f", share, l, h,
                         global ? "local" : "global", rk_profile_value(p, RK_PROFILE_FAR, l, h));
            assert_int_equal(map->distance[l * 4 + h], global ? -1 : 128);
            assert_int_equal(map->sink[l * 4 + h], 4);
        }
}

/* Measured table `name`, layer l and head h, of the evidence. */
static double measured(const rk_profile *p, const char *name, int32_t l, int32_t h, rk_arena *arena)
{
    rk_error err = {0};
    char *text;
    json_t *root;
    MUST(rk_profile_evidence(p, arena, &text, &err));
    MUST(rk_json_parse(text, strlen(text), "evidence", &root, &err));
    const json_t *row = json_array_get(json_object_get(root, name), (size_t)l);
    double value = json_number_value(json_array_get(row, (size_t)h));
    json_decref(root);
    return value;
}

/* Edge mass is what a window of one page less leaves to the far mass. */
static void check_edge(const rk_profile *wide, rk_profile_config config, rk_engine *e,
                       const rk_model *m, rk_arena *arena)
{
    rk_error err = {0};
    rk_profile *narrow;
    double most = 0;
    config.window -= RK_PAGE_TOKENS;
    MUST(rk_profile_new(&narrow, &m->shape, &config, &err));
    add_context(narrow, e, m, arena);
    for (int32_t l = 0; l < 8; l++)
        for (int32_t h = 0; h < 4; h++) {
            double edge = rk_profile_value(wide, RK_PROFILE_EDGE, l, h);
            double gap = measured(narrow, "far_question", l, h, arena) -
                         measured(wide, "far_question", l, h, arena);
            assert_true(fabs(gap - edge) < 1e-5);
            most = fmax(most, edge);
        }
    assert_true(most > 1e-3); /* some head looks there */
    rk_profile_free(narrow);
}

static void assigned_heads_are_found(void **state)
{
    (void)state;
    rk_error err = {0};
    rk_model *m;
    rk_engine *e;
    rk_arena *arena;
    rk_profile *p;
    char *evidence;
    json_t *root;
    MUST(rk_model_open(&m, RK_TEST_DATA "/models/tiny", &err));
    rk_engine_config config = {.backend = "cpu", .kv_bytes = 128 << 20};
    MUST(rk_engine_open(&e, m, &config, &err));
    MUST(rk_arena_new(&arena, &err));
    const rk_profile_config wanted = {.window = 128, .sink = 4, .rows = 4};
    MUST(rk_profile_new(&p, &m->shape, &wanted, &err));
    assert_true(rk_profile_value(p, RK_PROFILE_MAX, 3, 3) == 0); /* nothing added */
    add_context(p, e, m, arena);
    check_map(p, 6.0 / 32, 0, arena);
    check_map(p, -1, 0.1, arena);
    for (int32_t i = 0; i < 32; i++)
        for (int s = 0; s < RK_PROFILE_SCORES; s++) {
            double v = rk_profile_value(p, (rk_profile_score)s, i / 4, i % 4);
            assert_true(v >= -1e-9 && v <= 1 + 1e-6);
            if (s != RK_PROFILE_EDGE)
                assert_true(v <= rk_profile_value(p, RK_PROFILE_MAX, i / 4, i % 4) + 1e-12);
        }
    check_edge(p, wanted, e, m, arena);
    MUST(rk_profile_evidence(p, arena, &evidence, &err));
    MUST(rk_json_parse(evidence, strlen(evidence), "evidence", &root, &err));
    assert_int_equal(json_integer_value(json_object_get(root, "contexts")), 1);
    assert_int_equal(json_array_size(json_object_get(root, "needle")), 8);
    json_decref(root);
    rk_profile_free(p);
    rk_engine_close(e);
    rk_arena_free(arena);
    rk_model_close(m);
}

static void shares_and_ties(void **state)
{
    (void)state;
    static const rk_model_shape shape = {.layers = 3, .kv_heads = 2};
    static const rk_profile_config good = {.window = 9, .sink = 0, .rows = 1};
    static const rk_profile_config bad[] = {{0, 0, 1}, {9, -1, 1}, {9, 0, 0}};
    rk_error err = {0};
    rk_profile *p;
    rk_arena *arena;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rk_profile_new(&p, &shape, &bad[i], &err), RK_E_USAGE);
        assert_null(p);
    }
    MUST(rk_arena_new(&arena, &err));
    MUST(rk_profile_new(&p, &shape, &good, &err));
    for (int32_t n = 0; n <= 6; n++) { /* all scores equal: lower layers and heads first */
        rk_head_map *map;
        MUST(rk_profile_map(p, RK_PROFILE_NEEDLE, n / 6.0, 0, arena, &map, &err));
        for (int32_t i = 0; i < 6; i++)
            assert_int_equal(map->cls[i] != RK_HEAD_LOCAL, i < n);
    }
    rk_profile_free(p);
    rk_profile_free(NULL);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assigned_heads_are_found),
        cmocka_unit_test(shares_and_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
