/* reports_world.c - see reports_world.h. Drawing order and rules follow world.py,
 * `World.context`; only the random numbers differ. */
#include "reports_world.h"

#include <stdlib.h>
#include <string.h>

#include "reports_lexicon.h"

enum { LEVELS = 5, WORDS_MAX = 5 };

/* What the sentences are about, in the order in which slots are dealt out. */
enum { BOX, MEAN, DOOR, LIVES, OWNS, CODE, WORKS, BASED, KINDS };

typedef struct draw {
    rk_rng *rng;
    rk_arena *arena;
    rk_error *err;
    rk_reports_world *w;
    int32_t *slot[KINDS + 1]; /* sentences of each kind; the last: fillers */
    int32_t n[KINDS + 1];
    const char **people; /* in this world's order */
} draw;

static const char *pick(draw *d, rk_reports_pool pool)
{
    const rk_word_pool *p = rk_reports_words(pool);
    return p->word[rk_rng_below(d->rng, (uint64_t)p->words)];
}

/* `n` different words of a pool in random order; NULL on failure. */
static const char **pick_different(draw *d, rk_reports_pool pool, int32_t n)
{
    const rk_word_pool *p = rk_reports_words(pool);
    int32_t *order = rk_arena_take(d->arena, (size_t)p->words, sizeof *order, d->err);
    const char **word = rk_arena_take(d->arena, (size_t)n, sizeof *word, d->err);
    if (!order || !word)
        return NULL;
    for (int32_t i = 0; i < p->words; i++)
        order[i] = i;
    rk_rng_shuffle(d->rng, order, p->words);
    for (int32_t i = 0; i < n; i++)
        word[i] = p->word[order[i]];
    return word;
}

char *rk_reports_render(const char *form, const char *const *word, rk_arena *arena, rk_error *err)
{
    size_t n = strlen(form) + 1;
    for (const char *c = form; *c; c++)
        if (c[0] == '{')
            n += strlen(word[c[1] - '0']);
    char *text = rk_arena_take(arena, n, 1, err), *out = text;
    for (const char *c = form; text && *c; c++) {
        if (*c != '{') {
            *out++ = *c;
            continue;
        }
        const char *w = word[c[1] - '0'];
        memcpy(out, w, strlen(w));
        out += strlen(w);
        c += 2;
    }
    return text;
}

static rk_status tell(draw *d, int32_t sentence, const char *form, const char *a, const char *b,
                      const char *c, const char *e)
{
    const char *word[WORDS_MAX] = {a, b, c, e, NULL};
    d->w->text[sentence] = rk_reports_render(form, word, d->arena, d->err);
    return d->w->text[sentence] ? RK_OK : RK_E_MEMORY;
}

static rk_status draw_documents(draw *d, int32_t low, int32_t high)
{
    rk_reports_world *w = d->w;
    w->text = rk_arena_take(d->arena, (size_t)w->sentences, sizeof *w->text, d->err);
    w->document = rk_arena_take(d->arena, (size_t)w->sentences, sizeof *w->document, d->err);
    if (!w->text || !w->document)
        return RK_E_MEMORY;
    for (int32_t at = 0; at < w->sentences; w->documents++) {
        int32_t length = low + (int32_t)rk_rng_below(d->rng, (uint64_t)(high - low) + 1);
        for (int32_t i = 0; i < length && at < w->sentences; i++)
            w->document[at++] = w->documents;
    }
    return RK_OK;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* How many sentences of each kind, and which. Boxes and meanings are told in order. */
static rk_status deal_slots(draw *d)
{
    static const struct {
        double share;
        int32_t most, least;
    } kind[KINDS] = {[BOX] = {.15, 100, 2},   [MEAN] = {.06, 80, 1},  [DOOR] = {.05, 50, 1},
                     [LIVES] = {.055, 70, 1}, [OWNS] = {.055, 70, 1}, [CODE] = {.045, 60, 1},
                     [WORKS] = {.05, 60, 1},  [BASED] = {.045, 50, 1}};
    const double density = .95;
    int32_t s = d->w->sentences, used = 0;
    int32_t *slot = rk_arena_take(d->arena, (size_t)s, sizeof *slot, d->err);
    if (!slot)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < s; i++)
        slot[i] = i;
    rk_rng_shuffle(d->rng, slot, s);
    for (int k = 0; k < KINDS; k++) {
        int32_t n = (int32_t)(s * kind[k].share * density);
        n = n < kind[k].most ? n : kind[k].most;
        d->n[k] = n > kind[k].least ? n : kind[k].least;
        d->slot[k] = slot + used;
        used += d->n[k];
    }
    d->slot[KINDS] = slot + used;
    d->n[KINDS] = s - used;
    qsort(d->slot[BOX], (size_t)d->n[BOX], sizeof *slot, compare);
    qsort(d->slot[MEAN], (size_t)d->n[MEAN], sizeof *slot, compare);
    return RK_OK;
}

