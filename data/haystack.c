/* haystack.c - see haystack.h. */
#include "haystack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 40 };

static const char *const adjectives[WORDS] = {
    "amber",   "ancient",  "brisk",  "broken",  "calm",   "careful", "coastal", "crooked",
    "distant", "dusty",    "early",  "faded",   "flat",   "gentle",  "golden",  "hidden",
    "hollow",  "humble",   "idle",   "late",    "little", "lonely",  "misty",   "modest",
    "narrow",  "northern", "pale",   "patient", "plain",  "quiet",   "rapid",   "rural",
    "rusty",   "silent",   "simple", "slender", "steady", "sunny",   "tidy",    "winding"};
static const char *const nouns[WORDS] = {
    "anchor", "attic",   "bakery", "barge",   "beacon",  "bridge",  "cabin",    "canal",
    "cellar", "chapel",  "cliff",  "corner",  "cottage", "ferry",   "fountain", "garden",
    "gate",   "harbor",  "island", "kiln",    "ladder",  "lantern", "ledger",   "meadow",
    "mill",   "orchard", "path",   "pier",    "pond",    "porch",   "quarry",   "ridge",
    "saddle", "shed",    "stable", "station", "tower",   "valley",  "wagon",    "window"};
static const char *const verbs[WORDS / 2] = {
    "crossed",  "passed",   "reached", "left",    "painted", "repaired", "described",
    "visited",  "sketched", "closed",  "opened",  "cleaned", "measured", "noticed",
    "followed", "entered",  "avoided", "praised", "rented",  "guarded"};
static const char *const people[WORDS / 2] = {
    "carpenter", "clerk",  "cook",   "courier", "doctor",  "farmer",  "gardener",
    "guide",     "judge",  "mason",  "miller",  "nurse",   "painter", "pilot",
    "porter",    "sailor", "singer", "tailor",  "teacher", "widow"};
static const char *const noise[8] = {
    "The wind moves over the hill.",   "Somebody waits at the corner.",
    "A door opens and closes again.",  "Water runs under the road.",
    "The light is on in the kitchen.", "It will be noon before long.",
    "Nobody has asked about it yet.",  "The same train comes every hour."};

static const char *pick(rk_rng *rng, const char *const *list, uint64_t n)
{
    return list[rk_rng_below(rng, n)];
}

static const char *sentence(const rk_haystack *h, rk_rng *rng, rk_arena *arena, rk_error *err)
{
    if (h->style == RK_HAYSTACK_NOISE)
        return pick(rng, noise, 8);
    uint64_t form = rk_rng_below(rng, 5);
    const char *a = pick(rng, adjectives, WORDS), *b = pick(rng, adjectives, WORDS);
    const char *n = pick(rng, nouns, WORDS), *m = pick(rng, nouns, WORDS);
    const char *v = pick(rng, verbs, WORDS / 2), *p = pick(rng, people, WORDS / 2);
    switch (form) {
    case 0:
        return rk_arena_printf(arena, err, "The %s %s the %s %s near the %s.", p, v, a, n, m);
    case 1:
        return rk_arena_printf(arena, err, "Behind the %s stood a %s %s.", n, a, m);
    case 2:
        return rk_arena_printf(arena, err, "In the morning the %s was %s and %s.", n, a, b);
    case 3:
        return rk_arena_printf(arena, err, "A %s %s spoke of the %s for a while.", a, p, n);
    default:
        return rk_arena_printf(arena, err, "The road from the %s to the %s was %s.", n, m, a);
    }
}

