/* test_byte_alphabet.c - the alphabet is a bijection with the known places. */
#include "tokenizer_fixture.h"

#include "model/byte_alphabet.h"

static void letters_are_where_gpt2_has_them(void **state)
{
    (void)state;
    static const struct {
        int byte;
        uint32_t code;
    } rows[] = {{0, 0x100},   {'\n', 0x10a}, {' ', 0x120}, {'!', '!'},    {'~', '~'},
                {127, 0x121}, {128, 0x122},  {160, 0x142}, {161, 161},    {172, 172},
                {173, 0x143}, {174, 174},    {255, 255},   {'\r', 0x10d}, {'\t', 0x109}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rk_byte_alphabet_code((unsigned char)rows[i].byte), rows[i].code);
}

static void every_byte_comes_back(void **state)
{
    (void)state;
    int known = 0;
    for (int b = 0; b < 256; b++)
        assert_int_equal(rk_byte_alphabet_byte(rk_byte_alphabet_code((unsigned char)b)), b);
    for (uint32_t c = 0; c < 0x110000; c++)
        known += rk_byte_alphabet_byte(c) >= 0;
    assert_int_equal(known, 256);
}

static void texts_are_read_or_refused(void **state)
{
    (void)state;
    char out[16];
    assert_int_equal(rk_byte_alphabet_read("\xc4\xa0the", 5, out), 4);
    assert_memory_equal(out, " the", 4);
    assert_int_equal(rk_byte_alphabet_read("", 0, out), 0);
    assert_int_equal(rk_byte_alphabet_read("a b", 3, out), -1);
    assert_int_equal(rk_byte_alphabet_read("\xe2\x96\x81", 3, out), -1);
    assert_int_equal(rk_byte_alphabet_read("\xc4", 1, out), -1);
    assert_int_equal(rk_byte_alphabet_read("\0", 1, out), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_are_where_gpt2_has_them),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(texts_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
