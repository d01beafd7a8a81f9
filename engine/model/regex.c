/* regex.c - see regex.h. */
#include "model/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/utf8.h"

struct rk_regex {
    pcre2_code *code;
};

struct rk_regex_match {
    pcre2_match_data *data;
    pcre2_match_context *context;
};

/* Unicode's White_Space, as the inside of a class. */
#define SPACES                                                                                     \
    "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"       \
    "\\x{3000}"
/* Oniguruma's word characters; PCRE2's own \w lacks marks and connectors. */
#define WORDS "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"

typedef struct translation {
    const char *from;
    size_t n, i; /* i: the next byte to read */
    int in_class;
    rk_text out;
    const char *what;
} translation;

static rk_status refuse(const translation *t, const char *construct, rk_error *err)
{
    return rk_fail(err, RK_E_UNSUPPORTED, "%s: regex '%.*s': %s is not supported (at byte %zu)",
                   t->what, t->n > 200 ? 200 : (int)t->n, t->from, construct, t->i);
}

static rk_status add(translation *t, const char *text, rk_error *err)
{
    return rk_text_add(&t->out, text, strlen(text), err);
}

/* The shorthand classes, inside a class and outside of one. */
static rk_status shorthand(translation *t, char letter, rk_error *err)
{
    if (letter == 's')
        return add(t, t->in_class ? SPACES : "[" SPACES "]", err);
    if (letter == 'w')
        return add(t, t->in_class ? WORDS : "[" WORDS "]", err);
    if (t->in_class)
        return refuse(t, "a negated shorthand inside a class", err);
    return add(t, letter == 'S' ? "[^" SPACES "]" : "[^" WORDS "]", err);
}

/* `\` and what follows; t->i is at the letter. */
static rk_status escape(translation *t, rk_error *err)
{
    if (t->i >= t->n)
        return rk_fail(err, RK_E_FORMAT, "%s: regex ends in a backslash", t->what);
    unsigned char c = (unsigned char)t->from[t->i];
    if (strchr("sSwW", c) && c) {
        RK_TRY(shorthand(t, (char)c, err));
        t->i++;
        return RK_OK;
    }
    int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    /* \p{..} \P{..} \d and the control letters mean the same in both engines; so
     * does \x{..}, while \xHH is a byte in Oniguruma and a code point in PCRE2. */
    int braced = t->i + 1 < t->n && t->from[t->i + 1] == '{';
    int known = strchr("dDrntf", c) != NULL || (strchr("pPx", c) && braced);
    if (!c || c >= 0x80 || (letter && !known) || (c >= '0' && c <= '9')) {
        char name[48];
        snprintf(name, sizeof name, "the escape \\%c", c >= 0x20 && c < 0x7f ? c : '?');
        return refuse(t, name, err);
    }
    RK_TRY(rk_text_add(&t->out, (const char[]){'\\', (char)c}, 2, err));
    t->i++;
    if (letter && braced) {
        const char *end = memchr(t->from + t->i, '}', t->n - t->i);
        if (!end)
            return refuse(t, "an unclosed property", err);
        size_t length = (size_t)(end - (t->from + t->i)) + 1;
        RK_TRY(rk_text_add(&t->out, t->from + t->i, length, err));
        t->i += length;
    }
    return RK_OK;
}

/* `(` and the marks behind it; t->i is behind the parenthesis. */
static rk_status group(translation *t, rk_error *err)
{
    static const char *const known[] = {"?:", "?i:", "?=", "?!", "?<=", "?<!", "?>"};
    if (t->i >= t->n || t->from[t->i] != '?')
        return RK_OK;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t length = strlen(known[k]);
        if (t->n - t->i >= length && memcmp(t->from + t->i, known[k], length) == 0) {
            t->i += length;
            return add(t, known[k], err);
        }
    }
    return refuse(t, "this kind of group", err);
}

/* One construct inside [...]; Ruby's classes nest and intersect, PCRE2's do not. */
static rk_status class_item(translation *t, char c, rk_error *err)
{
    if (c == '[')
        return refuse(t, "a class inside a class", err);
    if (c == '&' && t->i < t->n && t->from[t->i] == '&')
        return refuse(t, "an intersection of classes", err);
    if (c == ']')
        t->in_class = 0;
    return rk_text_add(&t->out, &c, 1, err);
}

static rk_status plain_item(translation *t, char c, rk_error *err)
{
    if (c == '^' || c == '$') /* line anchors in Ruby, text anchors in PCRE2 */
        return refuse(t, "an anchor", err);
    /* In Ruby a{2}+ repeats the repeat, in PCRE2 it is possessive. */
    if (c == '}' && t->i < t->n && strchr("+?", t->from[t->i]) && t->from[t->i])
        return refuse(t, "a quantifier behind {n,m}", err);
    if (c == '{' && t->i < t->n && t->from[t->i] == ',') /* literal in PCRE2 */
        return refuse(t, "a repeat without a lower bound", err);
    RK_TRY(rk_text_add(&t->out, &c, 1, err));
    if (c == '(')
        return group(t, err);
    if (c == '[') {
        t->in_class = 1;
        if (t->i < t->n && t->from[t->i] == '^') {
            t->i++;
            RK_TRY(rk_text_add(&t->out, "^", 1, err));
        }
        if (t->i < t->n && t->from[t->i] == ']')
            return refuse(t, "a class that starts with ]", err);
    }
    return RK_OK;
}

