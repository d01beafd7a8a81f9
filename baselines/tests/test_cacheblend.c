/* test_cacheblend.c - the four modes' rules, counts and masks, by hand. */
#include "plan_kit.h"

extern const rk_method_ops rk_method_cacheblend;

/* Drift: 15 > 6 > 30 > 20 = 27 > the rest; the prefix never drifts. */
static void fill(toy *t)
{
    float *drift = t->signal[RK_SIGNAL_KV_DRIFT];
    for (int32_t i = 0; i < TOY_TOKENS; i++)
        drift[i] = i < 4 ? 0 : 1;
    drift[15] = 9;
    drift[6] = 8;
    drift[30] = 7;
    drift[20] = drift[27] = 6;
}

typedef struct row {
    const char *options;
    const char *first;  /* rows of layer 0 */
    const char *attend; /* attended rows of layer 1 */
    int k, v;           /* what the drift compares */
    int leaks;          /* bottom-right mask */
    int attended_only;  /* only attended rows replace the stored K/V */
    int question;       /* the question is compiled and competes */
} row;

static const row rows[] = {
    /* fixed: floor(r 24) of the chunks and the whole question */
    {"ratio=0", "4-31", "28-31", 0, 1, 0, 0, 0},
    {"ratio=0.04", "4-31", "28-31", 0, 1, 0, 0, 0},
    {"", "4-31", "6 15 20 28-31", 0, 1, 0, 0, 0}, /* 0.15: floor(3.6) = 3 */
    {"ratio=0.17", "4-31", "6 15 20 27-31", 0, 1, 0, 0, 0},
    {"ratio=1", "4-31", "4-31", 0, 1, 0, 0, 0},
    /* paper: K and V; one filtered layer keeps r */
    {"mode=paper", "4-31", "6 15 20 28-31", 1, 1, 0, 0, 0},
    /* refcode: floor(r (S - 1)) of all but the last, and the last */
    {"mode=refcode ratio=0.1", "0-31", "6 15 30-31", 0, 1, 1, 0, 1}, /* floor(3.1) */
    {"mode=refcode ratio=0", "0-31", "31", 0, 1, 1, 0, 1},
    {"mode=refcode ratio=1", "0-31", "0-31", 0, 1, 1, 0, 1},
    /* lmcache: keys; floor(r S) of all, and the last for the first output token */
    {"mode=lmcache ratio=0.1", "0-31", "6 15 30-31", 1, 0, 1, 1, 1}, /* floor(3.2) */
    {"mode=lmcache ratio=0.13", "0-31", "6 15 20 30-31", 1, 0, 1, 1, 1},
};

static void modes_by_hand(void **state)
{
    toy t;
    (void)state;
    toy_open(&t);
    fill(&t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = rows + i;
        toy_method(&t, &rk_method_cacheblend, r->options);
        assert_true(t.layout.reuse_prefix && t.layout.reuse_chunk[0] && t.layout.reuse_chunk[2]);
        assert_int_equal(t.layout.reuse_question, r->question);
        assert_int_equal(toy_asks(&t), r->question);
        toy_plan(&t, 0, 2);
        if (strcmp(toy_set(&t, &t.plan.rows), r->first))
            fail_msg("%s: layer 0: %s", r->options, t.set);
        assert_true(rk_select_is_all(&t.plan.attend));
        assert_int_equal(t.plan.mask, RK_MASK_CAUSAL);
        toy_plan(&t, 1, 2);
        assert_true(rk_select_is_all(&t.plan.rows)); /* all are projected at the check */
        if (strcmp(toy_set(&t, &t.plan.attend), r->attend))
            fail_msg("%s: layer 1: %s", r->options, t.set);
        assert_int_equal(t.plan.drift_k, r->k);
        assert_int_equal(t.plan.drift_v, r->v);
        assert_int_equal(t.plan.mask, r->leaks ? RK_MASK_BOTTOM_RIGHT : RK_MASK_CAUSAL);
        assert_int_equal(t.plan.write_attended_only, r->attended_only);
    }
    toy_close(&t);
}

/* Everything but `paper` selects once, at check_layer. */
static void selects_once(void **state)
{
    static const char *const modes[] = {"mode=fixed", "mode=refcode", "mode=lmcache"};
    toy t;
    (void)state;
    toy_open(&t);
    fill(&t);
    t.shape.layers = 6;
    for (size_t i = 0; i < 3; i++) {
        char options[64];
        snprintf(options, sizeof options, "check_layer=3 %s", modes[i]);
        toy_method(&t, &rk_method_cacheblend, options);
        for (int32_t l = 1; l < 6; l++) {
            toy_plan(&t, l, 6);
            assert_true(rk_select_is_all(&t.plan.rows));
            assert_int_equal(rk_select_is_all(&t.plan.attend), l != 3);
            assert_int_equal(t.plan.mask == RK_MASK_BOTTOM_RIGHT, l == 3 && i > 0);
        }
    }
    toy_close(&t);
}

