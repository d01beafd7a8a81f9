/* test_head_map.c - published files as they are, hostile ones refused, made maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "redknot/head_map.h"

static const char *const path = RK_TEST_BUILD "/test_head_map.json";

static rk_status read_text(const char *text, rk_arena *arena, rk_head_map **out, rk_error *err)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    rk_status st = rk_head_map_read(path, arena, out, err);
    remove(path);
    return st;
}

static rk_arena *arena_of(void)
{
    rk_arena *a;
    assert_int_equal(rk_arena_new(&a, NULL), RK_OK);
    return a;
}

static void published_files_are_read(void **state)
{
    (void)state;
    rk_arena *arena = arena_of();
    rk_head_map *m;
    rk_error err = {0};
    if (read_text("{\"num_layers\":3,\"num_kv_heads\":4,\"dense_prefix_layers\":1,\"window\":9,"
                  "\"retrieval_top_p\":0.9,\"kv_head_classification\":"
                  "[[\"local\",\"local\",\"global\",\"local\"],"
                  "[\"local\",\"global\",\"retrieval\",\"dense\"],"
                  "[\"local_full\",\"limited\",\"streaming\",\"sink_dominant\"]],"
                  "\"kv_head_max_distance\":[[5,6,-1,7],[256,-1,-1,0],[-1,0,4096,1]],"
                  "\"kv_head_sink_size\":[[4,4,4,4],[0,1,2,3],[64,64,64,64]]}",
                  arena, &m, &err) != RK_OK)
        fail_msg("%s", err.text);
    static const int cls[] = {RK_HEAD_DENSE, RK_HEAD_DENSE,  RK_HEAD_DENSE,     RK_HEAD_DENSE,
                              RK_HEAD_LOCAL, RK_HEAD_GLOBAL, RK_HEAD_RETRIEVAL, RK_HEAD_DENSE,
                              RK_HEAD_LOCAL, RK_HEAD_LOCAL,  RK_HEAD_LOCAL,     RK_HEAD_LOCAL};
    static const int distance[] = {5, 6, -1, 7, 256, -1, -1, 0, -1, 0, 4096, 1};
    static const int sink[] = {4, 4, 4, 4, 0, 1, 2, 3, 64, 64, 64, 64};
    assert_int_equal(m->layers, 3);
    assert_int_equal(m->kv_heads, 4);
    assert_string_equal(m->name, "test_head_map.json");
    for (int i = 0; i < 12; i++) {
        assert_int_equal(m->cls[i], cls[i]);
        assert_int_equal(m->distance[i], distance[i]);
        assert_int_equal(m->sink[i], sink[i]);
        assert_int_equal(rk_head_map_is_global(m, i / 4, i % 4), cls[i] != RK_HEAD_LOCAL);
    }
    assert_int_equal(rk_head_map_globals(m), 7);
    assert_int_equal(read_text("{\"num_layers\":1,\"num_kv_heads\":1,\"kv_head_max_distance\":null,"
                               "\"kv_head_classification\":[[\"local\"]]}",
                               arena, &m, &err),
                     RK_OK);
    assert_true(m->distance[0] <= 0 && m->sink[0] < 0); /* not said */
    rk_arena_free(arena);
}

#define FILE_OF(cls, rest)                                                                         \
    "{\"num_layers\":2,\"num_kv_heads\":2,\"kv_head_classification\":" cls rest "}"
#define GOOD "[[\"local\",\"global\"],[\"local\",\"local\"]]"

static void hostile_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "line"},
        {"[]", "an object holding 'num_layers'"},
        {"{\"num_kv_heads\":2}", "'num_layers' is missing"},
        {"{\"num_layers\":2}", "'num_kv_heads' is missing"},
        {"{\"num_layers\":0,\"num_kv_heads\":2}", "got 0"},
        {"{\"num_layers\":99999999999,\"num_kv_heads\":2}", "got 99999999999"},
        {"{\"num_layers\":\"2\",\"num_kv_heads\":2}", "got a string"},
        {"{\"num_layers\":2,\"num_kv_heads\":2}", "array of 2 layers, got nothing"},
        {FILE_OF("[[\"local\",\"global\"]]", ""), "2 layers, got an array of 1"},
        {FILE_OF("{}", ""), "got an object"},
        {FILE_OF("[[\"local\"],[\"local\",\"local\"]]", ""), "layer 0: expected 2 heads"},
        {FILE_OF("[[\"local\",\"local\"],7]", ""), "layer 1: expected 2 heads, got a whole number"},
        {FILE_OF("[[\"local\",\"lokal\"],[\"local\",\"local\"]]", ""), "head 1: expected a class"},
        {FILE_OF("[[\"local\",\"\"],[\"local\",\"local\"]]", ""), "got ''"},
        {FILE_OF("[[\"local\",1],[\"local\",\"local\"]]", ""), "got a whole number"},
        {FILE_OF(GOOD, ",\"kv_head_max_distance\":[[1,2],[3,-2]]"), "layer 1 head 1: expected -1"},
        {FILE_OF(GOOD, ",\"kv_head_max_distance\":[[1,2],[3,4.5]]"), "got a fraction"},
        {FILE_OF(GOOD, ",\"kv_head_max_distance\":[[1,2],[3,\"4\"]]"), "got a string"},
        {FILE_OF(GOOD, ",\"kv_head_max_distance\":[[1,2],[3,99999999999]]"), "99999999999"},
        {FILE_OF(GOOD, ",\"kv_head_max_distance\":[[1,2]]"), "'kv_head_max_distance'"},
        {FILE_OF(GOOD, ",\"kv_head_sink_size\":[[1,2],[3,-1]]"), "'kv_head_sink_size' layer 1"},
        {FILE_OF(GOOD, ",\"kv_head_sink_size\":5"), "'kv_head_sink_size'"},
        {FILE_OF(GOOD, ",\"dense_prefix_layers\":3"), "expected 0 to 2, got 3"},
        {FILE_OF(GOOD, ",\"dense_prefix_layers\":-1"), "got -1"},
        {FILE_OF(GOOD, ",\"dense_prefix_layers\":true"), "got a boolean"},
    };
    rk_arena *arena = arena_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_head_map *m;
        rk_error err = {0};
        assert_int_equal(read_text(cases[i].text, arena, &m, &err), RK_E_FORMAT);
        if (!strstr(err.text, cases[i].says) || !strstr(err.text, "test_head_map.json"))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
    rk_head_map *m;
    assert_int_equal(rk_head_map_read(RK_TEST_BUILD "/none.json", arena, &m, NULL), RK_E_IO);
    rk_arena_free(arena);
}

