/* test_rows.c - rows that leave the computation: later rows do without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "plan_method.h"

static const int32_t chunks[] = {70, 33, 0};

static rk_status reuse(const rk_method *m, const rk_request *r, rk_layout *layout, rk_error *err)
{
    (void)m, (void)err;
    rk_layout_reuse_all(layout, r);
    return RK_OK;
}

typedef struct config {
    rk_compile compile;
    rk_select rows;
    int32_t layer;
} config;

static rk_status plan(const rk_method *m, const rk_request *r, rk_layer_plan *p, rk_error *err)
{
    (void)r;
    const config *c = m->config;
    return p->layer == c->layer ? rk_plan_keep_rows(p, &p->rows, c->rows, err) : RK_OK;
}

static void rows_narrow_where_the_plan_says(void **state)
{
    (void)state;
    static const int32_t pos[] = {0, 22, 23, 90};
    static const config cases[] = {
        {.rows = {.kind = RK_SELECT_ALL, .domain = 3}},
        {.rows = {.kind = RK_SELECT_NONE}},
        {.rows = {.kind = RK_SELECT_NONE}, .layer = 1},
        {.rows = {.kind = RK_SELECT_SET, .pos = pos, .n = 4, .domain = 3}},
        {.rows = {.kind = RK_SELECT_LAST_N, .amount = 9, .scope = RK_SCOPE_CHUNK, .domain = 2}},
        {.rows = {.kind = RK_SELECT_ALL, .domain = 3, .from = 60, .to = 80}, .layer = 1},
    };
    static const uint64_t kept[] = {124, 0, 0, 4, 18, 20};
    static const rk_method_ops ops = {
        .name = "rows", .flags = RK_METHOD_REUSES, .plan_request = reuse, .plan_layer = plan};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    uint64_t layers = (uint64_t)b.model->shape.layers, heads = (uint64_t)b.model->shape.kv_heads;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_counters c;
        rk_error err = {0};
        if (rk_bench_plan(&b, &ops, &cases[i], NULL, &c, &err) != RK_OK)
            fail_msg("%s", err.text);
        uint64_t before = (uint64_t)cases[i].layer;
        assert_int_equal(c.recomputed_tokens, kept[i]);
        assert_int_equal(c.ffn_tokens, before * 135 + (layers - before) * (kept[i] + 11));
        assert_int_equal(c.projected_kv_rows, c.ffn_tokens * heads);
    }
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_narrow_where_the_plan_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