static rk_status draw_fillers(draw *d)
{
    enum { A = RK_REPORTS_ADJECTIVES, N = RK_REPORTS_NOUNS, V = RK_REPORTS_VERBS };
    enum { P = RK_REPORTS_NAMES, D = RK_REPORTS_ADVERBS };
    static const struct {
        const char *form;
        int pool[WORDS_MAX]; /* rk_reports_pool */
        int words;
    } filler[] = {
        {"The {0} {1} {2} the {3} {4}.", {A, N, V, A, N}, 5},
        {"The {0} was {1} and {2}.", {N, A, A}, 3},
        {"{0} talked to {1} about the {2}.", {P, P, N}, 3},
        {"{0} {1} the {2} {3} {4}.", {P, V, A, N, D}, 5},
        {"It was a {0} {1} near the {2}.", {A, N, N}, 3},
        {"{0} was not at the {1} every day.", {P, N}, 2},
    };
    for (int32_t i = 0; i < d->n[KINDS]; i++) {
        uint64_t f = rk_rng_below(d->rng, sizeof filler / sizeof *filler);
        const char *word[WORDS_MAX] = {0};
        for (int k = 0; k < filler[f].words; k++)
            word[k] = pick(d, (rk_reports_pool)filler[f].pool[k]);
        const char **text = &d->w->text[d->slot[KINDS][i]];
        *text = rk_reports_render(filler[f].form, word, d->arena, d->err);
        if (!*text)
            return RK_E_MEMORY;
    }
    return RK_OK;
}

static rk_status draw_person_facts(draw *d, int kind, rk_reports_person_fact **out, int32_t *n)
{
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    rk_reports_person_fact *fact =
        rk_arena_take(d->arena, (size_t)d->n[kind], sizeof *fact, d->err);
    if (!fact)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < d->n[kind]; i++) {
        rk_reports_person_fact *f = &fact[i];
        const char *form;
        f->person = d->people[i];
        f->sentence = d->slot[kind][i];
        if (kind == LIVES) {
            form = "{0} lives in {1}.";
            f->value[0] = pick(d, RK_REPORTS_CITIES);
        } else if (kind == OWNS) {
            form = "{0} owns a {1} {2}.";
            f->value[0] = pick(d, RK_REPORTS_MATERIALS);
            f->value[1] = pick(d, RK_REPORTS_OBJECTS);
        } else {
            form = "The code of {0} is {1}{2}{3}.";
            for (int k = 0; k < 3; k++)
                f->value[k] = digits[rk_rng_below(d->rng, 10)];
        }
        RK_TRY(tell(d, f->sentence, form, f->person, f->value[0], f->value[1], f->value[2]));
    }
    *out = fact;
    *n = d->n[kind];
    return RK_OK;
}

