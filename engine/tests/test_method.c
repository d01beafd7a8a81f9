/* test_method.c - finding methods, and what plans share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "method.h"

static void methods_are_found_and_sorted(void **state)
{
    (void)state;
    static const char *const known[] = {"cacheblend", "dense",      "dense_masked",
                                        "epic",       "full_reuse", "prefix_cache",
                                        "prophetkv",  "redknot",    "tokdrop_redknot"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_non_null(rk_method_find(known[i]));
        assert_string_equal(rk_method_find(known[i])->name, known[i]);
    }
    assert_null(rk_method_find("redkno"));
    assert_null(rk_method_find(""));
    for (int32_t i = 1; i < rk_methods_count; i++)
        assert_true(strcmp(rk_methods[i - 1]->name, rk_methods[i]->name) < 0);
}

/* Whoever reads the store begins its configuration with the compile prefix. */
static void every_method_is_whole(void **state)
{
    (void)state;
    char config[2048];
    for (int32_t i = 0; i < rk_methods_count; i++) {
        const rk_method_ops *m = rk_methods[i];
        rk_error err = {0};
        assert_true(m->config_size <= sizeof config);
        assert_true(strlen(m->title) > 0 && strlen(m->source) > 0);
        if (m->options && rk_options_default(m->options, config, &err) != RK_OK)
            fail_msg("%s: %s", m->name, err.text);
        if (m->flags & RK_METHOD_REUSES)
            assert_true(m->config_size >= sizeof(rk_compile));
        if (m->flags & RK_METHOD_REUSES && m->options)
            assert_string_equal(m->options[0].name, "compile_prefix");
    }
}

static void kept_rows_are_a_rule_and_the_question(void **state)
{
    (void)state;
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    rk_layer_plan plan = {.arena = arena};
    rk_select context = {.kind = RK_SELECT_FIRST_K, .amount = 3, .domain = RK_DOMAIN_CHUNKS}, out;
    assert_int_equal(rk_plan_keep_rows(&plan, &out, context, NULL), RK_OK);
    assert_int_equal(out.kind, RK_SELECT_UNION);
    assert_int_equal(out.children, 2);
    assert_memory_equal(&out.child[0], &context, sizeof context);
    assert_int_equal(out.child[1].kind, RK_SELECT_ALL);
    assert_int_equal(out.child[1].domain, RK_DOMAIN_QUESTION);
    rk_select *child = rk_plan_children(&plan, 5, NULL);
    for (int i = 0; i < 5; i++)
        assert_int_equal(child[i].kind, RK_SELECT_ALL); /* zeroed */
    rk_error err = {0};
    assert_null(rk_plan_children(&plan, -1, &err));
    assert_int_equal(err.status, RK_E_MEMORY);
    rk_arena_free(arena);
}

static void layouts_reuse_every_chunk(void **state)
{
    (void)state;
    rk_segment chunk[2] = {{NULL, 5, 3}, {NULL, 7, 8}};
    const rk_request r = {.prefix = {NULL, 3, 0},
                          .chunk = chunk,
                          .chunks = 2,
                          .question = {NULL, 4, 15},
                          .tokens = 19};
    uint8_t reuse[3] = {0, 0, 9};
    rk_layout layout = {.reuse_chunk = reuse};
    rk_layout_reuse_all(&layout, &r);
    assert_int_equal(layout.reuse_prefix, 1);
    assert_int_equal(reuse[0] + reuse[1], 2);
    assert_int_equal(reuse[2], 9);
    assert_int_equal(rk_request_chunk_tokens(&r), 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_found_and_sorted),
        cmocka_unit_test(every_method_is_whole),
        cmocka_unit_test(kept_rows_are_a_rule_and_the_question),
        cmocka_unit_test(layouts_reuse_every_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
