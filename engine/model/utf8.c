/* utf8.c - see utf8.h. */
#include "model/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Length that a lead byte announces, and the range of its second byte, which is
 * what keeps overlong forms, surrogates and codes past U+10FFFF out
 * (Unicode 3.9, table 3-7). 0: no lead byte. */
static size_t announced(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    if (lead < 0xe0)
        return 2;
    if (lead == 0xe0)
        *low = 0xa0;
    else if (lead == 0xed)
        *high = 0x9f;
    else if (lead == 0xf0)
        *low = 0x90;
    else if (lead == 0xf4)
        *high = 0x8f;
    return lead < 0xf0 ? 3 : 4;
}

size_t rk_utf8_next(const char *text, size_t n, uint32_t *code)
{
    static const unsigned char payload[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *b = (const unsigned char *)text;
    unsigned char low, high;
    size_t length = announced(b[0], &low, &high);
    *code = RK_UTF8_BAD;
    if (length == 0)
        return 1;
    uint32_t value = b[0] & payload[length];
    for (size_t i = 1; i < length; i++) {
        if (i >= n || b[i] < low || b[i] > high)
            return i;
        value = value << 6 | (b[i] & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    *code = value;
    return length;
}

size_t rk_utf8_previous(const char *text, size_t n)
{
    size_t start = n - 1;
    while (start > 0 && ((unsigned char)text[start] & 0xc0) == 0x80)
        start--;
    return start;
}

int rk_utf8_is_space(uint32_t code)
{
    return (code >= 0x09 && code <= 0x0d) || code == 0x20 || code == 0x85 || code == 0xa0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

rk_status rk_text_add(rk_text *t, const char *bytes, size_t n, rk_error *err)
{
    size_t need;
    if (__builtin_add_overflow(t->n, n, &need))
        return rk_fail(err, RK_E_MEMORY, "out of memory: %zu and %zu bytes of text", t->n, n);
    RK_TRY(rk_heap_grow((void **)&t->bytes, &t->capacity, need, 1, err));
    if (n)
        memcpy(t->bytes + t->n, bytes, n);
    t->n = need;
    return RK_OK;
}

rk_status rk_text_add_code(rk_text *t, uint32_t code, rk_error *err)
{
    char b[4];
    size_t n = 1;
    if (code < 0x80) {
        b[0] = (char)code;
    } else if (code < 0x800) {
        b[0] = (char)(0xc0 | code >> 6);
        n = 2;
    } else if (code < 0x10000) {
        b[0] = (char)(0xe0 | code >> 12);
        n = 3;
    } else {
        b[0] = (char)(0xf0 | code >> 18);
        n = 4;
    }
    for (size_t i = 1; i < n; i++)
        b[i] = (char)(0x80 | (code >> 6 * (n - 1 - i) & 0x3f));
    return rk_text_add(t, b, n, err);
}

void rk_text_free(rk_text *t)
{
    free(t->bytes);
    *t = (rk_text){0};
}

const char *rk_text_find(const char *text, size_t n, const char *needle, size_t m)
{
    const char *end = text + n;
    while ((size_t)(end - text) >= m) {
        const char *hit = memchr(text, needle[0], (size_t)(end - text) - m + 1);
        if (!hit || memcmp(hit, needle, m) == 0)
            return hit;
        text = hit + 1;
    }
    return NULL;
}

rk_status rk_utf8_repair(const char **text, size_t *n, rk_text *room, rk_error *err)
{
    const char *from = *text;
    size_t good = 0; /* start of the well-formed stretch not yet copied */
    int broken = 0;
    room->n = 0;
    for (size_t i = 0; i < *n;) {
        uint32_t code;
        size_t length = rk_utf8_next(from + i, *n - i, &code);
        if (code == RK_UTF8_BAD) {
            broken = 1;
            RK_TRY(rk_text_add(room, from + good, i - good, err));
            RK_TRY(rk_text_add_code(room, 0xfffd, err));
            good = i + length;
        }
        i += length;
    }
    if (!broken)
        return RK_OK;
    RK_TRY(rk_text_add(room, from + good, *n - good, err));
    *text = room->bytes;
    *n = room->n;
    return RK_OK;
}
