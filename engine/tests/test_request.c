/* test_request.c - segments stand one behind the other; empty ones are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "request.h"

static const int32_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static rk_arena *arena_of(void)
{
    rk_arena *a;
    assert_int_equal(rk_arena_new(&a, NULL), RK_OK);
    return a;
}

static void segments_are_placed(void **state)
{
    (void)state;
    rk_arena *arena = arena_of();
    const rk_ids_span chunk[] = {{ids, 4}, {ids + 4, 1}, {ids, 3}};
    for (int32_t chunks = 0; chunks <= 3; chunks++)
        for (int32_t prefix = 0; prefix < 3; prefix++) {
            rk_request r;
            int32_t at = prefix;
            assert_int_equal(rk_request_build(&r, (rk_ids_span){ids, prefix}, chunk, chunks,
                                              (rk_ids_span){ids + 7, 2}, arena, NULL),
                             RK_OK);
            assert_int_equal(r.prefix.start, 0);
            assert_int_equal(r.prefix.n, prefix);
            for (int32_t c = 0; c < chunks; at += chunk[c++].n) {
                assert_int_equal(r.chunk[c].start, at);
                assert_ptr_equal(r.chunk[c].id, chunk[c].id);
            }
            assert_int_equal(r.question.start, at);
            assert_int_equal(r.tokens, at + 2);
        }
    rk_arena_free(arena);
}

static void impossible_requests_are_named(void **state)
{
    (void)state;
    const struct {
        int32_t prefix, first, second, question;
        const char *says;
    } cases[] = {
        {0, 1, 1, 0, "question is empty"},     {0, 0, 1, 1, "chunk 0 is empty"},
        {0, 1, 0, 1, "chunk 1 is empty"},      {-1, 1, 1, 1, "a prefix of -1"},
        {0, 1, -5, 1, "a chunk of -5"},        {0, 1, 1, -2, "a question of -2"},
        {INT32_MAX, 1, 1, 1, "more than"},     {1, INT32_MAX - 1, 1, 1, "more than"},
        {0, 1, INT32_MAX - 1, 1, "more than"},
    };
    rk_arena *arena = arena_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rk_ids_span chunk[] = {{ids, cases[i].first}, {ids, cases[i].second}};
        rk_request r;
        rk_error err = {0};
        assert_int_equal(rk_request_build(&r, (rk_ids_span){ids, cases[i].prefix}, chunk, 2,
                                          (rk_ids_span){ids, cases[i].question}, arena, &err),
                         RK_E_ARG);
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_placed),
        cmocka_unit_test(impossible_requests_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
