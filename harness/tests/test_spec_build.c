/* test_spec_build.c - the checks on entries that no file has shown (see test_spec.c). */
#include "cmocka_all.h"

#include "spec_build.h"
#include "spec_cases.h"

static rk_status build(const char *text, rk_spec *spec, rk_arena *arena, rk_error *err)
{
    rk_spec_builder b = {.path = "f", .registry = case_registry, .spec = spec, .arena = arena,
                         .err = err};
    memset(spec, 0, sizeof *spec);
    RK_TRY(rk_spec_file_parse(text, strlen(text), "f", arena, &b.entries, err));
    return rk_spec_build(&b);
}

static void defaults_are_filled(void **state)
{
    rk_arena *arena;
    rk_spec spec;
    rk_error err;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(build("[axes]\nmethod = redknot\n", &spec, arena, &err), RK_OK);
    assert_string_equal(spec.title, "");
    assert_int_equal(spec.measure.items, 20);
    assert_int_equal(spec.measure.order, RK_ORDER_ABBA);
    assert_int_equal(spec.measure.metrics, 0);
    assert_int_equal(spec.methods, 1);
    assert_string_equal(spec.method[0].base, "redknot");
    assert_int_equal(spec.claims, 0);
    rk_arena_free(arena);
}

static void kinds_of_axes(void **state)
{
    rk_arena *arena;
    rk_spec spec;
    rk_error err;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(build("[axes]\nmethod = redknot\nredknot.ffn_mass = 0.50, 1\ndataset = ruler\n"
                           "ruler.path = a/b\nrate = 0.10\n",
                           &spec, arena, &err),
                     RK_OK);
    assert_int_equal(spec.axis[1].role, RK_AXIS_METHOD_OPTION);
    assert_string_equal(spec.axis[1].target, "redknot");
    assert_string_equal(spec.axis[1].key, "ffn_mass");
    assert_string_equal(spec.axis[1].value[0], "0.5");
    assert_int_equal(spec.axis[3].role, RK_AXIS_READER_OPTION);
    assert_string_equal(spec.axis[4].value[0], "0.1");
    assert_int_equal(spec.axis[4].role, RK_AXIS_PLAIN);
    rk_arena_free(arena);
}

static void too_much_is_refused(void **state)
{
    rk_arena *arena;
    rk_spec spec;
    rk_error err;
    static char text[65536];
    size_t n = (size_t)sprintf(text, "[axes]\n");
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    static const char *const names[] = {"model", "dataset", "method", "context", "backend",
                                        "weights", "store", "batch", "gpus", "concurrency",
                                        "chunks", "decode", "policy"};
    static const char *const values[] = {"a", "ruler", "dense", "1", "cpu", "random", "disk", "1",
                                         "1", "1", "1", "1", "x"};
    for (size_t i = 0; i < 13; i++)
        n += (size_t)sprintf(text + n, "%s = %s\n", names[i], values[i]);
    assert_int_equal(build(text, &spec, arena, &err), RK_E_USAGE);
    assert_string_equal(err.text, "f:14: more than 12 axes");
    n = (size_t)sprintf(text, "[axes]\nmodel = a\n[claim]\n");
    for (int i = 0; i < RK_SPEC_CLAIMS_MAX + 1; i++)
        n += (size_t)sprintf(text + n, "f1 @ model=a = 1 +- %d\n", i);
    assert_int_equal(build(text, &spec, arena, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "1025 claims; at most 1024"));
    n = (size_t)sprintf(text, "[axes]\nmodel = a\n");
    for (int i = 0; i < 129; i++)
        n += (size_t)sprintf(text + n, "[method.dense:v%d]\n", i);
    assert_int_equal(build(text, &spec, arena, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "more than 128 variants"));
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_are_filled),
                                       cmocka_unit_test(kinds_of_axes),
                                       cmocka_unit_test(too_much_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
