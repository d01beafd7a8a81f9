/* bench_fixture.h - test kit: an experiment file in a scratch place, read and expanded. */
#ifndef RK_TESTS_BENCH_FIXTURE_H
#define RK_TESTS_BENCH_FIXTURE_H

#include "cmocka_all.h"

#include <unistd.h>

#include "method_executor.h"
#include "spec.h"

#define BENCH_MODEL RK_TEST_DATA "/models/tiny"
#define BENCH_RANDOM RK_TEST_DATA "/fixtures/golden/llama3"
#define BENCH_MUST(call)                                                                           \
    do {                                                                                           \
        if ((call) != RK_OK)                                                                       \
            fail_msg("%s", err.text);                                                              \
    } while (0)

/* `text` as an experiment, in the arena. */
static inline rk_spec *bench_spec(const char *name, const char *text, rk_arena *arena)
{
    char path[512];
    rk_error err = {0};
    rk_spec *spec = rk_arena_take(arena, 1, sizeof *spec, &err);
    snprintf(path, sizeof path, "%s/%s_%ld.exp", RK_TEST_BUILD, name, (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    rk_status st = rk_spec_read(path, NULL, NULL, arena, spec, &err);
    unlink(path);
    if (st != RK_OK)
        fail_msg("%s", err.text);
    return spec;
}

static inline rk_point bench_point(const rk_spec *spec, int64_t index)
{
    rk_point p;
    assert_int_equal(rk_axes_point(spec, index, &p), 1);
    return p;
}

/* The named value of a JSON object's text, as text up to the next , or }; into `out`. */
static inline const char *bench_value(const char *json, const char *key, char out[128])
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *at = strstr(json, wanted);
    if (!at)
        return NULL;
    snprintf(out, 128, "%.*s", (int)strcspn(at + strlen(wanted), ",}"), at + strlen(wanted));
    return out;
}

#endif
