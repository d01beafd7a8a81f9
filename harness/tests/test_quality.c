/* test_quality.c - what counts as quality, flips, what dense answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "quality.h"

static void test_metrics(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        int quality;
    } rows[] = {{"f1", 1},       {"em", 1},           {"top1_agreement", 1}, {"top10_agreement", 1},
                {"logit_kl", 1}, {"logit_cosine", 1}, {"ttft_ms", 0},        {"flops", 0},
                {"f1_extra", 0}, {"kv_bytes", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rk_quality_metric(rows[i].metric), rows[i].quality);
    static const char *const kinds[] = {"trained", "random", "none", ""};
    for (int i = 0; i < 4; i++) {
        rk_query_point p = {.weights_kind = kinds[i]};
        assert_int_equal(rk_quality_known(&p), i == 0);
    }
}

static void test_flips(void **state)
{
    (void)state;
    double now[] = {1, 1, 0, 0, 1, 0, 0, 0, 0, 0}, before[] = {1, 0, 1, 0, 1, 1, 1, 1, 1, 1};
    rk_pairs pairs = {now, before, NULL, 10};
    rk_flips f = rk_quality_flips(&pairs);
    assert_int_equal(f.both, 2);
    assert_int_equal(f.gained, 1);
    assert_int_equal(f.lost, 6);
    assert_int_equal(f.neither, 1);
    assert_true(fabs(f.p - 0.125) < 1e-12); /* 2 (1 + 7) / 2^7 */
    pairs.n = 0;
    assert_true(rk_quality_flips(&pairs).p == 1);
}

static void test_answered(void **state)
{
    (void)state;
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    int64_t item[] = {1, 2, 3, 5}, cluster[] = {0, 0, 1, 1}, dense_item[] = {0, 2, 3, 4, 5};
    double value[] = {0.1, 0.2, 0.3, 0.5}, score[] = {1, 0, 0.5, 1, 1};
    rk_series from = {item, cluster, value, 4}, dense = {dense_item, dense_item, score, 5}, out;
    assert_int_equal(rk_quality_answered(&from, &dense, arena, &out, NULL), RK_OK);
    assert_int_equal(out.n, 2); /* item 2 is failed, 1 was not run */
    assert_int_equal(out.item[0], 3);
    assert_true(out.value[1] == 0.5 && out.cluster[1] == 1);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
