/* test_axes.c - points, groups, option axes and what of a point is stored. */
#include "cmocka_all.h"

#include "spec_cases.h"

static const char text[] = "[axes]\nmodel = /models/a.gguf, b\nmethod = dense, redknot, cacheblend:l3\n"
                           "redknot.window = 64, 128, 256\ncontext = 1K, 2K\n"
                           "dataset = hotpotqa, ruler\nruler.hops = 2, 3\n"
                           "[method.redknot]\nwindow = 32\nffn_mass = 0.5\n[method.cacheblend:l3]\n"
                           "[measure]\n";

static rk_arena *arena;
static rk_spec spec;

static int setup(void **state)
{
    rk_error err;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, &err), RK_OK);
    if (rk_spec_parse(text, strlen(text), "x.exp", NULL, &case_registry, arena, &spec, &err))
        fail_msg("%s", err.text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

static void counts_points(void **state)
{
    int64_t stands = 0, n = rk_axes_points(&spec);
    (void)state;
    assert_int_equal(n, 2 * 3 * 3 * 2 * 2 * 2);
    for (int64_t i = 0; i < n; i++) {
        rk_point p;
        stands += rk_axes_point(&spec, i, &p);
        assert_int_equal(p.index, i);
    }
    /* models x (dense + 3 windows + blend) x contexts x (hotpot + 2 hops) */
    assert_int_equal(stands, 2 * 5 * 2 * 3);
}

static void last_axis_is_fastest(void **state)
{
    rk_point p;
    (void)state;
    assert_true(rk_axes_point(&spec, 0, &p));
    assert_string_equal(rk_point_value(&p, "context"), "1024");
    assert_null(rk_point_value(&p, "ruler.hops"));     /* hotpotqa */
    assert_null(rk_point_value(&p, "redknot.window")); /* dense */
    assert_null(rk_point_value(&p, "nothing"));
    assert_false(rk_axes_point(&spec, 1, &p)); /* hotpotqa once more */
    assert_true(rk_axes_point(&spec, 2, &p));
    assert_string_equal(rk_point_value(&p, "dataset"), "ruler");
    assert_string_equal(rk_point_value(&p, "ruler.hops"), "2");
    assert_int_equal(rk_point_int(&p, "context", 7), 1024);
    assert_int_equal(rk_point_int(&p, "batch", 7), 7);
}

static void option_axes_go_over_the_section(void **state)
{
    rk_point p;
    const rk_pair *pair;
    int32_t n;
    (void)state;
    assert_true(rk_axes_point(&spec, 24 + 8 + 3, &p)); /* redknot, 128, 1K, ruler, 3 */
    assert_string_equal(p.method->name, "redknot");
    assert_int_equal(rk_point_method_options(&p, arena, &pair, &n, NULL), RK_OK);
    assert_int_equal(n, 2);
    assert_string_equal(pair[0].key, "window");
    assert_string_equal(pair[0].value, "128");
    assert_string_equal(pair[1].value, "0.5");
    assert_int_equal(rk_point_reader_options(&p, arena, &pair, &n, NULL), RK_OK);
    assert_int_equal(n, 1);
    assert_string_equal(pair[0].key, "hops");
    assert_string_equal(pair[0].value, "3");
}

static void json_keeps_no_path(void **state)
{
    rk_point p;
    char line[256], tiny[9];
    (void)state;
    rk_axes_point(&spec, 0, &p);
    json_t *object = rk_point_json(&p);
    char *dump = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(dump, "{\"context\":1024,\"dataset\":\"hotpotqa\",\"method\":\"dense\","
                              "\"model\":\"a.gguf\"}");
    free(dump);
    json_decref(object);
    assert_string_equal(rk_point_text(&p, line, sizeof line),
                        "model=a.gguf method=dense context=1024 dataset=hotpotqa");
    assert_string_equal(rk_point_text(&p, tiny, sizeof tiny), "model=a."); /* cut, ended */
}

static void groups_hold_the_methods(void **state)
{
    rk_point p;
    int64_t members = 0, group = rk_axes_group(&spec, 0);
    (void)state;
    for (int64_t i = 0; i < rk_axes_points(&spec); i++)
        members += rk_axes_point(&spec, i, &p) && rk_axes_group(&spec, i) == group;
    assert_int_equal(members, 5);
    assert_int_not_equal(rk_axes_group(&spec, 2), group); /* another data set */
    assert_int_not_equal(rk_axes_group(&spec, 4), group); /* another context */
}

static void base_names(void **state)
{
    static const char *const cases[][2] = {{"a", "a"},     {"/a/b", "b"}, {"a/b.c", "b.c"},
                                           {"/a/b/", "b/"}, {"", ""},     {"/", "/"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(rk_base_name(cases[i][0]), cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_points),
        cmocka_unit_test(last_axis_is_fastest),
        cmocka_unit_test(option_axes_go_over_the_section),
        cmocka_unit_test(json_keeps_no_path),
        cmocka_unit_test(groups_hold_the_methods),
        cmocka_unit_test(base_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
