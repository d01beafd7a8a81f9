/* test_redknot.c - Algorithm 1's plans on a toy prompt, worked out by hand. */
#include "baselines/tests/plan_kit.h"

extern const rk_method_ops rk_method_redknot;

enum { MAX_LAYERS = 6 };

/* One letter a head: g global, r retrieval, d dense, l local (window 12, sink 2), x local
 * with nothing said. */
typedef struct map_of {
    rk_head_map map;
    uint8_t cls[MAX_LAYERS * TOY_HEADS];
    int32_t distance[MAX_LAYERS * TOY_HEADS], sink[MAX_LAYERS * TOY_HEADS];
} map_of;

static void make_map(map_of *m, const char *letters)
{
    m->map = (rk_head_map){
        (int32_t)strlen(letters) / TOY_HEADS, TOY_HEADS, m->cls, m->distance, m->sink, "toy"};
    for (int i = 0; letters[i]; i++) {
        m->cls[i] = letters[i] == 'g'   ? RK_HEAD_GLOBAL
                    : letters[i] == 'r' ? RK_HEAD_RETRIEVAL
                    : letters[i] == 'd' ? RK_HEAD_DENSE
                                        : RK_HEAD_LOCAL;
        m->distance[i] = letters[i] == 'l' ? 12 : 0;
        m->sink[i] = letters[i] == 'l' ? 2 : -1;
    }
}

static map_of shared;
static toy t;

static void begin(const char *letters, const char *options)
{
    make_map(&shared, letters);
    toy_open(&t);
    t.method.head_map = &shared.map;
    t.shape.layers = shared.map.layers;
    toy_method(&t, &rk_method_redknot, options);
}

static void defaults_are_the_first_readings(void **state)
{
    (void)state;
    begin("glxr"
          "llll",
          "");
    assert_int_equal(t.method.ops->flags,
                     RK_METHOD_REUSES | RK_METHOD_CROSS_QUERY | RK_METHOD_NEEDS_HEAD_MAP);
    assert_true(t.layout.reuse_prefix && t.layout.reuse_chunk[0] && t.layout.reuse_chunk[2]);
    assert_false(t.layout.reuse_question || t.layout.compact || toy_asks(&t));
    assert_null(t.method.ops->probe);
    toy_plan(&t, 0, 2);
    assert_string_equal(toy_set(&t, &t.plan.rows), "4-31"); /* the system prefix is a hit */
    assert_true(rk_select_is_all(&t.plan.ffn));             /* ffn_mass 1: dense */
    static const int32_t window[] = {0, 12, 256, 0}, sink[] = {0, 2, 64, 0};
    for (int32_t h = 0; h < TOY_HEADS; h++) {
        assert_int_equal(t.plan.head[h].window, window[h]);
        assert_int_equal(t.plan.head[h].sink, sink[h]);
        assert_int_equal(t.plan.head[h].masked, 0);
        assert_true(t.plan.head[h].promote_above == 2);
        assert_string_equal(toy_set(&t, &t.plan.refresh[h]), window[h] ? "" : "0-31");
    }
    toy_plan(&t, 1, 2);
    assert_true(rk_select_is_all(&t.plan.rows)); /* rows are narrowed once */
    assert_true(rk_select_is_all(&t.plan.attend));
    assert_int_equal(t.plan.mask, RK_MASK_CAUSAL);
    toy_close(&t);
}

