/* test_bpe.c - merging against a plain search for the best pair. */
#include "tokenizer_fixture.h"

#include "base/rng.h"
#include "model/bpe.h"

typedef struct pair {
    int32_t left, right, merged;
} pair;

/* Rank = index. The plain way: scan for the lowest rank, leftmost, merge, repeat. */
static size_t merge_plainly(const pair *p, int pairs, int32_t *ids, size_t n)
{
    for (;;) {
        size_t at = n;
        int best = pairs;
        for (size_t i = 0; i + 1 < n; i++) {
            for (int k = 0; k < best; k++) {
                if (p[k].left == ids[i] && p[k].right == ids[i + 1]) {
                    best = k;
                    at = i;
                }
            }
        }
        if (at == n)
            return n;
        ids[at] = p[best].merged;
        memmove(ids + at + 1, ids + at + 2, (n - at - 2) * sizeof *ids);
        n--;
    }
}

static rk_bpe *table(const pair *p, int pairs)
{
    rk_bpe *b = NULL;
    assert_int_equal(rk_bpe_new(&b, NULL), RK_OK);
    for (int k = 0; k < pairs; k++)
        assert_int_equal(rk_bpe_add(b, p[k].left, p[k].right, (uint32_t)k, p[k].merged, NULL),
                         RK_OK);
    return b;
}

static void known_words(void **state)
{
    (void)state;
    /* 0..3 = a b c d */
    static const pair p[] = {{0, 1, 4}, {1, 2, 5}, {4, 2, 6}, {0, 0, 7}, {7, 7, 8}, {6, 3, 9}};
    static const struct {
        size_t n;
        int32_t in[8];
        size_t want_n;
        int32_t want[8];
    } rows[] = {
        {0, {0}, 0, {0}},
        {1, {0}, 1, {0}},
        {2, {0, 1}, 1, {4}},
        {3, {0, 1, 2}, 1, {6}},
        {2, {1, 2}, 1, {5}},
        {4, {0, 1, 2, 3}, 1, {9}},
        {5, {0, 0, 0, 0, 0}, 2, {8, 0}},
        {4, {0, 0, 0, 1}, 2, {7, 4}},
        {3, {3, 3, 3}, 3, {3, 3, 3}},
    };
    rk_bpe *b = table(p, 6);
    rk_bpe_room room = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t ids[8];
        size_t n = rows[i].n;
        memcpy(ids, rows[i].in, sizeof ids);
        assert_int_equal(rk_bpe_merge(b, &room, ids, &n, NULL), RK_OK);
        assert_int_equal(n, rows[i].want_n);
        assert_memory_equal(ids, rows[i].want, n * sizeof *ids);
    }
    rk_bpe_room_free(&room);
    rk_bpe_free(b);
}

static void random_tables_agree_with_the_plain_search(void **state)
{
    (void)state;
    rk_rng rng;
    rk_bpe_room room = {0};
    rk_rng_init(&rng, 11, "merges");
    for (int round = 0; round < 200; round++) {
        pair p[40];
        int pairs = 0;
        for (int32_t id = 4; id < 44; id++) { /* each pair once, each token once */
            pair q = {(int32_t)rk_rng_below(&rng, (uint64_t)id),
                      (int32_t)rk_rng_below(&rng, (uint64_t)id), id};
            int known = 0;
            for (int k = 0; k < pairs; k++)
                known |= p[k].left == q.left && p[k].right == q.right;
            if (!known)
                p[pairs++] = q;
        }
        rk_bpe *b = table(p, pairs);
        for (int word = 0; word < 20; word++) {
            int32_t fast[60], plain[60];
            size_t n = 1 + (size_t)rk_rng_below(&rng, 60), m = n;
            for (size_t i = 0; i < n; i++)
                fast[i] = plain[i] = (int32_t)rk_rng_below(&rng, 4);
            m = merge_plainly(p, pairs, plain, m);
            assert_int_equal(rk_bpe_merge(b, &room, fast, &n, NULL), RK_OK);
            assert_int_equal(n, m);
            assert_memory_equal(fast, plain, n * sizeof *fast);
        }
        rk_bpe_free(b);
    }
    rk_bpe_room_free(&room);
}

static void a_repeated_pair_takes_the_later_rank(void **state)
{
    (void)state;
    rk_bpe *b = NULL;
    rk_bpe_room room = {0};
    int32_t ids[3] = {0, 1, 2};
    size_t n = 3;
    assert_int_equal(rk_bpe_new(&b, NULL), RK_OK);
    rk_bpe_add(b, 0, 1, 0, 3, NULL);
    rk_bpe_add(b, 1, 2, 1, 4, NULL);
    rk_bpe_add(b, 0, 1, 2, 3, NULL);
    assert_int_equal(rk_bpe_merge(b, &room, ids, &n, NULL), RK_OK);
    assert_int_equal(n, 2);
    assert_int_equal(ids[0], 0);
    assert_int_equal(ids[1], 4);
    rk_bpe_room_free(&room);
    rk_bpe_free(b);
    rk_bpe_free(NULL);
}

static void a_million_symbols_are_quick(void **state)
{
    (void)state;
    static const pair p[] = {{0, 0, 1}, {1, 1, 2}, {2, 2, 3}, {3, 3, 4}};
    size_t n = 1 << 20;
    int32_t *ids = calloc(n, sizeof *ids);
    rk_bpe *b = table(p, 4);
    rk_bpe_room room = {0};
    assert_non_null(ids);
    assert_int_equal(rk_bpe_merge(b, &room, ids, &n, NULL), RK_OK);
    assert_int_equal(n, 1 << 16);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ids[i], 4);
    free(ids);
    rk_bpe_room_free(&room);
    rk_bpe_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_words),
        cmocka_unit_test(random_tables_agree_with_the_plain_search),
        cmocka_unit_test(a_repeated_pair_takes_the_later_rank),
        cmocka_unit_test(a_million_symbols_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