static rk_status draw_employers(draw *d)
{
    rk_reports_world *w = d->w;
    w->works_n = d->n[WORKS];
    w->companies = d->n[BASED];
    const char **name = pick_different(d, RK_REPORTS_COMPANIES, w->companies);
    w->company = rk_arena_take(d->arena, (size_t)w->companies, sizeof *w->company, d->err);
    w->works = rk_arena_take(d->arena, (size_t)w->works_n, sizeof *w->works, d->err);
    if (!name || !w->company || !w->works)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < w->companies; i++) {
        rk_reports_company *c = &w->company[i];
        *c = (rk_reports_company){name[i], pick(d, RK_REPORTS_CITIES), d->slot[BASED][i]};
        RK_TRY(tell(d, c->sentence, "{0} is based in {1}.", c->name, c->city, NULL, NULL));
    }
    for (int32_t i = 0; i < w->works_n; i++) {
        int32_t c = (int32_t)rk_rng_below(d->rng, (uint64_t)w->companies);
        w->works[i] = (rk_reports_employment){d->people[i], c, d->slot[WORKS][i]};
        RK_TRY(tell(d, w->works[i].sentence, "{0} works for {1}.", d->people[i], w->company[c].name,
                    NULL, NULL));
    }
    return RK_OK;
}

/* A box of level `level` in an earlier document than box i, uniformly; -1: none. */
static int32_t pick_source(draw *d, int32_t i, int32_t level)
{
    const rk_reports_world *w = d->w;
    int32_t found = -1;
    uint64_t seen = 0;
    for (int32_t j = 0; j < w->boxes; j++)
        if (w->box[j].level == level &&
            w->document[w->box[j].sentence] < w->document[w->box[i].sentence] &&
            rk_rng_below(d->rng, ++seen) == 0)
            found = j;
    return found;
}

/* Sources are drawn for the whole level before any box gives up its wish: a box
 * that falls to level 0 is no source for its own level. */
static void link_level(draw *d, int32_t level)
{
    rk_reports_world *w = d->w;
    for (int32_t i = 0; i < w->boxes; i++)
        if (w->box[i].level == level)
            w->box[i].source = pick_source(d, i, level - 1);
    for (int32_t i = 0; i < w->boxes; i++) {
        rk_reports_box *b = &w->box[i];
        if (b->level == level && b->source >= 0)
            b->item = w->box[b->source].item;
        else if (b->level == level)
            b->level = 0;
    }
}

/* Levels are wished first; from the lowest up, a box whose wish finds no source
 * one level below names its item itself. */
static rk_status draw_boxes(draw *d)
{
    static const double share[LEVELS] = {.28, .22, .20, .16, .14};
    rk_reports_world *w = d->w;
    w->boxes = d->n[BOX];
    const char **label = pick_different(d, RK_REPORTS_BOXES, w->boxes);
    w->box = rk_arena_take(d->arena, (size_t)w->boxes, sizeof *w->box, d->err);
    if (!label || !w->box)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < w->boxes; i++) {
        double u = rk_rng_unit(d->rng);
        int32_t level = 0;
        while (level < LEVELS - 1 && u >= share[level])
            u -= share[level++];
        w->box[i] =
            (rk_reports_box){label[i], pick(d, RK_REPORTS_ITEMS), level, 0, d->slot[BOX][i]};
    }
    for (int32_t level = 1; level < LEVELS; level++)
        link_level(d, level);
    for (int32_t i = 0; i < w->boxes; i++) {
        const rk_reports_box *b = &w->box[i];
        RK_TRY(
            tell(d, b->sentence,
                 b->level ? "Box {0} holds the same thing as box {1}." : "Box {0} holds the {1}.",
                 b->label, b->level ? w->box[b->source].label : b->item, NULL, NULL));
    }
    return RK_OK;
}

