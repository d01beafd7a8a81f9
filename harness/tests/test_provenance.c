/* test_provenance.c - what is told of this process, and what is not. */
#define _GNU_SOURCE
#include "cmocka_all.h"

#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/hash.h"
#include "build_info.h"
#include "provenance.h"

static rk_arena *arena;
static rk_provenance p;

static int setup(void **state)
{
    static char *argv[] = {"/opt/x/redknot",   "run",   "/data/f.exp",
                           "--db=/a/b.sqlite", "--set", "reader.x.path=/home/me/data",
                           "rel/path",         "\xff"};
    rk_error err;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, &err), RK_OK);
    if (rk_provenance_collect(8, argv, arena, &p, &err) != RK_OK)
        fail_msg("%s", err.text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

static void arguments_lose_their_directories(void **state)
{
    (void)state;
    assert_string_equal(p.argv_json, "[\"redknot\",\"run\",\"f.exp\",\"--db=b.sqlite\",\"--set\","
                                     "\"reader.x.path=data\",\"rel/path\",\"?\"]");
}

static void rows_are_objects_with_facts(void **state)
{
    char hash[RK_SHA256_HEX];
    (void)state;
    json_t *host = json_loads(p.host_json, 0, NULL), *build = json_loads(p.build_json, 0, NULL);
    json_t *env = json_loads(p.env_json, 0, NULL);
    assert_true(json_integer_value(json_object_get(host, "n_threads")) >= 1);
    assert_true(json_integer_value(json_object_get(host, "ram_bytes")) > 0);
    assert_int_equal(rk_sha256_file("/proc/self/exe", hash, NULL), RK_OK);
    assert_string_equal(json_string_value(json_object_get(build, "bin_sha256")), hash);
    assert_string_equal(json_string_value(json_object_get(build, "compiler")), RK_BUILD_COMPILER);
    assert_non_null(json_string_value(json_object_get(env, "kernel")));
    json_t *libraries = json_object_get(env, "libraries_json");
    assert_non_null(strstr(json_string_value(json_object_get(libraries, "blas")), "OpenBLAS"));
    assert_true(json_integer_value(json_object_get(libraries, "blas_threads")) >= 1);
    json_decref(host);
    json_decref(build);
    json_decref(env);
}

static void nothing_private(void **state)
{
    char name[256] = "";
    (void)state;
    gethostname(name, sizeof name - 1);
    const char *const texts[] = {p.host_json, p.build_json, p.env_json, p.argv_json};
    for (int i = 0; i < 4; i++) {
        assert_null(strstr(texts[i], "\"/"));
        assert_null(strstr(texts[i], "=/"));
        if (strlen(name) > 3)
            assert_null(strstr(texts[i], name));
    }
}

static void the_same_twice(void **state)
{
    static char *argv[] = {"x"};
    rk_provenance again;
    (void)state;
    assert_int_equal(rk_provenance_collect(1, argv, arena, &again, NULL), RK_OK);
    assert_string_equal(p.host_json, again.host_json);
    assert_string_equal(p.env_json, again.env_json);
    assert_int_equal(p.pid_start_ticks, again.pid_start_ticks);
}

static void the_dead_have_no_start(void **state)
{
    int status;
    (void)state;
    assert_true(rk_provenance_start_ticks(getpid()) > 0);
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    usleep(50000);
    assert_int_equal(rk_provenance_start_ticks(pid), -1); /* a zombie */
    waitpid(pid, &status, 0);
    assert_int_equal(rk_provenance_start_ticks(pid), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_lose_their_directories),
        cmocka_unit_test(rows_are_objects_with_facts), cmocka_unit_test(nothing_private),
        cmocka_unit_test(the_same_twice), cmocka_unit_test(the_dead_have_no_start)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
