/* test_states.c - states are built once, found by content, missed with a clear error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine_impl.h"
#include "timeline.h"

static const int32_t chunks[] = {70, 33, 5, 0};

static void states_are_built_once(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int64_t built;
        int32_t states;
    } cases[] = {
        {"dense", 0, 0},
        {"prefix_cache", 21 + 70, 2},
        {"full_reuse", 21 + 70 + 33 + 5, 4},
        {"full_reuse compile_prefix=none", 129, 4},
        {"epic k=4 compile_prefix=bos_drop", 129, 4},
        {"epic k=4 compile_prefix=sink_drop dummies=3", 129, 4},
        {"epic k=4 compile_prefix=bos_keep", 129, 4},
        {"cacheblend mode=refcode", 129 + 11, 5},
        {"redknot head_map=all_local", 129, 4},
    };
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        rk_method m = rk_bench_method(&b, cases[i].method);
        double ms, offline, again;
        int64_t built;
        rk_engine_forget_states(b.e);
        assert_int_equal(rk_engine_state_bytes(b.e), 0);
        assert_int_equal(rk_engine_build_states(b.e, &m, &b.request, &ms, &built, &err), RK_OK);
        assert_int_equal(built, cases[i].built);
        assert_int_equal(rk_chunk_store_states(b.e->store), cases[i].states);
        assert_int_equal(rk_engine_offline_ms(b.e, &m, &b.request, &offline, &err), RK_OK);
        assert_true(offline <= ms && (offline > 0) == (built > 0));
        assert_int_equal(rk_engine_build_states(b.e, &m, &b.request, &ms, &built, &err), RK_OK);
        assert_int_equal(built, 0);
        assert_int_equal(rk_engine_offline_ms(b.e, &m, &b.request, &again, &err), RK_OK);
        assert_true(again == offline); /* what it took then, not now */
        assert_true((rk_engine_state_bytes(b.e) > 0) == (cases[i].states > 0));
    }
    assert_int_equal(rk_bench_leaked_pages(&b), 0);
    rk_bench_close(&b);
}

static void a_missing_state_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *built, *asked, *says;
    } cases[] = {
        {NULL, "epic k=4", "epic: the state of prefix 0 (21 tokens)"},
        {"prefix_cache", "full_reuse", "full_reuse: the state of chunk 1 (33 tokens)"},
        {"full_reuse", "cacheblend mode=refcode",
         "cacheblend: the state of question 0 (11 tokens)"},
        {"full_reuse", "full_reuse compile_prefix=bos_drop", "the state of chunk 0 (70 tokens)"},
        {"full_reuse compile_prefix=bos_drop", "full_reuse compile_prefix=sink_drop",
         "the state of chunk 0 (70 tokens)"},
    };
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_error err = {0};
        rk_session *s;
        rk_timeline t = {0};
        rk_engine_forget_states(b.e);
        if (cases[i].built) {
            rk_method other = rk_bench_method(&b, cases[i].built);
            rk_session_close(rk_bench_open_session(&b, &other));
        }
        rk_method m = rk_bench_method(&b, cases[i].asked);
        assert_int_equal(rk_session_open(&s, b.e, &m, &err), RK_OK);
        assert_int_equal(rk_session_prefill(s, &b.request, RK_PART_WHOLE, NULL, &err), RK_E_ARG);
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
        rk_session_close(rk_bench_open_session(&b, &m)); /* builds them: the session can go on */
        rk_bench_prefill(&b, s, RK_PART_WHOLE, &t);
        rk_session_close(s);
    }
    rk_bench_close(&b);
}

static void compile_prefixes_stand_before_chunks(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int32_t n; /* -1: the system prefix */
    } cases[] = {{"dense", -1},
                 {"full_reuse", -1},
                 {"full_reuse compile_prefix=none", 0},
                 {"full_reuse compile_prefix=bos_keep", 0},
                 {"full_reuse compile_prefix=bos_drop", 1},
                 {"full_reuse compile_prefix=sink_drop dummies=0", 1},
                 {"full_reuse compile_prefix=sink_drop dummies=3", 4}};
    rk_bench b;
    rk_bench_open(&b, "llama3", "cpu", 21, chunks, 11);
    assert_true(b.model->bos_id >= 0);
    for (int no_bos = 0; no_bos < 2; no_bos++) {
        b.model->bos_id = no_bos ? -1 : b.model->bos_id;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            rk_error err = {0};
            rk_method m = rk_bench_method(&b, cases[i].method);
            rk_ids_span out;
            rk_status st = rk_compile_ids(b.e, &m, &b.request, b.arena, &out, &err);
            if (no_bos && cases[i].n > 0) {
                assert_int_equal(st, RK_E_UNSUPPORTED);
                assert_non_null(strstr(err.text, "has no BOS token"));
                continue;
            }
            assert_int_equal(st, RK_OK);
            assert_int_equal(out.n, cases[i].n < 0 ? 21 : cases[i].n);
            for (int32_t k = 0; k < out.n; k++)
                assert_int_equal(out.id[k],
                                 cases[i].n < 0 ? b.request.prefix.id[k] : b.model->bos_id);
        }
    }
    rk_bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_built_once),
        cmocka_unit_test(a_missing_state_is_named),
        cmocka_unit_test(compile_prefixes_stand_before_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
