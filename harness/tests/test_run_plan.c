/* test_run_plan.c - cells, groups, orders, time to go. */
#include "cmocka_all.h"

#include "run_plan.h"
#include "spec_cases.h"

static const char text[] = "[axes]\nmethod = dense, redknot\nredknot.window = 64, 128\n"
                           "context = 1K, 2K\n[measure]\nitems = 10\nreps = 2\n";

static rk_arena *arena;
static rk_spec spec;
static rk_run_plan plan;

static int setup(void **state)
{
    rk_error err;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, &err), RK_OK);
    assert_int_equal(
        rk_spec_parse(text, strlen(text), "x.exp", NULL, &case_registry, arena, &spec, &err),
        RK_OK);
    assert_int_equal(rk_run_plan_build(&spec, arena, &plan, &err), RK_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

/* dense stands beside both windows although the method axis is outermost. */
static void groups(void **state)
{
    (void)state;
    assert_int_equal(plan.cells, 6);
    assert_int_equal(rk_run_plan_group(&plan, 0), 3);
    assert_int_equal(rk_run_plan_group(&plan, 3), 3);
    static const char *const window[] = {NULL, "64", "128"};
    for (int i = 0; i < 6; i++) {
        const rk_point *p = &plan.cell[i].point;
        assert_string_equal(rk_point_value(p, "context"), i < 3 ? "1024" : "2048");
        assert_string_equal(p->method->name, i % 3 ? "redknot" : "dense");
        const char *w = rk_point_value(p, "redknot.window");
        assert_true(w == window[i % 3] || !strcmp(w, window[i % 3]));
        assert_int_equal(plan.cell[i].left, 20);
    }
}

static void orders(void **state)
{
    int32_t order[5], again[5];
    rk_measure m = {.order = RK_ORDER_ABBA, .seed = 3};
    (void)state;
    for (int64_t block = 0; block < 3; block++)
        for (int64_t rep = 0; rep < 3; rep++) {
            rk_run_plan_order(&m, 0, block, rep, 5, order);
            for (int32_t i = 0; i < 5; i++)
                assert_int_equal(order[i], (block + rep) % 2 ? 4 - i : i);
        }
    m.order = RK_ORDER_FILE;
    rk_run_plan_order(&m, 0, 1, 0, 5, order);
    assert_int_equal(order[0], 0);
    m.order = RK_ORDER_RANDOM;
    int moved = 0;
    for (int64_t block = 0; block < 20; block++) {
        int32_t sum = 0;
        rk_run_plan_order(&m, 7, block, 1, 5, order);
        rk_run_plan_order(&m, 7, block, 1, 5, again);
        for (int32_t i = 0; i < 5; i++) {
            assert_int_equal(order[i], again[i]);
            sum += 1 << order[i];
            moved += order[i] != i;
        }
        assert_int_equal(sum, 31); /* each once */
    }
    assert_true(moved > 20);
}

static void time_to_go(void **state)
{
    (void)state;
    assert_true(rk_run_plan_to_go(&plan) == -1);
    for (int i = 0; i < 6; i++)
        plan.cell[i].predicted = 2;
    assert_true(rk_run_plan_to_go(&plan) == 6 * 20 * 2);
    plan.cell[0].measured = 10; /* 3 s each, whatever was predicted */
    plan.cell[0].seconds = 30;
    plan.cell[0].left = 10;
    assert_true(rk_run_plan_to_go(&plan) == 5 * 20 * 2 + 10 * 3);
    for (int i = 1; i < 6; i++)
        plan.cell[i].predicted = -1; /* then like the measured ones */
    assert_true(rk_run_plan_to_go(&plan) == 5 * 20 * 3 + 10 * 3);
}

static void method_rows(void **state)
{
    const char *json;
    (void)state;
    assert_int_equal(rk_run_plan_method_json(&plan.cell[2].point, arena, &json, NULL), RK_OK);
    assert_string_equal(json, "{\"cross_query_cache\":0,\"exact\":0,\"name\":\"redknot\","
                              "\"offline_phase\":0,\"params_json\":{\"window\":\"128\"},"
                              "\"version\":\"\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(orders),
                                       cmocka_unit_test(time_to_go), cmocka_unit_test(method_rows)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
