/* test_spec_claim.c - claim lines. */
#include "cmocka_all.h"

#include "spec_claim.h"

typedef struct claim_case {
    const char *text;
    const char *metric; /* NULL: refused */
    double value, tolerance;
    int relative, wheres;
    const char *source;
} claim_case;

static const claim_case cases[] = {
    {"ttft @ method=a context=4 = 3.5 +- 10 %  ; Fig. 8", "ttft", 3.5, 0.1, 1, 2, "Fig. 8"},
    {"ttft@method=a=3+-0.5", "ttft", 3, 0.5, 0, 1, ""},
    {"f1 @ = -1e-3 +- 0%", "f1", -1e-3, 0, 1, 0, ""},
    {"f1 @ model=a:b = 1 +- 1 ; one ; two", "f1", 1, 1, 0, 1, "one ; two"},
    {"f1 = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"@ a=b = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"two words @ a=b = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a=b = 3", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a=b = x +- 1", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a=b = 3 +- -1", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a=b = 3 +- nan", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a=b = 3 +- 1 %%", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ =b = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a= = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ ab = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a=b a=c = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"f1 ; @ a=b = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"f1 @ a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1 l=1 m=1 = 3 +- 1", NULL, 0, 0, 0, 0, NULL},
    {"", NULL, 0, 0, 0, 0, NULL},
};

static void claims(void **state)
{
    rk_arena *arena;
    (void)state;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const claim_case *c = &cases[i];
        rk_spec_claim got;
        rk_error err = {0};
        rk_status st = rk_spec_claim_parse(c->text, arena, &got, &err);
        if (!c->metric) {
            if (st != RK_E_USAGE || !err.text[0])
                fail_msg("'%s' was taken", c->text);
            continue;
        }
        if (st != RK_OK)
            fail_msg("'%s': %s", c->text, err.text);
        assert_string_equal(got.metric, c->metric);
        assert_true(got.value == c->value);
        assert_true(got.tolerance == c->tolerance);
        assert_int_equal(got.relative, c->relative);
        assert_int_equal(got.wheres, c->wheres);
        assert_string_equal(got.source, c->source);
        assert_ptr_equal(got.text, c->text);
    }
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
