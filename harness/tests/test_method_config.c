/* test_method_config.c - methods by name and options; what results keep of them. */
#include "cmocka_all.h"

#include <unistd.h>

#include "method_config.h"

static rk_arena *arena;
static const rk_model_shape shape = {.layers = 4, .kv_heads = 2, .heads = 4, .head_dim = 8};

static rk_status configure(const char *name, const rk_pair *option, int32_t n, rk_method *m,
                           rk_error *err)
{
    return rk_method_configure(name, option, n, &shape, arena, m, err);
}

static void fills_defaults_and_options(void **state)
{
    rk_method m;
    rk_error err = {0};
    const char *text;
    (void)state;
    static const rk_pair set[] = {{"k", "2K", 0}, {"compile_prefix", "sink_drop", 0}};
    assert_int_equal(configure("epic", set, 2, &m, &err), RK_OK);
    assert_string_equal(m.ops->name, "epic");
    assert_null(m.head_map);
    assert_int_equal(rk_method_json(&m, arena, &text, &err), RK_OK);
    assert_string_equal(text, "{\"name\":\"epic\",\"options\":{\"compile_prefix\":\"sink_drop\","
                              "\"dummies\":\"3\",\"k\":\"2048\"}}");
    assert_int_equal(configure("dense", NULL, 0, &m, &err), RK_OK);
    assert_int_equal(rk_method_json(&m, arena, &text, &err), RK_OK);
    assert_string_equal(text, "{\"name\":\"dense\",\"options\":{}}");
    /* the last of two values counts, as on every command line */
    static const rk_pair twice[] = {{"k", "1", 0}, {"k", "7", 0}};
    assert_int_equal(configure("epic", twice, 2, &m, &err), RK_OK);
    assert_int_equal(rk_method_json(&m, arena, &text, &err), RK_OK);
    assert_non_null(strstr(text, "\"k\":\"7\""));
}

static void refusals(void **state)
{
    static const struct {
        const char *name;
        rk_pair option;
        rk_status status;
        const char *says;
    } cases[] = {
        {"redknott", {0}, RK_E_USAGE, "unknown method 'redknott'; did you mean 'redknot'?"},
        {"zzzzzzzzz", {0}, RK_E_USAGE, "unknown method 'zzzzzzzzz'; redknot list methods"},
        {"", {0}, RK_E_USAGE, "unknown method ''"},
        {"dense", {"k", "1", 0}, RK_E_USAGE, "dense takes no options, got 'k'"},
        {"epic", {"kk", "1", 0}, RK_E_USAGE, "epic: unknown option 'kk'"},
        {"epic", {"k", "-1", 0}, RK_E_USAGE, "epic: k: expected"},
        {"redknot", {"window", "-1", 0}, RK_E_USAGE, "redknot: window: expected 1"},
        {"redknot", {"head_map", "random:2:1", 0}, RK_E_USAGE, "share of 0 to 1"},
        {"redknot", {"head_map", "/no/such.json", 0}, RK_E_USAGE, "/no/such.json"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_method m;
        rk_error err = {0};
        rk_status st =
            configure(cases[i].name, &cases[i].option, cases[i].option.key != NULL, &m, &err);
        if (st != cases[i].status || !strstr(err.text, cases[i].says))
            fail_msg("%s: %s: %s", cases[i].name, rk_status_name(st), err.text);
    }
}

static const char *write_map(const char *directory, const char *first_class)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s_method_config_map.json", directory, "toy");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"num_layers\":4,\"num_kv_heads\":2,\"kv_head_classification\":[[\"%s\",\"local\"],"
            "[\"local\",\"local\"],[\"local\",\"local\"],[\"local\",\"local\"]]}",
            first_class);
    fclose(f);
    return path;
}

static const char *json_of(const char *map)
{
    rk_method m;
    rk_error err = {0};
    const char *text;
    rk_pair option = {"head_map", map, 0};
    if (configure("redknot", &option, 1, &m, &err) != RK_OK ||
        rk_method_json(&m, arena, &text, &err) != RK_OK)
        fail_msg("%s", err.text);
    assert_non_null(m.head_map);
    return text;
}

/* No path enters results; a map that changed is another method. */
static void head_maps_are_named_by_content(void **state)
{
    (void)state;
    const char *path = write_map(RK_TEST_BUILD, "global"), *first = json_of(path);
    const char *other = json_of(write_map(RK_TEST_BUILD, "local"));
    unlink(path);
    assert_non_null(strstr(first, "\"head_map\":\"toy_method_config_map.json\""));
    assert_null(strstr(first, RK_TEST_BUILD));
    assert_non_null(strstr(first, "\"head_map_hash\":\""));
    assert_string_not_equal(first, other);
    /* the same table made from a spec has the same hash */
    const char *made = json_of("all_local");
    assert_memory_equal(strstr(made, "head_map_hash"), strstr(other, "head_map_hash"), 33);
    assert_string_not_equal(json_of("random:0.5:1"), json_of("random:0.5:2"));
    assert_string_equal(json_of("random:0.5:1"), json_of("random:0.5:1"));
}

static int setup(void **state)
{
    (void)state;
    return rk_arena_new(&arena, NULL);
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_defaults_and_options),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(head_maps_are_named_by_content)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
