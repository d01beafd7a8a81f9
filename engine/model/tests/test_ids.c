/* test_ids.c - the growing list. */
#include "tokenizer_fixture.h"

static void a_list_grows_and_ends_empty(void **state)
{
    (void)state;
    rk_ids ids = {0};
    for (int32_t i = 0; i < 10000; i++)
        assert_int_equal(rk_ids_add(&ids, i * 3, NULL), RK_OK);
    assert_int_equal(ids.n, 10000);
    for (int32_t i = 0; i < 10000; i++)
        assert_int_equal(ids.id[i], i * 3);
    rk_ids_free(&ids);
    assert_null(ids.id);
    assert_int_equal(ids.n, 0);
    rk_ids_free(&ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_list_grows_and_ends_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
