/* reports_parser.h - reads the reports as a person would and answers from them.
 *
 * Written from the sentences alone (README of data/models/tiny), sharing nothing
 * with the generator: no lexicon, no list of facts. Text goes in, every sentence
 * must be of a known form, and questions are answered by following what was said.
 * Static functions, so that the tests stay one source file each. */
#ifndef RK_DATA_TESTS_REPORTS_PARSER_H
#define RK_DATA_TESTS_REPORTS_PARSER_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PARSER_WORD = 24, PARSER_SENTENCES = 4096, PARSER_SLOTS = 5 };

/* '*' stands for one word, '#' for three digits. */
static const char *const parser_forms[] = {
    "* lives in *.",
    "The code of * is #.",
    "* owns a * *.",
    "* works for *.",
    "* is based in *.",
    "Box * holds the *.",
    "Box * holds the same thing as box *.",
    "From now on * means *.",
    "The door of * is *.",
    "The * * * the * *.",
    "The * was * and *.",
    "* talked to * about the *.",
    "* * the * * *.",
    "It was a * * near the *.",
    "* was not at the * every day.",
};

enum parser_form {
    FORM_LIVES,
    FORM_CODE,
    FORM_OWNS,
    FORM_WORKS,
    FORM_BASED,
    FORM_BOX,
    FORM_LINK,
    FORM_MEANS,
    FORM_DOOR,
    FORM_FILLER1,
    FORM_FILLER6 = FORM_FILLER1 + 5,
    FORMS
};

typedef struct parsed_sentence {
    enum parser_form form;
    int document;
    char word[PARSER_SLOTS][PARSER_WORD];
} parsed_sentence;

typedef struct parsed_reports {
    parsed_sentence sentence[PARSER_SENTENCES];
    int n, documents;
} parsed_reports;

/* Matches text (up to `n` bytes, whole) against a form; 1 when it fits. */
static inline int parser_match(const char *form, const char *text, size_t n,
                               char word[][PARSER_WORD])
{
    size_t i = 0;
    int slot = 0;
    for (; *form; form++) {
        if (*form != '*' && *form != '#') {
            if (i >= n || text[i++] != *form)
                return 0;
            continue;
        }
        size_t start = i;
        if (*form == '#')
            while (i < n && i < start + 3 && isdigit((unsigned char)text[i]))
                i++;
        else
            while (i < n && isalpha((unsigned char)text[i]))
                i++;
        if (i == start || i - start >= PARSER_WORD || (*form == '#' && i != start + 3))
            return 0;
        memcpy(word[slot], text + start, i - start);
        word[slot++][i - start] = '\0';
    }
    return i == n;
}

/* Adds one document, "Report 47: A. B.\n"; 0 when any of it is not understood. */
static inline int parser_add(parsed_reports *p, const char *text)
{
    size_t n = strlen(text);
    if (n < 13 || strncmp(text, "Report ", 7) || !isdigit((unsigned char)text[7]) ||
        !isdigit((unsigned char)text[8]) || text[9] != ':' || text[n - 1] != '\n')
        return 0;
    for (const char *at = text + 10, *end = text + n - 1; at < end;) {
        const char *stop = memchr(at, '.', (size_t)(end - at));
        if (!stop || *at != ' ' || p->n == PARSER_SENTENCES)
            return 0;
        at++;
        parsed_sentence *s = &p->sentence[p->n++];
        int form = FORMS, fits = 0;
        for (int f = 0; f < FORMS; f++) {
            char word[PARSER_SLOTS][PARSER_WORD] = {{0}};
            if (!parser_match(parser_forms[f], at, (size_t)(stop + 1 - at), word))
                continue;
            fits++;
            form = f;
            memcpy(s->word, word, sizeof word);
        }
        if (fits != 1)
            return 0; /* unknown or ambiguous */
        s->form = (enum parser_form)form;
        s->document = p->documents;
        at = stop + 1;
    }
    p->documents++;
    return 1;
}

/* The last sentence of a form about `key` before sentence `before`; NULL: none. */
static inline const parsed_sentence *parser_find(const parsed_reports *p, enum parser_form form,
                                                 const char *key, int before)
{
    for (int i = before - 1; i >= 0; i--)
        if (p->sentence[i].form == form && !strcmp(p->sentence[i].word[0], key))
            return &p->sentence[i];
    return NULL;
}

/* What a box holds: its item, or what the box it is likened to holds. `hops`
 * counts the likenings. */
static inline const char *parser_box(const parsed_reports *p, const char *label, int *hops)
{
    for (*hops = 0; *hops < 100; ++*hops) {
        const parsed_sentence *s = parser_find(p, FORM_BOX, label, p->n);
        const parsed_sentence *link = parser_find(p, FORM_LINK, label, p->n);
        if (s)
            return s->word[1];
        if (!link)
            return NULL;
        label = link->word[1];
    }
    return NULL;
}

/* Writes the answer to `out`; *hops as above (0 for other questions). 0 when the
 * question is not understood or the reports do not say. */
static inline int parser_answer(const parsed_reports *p, const char *question, char *out,
                                size_t size, int *hops)
{
    char w[PARSER_SLOTS][PARSER_WORD] = {{0}};
    size_t n = strlen(question);
    const parsed_sentence *s, *t;
    const char *item;
    *hops = 0;
    if (parser_match("Where does * live?", question, n, w)) {
        s = parser_find(p, FORM_LIVES, w[0], p->n);
        return s && snprintf(out, size, " %s", s->word[1]) > 0;
    }
    if (parser_match("What is the code of *?", question, n, w)) {
        s = parser_find(p, FORM_CODE, w[0], p->n);
        return s && snprintf(out, size, " %s", s->word[1]) > 0;
    }
    if (parser_match("What does * own and where does * live?", question, n, w)) {
        s = parser_find(p, FORM_OWNS, w[0], p->n);
        t = parser_find(p, FORM_LIVES, w[1], p->n);
        return s && t && !strcmp(w[0], w[1]) &&
               snprintf(out, size, " %s %s and %s", s->word[1], s->word[2], t->word[1]) > 0;
    }
    if (parser_match("What does box * hold?", question, n, w)) {
        item = parser_box(p, w[0], hops);
        return item && snprintf(out, size, " %s", item) > 0;
    }
    if (parser_match("In which city is the employer of * based?", question, n, w)) {
        s = parser_find(p, FORM_WORKS, w[0], p->n);
        t = s ? parser_find(p, FORM_BASED, s->word[1], p->n) : NULL;
        return t && snprintf(out, size, " %s", t->word[1]) > 0;
    }
    if (parser_match("What does * mean?", question, n, w)) {
        s = parser_find(p, FORM_MEANS, w[0], p->n);
        return s && snprintf(out, size, " %s", s->word[1]) > 0;
    }
    if (parser_match("What colour is the door of *?", question, n, w)) {
        s = parser_find(p, FORM_DOOR, w[0], p->n);
        t = s ? parser_find(p, FORM_MEANS, s->word[1], (int)(s - p->sentence)) : NULL;
        return t && snprintf(out, size, " %s", t->word[1]) > 0;
    }
    return 0;
}

#endif