int32_t rk_haystack_passages(const rk_haystack *h)
{
    int64_t n = (h->target_tokens + h->passage_tokens / 2) / h->passage_tokens;
    return n < 1 ? 1 : n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

/* One passage on its way: filler drawn so far and the needles that belong in it. */
typedef struct passage_draft {
    const char **filler; /* heap */
    size_t capacity;
    int32_t fillers;
    const rk_needle **needle; /* by depth */
    int32_t needles;
} passage_draft;

static rk_status count(const rk_haystack *h, const char *text, int64_t *tokens, rk_error *err)
{
    return h->counter->count(h->counter->self, text, strlen(text), tokens, err);
}

static char *append(char *to, const char *text, const char *start)
{
    if (to != start)
        *to++ = ' ';
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

static char *assemble(const passage_draft *d, rk_arena *arena, rk_error *err)
{
    static const char heading[] = "Passage:\n";
    size_t bytes = sizeof heading + 2;
    for (int32_t i = 0; i < d->fillers; i++)
        bytes += strlen(d->filler[i]) + 1;
    for (int32_t i = 0; i < d->needles; i++)
        bytes += strlen(d->needle[i]->text) + 1;
    char *text = rk_arena_take(arena, bytes, 1, err);
    if (!text)
        return NULL;
    memcpy(text, heading, sizeof heading - 1);
    char *start = text + sizeof heading - 1, *to = start;
    int32_t k = 0;
    for (int32_t i = 0; i <= d->fillers; i++) {
        while (k < d->needles &&
               (i == d->fillers || (int32_t)(d->needle[k]->depth * (d->fillers + 1)) <= i))
            to = append(to, d->needle[k++]->text, start);
        if (i < d->fillers)
            to = append(to, d->filler[i], start);
    }
    memcpy(to, "\n", 2);
    return text;
}

/* Draws filler until its sentences' own counts reach the room, then drops some
 * until the whole passage, counted as it will be read, fits. */
static rk_status write_passage(const rk_haystack *h, passage_draft *d, int64_t room, rk_rng *rng,
                               rk_arena *arena, rk_passage *out, int64_t *tokens, rk_error *err)
{
    int64_t sum = 0, one = 0;
    d->fillers = 0;
    for (int32_t i = 0; i < d->needles; i++) {
        RK_TRY(count(h, d->needle[i]->text, &one, err));
        sum += one;
    }
    while (sum < room) {
        const char *s = sentence(h, rng, arena, err);
        if (!s)
            return RK_E_MEMORY;
        RK_TRY(count(h, s, &one, err));
        RK_TRY(rk_heap_grow((void **)&d->filler, &d->capacity, (size_t)d->fillers + 1,
                            sizeof *d->filler, err));
        d->filler[d->fillers++] = s;
        sum += one > 0 ? one : 1;
    }
    for (;;) {
        out->text = assemble(d, arena, err);
        if (!out->text)
            return RK_E_MEMORY;
        RK_TRY(count(h, out->text, tokens, err));
        if (*tokens <= room)
            break;
        if (!d->fillers)
            return rk_fail(err, RK_E_BUDGET,
                           "%s: a passage needs %" PRId64 " tokens for what is hidden in it, it "
                           "has %" PRId64,
                           h->what, *tokens, room);
        d->fillers--;
    }
    out->gold = d->needles > 0;
    return RK_OK;
}

static int by_depth(const void *a, const void *b)
{
    double x = (*(const rk_needle *const *)a)->depth, y = (*(const rk_needle *const *)b)->depth;
    return (x > y) - (x < y);
}

rk_status rk_haystack_build(const rk_haystack *h, const rk_needle *needle, int32_t needles,
                            rk_rng *rng, rk_arena *arena, rk_passage **out, rk_error *err)
{
    int32_t n = rk_haystack_passages(h);
    int64_t used = 0;
    passage_draft d = {0};
    rk_status st = RK_OK;
    *out = rk_arena_take(arena, (size_t)n, sizeof **out, err);
    d.needle = rk_arena_take(arena, (size_t)needles, sizeof *d.needle, err);
    if (!*out || !d.needle)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < n && st == RK_OK; i++) {
        d.needles = 0;
        for (int32_t k = 0; k < needles; k++)
            if (needle[k].passage == i)
                d.needle[d.needles++] = &needle[k];
        qsort(d.needle, (size_t)d.needles, sizeof *d.needle, by_depth);
        /* What earlier passages left of their share is this one's. */
        int64_t room = h->target_tokens / n * (i + 1) + h->target_tokens % n * (i + 1) / n - used;
        int64_t tokens = 0;
        st = write_passage(h, &d, room, rng, arena, &(*out)[i], &tokens, err);
        used += tokens;
    }
    free(d.filler);
    return st;
}

rk_status rk_haystack_names(int32_t n, rk_rng *rng, rk_arena *arena, const char ***out,
                            rk_error *err)
{
    if (n < 0 || n > RK_HAYSTACK_NAMES)
        return rk_fail(err, RK_E_BUDGET, "expected at most %d names in a context, got %d",
                       RK_HAYSTACK_NAMES, (int)n);
    int32_t *order = rk_arena_take(arena, RK_HAYSTACK_NAMES, sizeof *order, err);
    *out = rk_arena_take(arena, (size_t)n, sizeof **out, err);
    if (!order || !*out)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < RK_HAYSTACK_NAMES; i++)
        order[i] = i;
    rk_rng_shuffle(rng, order, RK_HAYSTACK_NAMES);
    for (int32_t i = 0; i < n; i++) {
        (*out)[i] = rk_arena_printf(arena, err, "%s-%s", adjectives[order[i] / WORDS],
                                    nouns[order[i] % WORDS]);
        if (!(*out)[i])
            return RK_E_MEMORY;
    }
    return RK_OK;
}
