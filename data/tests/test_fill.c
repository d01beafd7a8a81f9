/* test_fill.c - lengths, repeats, titles, order and gold places of filled contexts. */
#include "tests/reader_kit.h"

#include "fill.h"

enum { POOL = 60, OWN = 5 };

/* Entries 0-4 are the context's own, 1 and 3 gold; 10 repeats the text of 0, 20-22
 * stand under the title of gold entry 1. Entry i has 5 + i % 7 words. */
static rk_passage *make_pool(rk_arena *arena)
{
    rk_passage *p = rk_arena_take(arena, POOL, sizeof *p, NULL);
    for (int i = 0; i < POOL; i++) {
        char text[256] = "";
        for (int w = 0; w < 5 + i % 7; w++)
            sprintf(text + strlen(text), " w%c%c", 'a' + i % 26, 'a' + i / 26);
        p[i].title = rk_arena_printf(arena, NULL, "title %d", i >= 20 && i <= 22 ? 1 : i);
        p[i].text = i == 10 ? p[0].text : rk_arena_text(arena, text, strlen(text), NULL);
        p[i].gold = i == 1 || i == 3 || i == 30; /* 30 is gold of another question */
    }
    return p;
}

static rk_fill_request request_of(int64_t target, uint64_t seed)
{
    return (rk_fill_request){.own = OWN,
                             .target_tokens = target,
                             .counter = &kit_counter,
                             .seed = seed,
                             .stream = "t",
                             .what = "test"};
}

static void contexts_keep_the_rules(void **state)
{
    (void)state;
    static const int64_t targets[] = {20, 40, 100, 300};
    rk_arena *arena = kit_arena();
    rk_fill_pool pool;
    assert_int_equal(rk_fill_pool_init(&pool, make_pool(arena), POOL, arena, NULL), RK_OK);
    for (size_t t = 0; t < 4; t++) {
        for (uint64_t seed = 0; seed < 50; seed++) {
            rk_context c = {0};
            rk_fill_request r = request_of(targets[t], seed);
            assert_int_equal(rk_fill_context(&pool, &r, arena, &c.passage, &c.passages, NULL),
                             RK_OK);
            int64_t tokens = kit_tokens(&c);
            assert_true(tokens <= targets[t] && tokens >= targets[t] * 9 / 10 - 1);
            int gold = 0;
            for (int32_t i = 0; i < c.passages; i++) {
                gold += c.passage[i].gold;
                if (!strcmp(c.passage[i].title, "title 1"))
                    assert_int_equal(c.passage[i].gold, 1);
                for (int32_t k = 0; k < i; k++)
                    assert_string_not_equal(c.passage[i].text, c.passage[k].text);
            }
            assert_int_equal(gold, 2);
        }
    }
    rk_arena_free(arena);
}

static void gold_places_are_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 2000, BINS = 5 };
    rk_arena *arena = kit_arena();
    rk_fill_pool pool;
    int count[BINS] = {0}, natural[OWN] = {0};
    assert_int_equal(rk_fill_pool_init(&pool, make_pool(arena), POOL, arena, NULL), RK_OK);
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        rk_passage *p;
        int32_t n;
        rk_fill_request r = request_of(200, seed);
        assert_int_equal(rk_fill_context(&pool, &r, arena, &p, &n, NULL), RK_OK);
        for (int32_t i = 0; i < n; i++)
            if (p[i].gold && !strcmp(p[i].title, "title 1"))
                count[i * BINS / n]++;
        r.target_tokens = 0;
        assert_int_equal(rk_fill_context(&pool, &r, arena, &p, &n, NULL), RK_OK);
        assert_int_equal(n, OWN);
        for (int32_t i = 0; i < n; i++)
            natural[i] += p[i].gold && !strcmp(p[i].title, "title 1");
    }
    /* chi-square with 4 degrees of freedom: 18.5 is the 0.1 % point. Bins of a
     * context whose length is no multiple of 5 differ a little, hence only the
     * natural ones are held to it; the others to a tenth. */
    double chi = 0, expected = DRAWS / (double)BINS;
    for (int i = 0; i < BINS; i++) {
        chi += (natural[i] - expected) * (natural[i] - expected) / expected;
        assert_true(count[i] > 0.8 * expected && count[i] < 1.2 * expected);
    }
    assert_true(chi < 18.5);
    rk_arena_free(arena);
}

