/* normalize_answer.c - see normalize_answer.h. The order of the steps matters:
 * "l'a b" loses its "a" only while the apostrophe is still there. */
#include "normalize_answer.h"

#include <string.h>

#include "python_text.h"

static int is_ascii_punctuation(uint32_t c)
{
    return (c >= 0x21 && c <= 0x2f) || (c >= 0x3a && c <= 0x40) || (c >= 0x5b && c <= 0x60) ||
           (c >= 0x7b && c <= 0x7e);
}

static int is_quote(uint32_t c)
{
    return c == 0x2018 || c == 0x2019 || c == 0xb4;
}

static void drop_punctuation(rk_code_points *text, rk_normal_form form)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->n; i++) {
        uint32_t c = text->at[i];
        if (form == RK_NORMAL_TRIVIAQA)
            text->at[kept++] = is_ascii_punctuation(c) || is_quote(c) ? ' ' : c;
        else if (!is_ascii_punctuation(c))
            text->at[kept++] = c;
    }
    text->n = kept;
}

static int is_article(const uint32_t *c, size_t n)
{
    return (n == 1 && c[0] == 'a') || (n == 2 && c[0] == 'a' && c[1] == 'n') ||
           (n == 3 && c[0] == 't' && c[1] == 'h' && c[2] == 'e');
}

/* \b(a|an|the)\b matches exactly the maximal runs of word characters that spell
 * an article; its blank may be written over the run's own letters because runs
 * of blanks collapse later. */
static void blank_articles(rk_code_points *text)
{
    for (size_t i = 0; i < text->n;) {
        size_t end = i;
        while (end < text->n && rk_python_text_is_word(text->at[end]))
            end++;
        if (is_article(text->at + i, end - i))
            for (size_t k = i; k < end; k++)
                text->at[k] = ' ';
        i = end + (end == i);
    }
}

static rk_status split_words(rk_code_points text, rk_arena *arena, rk_normal_answer *out,
                             rk_error *err)
{
    const char **word = rk_arena_take(arena, text.n / 2 + 1, sizeof *word, err);
    uint32_t *joined = rk_arena_take(arena, text.n + 1, sizeof *joined, err);
    size_t n = 0;
    if (!word || !joined)
        return RK_E_MEMORY;
    *out = (rk_normal_answer){.word = word};
    for (size_t i = 0; i < text.n;) {
        size_t end = i;
        while (end < text.n && !rk_python_text_is_space(text.at[end]))
            end++;
        if (end > i) {
            if (n)
                joined[n++] = ' ';
            memcpy(joined + n, text.at + i, (end - i) * sizeof *joined);
            n += end - i;
            word[out->words] = rk_python_text_encode(text.at + i, end - i, arena, err);
            if (!word[out->words++])
                return RK_E_MEMORY;
        }
        i = end + 1;
    }
    out->text = rk_python_text_encode(joined, n, arena, err);
    return out->text ? RK_OK : RK_E_MEMORY;
}

rk_status rk_normalize_answer(const char *answer, rk_normal_form form, rk_arena *arena,
                              rk_normal_answer *out, rk_error *err)
{
    rk_code_points raw, text;
    RK_TRY(rk_python_text_decode(answer, strlen(answer), arena, &raw, err));
    RK_TRY(rk_python_text_lower(raw, arena, &text, err));
    drop_punctuation(&text, form);
    blank_articles(&text);
    return split_words(text, arena, out, err);
}
