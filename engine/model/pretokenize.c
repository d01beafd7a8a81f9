/* pretokenize.c - see pretokenize.h. */
#include "model/pretokenize.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

typedef struct span {
    size_t start, end;
    int is_match;
} span;

/* One level a step: a step is never entered again before it has returned, so its
 * spans and its text hold while the steps behind it run. */
struct rk_pretokenize_room {
    rk_regex_match *match;
    struct {
        span *span;
        size_t spans, capacity;
        rk_text text;
    } level[RK_PRETOKENIZE_STEPS];
};

typedef struct run {
    const rk_pretokenizer *p;
    rk_pretokenize_room *room;
    rk_piece_fn piece;
    void *context;
} run;

void rk_pretokenizer_free(rk_pretokenizer *p)
{
    for (int32_t i = 0; i < p->steps; i++)
        rk_regex_free(p->step[i].regex);
    *p = (rk_pretokenizer){0};
}

rk_status rk_pretokenizer_add(rk_pretokenizer *p, rk_pretokenize_step **out, const char *what,
                              rk_error *err)
{
    if (p->steps == RK_PRETOKENIZE_STEPS)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: expected at most %d pre-tokenizer steps", what,
                       RK_PRETOKENIZE_STEPS);
    *out = &p->step[p->steps++];
    **out = (rk_pretokenize_step){0};
    return RK_OK;
}

rk_status rk_pretokenizer_add_regex(rk_pretokenizer *p, const char *pattern, size_t n,
                                    const char *what, rk_error *err)
{
    rk_pretokenize_step *s = NULL;
    RK_TRY(rk_pretokenizer_add(p, &s, what, err));
    s->kind = RK_PRETOKENIZE_REGEX;
    return rk_regex_new(&s->regex, pattern, n, what, err);
}

rk_status rk_pretokenize_room_new(rk_pretokenize_room **out, rk_error *err)
{
    rk_pretokenize_room *room = rk_heap_take(1, sizeof *room, err);
    if (!room)
        return RK_E_MEMORY;
    rk_status st = rk_regex_match_new(&room->match, err);
    if (st != RK_OK)
        rk_pretokenize_room_free(room);
    else
        *out = room;
    return st;
}

void rk_pretokenize_room_free(rk_pretokenize_room *room)
{
    if (!room)
        return;
    for (int32_t i = 0; i < RK_PRETOKENIZE_STEPS; i++) {
        free(room->level[i].span);
        rk_text_free(&room->level[i].text);
    }
    rk_regex_match_free(room->match);
    free(room);
}

rk_regex_match *rk_pretokenize_room_match(const rk_pretokenize_room *room)
{
    return room->match;
}

static rk_status add_span(const run *r, int32_t level, size_t start, size_t end, int is_match,
                          rk_error *err)
{
    RK_TRY(rk_heap_grow((void **)&r->room->level[level].span, &r->room->level[level].capacity,
                        r->room->level[level].spans + 1, sizeof(span), err));
    r->room->level[level].span[r->room->level[level].spans++] = (span){start, end, is_match};
    return RK_OK;
}

/* The next match at or behind `from`; *start > n when there is none. */
static rk_status next_match(const run *r, const rk_pretokenize_step *s, const char *text, size_t n,
                            size_t from, size_t *start, size_t *end, rk_error *err)
{
    if (s->kind == RK_PRETOKENIZE_REGEX)
        return rk_regex_find(s->regex, r->room->match, text, n, from, start, end, err);
    const char *hit = rk_text_find(text + from, n - from, s->text, s->bytes);
    *start = hit ? (size_t)(hit - text) : n + 1;
    *end = hit ? *start + s->bytes : n + 1;
    return RK_OK;
}

/* Matches and what lies between them, in order. An empty match splits the text
 * where it stands, save directly behind the match before it. */
static rk_status find_spans(const run *r, int32_t level, const char *text, size_t n, rk_error *err)
{
    const rk_pretokenize_step *s = &r->p->step[level];
    size_t done = 0, from = 0, last_end = n + 1;
    r->room->level[level].spans = 0;
    while (from <= n) {
        size_t start, end;
        RK_TRY(next_match(r, s, text, n, from, &start, &end, err));
        if (start > n)
            break;
        from = end;
        if (start == end) {
            uint32_t code;
            from += end < n ? rk_utf8_next(text + end, n - end, &code) : 1;
            if (start == last_end)
                continue;
        }
        if (done != start)
            RK_TRY(add_span(r, level, done, start, s->invert, err));
        RK_TRY(add_span(r, level, start, end, !s->invert, err));
        done = last_end = end;
    }
    return done != n ? add_span(r, level, done, n, s->invert, err) : RK_OK;
}

