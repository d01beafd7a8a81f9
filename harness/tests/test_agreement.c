/* test_agreement.c - values by hand; ties go to the lower id. */
#include "cmocka_all.h"

#include <math.h>

#include "agreement.h"

static void near(double got, double expected)
{
    if (fabs(got - expected) > 1e-12)
        fail_msg("%.15g, expected %.15g", got, expected);
}

static void best_tokens(void **state)
{
    static const float a[] = {1, 5, 5, 2, 0}, b[] = {1, 4, 9, 3, 0}, tie[] = {7, 7, 7, 7, 7};
    (void)state;
    near(rk_top1_agreement(a, b, 5), 0); /* 1 (of the equal 1 and 2) against 2 */
    near(rk_top1_agreement(b, b, 5), 1);
    near(rk_top1_agreement(tie, tie, 5), 1);
    near(rk_top_agreement(a, b, 5, 2), 1);     /* {1,2} both */
    near(rk_top_agreement(tie, b, 5, 2), 0.5); /* {0,1} against {2,1} */
    near(rk_top_agreement(tie, b, 5, 3), 2.0 / 3);
    near(rk_top_agreement(a, b, 5, 5), 1);
    static const float up[] = {1, 2, 3, 4, 5}, down[] = {5, 4, 3, 2, 1};
    near(rk_top_agreement(up, down, 5, 3), 1.0 / 3);
    near(rk_top_agreement(up, down, 5, 2), 0);
}

static void cosine(void **state)
{
    static const float x[] = {3, 4}, y[] = {4, 3}, z[] = {-3, -4}, o[] = {0, 0}, s[] = {30, 40};
    (void)state;
    near(rk_logit_cosine(x, y, 2), 24.0 / 25);
    near(rk_logit_cosine(x, z, 2), -1);
    near(rk_logit_cosine(x, s, 2), 1);
    near(rk_logit_cosine(x, o, 2), 0);
}

static void divergence(void **state)
{
    (void)state;
    /* reference (1/2, 1/2), method (1/4, 3/4) */
    float even[] = {0, 0}, skew[] = {0, logf(3)};
    double expected = 0.5 * log(0.5 / 0.25) + 0.5 * log(0.5 / 0.75);
    assert_true(fabs(rk_logit_kl(skew, even, 2) - expected) < 1e-7);
    /* not symmetric: KL(skew || even) */
    double other = 0.25 * log(0.25 / 0.5) + 0.75 * log(0.75 / 0.5);
    assert_true(fabs(rk_logit_kl(even, skew, 2) - other) < 1e-7);
    assert_true(fabs(expected - other) > 1e-3);
    near(rk_logit_kl(skew, skew, 2), 0);
    /* a shift of all logits is no difference, nor do large ones overflow */
    float high[] = {3e4f, 3e4f}, far[] = {0, 1e4f};
    near(rk_logit_kl(high, even, 2), 0);
    assert_true(fabs(rk_logit_kl(far, even, 2) - (5000 - log(2))) < 1e-6);
}

static void nothing_given(void **state)
{
    static const float x[] = {1, 2};
    (void)state;
    near(rk_top1_agreement(NULL, x, 2), 0);
    near(rk_top_agreement(x, NULL, 2, 2), 0);
    near(rk_top_agreement(x, x, 2, 65), 0);
    near(rk_logit_cosine(NULL, x, 2), 0);
    near(rk_logit_kl(x, NULL, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(best_tokens), cmocka_unit_test(cosine),
                                       cmocka_unit_test(divergence),
                                       cmocka_unit_test(nothing_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