static void rows_by_prefix(void **state)
{
    static const struct {
        const char *options, *rows;
        int32_t stored; /* is the prefix taken from the store? */
    } cases[] = {
        {"prefix=system", "4-31", 1},
        {"prefix=longest", "14-31", 1},
        {"prefix=off", "0-31", 0},
        /* compiled behind something else, the first chunk is no prefix hit */
        {"prefix=longest compile_prefix=none", "4-31", 1},
        {"prefix=longest compile_prefix=bos_keep", "4-31", 1},
        {"prefix=longest compile_prefix=sink_drop", "4-31", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin("gggg", cases[i].options);
        toy_plan(&t, 0, 1);
        if (strcmp(toy_set(&t, &t.plan.rows), cases[i].rows))
            fail_msg("%s: %s", cases[i].options, t.set);
        assert_int_equal(t.layout.reuse_prefix, cases[i].stored);
        assert_true(t.layout.reuse_chunk[0]);
        toy_close(&t);
    }
}

/* Without a prefix, a chunk at position 0 compiled behind nothing is a prefix hit. */
static void longest_without_a_prefix(void **state)
{
    static const struct {
        const char *options, *rows;
    } cases[] = {{"prefix=longest compile_prefix=none", "10-13"},
                 {"prefix=longest compile_prefix=bos_keep", "10-13"},
                 {"prefix=longest compile_prefix=bos_drop", "0-13"},
                 {"prefix=longest", "10-13"}};
    int32_t id[14] = {0};
    rk_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_ids_span chunk = {id, 10};
        begin("gggg", cases[i].options);
        assert_int_equal(rk_request_build(&t.request, (rk_ids_span){id, 0}, &chunk, 1,
                                          (rk_ids_span){id, 4}, t.arena, &err),
                         RK_OK);
        toy_plan(&t, 0, 1);
        int32_t live[14];
        for (int32_t p = 0; p < 14; p++)
            live[p] = p;
        if (strcmp(toy_set_of(&t, &t.plan.rows, live, 14), cases[i].rows))
            fail_msg("%s: %s", cases[i].options, t.set);
        toy_close(&t);
    }
}

static void what_local_heads_refresh(void **state)
{
    static const struct {
        const char *options, *refresh;
    } cases[] = {
        {"local_refresh=none", ""},
        {"local_refresh=chunk_start refresh_tokens=2", "4-5 14-15 17-18"},
        {"local_refresh=chunk_start refresh_tokens=0", ""},
        {"local_refresh=chunk_start", "4-27"}, /* 16 covers every chunk */
        {"local_refresh=window", "4-27"},      /* the map's window of 12: the first 11 */
        {"local_refresh=all", "0-31"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin("lggg", cases[i].options);
        toy_plan(&t, 0, 1);
        if (strcmp(toy_set(&t, &t.plan.refresh[0]), cases[i].refresh))
            fail_msg("%s: %s", cases[i].options, t.set);
        assert_true(rk_select_is_all(&t.plan.refresh[1])); /* global heads take everything */
        toy_close(&t);
    }
    begin("xggg", "local_refresh=window window=4");
    toy_plan(&t, 0, 1);
    assert_string_equal(toy_set(&t, &t.plan.refresh[0]), "4-6 14-19");
    toy_close(&t);
    begin("xggg", "local_refresh=window window=1"); /* sees itself alone: nothing to repair */
    toy_plan(&t, 0, 1);
    assert_string_equal(toy_set(&t, &t.plan.refresh[0]), "");
    toy_close(&t);
}

static void shallow_layers(void **state)
{
    (void)state;
    begin("glxd"
          "gggg"
          "gggg",
          "shallow_attention=local_only dense_until=2 window=9 sink=1");
    for (int32_t l = 0; l < 3; l++) {
        toy_plan(&t, l, 3);
        assert_int_equal(t.plan.head[0].window, l < 2 ? 9 : 0);
        assert_int_equal(t.plan.head[0].sink, l < 2 ? 1 : 0);
        assert_string_equal(toy_set(&t, &t.plan.refresh[0]), l < 2 ? "" : "0-31");
    }
    toy_plan(&t, 0, 3);
    assert_int_equal(t.plan.head[1].window, 12); /* the map's own stays */
    assert_int_equal(t.plan.head[2].window, 9);
    toy_close(&t);
}

/* Importance: 20 holds half, 15 a quarter, 6 and 9 an eighth each. */
static void fill_mass(rk_signal which)
{
    for (int32_t i = 0; i < TOY_TOKENS; i++)
        t.signal[which][i] = 0;
    t.signal[which][20] = 8;
    t.signal[which][15] = 4;
    t.signal[which][6] = t.signal[which][9] = 2;
    t.signal[which][30] = 1000; /* the question is not weighed */
}

static const struct {
    const char *options, *dense, *sparse, *deep; /* layers 0, 1, 2 */
} ffn_cases[] = {
    {"ffn_mass=0.5", "0-31", "20 28-31", NULL},
    {"ffn_mass=0.51", "0-31", "15 20 28-31", NULL}, /* the crossing token is kept */
    {"ffn_mass=0.76", "0-31", "6 15 20 28-31", NULL},
    {"ffn_mass=0.99", "0-31", "6 9 15 20 28-31", NULL},
    {"ffn_mass=0", "0-31", "28-31", NULL},
    {"ffn_mass=0.5 ffn_mass_deep=0.8 deep_from=2", "0-31", "20 28-31", "6 15 20 28-31"},
    {"ffn_mass_deep=0.5 deep_from=2", "0-31", "4-31", "20 28-31"},
    {"ffn_share=0.125", "0-31", "6 15 20 28-31", NULL}, /* 3 of 24 */
    {"ffn_share=0.17", "0-31", "6 9 15 20 28-31", NULL},
    {"ffn_share=0.125 prefix=longest", "0-31", "20 28-31", NULL}, /* 1 of 14 */
    {"ffn_share=0 ffn_share_deep=0.05 deep_from=2", "0-31", "28-31", "20 28-31"},
    {"ffn_mass=0.5 protect_recent=2", "0-31", "20 26-31", NULL},
    {"ffn_mass=0.5 protect_sink=3", "0-31", "4-6 20 28-31", NULL},
    {"ffn_mass=0.5 signal=output_norm", "0-31", "20 28-31", NULL},
};

static void ffn_tokens_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ffn_cases / sizeof *ffn_cases; i++) {
        char options[256];
        int32_t live[TOY_TOKENS], n = 0;
        const char *own = ffn_cases[i].options;
        snprintf(options, sizeof options, "dense_until=1 protect_recent=0 protect_sink=0 %s", own);
        begin("gggg"
              "gggg"
              "gggg",
              options);
        fill_mass(RK_SIGNAL_TOKEN_MASS);
        fill_mass(RK_SIGNAL_OUTPUT_NORM);
        for (int32_t p = strstr(own, "longest") ? 14 : 4; p < TOY_TOKENS; p++)
            live[n++] = p;
        toy_plan(&t, 0, 3);
        assert_true(rk_select_is_all(&t.plan.ffn));
        toy_plan(&t, 1, 3);
        if (strcmp(toy_set_of(&t, &t.plan.ffn, live, n), ffn_cases[i].sparse))
            fail_msg("%s: %s", own, t.set);
        assert_int_equal(rk_select_signals(&t.plan.ffn), strstr(own, "norm")
                                                             ? 1u << RK_SIGNAL_OUTPUT_NORM
                                                             : 1u << RK_SIGNAL_TOKEN_MASS);
        toy_plan(&t, 2, 3);
        const char *deep = ffn_cases[i].deep ? ffn_cases[i].deep : ffn_cases[i].sparse;
        if (strcmp(toy_set_of(&t, &t.plan.ffn, live, n), deep))
            fail_msg("%s: deep: %s", own, t.set);
        toy_close(&t);
    }
}

