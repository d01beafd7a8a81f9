/* test_charge.c - what operations cost, counted one by one.
 *
 * That `cpu` and `count` charge alike is checked by op_run over every case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "backend/charge.h"

/* Three rows of sequence 0, one of sequence 1; KV head 0 local (window 4, sink 2). */
static int32_t seq[] = {0, 0, 0, 1}, pos[] = {7, 8, 9, 2}, limit[] = {7, 8, 9, 2};
static const int32_t sink[] = {2, 0, 2, 0}, window[] = {4, 0, 4, 0};

static rk_attend attend(const rk_rows *rows)
{
    return (rk_attend){.q = {NULL, 4, 2 * 3 * 8},
                       .rows = rows,
                       .pages = {.sequences = 2, .kv_heads = 2, .head_dim = 8, .stride = 1},
                       .views = {sink, window},
                       .heads = 6,
                       .phase = RK_PHASE_ATTEND};
}

static void attention_costs_its_pairs(void **state)
{
    (void)state;
    static const struct {
        int32_t masked, key_from;
        uint64_t pairs, keys;
    } cases[] = {
        /* local: 6 + 6 + 6 + 3, global: 8 + 9 + 10 + 3 */
        {0, 0, 3 * (21 + 30), 2 + 6 + 10 + 3 + 3},
        {1, 0, 3 * 2 * (3 * 10 + 3), 10 + 10 + 3 + 3},
        /* without keys 0 and 1: local 4 + 4 + 4 + 1, global 6 + 7 + 8 + 1 */
        {0, 2, 3 * (13 + 22), 2 + 6 + 10 + 3 + 3},
        {0, 8, 3 * (0 + 1 + 2 + 0 + 0 + 1 + 2 + 0), 2 + 6 + 10 + 3 + 3},
    };
    const rk_rows rows = {4, seq, pos, pos, limit};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_counters c = {0};
        rk_attend a = attend(&rows);
        a.masked = cases[i].masked;
        a.key_from = cases[i].key_from;
        rk_charge_attend(&c, &a, 4);
        assert_int_equal(c.attended_pairs, cases[i].pairs);
        assert_int_equal(c.flops[RK_PHASE_ATTEND], 4 * cases[i].pairs * 8);
        assert_int_equal(c.bytes, (2 * cases[i].keys * 8 + 2 * 4 * 48) * 4);
    }
}

static void scores_cost_one_product(void **state)
{
    (void)state;
    static const uint8_t one[] = {0, 1}, both[] = {1, 1}, none[] = {0, 0};
    const rk_rows rows = {4, seq, pos, pos, limit};
    const rk_attend a = attend(&rows);
    rk_mass m = {.attend = &a, .row_first = 0, .row_count = 3, .kv_head = one};
    rk_counters c = {0};
    rk_charge_mass(&c, &m, 4);
    assert_int_equal(c.flops[RK_PHASE_SELECT], 2 * (8 + 9 + 10) * 3 * 8);
    assert_int_equal(c.bytes, 10 * 3 * 8 * 4);
    m.kv_head = both;
    rk_charge_mass(&c, &m, 4);
    /* the local head sees 6 keys from each row */
    assert_int_equal(c.flops[RK_PHASE_SELECT], 2 * (27 + 27 + 18) * 3 * 8);
    m.kv_head = none;
    rk_charge_mass(&c, &m, 4);
    assert_int_equal(c.flops[RK_PHASE_SELECT], 2 * (27 + 27 + 18) * 3 * 8);
    c = (rk_counters){0};
    rk_charge_edge_mass(&c, &a, 1, 3, 1, 4); /* the local head of sequence 1 */
    assert_int_equal(c.flops[RK_PHASE_SELECT], 2 * 3 * 3 * 8);
}

static void moves_cost_their_bytes(void **state)
{
    (void)state;
    static const uint8_t head[] = {1, 0, 1};
    const rk_weight table = {NULL, RK_BF16, 1000, 64};
    rk_relocate r = {.tokens = 50, .heads = 3, .head = head, .head_dim = 16};
    rk_counters c = {0};
    rk_charge_rows(&c, 10, 20, 3, 4);
    assert_int_equal(c.bytes, 10 * 20 * 3 * 4);
    rk_charge_embed(&c, 5, &table, 4);
    assert_int_equal(c.bytes, 2400 + 5 * (128 + 256));
    c.bytes = 0;
    rk_charge_relocate(&c, &r, 4); /* K and V, read and written */
    assert_int_equal(c.bytes, 4 * 2 * 50 * 16 * 4);
    r.head = NULL;
    rk_charge_relocate(&c, &r, 4);
    assert_int_equal(c.bytes, 4 * (2 + 3) * 50 * 16 * 4);
    assert_int_equal(rk_counters_flops(&c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_costs_its_pairs),
        cmocka_unit_test(scores_cost_one_product),
        cmocka_unit_test(moves_cost_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
