/* added_tokens.c - see added_tokens.h.
 *
 * The tokens are sorted by text, so the ones that start with the bytes read so far
 * are a range that each further byte narrows. */
#include "model/added_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/utf8.h"

struct rk_added_tokens {
    rk_added_token *token; /* sorted by text, then by id */
    size_t tokens;
    size_t first[257]; /* token[first[b] .. first[b + 1]) start with byte b */
    rk_regex *word;    /* a word character; NULL unless a token is single_word */
};

static int order(const void *x, const void *y)
{
    const rk_added_token *a = x, *b = y;
    size_t shared = a->bytes < b->bytes ? a->bytes : b->bytes;
    int c = memcmp(a->text, b->text, shared);
    if (c == 0 && a->bytes != b->bytes)
        c = a->bytes < b->bytes ? -1 : 1;
    return c ? c : (a->id > b->id) - (a->id < b->id);
}

static void index_first_bytes(rk_added_tokens *a)
{
    size_t i = 0;
    for (int byte = 0; byte < 256; byte++) {
        a->first[byte] = i;
        while (i < a->tokens && (unsigned char)a->token[i].text[0] == byte)
            i++;
    }
    a->first[256] = i;
}

rk_status rk_added_tokens_new(rk_added_tokens **out, const rk_added_token *token, size_t n,
                              rk_error *err)
{
    /* Word characters of Unicode (UTS 18), what Rust's \w means. */
    static const char word[] = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
    rk_status st = RK_OK;
    int words = 0;
    rk_added_tokens *a = rk_heap_take(1, sizeof *a, err);
    if (!a)
        return RK_E_MEMORY;
    a->token = rk_heap_take(n ? n : 1, sizeof *a->token, err);
    if (!a->token)
        st = RK_E_MEMORY;
    for (size_t i = 0; st == RK_OK && i < n; i++) {
        words |= token[i].single_word;
        if (token[i].bytes)
            a->token[a->tokens++] = token[i];
    }
    if (st == RK_OK && words)
        st = rk_regex_new(&a->word, word, sizeof word - 1, "word characters", err);
    if (st != RK_OK) {
        rk_added_tokens_free(a);
        return st;
    }
    qsort(a->token, a->tokens, sizeof *a->token, order);
    index_first_bytes(a);
    *out = a;
    return RK_OK;
}

void rk_added_tokens_free(rk_added_tokens *a)
{
    if (!a)
        return;
    free(a->token);
    rk_regex_free(a->word);
    free(a);
}

/* The first of token[low..high), which agree in `depth` bytes, whose next byte is
 * at least `byte`. */
static size_t lower(const rk_added_token *token, size_t low, size_t high, size_t depth, int byte)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((unsigned char)token[middle].text[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The longest token at text[0..n), or NULL. */
static const rk_added_token *longest(const rk_added_tokens *a, const char *text, size_t n)
{
    const rk_added_token *found = NULL;
    unsigned char byte = (unsigned char)text[0];
    size_t low = a->first[byte], high = a->first[byte + 1], depth = 1;
    while (low < high) {
        if (a->token[low].bytes == depth) {
            found = &a->token[low];
            while (low < high && a->token[low].bytes == depth)
                low++;
        }
        if (depth == n)
            break;
        byte = (unsigned char)text[depth];
        low = lower(a->token, low, high, depth, byte);
        high = lower(a->token, low, high, depth, byte + 1);
        depth++;
    }
    return found;
}

/* Whether a word character touches text[start..end). */
static rk_status touches_word(const rk_added_tokens *a, rk_regex_match *m, const char *text,
                              size_t n, size_t start, size_t end, int *yes, rk_error *err)
{
    *yes = 0;
    if (start > 0)
        RK_TRY(rk_regex_here(a->word, m, text, start, rk_utf8_previous(text, start), yes, err));
    if (!*yes && end < n)
        RK_TRY(rk_regex_here(a->word, m, text, n, end, yes, err));
    return RK_OK;
}

static size_t strip_left(const char *text, size_t start, size_t low)
{
    while (start > low) {
        uint32_t code;
        size_t before = rk_utf8_previous(text, start);
        rk_utf8_next(text + before, start - before, &code);
        if (!rk_utf8_is_space(code))
            break;
        start = before;
    }
    return start;
}

static size_t strip_right(const char *text, size_t end, size_t n)
{
    while (end < n) {
        uint32_t code;
        size_t length = rk_utf8_next(text + end, n - end, &code);
        if (!rk_utf8_is_space(code))
            break;
        end += length;
    }
    return end;
}

rk_status rk_added_tokens_split(const rk_added_tokens *a, rk_regex_match *m, const char *text,
                                size_t n, int control, rk_stretch_fn stretch, void *context,
                                rk_error *err)
{
    size_t done = 0; /* everything before it has been given */
    for (size_t i = 0; i < n;) {
        const rk_added_token *t = longest(a, text + i, n - i);
        if (!t) {
            i++;
            continue;
        }
        size_t start = i, end = i + t->bytes;
        i = end;
        int word = 0;
        if (t->control && !control)
            continue;
        if (t->single_word)
            RK_TRY(touches_word(a, m, text, n, start, end, &word, err));
        if (word)
            continue;
        if (t->lstrip)
            start = start < done ? done : strip_left(text, start, done);
        if (t->rstrip)
            end = strip_right(text, end, n);
        if (start > done)
            RK_TRY(stretch(context, text, done, start, -1, err));
        RK_TRY(stretch(context, text, start, end, t->id, err));
        done = end;
    }
    return done < n ? stretch(context, text, done, n, -1, err) : RK_OK;
}