static void amounts_of_one_select_tokens_without_mass(void **state)
{
    (void)state;
    begin("gggg"
          "gggg",
          "ffn_mass=1 ffn_mass_deep=0.5 deep_from=1 dense_until=0 protect_recent=0 "
          "protect_sink=0");
    fill_mass(RK_SIGNAL_TOKEN_MASS);
    toy_plan(&t, 0, 2);
    assert_string_equal(toy_set(&t, &t.plan.ffn), "0-31");
    toy_close(&t);
}

static void whose_attention_counts(void **state)
{
    static const struct {
        const char *options;
        int32_t last_rows, global_heads;
    } cases[] = {{"", 0, 1},
                 {"mass_rows=last_n", 64, 1},
                 {"mass_rows=last_n mass_last_n=9 mass_heads=all", 9, 0},
                 {"mass_rows=all", -1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char options[128];
        snprintf(options, sizeof options, "ffn_mass=0.5 dense_until=0 %s", cases[i].options);
        begin("gggg", options);
        toy_plan(&t, 0, 1);
        assert_int_equal(t.plan.mass.last_rows, cases[i].last_rows);
        assert_int_equal(t.plan.mass.global_heads, cases[i].global_heads);
        toy_close(&t);
    }
}

/* A sparse layer without a global head takes the nearest earlier layer's importance,
 * also when that one runs its FFN densely. */
static void dense_layers_lend_their_importance(void **state)
{
    static const struct {
        const char *letters, *options;
        const char *measured; /* a digit a layer */
    } cases[] = {
        {"glllggggllllllllgggg", "ffn_mass=0.5", "01000"},
        {"glllggggllllglllgggg", "ffn_mass=0.5", "00000"}, /* layer 3 has its own */
        {"glllllllllllllllgggg", "ffn_mass=0.5", "10000"},
        {"llllllllllllllllgggg", "ffn_mass=0.5", "00000"},
        {"glllggggllllllllgggg", "", "00000"},
        {"glllggggllllllllgggg", "ffn_mass=0.5 mass_heads=all", "00000"},
        {"glllggggllllllllgggg", "ffn_mass=0.5 signal=output_norm", "00000"},
        {"glllggggllllllllgggg", "ffn_mass=0.5 shallow_attention=local_only", "00000"},
        {"glllggggllllllllgggg", "ffn_mass=0.5 dense_until=5", "00000"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char options[128];
        snprintf(options, sizeof options, "dense_until=3 %s", cases[i].options);
        begin(cases[i].letters, options);
        for (int32_t l = 0; l < 5; l++) {
            toy_plan(&t, l, 5);
            if (t.plan.mass.measure != cases[i].measured[l] - '0')
                fail_msg("case %zu: layer %d: %d", i, l, t.plan.mass.measure);
        }
        toy_close(&t);
    }
}

static void who_looks_at_the_question(void **state)
{
    static const struct {
        const char *options;
        int asks;
    } cases[] = {{"", 0},
                 {"promote_above=1", 1},
                 {"promote_above=0", 1},
                 {"promote_above=1.01", 0},
                 {"ffn_mass=0.9", 1},
                 {"ffn_mass=1.2", 0},
                 {"ffn_share=0.9", 1},
                 {"ffn_mass_deep=0.9", 1},
                 {"ffn_share_deep=0.9", 1},
                 {"ffn_mass=0.9 signal=output_norm", 0},
                 {"local_refresh=all shallow_attention=local_only", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin("gggg", cases[i].options);
        if (toy_asks(&t) != cases[i].asks)
            fail_msg("%s", cases[i].options);
        toy_close(&t);
    }
    begin("llgg", "promote_above=0.25 probe_rows=9");
    toy_plan(&t, 0, 1);
    assert_true(t.plan.head[0].promote_above == 0.25 && t.plan.probe_rows == 9);
    toy_close(&t);
}

static void refusals(void **state)
{
    static const struct {
        const char *options, *says;
    } cases[] = {
        {"window=0", "window: expected 1"},
        {"window=-5", "window: expected 1"},
        {"sink=-1", "sink: expected 0"},
        {"promote_above=2.1", "promote_above: expected 0 to 2"},
        {"promote_above=-0.1", "promote_above"},
        {"ffn_mass=3", "ffn_mass"},
        {"ffn_share=1.5", "ffn_share: expected 0 to 1"},
        {"local_refresh=some", "none|chunk_start|window|all"},
        {"shallow_attention=deep", "map|local_only"},
        {"prefix=yes", "system|longest|off"},
        {"mass_rows=first", "question|last_n|all"},
        {"signal=norm", "mass|output_norm"},
        {"mass_last_n=0", "mass_last_n"},
        {"ffn_mas=0.5", "did you mean 'ffn_mass'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        begin("gggg", "");
        rk_status st = toy_configure(&t, &rk_method_redknot, cases[i].options, &err);
        if (st != RK_E_USAGE || !strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].options, err.text);
        toy_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_first_readings),
        cmocka_unit_test(rows_by_prefix),
        cmocka_unit_test(longest_without_a_prefix),
        cmocka_unit_test(what_local_heads_refresh),
        cmocka_unit_test(shallow_layers),
        cmocka_unit_test(ffn_tokens_by_hand),
        cmocka_unit_test(amounts_of_one_select_tokens_without_mass),
        cmocka_unit_test(whose_attention_counts),
        cmocka_unit_test(dense_layers_lend_their_importance),
        cmocka_unit_test(who_looks_at_the_question),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