/* Chunk tokens that `paper` keeps in a layer, of the rows in *live; narrows them. */
static int32_t narrow(toy *t, int32_t layer, int32_t layers, int32_t *live, int32_t *n)
{
    rk_error err = {0};
    int32_t kept[TOY_TOKENS], count = 0, chunk = 0;
    toy_plan(t, layer, layers);
    rk_select_input in = {.rule = &t->plan.attend, .request = &t->request, .pos = live, .n = *n};
    in.signal[RK_SIGNAL_KV_DRIFT] = t->signal[RK_SIGNAL_KV_DRIFT];
    assert_int_equal(rk_select_resolve(&in, 1, kept, &count, &err), RK_OK);
    for (int32_t i = 0; i < count; i++) {
        live[i] = live[kept[i]];
        chunk += live[i] < 28;
    }
    *n = count;
    return chunk;
}

/* 9 layers, 8 filtered, ramp 2: 1.5 r, then flat = (8 r - 1.5 r) / 7 = 6.5 r / 7. */
static void paper_filters_gradually(void **state)
{
    static const struct {
        const char *options;
        int32_t kept[8];
    } cases[] = {
        {"mode=paper ratio=0.5", {18, 11, 11, 11, 11, 11, 11, 11}}, /* .75, then .4643 */
        {"mode=paper ratio=1", {24, 24, 24, 24, 24, 24, 24, 24}},
        {"mode=paper ratio=0.8", {24, 18, 18, 18, 18, 18, 18, 18}}, /* 1, then 5.4 / 7 */
        {"mode=paper ratio=0", {0, 0, 0, 0, 0, 0, 0, 0}},
    };
    toy t;
    (void)state;
    toy_open(&t);
    fill(&t);
    t.shape.layers = 9;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t live[TOY_TOKENS], n = 0;
        for (int32_t p = 4; p < TOY_TOKENS; p++)
            live[n++] = p;
        toy_method(&t, &rk_method_cacheblend, cases[i].options);
        for (int32_t l = 1; l < 9; l++) {
            int32_t kept = narrow(&t, l, 9, live, &n);
            if (kept != cases[i].kept[l - 1] || n != kept + 4)
                fail_msg("%s: layer %d keeps %d", cases[i].options, l, kept);
        }
    }
    toy_close(&t);
}

/* The mean share over the filtered layers is r, whatever the depth. */
static void paper_keeps_the_mean(void **state)
{
    static const double ratios[] = {0.05, 0.15, 0.5, 0.7, 0.9, 1};
    toy t;
    int32_t id[8] = {0};
    rk_error err = {0};
    (void)state;
    toy_open(&t);
    int32_t *many = rk_arena_take(t.arena, 1000000, sizeof *many, &err);
    rk_ids_span chunk = {many, 1000000};
    assert_int_equal(rk_request_build(&t.request, (rk_ids_span){id, 4}, &chunk, 1,
                                      (rk_ids_span){id, 4}, t.arena, &err),
                     RK_OK);
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        for (int32_t layers = 2; layers < 70; layers++) {
            char options[64];
            double sum = 0, before = 1e9;
            snprintf(options, sizeof options, "mode=paper ratio=%g", ratios[i]);
            t.shape.layers = layers;
            assert_int_equal(toy_configure(&t, &rk_method_cacheblend, options, &err), RK_OK);
            for (int32_t l = 1; l < layers; l++) {
                toy_plan(&t, l, layers);
                double amount = t.plan.attend.child[0].amount;
                assert_true(amount <= before && amount >= 0 && amount <= 1000000);
                sum += before = amount;
            }
            double mean = sum / (layers - 1) / 1000000;
            if (mean > ratios[i] + 1e-9 || mean < ratios[i] - 2e-6)
                fail_msg("%d layers, ratio %g: mean %.7f", layers, ratios[i], mean);
        }
    toy_close(&t);
}

static void refusals(void **state)
{
    static const struct {
        const char *options, *says;
    } cases[] = {
        {"ratio=1.5", "ratio: expected"},     {"ratio=-1", "ratio: expected"},
        {"mode=exact", "fixed|paper"},        {"check_layer=0", "check_layer: expected 1"},
        {"check_layer=2", "expected 1 to 1"}, {"k=3", "unknown option 'k'"},
    };
    toy t;
    (void)state;
    toy_open(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        rk_status st = toy_configure(&t, &rk_method_cacheblend, cases[i].options, &err);
        if (st != RK_E_USAGE || !strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].options, err.text);
    }
    rk_error err = {0};
    t.shape.layers = 1;
    assert_int_equal(toy_configure(&t, &rk_method_cacheblend, "", &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "2 layers"));
    toy_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_by_hand),
        cmocka_unit_test(selects_once),
        cmocka_unit_test(paper_filters_gradually),
        cmocka_unit_test(paper_keeps_the_mean),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
