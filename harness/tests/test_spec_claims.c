/* test_spec_claims.c - [claim] lines of experiment files, by name, path and all. */
#include "cmocka_all.h"

#include <unistd.h>

#include "spec_claims.h"

static rk_arena *arena;

static rk_status read_claims(const char *experiment, const rk_claim_input **claim, int64_t *n,
                             rk_error *err)
{
    rk_claim_source source = rk_spec_claim_source();
    return source.claims(source.self, experiment, arena, claim, n, err);
}

static void one_file(void **state)
{
    char path[512];
    const rk_claim_input *claim;
    int64_t n;
    rk_error err = {0};
    (void)state;
    snprintf(path, sizeof path, "%s/spec_claims_%ld.exp", RK_TEST_BUILD, (long)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("[experiment]\ntitle = t\n[axes]\nmodel = tiny\ndataset = reports\n"
          "context = 1K, 2K\nmethod = dense, epic, redknot\n[claim]\n"
          "ttft_speedup @ context=1K method=redknot = 1.5 +- 10 %  ; figure 1\n"
          "f1_delta @ method=redknot vs=epic = 0.25 +- 0.1  ; table 2\n",
          f);
    fclose(f);
    rk_status st = read_claims(path, &claim, &n, &err);
    unlink(path);
    if (st != RK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(n, 2);
    assert_string_equal(claim[0].metric, "ttft_speedup");
    assert_string_equal(claim[0].where, "context=1024 method=redknot");
    assert_true(claim[0].value == 1.5 && claim[0].relative && claim[0].tolerance == 0.1);
    assert_string_equal(claim[0].source, "figure 1");
    assert_non_null(strstr(claim[0].experiment, "spec_claims_"));
    assert_string_equal(claim[1].where, "method=redknot vs=epic");
    assert_true(claim[1].value == 0.25 && !claim[1].relative && claim[1].tolerance == 0.1);
}

static void by_name_and_all(void **state)
{
    const rk_claim_input *one, *all;
    int64_t n, every;
    rk_error err = {0};
    (void)state;
    assert_int_equal(read_claims("fig08_quality_ttft", &one, &n, &err), RK_OK);
    assert_true(n >= 9);
    for (int64_t i = 0; i < n; i++) {
        assert_string_equal(one[i].experiment, "fig08_quality_ttft");
        assert_true(one[i].where[0] && one[i].source[0]);
    }
    assert_int_equal(read_claims(NULL, &all, &every, &err), RK_OK);
    assert_true(every >= n);
}

static void refusals(void **state)
{
    const rk_claim_input *claim;
    int64_t n;
    rk_error err = {0};
    (void)state;
    assert_int_equal(read_claims("fig08_quality_tft", &claim, &n, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'fig08_quality_ttft'"));
    assert_int_equal(read_claims("/no/such.exp", &claim, &n, &err), RK_E_USAGE);
    assert_int_equal(n, 0);
}

static int setup(void **state)
{
    (void)state;
    return rk_arena_new(&arena, NULL) == RK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_file), cmocka_unit_test(by_name_and_all), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
