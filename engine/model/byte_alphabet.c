/* byte_alphabet.c - see byte_alphabet.h. */
#include "model/byte_alphabet.h"

#include "model/utf8.h"

static int is_itself(uint32_t byte)
{
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) ||
           (byte >= 174 && byte <= 255);
}

/* The bytes that do not stand for themselves are three stretches: 0-32,
 * 127-160 and 173, which is where the offsets below come from. */
uint32_t rk_byte_alphabet_code(unsigned char byte)
{
    if (is_itself(byte))
        return byte;
    if (byte <= 32)
        return 0x100u + byte;
    return byte == 173 ? 0x100u + 67 : 0x100u + 33 + (byte - 127u);
}

int32_t rk_byte_alphabet_byte(uint32_t code)
{
    if (code < 256)
        return is_itself(code) ? (int32_t)code : -1;
    uint32_t rest = code - 0x100u;
    if (rest <= 32)
        return (int32_t)rest;
    if (rest <= 66)
        return (int32_t)(rest - 33 + 127);
    return rest == 67 ? 173 : -1;
}

int64_t rk_byte_alphabet_read(const char *text, size_t n, char *out)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code;
        i += rk_utf8_next(text + i, n - i, &code);
        int32_t byte = code == RK_UTF8_BAD ? -1 : rk_byte_alphabet_byte(code);
        if (byte < 0)
            return -1;
        out[bytes++] = (char)byte;
    }
    return bytes;
}