static void same_seed_same_context(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    rk_fill_pool a, b;
    rk_passage *pool = make_pool(arena), *x, *y;
    int32_t n, m;
    assert_int_equal(rk_fill_pool_init(&a, pool, POOL, arena, NULL), RK_OK);
    assert_int_equal(rk_fill_pool_init(&b, pool, POOL, arena, NULL), RK_OK);
    rk_fill_request r = request_of(150, 7), other = request_of(150, 8);
    assert_int_equal(rk_fill_context(&a, &other, arena, &y, &m, NULL), RK_OK);
    assert_int_equal(rk_fill_context(&a, &r, arena, &x, &n, NULL), RK_OK);
    int differs = m != n;
    for (int32_t i = 0; !differs && i < n; i++)
        differs = strcmp(x[i].text, y[i].text) != 0;
    assert_true(differs);
    assert_int_equal(rk_fill_context(&b, &r, arena, &y, &m, NULL), RK_OK);
    assert_int_equal(n, m);
    for (int32_t i = 0; i < n; i++)
        assert_ptr_equal(x[i].text, y[i].text);
    rk_arena_free(arena);
}

static void order_can_be_kept(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    rk_fill_pool pool;
    rk_passage *p = make_pool(arena), *out;
    int32_t n;
    assert_int_equal(rk_fill_pool_init(&pool, p, POOL, arena, NULL), RK_OK);
    rk_fill_request r = request_of(0, 3);
    r.keep_order = 1;
    assert_int_equal(rk_fill_context(&pool, &r, arena, &out, &n, NULL), RK_OK);
    for (int32_t i = 0; i < n; i++)
        assert_ptr_equal(out[i].text, p[i].text);
    rk_arena_free(arena);
}

static rk_status broken_count(void *self, const char *text, size_t n, int64_t *tokens,
                              rk_error *err)
{
    (void)self, (void)text, (void)n, (void)tokens;
    return rk_fail(err, RK_E_MEMORY, "counter out of memory");
}

static void refusals(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    rk_fill_pool pool;
    rk_passage *p = make_pool(arena), *out;
    int32_t n;
    rk_error err;
    assert_int_equal(rk_fill_pool_init(&pool, p, POOL, arena, NULL), RK_OK);
    rk_fill_request r = request_of(10, 1); /* the two gold passages need 14 */
    assert_int_equal(rk_fill_context(&pool, &r, arena, &out, &n, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "need 14 tokens or more, the context has 10"));
    r.target_tokens = 2000;
    assert_int_equal(rk_fill_context(&pool, &r, arena, &out, &n, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "of 2000 tokens"));
    r.counter = NULL;
    assert_int_equal(rk_fill_context(&pool, &r, arena, &out, &n, &err), RK_E_ARG);
    rk_fill_request none = request_of(0, 1);
    none.own = 0;
    assert_int_equal(rk_fill_context(&pool, &none, arena, &out, &n, &err), RK_E_FORMAT);
    rk_token_counter broken = {NULL, broken_count};
    assert_int_equal(rk_fill_pool_init(&pool, p, POOL, arena, NULL), RK_OK);
    r = request_of(100, 1);
    r.counter = &broken;
    assert_int_equal(rk_fill_context(&pool, &r, arena, &out, &n, &err), RK_E_MEMORY);
    /* Without gold marks everything is kept, so a context too short is refused. */
    for (int i = 0; i < OWN; i++)
        p[i].gold = 0;
    r = request_of(20, 1);
    assert_int_equal(rk_fill_context(&pool, &r, arena, &out, &n, &err), RK_E_BUDGET);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_keep_the_rules),
        cmocka_unit_test(gold_places_are_uniform),
        cmocka_unit_test(same_seed_same_context),
        cmocka_unit_test(order_can_be_kept),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
