/* normalize.c - see normalize.h.
 *
 * NFC takes utf8proc's tables and composition, but not its driver: that one sorts
 * a run of combining marks in quadratic time, which one hostile line exploits. */
#include "model/normalize.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/arena.h"

/* Every code point below U+0300 is a starter and its own NFC; that is, text
 * without a byte from 0xCC on is in NFC. */
static int is_surely_nfc(const char *text, size_t n)
{
    int found = 0; /* no early exit: the loop is vectorised */
    for (size_t i = 0; i < n; i++)
        found |= (unsigned char)text[i] >= 0xcc;
    return !found;
}

static int32_t class_of(int32_t code)
{
    return utf8proc_get_property(code)->combining_class;
}

/* Orders code[0..n), all of nonzero combining class, by class and stably. Real
 * text has two or three marks in a run; only longer runs pay for counting. */
static rk_status order_run(int32_t *code, size_t n, rk_error *err)
{
    if (n <= 16) {
        for (size_t i = 1; i < n; i++) {
            int32_t moved = code[i];
            size_t j = i;
            for (; j > 0 && class_of(code[j - 1]) > class_of(moved); j--)
                code[j] = code[j - 1];
            code[j] = moved;
        }
        return RK_OK;
    }
    size_t place[257] = {0};
    int32_t *sorted = rk_heap_take(n, sizeof *sorted, err);
    if (!sorted)
        return RK_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        place[(class_of(code[i]) & 255) + 1]++;
    for (size_t c = 1; c < 257; c++)
        place[c] += place[c - 1];
    for (size_t i = 0; i < n; i++)
        sorted[place[class_of(code[i]) & 255]++] = code[i];
    memcpy(code, sorted, n * sizeof *code);
    free(sorted);
    return RK_OK;
}

static rk_status order_marks(int32_t *code, size_t n, rk_error *err)
{
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && class_of(code[end]) != 0)
            end++;
        if (end - i > 1)
            RK_TRY(order_run(code + i, end - i, err));
        i = end + 1; /* code[end] is a starter */
    }
    return RK_OK;
}

static rk_status decompose(rk_normalize_room *room, const char *text, size_t n, size_t *codes,
                           rk_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code;
        i += rk_utf8_next(text + i, n - i, &code);
        for (;;) {
            size_t free_codes = room->codes - count;
            int boundary = 0;
            utf8proc_ssize_t need = utf8proc_decompose_char(
                (utf8proc_int32_t)code, room->code ? room->code + count : NULL,
                (utf8proc_ssize_t)free_codes, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, &boundary);
            if (need < 0)
                return rk_fail(err, RK_E_FORMAT, "NFC of U+%04X: %s", code, utf8proc_errmsg(need));
            if ((size_t)need <= free_codes) {
                count += (size_t)need;
                break;
            }
            RK_TRY(rk_heap_grow((void **)&room->code, &room->codes, count + (size_t)need,
                                sizeof *room->code, err));
        }
    }
    *codes = count;
    return RK_OK;
}

static rk_status compose(rk_normalize_room *room, const char **text, size_t *n, rk_text *out,
                         rk_error *err)
{
    size_t codes = 0;
    if (is_surely_nfc(*text, *n))
        return RK_OK;
    RK_TRY(decompose(room, *text, *n, &codes, err));
    RK_TRY(order_marks(room->code, codes, err));
    utf8proc_ssize_t kept = utf8proc_normalize_utf32(room->code, (utf8proc_ssize_t)codes,
                                                     UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (kept < 0)
        return rk_fail(err, RK_E_FORMAT, "NFC: %s", utf8proc_errmsg(kept));
    for (utf8proc_ssize_t i = 0; i < kept; i++)
        RK_TRY(rk_text_add_code(out, (uint32_t)room->code[i], err));
    *text = out->bytes;
    *n = out->n;
    return RK_OK;
}

static rk_status prepend(const rk_normalize_step *s, const char **text, size_t *n, rk_text *out,
                         rk_error *err)
{
    if (*n == 0)
        return RK_OK;
    RK_TRY(rk_text_add(out, s->with, s->with_bytes, err));
    RK_TRY(rk_text_add(out, *text, *n, err));
    *text = out->bytes;
    *n = out->n;
    return RK_OK;
}

static rk_status replace(const rk_normalize_step *s, const char **text, size_t *n, rk_text *out,
                         rk_error *err)
{
    size_t copied = 0;
    const char *hit;
    while ((hit = rk_text_find(*text + copied, *n - copied, s->find, s->find_bytes))) {
        RK_TRY(rk_text_add(out, *text + copied, (size_t)(hit - *text) - copied, err));
        RK_TRY(rk_text_add(out, s->with, s->with_bytes, err));
        copied = (size_t)(hit - *text) + s->find_bytes;
    }
    if (copied == 0)
        return RK_OK;
    RK_TRY(rk_text_add(out, *text + copied, *n - copied, err));
    *text = out->bytes;
    *n = out->n;
    return RK_OK;
}

void rk_normalize_room_free(rk_normalize_room *room)
{
    rk_text_free(&room->text[0]);
    rk_text_free(&room->text[1]);
    free(room->code);
    *room = (rk_normalize_room){0};
}

rk_status rk_normalize(const rk_normalizer *z, rk_normalize_room *room, const char **text,
                       size_t *n, rk_error *err)
{
    for (int32_t i = 0; i < z->steps; i++) {
        const rk_normalize_step *s = &z->step[i];
        /* The buffer that the text does not lie in. */
        rk_text *out = &room->text[*text == room->text[0].bytes];
        out->n = 0;
        if (s->kind == RK_NORMALIZE_NFC)
            RK_TRY(compose(room, text, n, out, err));
        else if (s->kind == RK_NORMALIZE_PREPEND)
            RK_TRY(prepend(s, text, n, out, err));
        else
            RK_TRY(replace(s, text, n, out, err));
    }
    return RK_OK;
}
