/* normalize.c - see normalize.h.
 *
 * NFC takes utf8proc's tables and composition, but not its driver: that one sorts
 * a run of combining marks in quadratic time, which one hostile line exploits.
 * Hugging Face's `tokenizers` (0.23) normalizes by the tables of Unicode 9, so the
 * marks that came later count as starters here as they do there. */
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

/* Marks with a combining class in utf8proc 2.8 (Unicode 15) and none in Unicode 9.
 * Found by asking both libraries about every code point. */
static const int32_t newer_marks[][2] = {
    {0x7fd, 0x7fd},     {0x898, 0x89f},     {0x8ca, 0x8d3},     {0x9fe, 0x9fe},
    {0xc3c, 0xc3c},     {0xd3b, 0xd3c},     {0xeba, 0xeba},     {0x1715, 0x1715},
    {0x1abf, 0x1ace},   {0x1df6, 0x1dfa},   {0xa82c, 0xa82c},   {0x10d24, 0x10d27},
    {0x10eab, 0x10eac}, {0x10efd, 0x10eff}, {0x10f46, 0x10f50}, {0x10f82, 0x10f85},
    {0x11070, 0x11070}, {0x1133b, 0x1133b}, {0x1145e, 0x1145e}, {0x11839, 0x1183a},
    {0x1193d, 0x1193e}, {0x11943, 0x11943}, {0x119e0, 0x119e0}, {0x11a34, 0x11a34},
    {0x11a47, 0x11a47}, {0x11a99, 0x11a99}, {0x11d42, 0x11d42}, {0x11d44, 0x11d45},
    {0x11d97, 0x11d97}, {0x11f41, 0x11f42}, {0x16ff0, 0x16ff1}, {0x1e08f, 0x1e08f},
    {0x1e130, 0x1e136}, {0x1e2ae, 0x1e2ae}, {0x1e2ec, 0x1e2ef}, {0x1e4ec, 0x1e4ef},
};

/* The one canonical composition between Unicode 9 and 15: 11935 11930 -> 11938. */
enum { NEWER_COMPOSITE = 0x11938, NEWER_COMPOSITE_END = 0x11930 };

/* U+11A7 lies just before the first trailing consonant of Hangul and composes with
 * nothing, but utf8proc 2.8 takes it for one and loses it behind a syllable. */
enum { HANGUL_T_BASE = 0x11a7 };

static int is_newer_mark(int32_t code)
{
    size_t low = 0, high = sizeof newer_marks / sizeof *newer_marks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > newer_marks[middle][1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof newer_marks / sizeof *newer_marks && code >= newer_marks[low][0];
}

static int32_t class_of(int32_t code)
{
    int32_t c = utf8proc_get_property(code)->combining_class;
    return c && is_newer_mark(code) ? 0 : c;
}

/* Starters that compose with nothing before or behind them, against what utf8proc
 * thinks: a stretch of its own may begin at each. */
static int stands_alone(int32_t code)
{
    return code == HANGUL_T_BASE || code == NEWER_COMPOSITE_END || is_newer_mark(code);
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
    enum { LONGEST = 4 }; /* canonical decomposition of one character, U+1F82 for one */
    size_t count = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code;
        int boundary = 0;
        i += rk_utf8_next(text + i, n - i, &code);
        RK_TRY(rk_heap_grow((void **)&room->code, &room->codes, count + LONGEST, sizeof *room->code,
                            err));
        if (code == NEWER_COMPOSITE) {
            room->code[count++] = (int32_t)code;
            continue;
        }
        utf8proc_ssize_t length =
            utf8proc_decompose_char((int32_t)code, room->code + count, LONGEST,
                                    UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, &boundary);
        if (length < 0 || length > LONGEST)
            return rk_fail(err, RK_E_FORMAT, "NFC of U+%04X: %s", code,
                           length < 0 ? utf8proc_errmsg(length) : "too long");
        count += (size_t)length;
    }
    *codes = count;
    return RK_OK;
}

/* Composes code[0..n) in place and appends it. */
static rk_status compose_stretch(int32_t *code, size_t n, rk_text *out, rk_error *err)
{
    utf8proc_ssize_t kept =
        utf8proc_normalize_utf32(code, (utf8proc_ssize_t)n, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (kept < 0)
        return rk_fail(err, RK_E_FORMAT, "NFC: %s", utf8proc_errmsg(kept));
    for (utf8proc_ssize_t i = 0; i < kept; i++)
        RK_TRY(rk_text_add_code(out, (uint32_t)code[i], err));
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
    for (size_t start = 0, end; start < codes; start = end) {
        for (end = start + 1; end < codes && !stands_alone(room->code[end]);)
            end++;
        RK_TRY(compose_stretch(room->code + start, end - start, out, err));
    }
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
