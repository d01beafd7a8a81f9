/* python_text.c - see python_text.h. Follows CPython's unicodeobject.c: case
 * conversion is by SpecialCasing.txt, of which lower-casing needs two rules. */
#include "python_text.h"

#include <string.h>
#include <utf8proc.h>

enum { REPLACEMENT = 0xfffd, CAPITAL_I_DOT = 0x130, DOT_ABOVE = 0x307, CAPITAL_SIGMA = 0x3a3 };

typedef struct range {
    uint32_t first, last;
} range;

static int in_ranges(const range *r, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c >= r[i].first && c <= r[i].last)
            return 1;
    return 0;
}

/* Bytes of the well-formed sequence at s (n >= 1 left), or minus the length of
 * the maximal invalid part (Unicode 3.9, table 3-7). */
static int sequence(const unsigned char *s, size_t n, uint32_t *c)
{
    unsigned char lead = s[0], low = 0x80, high = 0xbf;
    int more;
    if (lead < 0x80)
        return *c = lead, 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        more = 1, *c = lead & 0x1fu;
    else if ((lead & 0xf0) == 0xe0)
        more = 2, *c = lead & 0x0fu;
    else if (lead >= 0xf0 && lead <= 0xf4)
        more = 3, *c = lead & 0x07u;
    else
        return -1;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f; /* no surrogates */
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    for (int i = 1; i <= more; i++) {
        if ((size_t)i >= n || s[i] < low || s[i] > high)
            return -i;
        *c = *c << 6 | (s[i] & 0x3fu);
        low = 0x80, high = 0xbf;
    }
    return more + 1;
}

rk_status rk_python_text_decode(const char *text, size_t n, rk_arena *arena, rk_code_points *out,
                                rk_error *err)
{
    *out = (rk_code_points){0};
    out->at = rk_arena_take(arena, n, sizeof *out->at, err);
    if (!out->at)
        return RK_E_MEMORY;
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        int bytes = sequence((const unsigned char *)text + i, n - i, &c);
        out->at[out->n++] = bytes > 0 ? c : REPLACEMENT;
        i += (size_t)(bytes > 0 ? bytes : -bytes);
    }
    return RK_OK;
}

char *rk_python_text_encode(const uint32_t *at, size_t n, rk_arena *arena, rk_error *err)
{
    char *text = rk_arena_take(arena, n + 1, 4, err);
    if (!text)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        used +=
            (size_t)utf8proc_encode_char((utf8proc_int32_t)at[i], (utf8proc_uint8_t *)text + used);
    text[used] = '\0';
    return text;
}

/* Derived property Cased: letters with case plus Other_Lowercase and
 * Other_Uppercase. Modifier letters of those lists are left out: they are
 * case-ignorable too and skipped before this is asked. */
static int is_cased(uint32_t c)
{
    static const range other[] = {{0xaa, 0xaa},      {0xba, 0xba},       {0x2160, 0x217f},
                                  {0x24b6, 0x24e9},  {0x1f130, 0x1f149}, {0x1f150, 0x1f169},
                                  {0x1f170, 0x1f189}};
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
        return 1;
    default:
        return in_ranges(other, sizeof other / sizeof *other, c);
    }
}

/* Derived property Case_Ignorable: marks, formats, modifiers, and the word-break
 * classes MidLetter, MidNumLet and Single_Quote. */
static int is_case_ignorable(uint32_t c)
{
    static const range mid[] = {
        {0x27, 0x27},     {0x2e, 0x2e},     {0x3a, 0x3a},     {0xb7, 0xb7},
        {0x387, 0x387},   {0x55f, 0x55f},   {0x5f4, 0x5f4},   {0x2018, 0x2019},
        {0x2024, 0x2024}, {0x2027, 0x2027}, {0xfe13, 0xfe13}, {0xfe52, 0xfe52},
        {0xfe55, 0xfe55}, {0xff07, 0xff07}, {0xff0e, 0xff0e}, {0xff1a, 0xff1a}};
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return 1;
    default:
        return in_ranges(mid, sizeof mid / sizeof *mid, c);
    }
}

/* Unicode 3.13, Final_Sigma: a cased letter before, none after. */
static int is_final_sigma(rk_code_points in, size_t i)
{
    size_t before = i, after = i + 1;
    while (before > 0 && is_case_ignorable(in.at[before - 1]))
        before--;
    if (before == 0 || !is_cased(in.at[before - 1]))
        return 0;
    while (after < in.n && is_case_ignorable(in.at[after]))
        after++;
    return after == in.n || !is_cased(in.at[after]);
}

rk_status rk_python_text_lower(rk_code_points in, rk_arena *arena, rk_code_points *out,
                               rk_error *err)
{
    *out = (rk_code_points){0};
    out->at = rk_arena_take(arena, in.n, 2 * sizeof *out->at, err);
    if (!out->at)
        return RK_E_MEMORY;
    for (size_t i = 0; i < in.n; i++) {
        uint32_t c = in.at[i];
        if (c == CAPITAL_SIGMA)
            c = is_final_sigma(in, i) ? 0x3c2 : 0x3c3;
        else if (c == CAPITAL_I_DOT)
            c = 'i';
        else
            c = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
        out->at[out->n++] = c;
        if (in.at[i] == CAPITAL_I_DOT)
            out->at[out->n++] = DOT_ABOVE;
    }
    return RK_OK;
}

int rk_python_text_is_space(uint32_t c)
{
    /* Bidirectional type WS, B or S, or category Zs; U+001C-1F are in it. */
    static const range space[] = {
        {0x9, 0xd},       {0x1c, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
        {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};
    return in_ranges(space, sizeof space / sizeof *space, c);
}

int rk_python_text_is_word(uint32_t c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return 1;
    default:
        return c == '_';
    }
}