/* Joins each span to the one before it where `joins` says so. */
static void join_forward(span *s, size_t *n, rk_pretokenize_behavior behavior)
{
    size_t kept = 0;
    int previous = 0;
    for (size_t i = 0; i < *n; i++) {
        span now = s[i];
        int join = behavior == RK_BEHAVIOR_CONTIGUOUS ? now.is_match == previous
                                                      : now.is_match && !previous;
        previous = now.is_match;
        if (join && kept > 0)
            s[kept - 1].end = now.end;
        else
            s[kept++] = now;
    }
    *n = kept;
}

static void join_backward(span *s, size_t *n)
{
    size_t first = *n; /* of the spans kept, which gather at the end */
    int previous = 0;
    for (size_t i = *n; i-- > 0;) {
        span now = s[i];
        if (now.is_match && !previous && first < *n)
            s[first].start = now.start;
        else
            s[--first] = now;
        previous = now.is_match;
    }
    memmove(s, s + first, (*n - first) * sizeof *s);
    *n -= first;
}

static rk_status enter(const run *r, int32_t level, const char *text, size_t n, int at_start,
                       rk_error *err);

static rk_status split(const run *r, int32_t level, const char *text, size_t n, int at_start,
                       rk_error *err)
{
    rk_pretokenize_behavior behavior = r->p->step[level].behavior;
    RK_TRY(find_spans(r, level, text, n, err));
    span *s = r->room->level[level].span;
    size_t spans = r->room->level[level].spans;
    if (behavior == RK_BEHAVIOR_CONTIGUOUS || behavior == RK_BEHAVIOR_MERGED_WITH_PREVIOUS)
        join_forward(s, &spans, behavior);
    else if (behavior == RK_BEHAVIOR_MERGED_WITH_NEXT)
        join_backward(s, &spans);
    for (size_t i = 0; i < spans; i++) {
        if (s[i].start == s[i].end || (behavior == RK_BEHAVIOR_REMOVED && s[i].is_match))
            continue;
        RK_TRY(enter(r, level + 1, text + s[i].start, s[i].end - s[i].start,
                     at_start && s[i].start == 0, err));
    }
    return RK_OK;
}

/* Blanks to marks, and the mark in front. */
static rk_status mark(const run *r, int32_t level, const char *text, size_t n, int at_start,
                      rk_error *err)
{
    const rk_pretokenize_step *s = &r->p->step[level];
    rk_text *out = &r->room->level[level].text;
    int starts = text[0] == ' ' || (n >= s->bytes && memcmp(text, s->text, s->bytes) == 0);
    out->n = 0;
    if (!starts && (s->prefix == RK_PREFIX_ALWAYS || (s->prefix == RK_PREFIX_FIRST && at_start)))
        RK_TRY(rk_text_add(out, s->text, s->bytes, err));
    for (size_t i = 0; i < n;) {
        const char *blank = memchr(text + i, ' ', n - i);
        size_t end = blank ? (size_t)(blank - text) : n;
        RK_TRY(rk_text_add(out, text + i, end - i, err));
        if (blank)
            RK_TRY(rk_text_add(out, s->text, s->bytes, err));
        i = end + 1;
    }
    return enter(r, level + 1, out->bytes, out->n, at_start, err);
}

static rk_status put_blank(const run *r, int32_t level, const char *text, size_t n, int at_start,
                           rk_error *err)
{
    rk_text *out = &r->room->level[level].text;
    if (text[0] == ' ')
        return enter(r, level + 1, text, n, at_start, err);
    out->n = 0;
    RK_TRY(rk_text_add(out, " ", 1, err));
    RK_TRY(rk_text_add(out, text, n, err));
    return enter(r, level + 1, out->bytes, out->n, at_start, err);
}

static rk_status enter(const run *r, int32_t level, const char *text, size_t n, int at_start,
                       rk_error *err)
{
    if (level == r->p->steps)
        return r->piece(r->context, text, n, err);
    switch (r->p->step[level].kind) {
    case RK_PRETOKENIZE_REGEX:
    case RK_PRETOKENIZE_STRING:
        return split(r, level, text, n, at_start, err);
    case RK_PRETOKENIZE_METASPACE:
        return mark(r, level, text, n, at_start, err);
    case RK_PRETOKENIZE_BLANK:
        return put_blank(r, level, text, n, at_start, err);
    }
    return RK_OK;
}

rk_status rk_pretokenize(const rk_pretokenizer *p, rk_pretokenize_room *room, const char *text,
                         size_t n, int at_start, rk_piece_fn piece, void *context, rk_error *err)
{
    const run r = {p, room, piece, context};
    return n ? enter(&r, 0, text, n, at_start, err) : RK_OK;
}
