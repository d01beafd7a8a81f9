/* test_resolve.c - rules on the host: the shared table, even spacing, domains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/resolve.h"
#include "op_cases.h"

static void rules_keep_their_contract(void **state)
{
    (void)state;
    op_run(op_cases_select);
}

static rk_segment chunk[] = {{NULL, 5, 2}, {NULL, 1, 7}, {NULL, 4, 8}};
static const rk_request request = {
    .prefix = {NULL, 2, 0}, .chunk = chunk, .chunks = 3, .question = {NULL, 2, 12}, .tokens = 14};

static void positions_have_domains(void **state)
{
    (void)state;
    static const int32_t owner[14] = {-1, -1, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, -1, -1};
    for (int32_t pos = 0; pos < 14; pos++) {
        int32_t of = 99, domain = rk_request_domain(&request, pos, &of);
        assert_int_equal(of, owner[pos]);
        assert_int_equal(domain, pos < 2    ? RK_DOMAIN_PREFIX
                                 : pos < 12 ? RK_DOMAIN_CHUNKS
                                            : RK_DOMAIN_QUESTION);
    }
    static const rk_request bare = {.question = {NULL, 3, 0}, .tokens = 3};
    int32_t of;
    assert_int_equal(rk_request_domain(&bare, 0, &of), RK_DOMAIN_QUESTION);
    assert_int_equal(of, -1);
}

/* Without values a scored rule takes evenly spaced tokens: the size of the set is right. */
static void picks_are_evenly_spaced(void **state)
{
    (void)state;
    static const struct {
        rk_select_kind kind;
        double amount;
        const char *rows; /* of positions 2..11 */
    } cases[] = {
        {RK_SELECT_TOP_COUNT, 5, "cegik"},
        {RK_SELECT_TOP_COUNT, 1, "c"},
        {RK_SELECT_TOP_COUNT, 3, "cfi"},
        {RK_SELECT_TOP_COUNT, 0, ""},
        {RK_SELECT_TOP_COUNT, 50, "cdefghijkl"},
        {RK_SELECT_TOP_MASS, 0.2, "ch"},
        {RK_SELECT_TOP_MASS, 1, "cdefghijkl"},
        {RK_SELECT_TOP_MASS, 0.25, "cfi"},
        {RK_SELECT_TOP_MASS, 0, ""},
    };
    int32_t pos[14], row[14], count;
    for (int32_t i = 0; i < 14; i++)
        pos[i] = i;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rk_select rule = {.kind = cases[c].kind,
                          .signal = RK_SIGNAL_KV_DRIFT,
                          .amount = cases[c].amount,
                          .domain = RK_DOMAIN_CHUNKS};
        rk_select_input in = {.rule = &rule, .request = &request, .pos = pos, .n = 14};
        assert_int_equal(rk_select_resolve(&in, 0, row, &count, NULL), RK_OK);
        char text[15] = "";
        for (int32_t i = 0; i < count; i++)
            text[i] = (char)('a' + row[i]);
        assert_string_equal(text, cases[c].rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_keep_their_contract),
        cmocka_unit_test(positions_have_domains),
        cmocka_unit_test(picks_are_evenly_spaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