static void specs_make_maps(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int32_t globals;
    } cases[] = {{"all_local", 0},    {"all_global", 30},   {"random:0:1", 0},
                 {"random:1:1", 30},  {"random:0.5:1", 15}, {"random:0.5:2", 15},
                 {"random:0.2:7", 6}, {"random:0.25:7", 8}};
    rk_arena *arena = arena_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_head_map *m, *again;
        assert_int_equal(rk_head_map_make(cases[i].spec, 5, 6, arena, &m, NULL), RK_OK);
        assert_int_equal(rk_head_map_make(cases[i].spec, 5, 6, arena, &again, NULL), RK_OK);
        assert_int_equal(rk_head_map_globals(m), cases[i].globals);
        assert_memory_equal(m->cls, again->cls, 30);
        assert_string_equal(m->name, cases[i].spec);
        for (int h = 0; h < 30; h++)
            assert_true(m->distance[h] <= 0 && m->sink[h] < 0);
    }
    rk_head_map *one, *two;
    assert_int_equal(rk_head_map_make("random:0.5:1", 5, 6, arena, &one, NULL), RK_OK);
    assert_int_equal(rk_head_map_make("random:0.5:2", 5, 6, arena, &two, NULL), RK_OK);
    assert_true(memcmp(one->cls, two->cls, 30) != 0);
    rk_arena_free(arena);
}

static void bad_specs_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        rk_status status;
    } cases[] = {{"random:0.5", RK_E_USAGE},   {"random:", RK_E_USAGE},
                 {"random:x:1", RK_E_USAGE},   {"random:0.5:x", RK_E_USAGE},
                 {"random:1.1:1", RK_E_USAGE}, {"random:-1:1", RK_E_USAGE},
                 {"random::1", RK_E_USAGE},    {"random:nan:1", RK_E_USAGE},
                 {"randomly", RK_E_IO},        {"", RK_E_IO}};
    rk_arena *arena = arena_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_head_map *m;
        rk_error err = {0};
        assert_int_equal(rk_head_map_make(cases[i].spec, 2, 2, arena, &m, &err), cases[i].status);
        assert_true(strlen(err.text) > 5);
    }
    rk_arena_free(arena);
}

static void maps_are_written_and_read_back(void **state)
{
    (void)state;
    rk_arena *arena = arena_of();
    rk_head_map *m, *back;
    rk_error err = {0};
    for (int said = 0; said < 2; said++) {
        assert_int_equal(rk_head_map_make("random:0.5:3", 4, 3, arena, &m, NULL), RK_OK);
        m->cls[0] = RK_HEAD_RETRIEVAL;
        m->cls[1] = RK_HEAD_DENSE;
        for (int i = 0; i < 12; i++) {
            m->distance[i] = i % 3 ? 100 + i : -1;
            m->sink[i] = said ? i : -1;
        }
        assert_int_equal(rk_head_map_write(m, "{\"needle\":[[0.5]]}", path, &err), RK_OK);
        assert_int_equal(rk_head_map_read(path, arena, &back, &err), RK_OK);
        assert_memory_equal(back->cls, m->cls, 12);
        assert_memory_equal(back->distance, m->distance, 12 * sizeof *m->distance);
        assert_memory_equal(back->sink, m->sink, 12 * sizeof *m->sink);
        remove(path);
    }
    assert_int_equal(rk_head_map_write(m, "{broken", path, &err), RK_E_FORMAT);
    assert_int_equal(rk_head_map_write(m, NULL, RK_TEST_BUILD "/no/such/dir/m.json", &err),
                     RK_E_IO);
    assert_non_null(strstr(err.text, "cannot write"));
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_files_are_read),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(specs_make_maps),
        cmocka_unit_test(bad_specs_are_refused),
        cmocka_unit_test(maps_are_written_and_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
