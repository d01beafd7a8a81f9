/* test_cmd_profile.c - a measured map of a small model: table, file, reproducible. */
#define _POSIX_C_SOURCE 200809L
#include "cmocka_all.h"

#include "cmd_fixture.h"
#include "cmd_profile.h"
#include "redknot/head_map.h"

#define TINY RK_TEST_DATA "/models/tiny"

typedef struct call {
    char *argv[24];
    int argc;
    rk_status status;
    rk_error err;
} call;

static char out[512];

static void invoke(void *self)
{
    call *c = self;
    c->status = rk_cmd_profile(c->argc, c->argv, &c->err);
}

static char *run(call *c, const char *const *words)
{
    *c = (call){.argv = {"profile"}, .argc = 1};
    for (; *words; words++)
        c->argv[c->argc++] = (char *)*words;
    return cmd_output(invoke, c);
}

#define SHORT                                                                                      \
    TINY, "--context=160", "--contexts=1", "--window=16", "--sink=4", "--rows=4", "--threads=1"

static void map_by_share(void **state)
{
    call c;
    rk_arena *arena;
    rk_head_map *map;
    rk_error err = {0};
    (void)state;
    assert_int_equal(rk_arena_new(&arena, &err), RK_OK);
    char *text = run(&c, (const char *[]){SHORT, "--share=0.25", "--out", out, NULL});
    if (c.status != RK_OK)
        fail_msg("%s", c.err.text);
    assert_non_null(strstr(text, "score (far) by layer and KV head"));
    assert_int_equal(rk_head_map_read(out, arena, &map, &err), RK_OK);
    int32_t heads = map->layers * map->kv_heads;
    assert_int_equal(rk_head_map_globals(map), (heads + 2) / 4);
    for (int32_t i = 0; i < heads; i++)
        if (map->cls[i] == RK_HEAD_LOCAL)
            assert_int_equal(map->distance[i], 16);
    /* the same seed gives the same table */
    char *again = run(&c, (const char *[]){SHORT, "--share=0.25", NULL});
    assert_string_equal(text, again);
    free(text);
    free(again);
    rk_arena_free(arena);
}

static void every_score_gives_a_table(void **state)
{
    static const char *const by[] = {"--by=edge", "--by=needle", "--by=shift", "--by=max"};
    (void)state;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        call c;
        char *text = run(&c, (const char *[]){SHORT, by[i], "--threshold=0", NULL});
        if (c.status != RK_OK)
            fail_msg("%s: %s", by[i], c.err.text);
        assert_non_null(strstr(text, by[i] + 5));
        assert_non_null(strstr(text, "heads are global"));
        free(text);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *words[6];
        rk_status status;
        const char *says;
    } cases[] = {
        {{NULL}, RK_E_USAGE, "expected one MODEL, got 0"},
        {{"a", "b"}, RK_E_USAGE, "expected one MODEL, got 2"},
        {{TINY, "--by", "x"}, RK_E_USAGE, "far|edge|needle|shift|max"},
        {{TINY, "--share", "1.5"}, RK_E_USAGE, "share"},
        {{TINY, "--window", "0"}, RK_E_USAGE, "window"},
        {{TINY, "--set", "tasks"}, RK_E_USAGE, "expected KEY=VALUE"},
        {{TINY, "--set", "task=T1"}, RK_E_USAGE, "did you mean 'tasks'"},
        {{TINY, "--dataset", "rumours"}, RK_E_USAGE, "unknown data set 'rumours'"},
        {{"/no/model"}, RK_E_IO, "/no/model"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call c;
        char *text = run(&c, cases[i].words);
        if (c.status != cases[i].status || !strstr(c.err.text, cases[i].says) || text[0])
            fail_msg("case %zu: %s: %s", i, rk_status_name(c.status), c.err.text);
        free(text);
    }
    call c;
    char *text = run(&c, (const char *[]){"--help", NULL});
    assert_int_equal(c.status, RK_OK);
    assert_non_null(strstr(text, "--threshold"));
    free(text);
}

static int setup(void **state)
{
    (void)state;
    snprintf(out, sizeof out, "%s/cmd_profile_%ld.json", RK_TEST_BUILD, (long)getpid());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(out);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(map_by_share),
                                       cmocka_unit_test(every_score_gives_a_table),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
