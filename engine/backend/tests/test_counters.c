/* test_counters.c - names of parts and counters, costs of a product, visible keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/counters.h"

static void visible_keys_are_counted(void **state)
{
    (void)state;
    static const int32_t sinks[] = {0, 1, 5, 64, 500}, windows[] = {0, 1, 2, 50, 64, 257, 1000};
    for (size_t s = 0; s < sizeof sinks / sizeof *sinks; s++)
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
            for (int32_t pos = 0; pos < 300; pos += 7)
                for (int32_t limit = 0; limit < 300; limit += limit % 2 ? 16 : 21) {
                    int64_t seen = 0;
                    for (int32_t key = 0; key <= limit; key++)
                        seen += windows[w] == 0 || key < sinks[s] || key > pos - windows[w];
                    assert_int_equal(rk_visible_keys(pos, limit, sinks[s], windows[w]), seen);
                }
    assert_int_equal(rk_visible_keys(1000, 1000, 64, 257), 64 + 257); /* paper w = 256 */
    assert_int_equal(rk_visible_keys(INT32_MAX - 1, INT32_MAX - 1, 0, 0), INT32_MAX);
}

static void every_part_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < RK_PHASES; i++) {
        assert_true(strlen(rk_phase_name((rk_phase)i)) > 2);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(rk_phase_name((rk_phase)i), rk_phase_name((rk_phase)j));
    }
    assert_string_equal(rk_phase_name(RK_PHASES), "?");
}

static void flops_are_summed_over_parts(void **state)
{
    (void)state;
    rk_counters c = {0};
    for (int i = 0; i < RK_PHASES; i++)
        c.flops[i] = (uint64_t)1 << (40 + i);
    assert_true(rk_counters_flops(&c) == (((uint64_t)1 << RK_PHASES) - 1) << 40);
}

static void products_cost_two_flops_a_multiply_add(void **state)
{
    (void)state;
    rk_counters c = {0};
    const rk_weight large = {NULL, RK_BF16, 100000, 200000}, blocks = {NULL, RK_Q4_K, 3, 512};
    rk_count_matmul(&c, RK_PHASE_HEAD, 1000, &large, 2);
    assert_true(c.flops[RK_PHASE_HEAD] == 2u * 1000u * (uint64_t)100000 * 200000);
    assert_true(c.bytes == (uint64_t)2 * 100000 * 200000 + (uint64_t)1000 * 300000 * 2);
    c = (rk_counters){0};
    rk_count_matmul(&c, RK_PHASE_FFN, 7, &blocks, 4);
    assert_int_equal(c.bytes, 3 * 2 * 144 + 7 * (3 + 512) * 4);
}

/* The field table reaches every scalar counter once. */
static void every_counter_is_listed(void **state)
{
    (void)state;
    rk_counters c = {0};
    size_t n = 0;
    for (const rk_counter_field *f = rk_counter_fields; f->name; f++, n++) {
        uint64_t *value = (uint64_t *)(void *)((char *)&c + f->offset);
        assert_int_equal(*value, 0);
        *value = n + 1;
        assert_true(strlen(f->unit) > 0 && strlen(f->doc) > 10);
    }
    assert_int_equal(n, (sizeof c - sizeof c.flops) / sizeof(uint64_t));
    assert_int_equal(rk_counters_flops(&c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visible_keys_are_counted),
        cmocka_unit_test(every_part_has_a_name),
        cmocka_unit_test(flops_are_summed_over_parts),
        cmocka_unit_test(products_cost_two_flops_a_multiply_add),
        cmocka_unit_test(every_counter_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