static rk_status draw_meanings(draw *d)
{
    rk_reports_world *w = d->w;
    w->meanings = d->n[MEAN];
    int32_t all = rk_reports_words(RK_REPORTS_ALIASES)->words, few = (w->meanings + 1) / 2;
    int32_t aliases = few < 1 ? 1 : few < all ? few : all;
    const char **alias = pick_different(d, RK_REPORTS_ALIASES, aliases);
    w->meaning = rk_arena_take(d->arena, (size_t)w->meanings, sizeof *w->meaning, d->err);
    if (!alias || !w->meaning)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < w->meanings; i++) {
        rk_reports_meaning *m = &w->meaning[i];
        *m = (rk_reports_meaning){.alias = alias[rk_rng_below(d->rng, (uint64_t)aliases)],
                                  .color = pick(d, RK_REPORTS_COLORS),
                                  .sentence = d->slot[MEAN][i],
                                  .previous = -1,
                                  .is_last = 1};
        for (int32_t j = 0; j < i; j++) {
            if (strcmp(w->meaning[j].alias, m->alias))
                continue;
            w->meaning[j].is_last = 0;
            m->previous = j;
            m->crosses |= w->document[w->meaning[j].sentence] < w->document[m->sentence];
        }
        RK_TRY(tell(d, m->sentence, "From now on {0} means {1}.", m->alias, m->color, NULL, NULL));
    }
    return RK_OK;
}

static rk_status draw_doors(draw *d)
{
    rk_reports_world *w = d->w;
    w->doors = d->n[DOOR];
    w->door = rk_arena_take(d->arena, (size_t)w->doors, sizeof *w->door, d->err);
    if (!w->door)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < w->doors; i++) {
        rk_reports_door *door = &w->door[i];
        *door = (rk_reports_door){.person = d->people[i], .sentence = d->slot[DOOR][i]};
        int32_t here = w->document[door->sentence], drawn = 0;
        uint64_t seen = 0;
        for (int32_t j = 0; j < w->meanings; j++)
            if (w->document[w->meaning[j].sentence] < here && rk_rng_below(d->rng, ++seen) == 0)
                drawn = j;
        door->alias = w->meaning[drawn].alias;
        for (int32_t j = 0; j < w->meanings; j++)
            if (w->meaning[j].sentence < door->sentence &&
                !strcmp(w->meaning[j].alias, door->alias))
                door->meaning = j;
        door->askable = seen && w->document[w->meaning[door->meaning].sentence] < here;
        door->color = w->meaning[door->meaning].color;
        RK_TRY(tell(d, door->sentence, "The door of {0} is {1}.", door->person, door->alias, NULL,
                    NULL));
    }
    return RK_OK;
}

rk_status rk_reports_world_draw(rk_rng *rng, int32_t sentences, int32_t low, int32_t high,
                                rk_arena *arena, rk_reports_world *out, rk_error *err)
{
    *out = (rk_reports_world){.sentences = sentences};
    draw d = {.rng = rng, .arena = arena, .err = err, .w = out};
    if (sentences < 9 || low < 1 || high < low)
        return rk_fail(err, RK_E_ARG,
                       "a world needs 9 sentences or more, got %d in documents of %d-%d",
                       (int)sentences, (int)low, (int)high);
    RK_TRY(draw_documents(&d, low, high));
    RK_TRY(deal_slots(&d));
    int32_t most = 0;
    for (int k = DOOR; k <= WORKS; k++)
        most = d.n[k] > most ? d.n[k] : most;
    d.people = pick_different(&d, RK_REPORTS_NAMES, most);
    if (!d.people)
        return RK_E_MEMORY;
    RK_TRY(draw_fillers(&d));
    RK_TRY(draw_person_facts(&d, LIVES, &out->lives, &out->lives_n));
    RK_TRY(draw_person_facts(&d, OWNS, &out->owns, &out->owns_n));
    RK_TRY(draw_person_facts(&d, CODE, &out->code, &out->code_n));
    RK_TRY(draw_employers(&d));
    RK_TRY(draw_boxes(&d));
    RK_TRY(draw_meanings(&d));
    return draw_doors(&d);
}