static rk_status translate(translation *t, rk_error *err)
{
    while (t->i < t->n) {
        char c = t->from[t->i++];
        if (c == '\\')
            RK_TRY(escape(t, err));
        else
            RK_TRY(t->in_class ? class_item(t, c, err) : plain_item(t, c, err));
    }
    return RK_OK;
}

/* \n alone ends a line, whatever the library was built with. */
static rk_status compile(rk_regex *r, const translation *t, rk_error *err)
{
    int code;
    PCRE2_SIZE at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context)
        return rk_fail(err, RK_E_MEMORY, "out of memory: a PCRE2 context");
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    r->code = pcre2_compile((PCRE2_SPTR)t->out.bytes, t->out.n, PCRE2_UTF | PCRE2_UCP, &code, &at,
                            context);
    pcre2_compile_context_free(context);
    if (!r->code) {
        PCRE2_UCHAR text[160];
        pcre2_get_error_message(code, text, sizeof text);
        return rk_fail(err, RK_E_FORMAT, "%s: regex '%.*s': %s (near byte %zu)", t->what,
                       t->n > 200 ? 200 : (int)t->n, t->from, (const char *)text, (size_t)at);
    }
    /* Without a just-in-time compiler the interpreter finds the same matches. */
    (void)pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE);
    return RK_OK;
}

rk_status rk_regex_new(rk_regex **out, const char *pattern, size_t n, const char *what,
                       rk_error *err)
{
    translation t = {.from = pattern, .n = n, .what = what};
    rk_regex *r = rk_heap_take(1, sizeof *r, err);
    rk_status st = r ? RK_OK : RK_E_MEMORY;
    if (st == RK_OK)
        st = rk_text_add(&t.out, "", 0, err);
    if (st == RK_OK)
        st = translate(&t, err);
    if (st == RK_OK)
        st = compile(r, &t, err);
    rk_text_free(&t.out);
    if (st != RK_OK)
        rk_regex_free(r);
    else
        *out = r;
    return st;
}

void rk_regex_free(rk_regex *r)
{
    if (!r)
        return;
    pcre2_code_free(r->code);
    free(r);
}

rk_status rk_regex_match_new(rk_regex_match **out, rk_error *err)
{
    rk_regex_match *m = rk_heap_take(1, sizeof *m, err);
    if (!m)
        return RK_E_MEMORY;
    m->data = pcre2_match_data_create(1, NULL);
    m->context = pcre2_match_context_create(NULL);
    if (!m->data || !m->context) {
        rk_regex_match_free(m);
        return rk_fail(err, RK_E_MEMORY, "out of memory: PCRE2 match data");
    }
    *out = m;
    return RK_OK;
}

void rk_regex_match_free(rk_regex_match *m)
{
    if (!m)
        return;
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    free(m);
}

/* PCRE2's own limit (10 million steps) is below what one run of blanks of 10 MB
 * takes. The families' patterns take a small multiple of the text's length, so
 * the limit grows with it and still ends a pattern that backtracks without end. */
static void set_limits(rk_regex_match *m, size_t n)
{
    size_t steps = 10000000 + 64 * (n < UINT32_MAX / 128 ? n : UINT32_MAX / 128);
    pcre2_set_match_limit(m->context, (uint32_t)steps);
    pcre2_set_depth_limit(m->context, (uint32_t)steps);
    pcre2_set_heap_limit(m->context, 1u << 20); /* KiB: 1 GiB */
}

static rk_status run(const rk_regex *r, rk_regex_match *m, const char *text, size_t n, size_t from,
                     uint32_t flags, int *found, rk_error *err)
{
    /* The text was checked once; checking it again from `from` on at every match
     * would take quadratic time. */
    flags |= PCRE2_NO_UTF_CHECK;
    set_limits(m, n);
    int rc = pcre2_match(r->code, (PCRE2_SPTR)text, n, from, flags, m->data, m->context);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(r->code, (PCRE2_SPTR)text, n, from, flags | PCRE2_NO_JIT, m->data,
                         m->context);
    *found = rc >= 0;
    if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH)
        return RK_OK;
    PCRE2_UCHAR reason[160];
    pcre2_get_error_message(rc, reason, sizeof reason);
    return rk_fail(err, RK_E_BUDGET, "splitting regex at byte %zu of %zu: %s", from, n,
                   (const char *)reason);
}

rk_status rk_regex_find(const rk_regex *r, rk_regex_match *m, const char *text, size_t n,
                        size_t from, size_t *start, size_t *end, rk_error *err)
{
    int found;
    RK_TRY(run(r, m, text, n, from, 0, &found, err));
    const PCRE2_SIZE *place = pcre2_get_ovector_pointer(m->data);
    *start = found ? place[0] : n + 1;
    *end = found ? place[1] : n + 1;
    return RK_OK;
}

rk_status rk_regex_here(const rk_regex *r, rk_regex_match *m, const char *text, size_t n, size_t at,
                        int *yes, rk_error *err)
{
    return run(r, m, text, n, at, PCRE2_ANCHORED, yes, err);
}
