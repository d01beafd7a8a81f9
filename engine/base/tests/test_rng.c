/* test_rng.c - the published generator, unbiased draws, one stream a purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/rng.h"

/* xoshiro256** from state 1, 2, 3, 4 (vectors of the Rust crate rand_xoshiro). */
static void numbers_are_the_published_ones(void **state)
{
    (void)state;
    static const uint64_t expected[] = {
        11520u, 0u, 1509978240u, 1215971899390074240u, 1216172134540287360u, 607988272756665600u};
    rk_rng r = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(rk_rng_u64(&r) == expected[i]);
    /* splitmix64 of seed xor FNV-1a(purpose), computed apart */
    rk_rng_init(&r, 42, "order");
    assert_true(rk_rng_u64(&r) == 0xb8c554101e53fd28u);
    assert_true(rk_rng_u64(&r) == 0x864d24d2c1d1b65au);
    assert_true(rk_rng_u64(&r) == 0xad631f726ae37f68u);
}

static void streams_do_not_share_numbers(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        const char *purpose;
    } streams[] = {{1, "order"}, {1, "gold"}, {2, "order"}, {1, ""}, {0, "order"}};
    enum { STREAMS = sizeof streams / sizeof *streams, DRAWS = 50 };
    uint64_t draw[STREAMS][DRAWS];
    for (size_t i = 0; i < STREAMS; i++) {
        rk_rng r, again;
        rk_rng_init(&r, streams[i].seed, streams[i].purpose);
        rk_rng_init(&again, streams[i].seed, streams[i].purpose);
        for (size_t k = 0; k < DRAWS; k++) {
            draw[i][k] = rk_rng_u64(&r);
            assert_true(draw[i][k] == rk_rng_u64(&again));
            for (size_t j = 0; j < i; j++)
                assert_true(draw[i][k] != draw[j][k]);
        }
    }
}

static void below_is_uniform_and_in_range(void **state)
{
    (void)state;
    static const uint64_t bounds[] = {1, 2, 3, 7, 64, 1000003, UINT64_MAX, UINT64_MAX / 2 + 2};
    rk_rng r;
    rk_rng_init(&r, 3, "test");
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int k = 0; k < 200; k++)
            assert_true(rk_rng_below(&r, bounds[i]) < bounds[i]);
    int count[7] = {0};
    for (int k = 0; k < 70000; k++)
        count[rk_rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++) /* 10000 expected, sd 93: five of them */
        assert_in_range(count[i], 9535, 10465);
}

static void units_and_normals_have_their_moments(void **state)
{
    (void)state;
    enum { N = 100000 };
    rk_rng r;
    rk_rng_init(&r, 4, "test");
    double unit = 0, mean = 0, square = 0;
    for (int i = 0; i < N; i++) {
        double u = rk_rng_unit(&r), z = rk_rng_normal(&r);
        assert_true(u >= 0 && u < 1 && isfinite(z));
        unit += u / N;
        mean += z / N;
        square += z * z / N;
    }
    assert_true(fabs(unit - 0.5) < 0.005);
    assert_true(fabs(mean) < 0.016);
    assert_true(fabs(square - 1) < 0.023);
}

static void shuffling_permutes(void **state)
{
    (void)state;
    int32_t values[20], first_place[20] = {0};
    rk_rng r;
    rk_rng_init(&r, 5, "test");
    for (int round = 0; round < 20000; round++) {
        int seen[20] = {0};
        for (int32_t i = 0; i < 20; i++)
            values[i] = i;
        rk_rng_shuffle(&r, values, 20);
        for (int i = 0; i < 20; i++)
            seen[values[i]]++;
        for (int i = 0; i < 20; i++)
            assert_int_equal(seen[i], 1);
        first_place[values[0]]++;
    }
    for (int i = 0; i < 20; i++) /* 1000 expected, sd 31 */
        assert_in_range(first_place[i], 845, 1155);
    int32_t one = 9;
    rk_rng_shuffle(&r, &one, 1);
    rk_rng_shuffle(&r, NULL, 0);
    assert_int_equal(one, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_published_ones),
        cmocka_unit_test(streams_do_not_share_numbers),
        cmocka_unit_test(below_is_uniform_and_in_range),
        cmocka_unit_test(units_and_normals_have_their_moments),
        cmocka_unit_test(shuffling_permutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
