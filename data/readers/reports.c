/* reports.c - the tiny model's own world (reports_world.h) as a data set: several
 * questions of every kind on each context of documents.
 *
 *   T1 city, T1 code   one fact              T4        employer, then its city
 *   T2                 two facts             T5 latest last meaning of a redefined word
 *   T3                 a chain of 0-4 links  T5 alias  what the word meant at the door
 *
 * The chains of T3 and the doors of T5 alias must be resolved while the documents
 * are read, each link in a later document than its source: an answer that needs
 * what one document said of another. Lengths: as in the model's own evaluation
 * (models/tiny/training/eval.py, make_context), sentences from the length, then
 * fewer until prefix, documents and room for a question fit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "reports_lexicon.h"
#include "reports_world.h"
#include "readers/reader.h"

enum {
    KINDS = 11,
    PREFIX_TOKENS = 10, /* of this reader's instruction and BOS under the tiny model */
    QUESTION_TOKENS = 24,
    DRAWS_MAX = 400, /* worlds drawn for one context before giving up */
};

typedef enum fact_kind {
    ASK_CITY,
    ASK_CODE,
    ASK_TWO,
    ASK_BOX,
    ASK_BRIDGE,
    ASK_LATEST,
    ASK_DOOR
} fact_kind;

/* The kinds of questions, in the order of world.py's TASKS. */
static const struct kind_row {
    const char *name; /* as `tasks` accepts it */
    const char *task; /* as results are split */
    fact_kind fact;
    int32_t hops;
} kinds[KINDS] = {
    {"T1 city", "T1 city", ASK_CITY, 0},
    {"T1 code", "T1 code", ASK_CODE, 0},
    {"T2", "T2", ASK_TWO, 0},
    {"T3 hop0", "T3", ASK_BOX, 0},
    {"T3 hop1", "T3", ASK_BOX, 1},
    {"T3 hop2", "T3", ASK_BOX, 2},
    {"T3 hop3", "T3", ASK_BOX, 3},
    {"T3 hop4", "T3", ASK_BOX, 4},
    {"T4", "T4", ASK_BRIDGE, 1},
    {"T5 latest", "T5 latest", ASK_LATEST, 0},
    {"T5 alias", "T5 alias", ASK_DOOR, 1},
};

typedef struct reports_config {
    const char *tasks;
    int64_t per_task;
} reports_config;

static const rk_option options[] = {
    {"tasks", RK_OPT_TEXT, offsetof(reports_config, tasks), "all", 0, 0, "",
     "Kinds of questions, by commas: T1, T1 city, T1 code, T2, T3, T3 hop0 .. T3 hop4, T4, T5, "
     "T5 latest, T5 alias, or all.",
     NULL},
    {"per_task", RK_OPT_INT, offsetof(reports_config, per_task), "2", 1, 1000, "questions",
     "Most questions of each kind on a context; items_per_context, where given, takes its place.",
     NULL},
    {0}};

/* r->state */
typedef struct reports_state {
    int32_t wanted[KINDS];
    int64_t per_task;
} reports_state;

static int names_kind(const char *name, size_t n, int kind)
{
    const char *full = kinds[kind].name;
    if (strlen(full) == n && !memcmp(full, name, n))
        return 1;
    return n == 2 && !memcmp(full, name, 2);
}

static rk_status parse_tasks(const char *tasks, int32_t *wanted, rk_error *err)
{
    for (const char *at = tasks; at;) {
        const char *comma = strchr(at, ',');
        size_t n = comma ? (size_t)(comma - at) : strlen(at), found = 0;
        const char *name = at;
        at = comma ? comma + 1 : NULL;
        while (n && *name == ' ')
            name++, n--;
        while (n && name[n - 1] == ' ')
            n--;
        for (int k = 0; k < KINDS; k++)
            if ((n == 3 && !memcmp(name, "all", 3)) || names_kind(name, n, k))
                wanted[k] = 1, found = 1;
        if (!found)
            return rk_fail(
                err, RK_E_USAGE,
                "tasks: expected all or names as T1, T1 city, T2, T3 hop2, T4, T5 alias, "
                "got '%.*s'",
                (int)(n < 64 ? n : 64), name);
    }
    return RK_OK;
}

static rk_status open_reader(rk_reader *r, rk_error *err)
{
    reports_config defaults;
    RK_TRY(rk_options_default(options, &defaults, err));
    const reports_config *config = r->config.options ? r->config.options : &defaults;
    if (r->config.target_tokens <= 0 || !r->config.counter)
        return rk_fail(err, RK_E_USAGE, "reports: needs a context length and a token counter");
    if (r->config.target_tokens > 1 << 24)
        return rk_fail(err, RK_E_USAGE, "reports: expected at most 16M tokens, got %" PRId64,
                       r->config.target_tokens);
    reports_state *s = rk_heap_take(1, sizeof *s, err);
    if (!s)
        return RK_E_MEMORY;
    r->state = s;
    s->per_task = config->per_task;
    rk_status st = parse_tasks(config->tasks, s->wanted, err);
    if (st != RK_OK) {
        free(s);
        r->state = NULL;
    }
    return st;
}

static void close_reader(rk_reader *r)
{
    free(r->state);
    r->state = NULL;
}

static int64_t contexts(const rk_reader *r)
{
    (void)r;
    return INT64_MAX;
}

/* One "Report 47: ... .\n" a document. */
static rk_status write_documents(const rk_reports_world *w, rk_rng *rng, rk_arena *arena,
                                 rk_context *out, rk_error *err)
{
    out->passages = w->documents;
    out->passage = rk_arena_take(arena, (size_t)w->documents, sizeof *out->passage, err);
    if (!out->passage)
        return RK_E_MEMORY;
    for (int32_t at = 0, doc = 0; doc < w->documents; doc++) {
        int32_t end = at;
        size_t bytes = sizeof "Report 00:\n";
        for (; end < w->sentences && w->document[end] == doc; end++)
            bytes += strlen(w->text[end]) + 1;
        char *text = rk_arena_take(arena, bytes, 1, err), *to = text;
        if (!text)
            return RK_E_MEMORY;
        memcpy(to, "Report 00:", 10);
        to[7] = (char)('0' + rk_rng_below(rng, 10));
        to[8] = (char)('0' + rk_rng_below(rng, 10));
        to += 10;
        for (; at < end; at++) {
            *to++ = ' ';
            memcpy(to, w->text[at], strlen(w->text[at]));
            to += strlen(w->text[at]);
        }
        *to = '\n';
        out->passage[doc] = (rk_passage){.text = text};
    }
    return RK_OK;
}

static rk_status count_passages(const rk_reader *r, const rk_context *c, int64_t *tokens,
                                rk_error *err)
{
    const rk_token_counter *counter = r->config.counter;
    *tokens = 0;
    for (int32_t i = 0; i < c->passages; i++) {
        int64_t one = 0;
        RK_TRY(counter->count(counter->self, c->passage[i].text, strlen(c->passage[i].text), &one,
                              err));
        *tokens += one;
    }
    return RK_OK;
}

static void document_sizes(int64_t tokens, int32_t *low, int32_t *high)
{
    static const struct {
        int64_t from;
        int32_t low, high;
    } row[] = {{4096, 25, 60}, {2048, 20, 50}, {1024, 12, 28}, {512, 8, 16}, {0, 3, 8}};
    int i = 0;
    while (tokens < row[i].from)
        i++;
    *low = row[i].low, *high = row[i].high;
}

/* Worlds of fewer and fewer sentences until one fits. */
static rk_status draw_fitting(const rk_reader *r, rk_rng *rng, rk_arena *arena, rk_reports_world *w,
                              rk_context *out, rk_error *err)
{
    int64_t target = r->config.target_tokens, room = target - PREFIX_TOKENS - QUESTION_TOKENS;
    int64_t tokens = 0, sentences = (int64_t)((double)(target - 60) / 8.1);
    int32_t low, high;
    document_sizes(target, &low, &high);
    sentences = sentences < 12 ? 12 : sentences;
    for (int draws = 0; draws < DRAWS_MAX; draws++) {
        RK_TRY(rk_reports_world_draw(rng, (int32_t)sentences, low, high, arena, w, err));
        RK_TRY(write_documents(w, rng, arena, out, err));
        RK_TRY(count_passages(r, out, &tokens, err));
        if (tokens <= room)
            return RK_OK;
        int64_t fewer = (tokens - room) / 10;
        sentences -= fewer < 1 ? 1 : fewer;
        sentences = sentences < 9 ? 9 : sentences;
    }
    return rk_fail(err, RK_E_BUDGET,
                   "reports: the smallest world needs %" PRId64 " tokens, the context has room for "
                   "%" PRId64,
                   tokens, room);
}

/* What a question is written from: the words of its form, where its facts stand. */
typedef struct asking {
    const rk_reports_world *w;
    rk_arena *arena;
    rk_context *context;
    rk_error *err;
} asking;

/* Marks the documents of two facts and gives how far apart they are. */
static int32_t spread(asking *a, int32_t first, int32_t second)
{
    int32_t x = a->w->document[first], y = a->w->document[second];
    a->context->passage[x].gold = a->context->passage[y].gold = 1;
    return x > y ? x - y : y - x;
}

static rk_status write_item(asking *a, const char *question, const char *answer,
                            const char *const *word, rk_item *out)
{
    const char **list = rk_arena_take(a->arena, 1, sizeof *list, a->err);
    if (!list)
        return RK_E_MEMORY;
    out->question = rk_reports_render(question, word, a->arena, a->err);
    list[0] = rk_reports_render(answer, word, a->arena, a->err);
    out->answer = list;
    out->answers = 1;
    return out->question && list[0] ? RK_OK : RK_E_MEMORY;
}

static rk_status ask_person(asking *a, fact_kind fact, int32_t i, rk_item *out)
{
    const rk_reports_world *w = a->w;
    if (fact == ASK_CITY) {
        const char *word[] = {w->lives[i].person, w->lives[i].value[0]};
        out->distance = spread(a, w->lives[i].sentence, w->lives[i].sentence);
        return write_item(a, "Where does {0} live?", " {1}", word, out);
    }
    if (fact == ASK_CODE) {
        const rk_reports_person_fact *f = &w->code[i];
        const char *word[] = {f->person, f->value[0], f->value[1], f->value[2]};
        out->distance = spread(a, f->sentence, f->sentence);
        return write_item(a, "What is the code of {0}?", " {1}{2}{3}", word, out);
    }
    const rk_reports_person_fact *f = &w->owns[i];
    const char *word[] = {f->person, f->value[0], f->value[1], w->lives[i].value[0]};
    out->distance = spread(a, f->sentence, w->lives[i].sentence);
    return write_item(a, "What does {0} own and where does {0} live?", " {1} {2} and {3}", word,
                      out);
}

static rk_status ask_box(asking *a, int32_t i, rk_item *out)
{
    const rk_reports_world *w = a->w;
    int32_t root = i;
    for (; w->box[root].level; root = w->box[root].source)
        spread(a, w->box[root].sentence, w->box[root].sentence);
    const char *word[] = {w->box[i].label, w->box[i].item};
    out->distance = spread(a, w->box[i].sentence, w->box[root].sentence);
    return write_item(a, "What does box {0} hold?", " {1}", word, out);
}

static rk_status ask(asking *a, fact_kind fact, int32_t i, rk_item *out)
{
    const rk_reports_world *w = a->w;
    switch (fact) {
    case ASK_CITY:
    case ASK_CODE:
    case ASK_TWO:
        return ask_person(a, fact, i, out);
    case ASK_BOX:
        return ask_box(a, i, out);
    case ASK_BRIDGE: {
        const rk_reports_company *c = &w->company[w->works[i].company];
        const char *word[] = {w->works[i].person, c->city};
        out->distance = spread(a, w->works[i].sentence, c->sentence);
        return write_item(a, "In which city is the employer of {0} based?", " {1}", word, out);
    }
    case ASK_LATEST: {
        const rk_reports_meaning *m = &w->meaning[i];
        const char *word[] = {m->alias, m->color};
        out->distance = spread(a, m->sentence, w->meaning[m->previous].sentence);
        return write_item(a, "What does {0} mean?", " {1}", word, out);
    }
    case ASK_DOOR: {
        const rk_reports_door *d = &w->door[i];
        const char *word[] = {d->person, d->color};
        out->distance = spread(a, d->sentence, w->meaning[d->meaning].sentence);
        return write_item(a, "What colour is the door of {0}?", " {1}", word, out);
    }
    }
    return rk_fail(a->err, RK_E_ARG, "reports: no question of kind %d", (int)fact);
}

static int32_t facts_of(const rk_reports_world *w, fact_kind fact)
{
    const int32_t n[] = {
        [ASK_CITY] = w->lives_n, [ASK_CODE] = w->code_n,    [ASK_TWO] = w->owns_n,
        [ASK_BOX] = w->boxes,    [ASK_BRIDGE] = w->works_n, [ASK_LATEST] = w->meanings,
        [ASK_DOOR] = w->doors};
    return n[fact];
}

static int is_askable(const rk_reports_world *w, int kind, int32_t i)
{
    switch (kinds[kind].fact) {
    case ASK_TWO:
        return i < w->lives_n;
    case ASK_BOX:
        return w->box[i].level == kinds[kind].hops;
    case ASK_LATEST:
        return w->meaning[i].is_last && w->meaning[i].crosses;
    case ASK_DOOR:
        return w->door[i].askable;
    default:
        return 1;
    }
}

/* The facts that can be asked of each kind, in random order. */
typedef struct candidates {
    int32_t *fact[KINDS];
    int32_t n[KINDS];
    int32_t all;
} candidates;

static rk_status gather(const reports_state *s, const rk_reports_world *w, rk_rng *rng,
                        rk_arena *arena, candidates *out, rk_error *err)
{
    *out = (candidates){0};
    for (int k = 0; k < KINDS; k++) {
        int32_t facts = facts_of(w, kinds[k].fact);
        out->fact[k] = rk_arena_take(arena, (size_t)facts, sizeof **out->fact, err);
        if (!out->fact[k])
            return RK_E_MEMORY;
        for (int32_t i = 0; s->wanted[k] && i < facts; i++)
            if (is_askable(w, k, i))
                out->fact[k][out->n[k]++] = i;
        rk_rng_shuffle(rng, out->fact[k], out->n[k]);
        out->all += out->n[k];
    }
    return RK_OK;
}

/* One question of each kind in turn, so that the first n are spread over the kinds; a
 * context with few questions goes on where the one before it stopped. */
static rk_status write_items(const rk_reader *r, const candidates *c, int64_t index, asking *a)
{
    const reports_state *s = r->state;
    int64_t most = r->config.items_per_context, rounds = most ? c->all : s->per_task;
    int first_kind = most ? (int)(index % KINDS * (most % KINDS) % KINDS) : 0;
    rk_context *out = a->context;
    out->item = rk_arena_take(a->arena, (size_t)c->all, sizeof *out->item, a->err);
    if (!out->item)
        return RK_E_MEMORY;
    for (int64_t round = 0; round < rounds && out->items < c->all; round++) {
        for (int i = 0; i < KINDS && (!most || out->items < most); i++) {
            int k = (first_kind + i) % KINDS;
            if (round >= c->n[k])
                continue;
            rk_item *item = &out->item[out->items++];
            *item = (rk_item){.task = kinds[k].task, .hops = kinds[k].hops};
            item->id =
                rk_arena_printf(a->arena, a->err, "%s/%s/%d", out->id, kinds[k].name, (int)round);
            if (!item->id)
                return RK_E_MEMORY;
            RK_TRY(ask(a, kinds[k].fact, c->fact[k][round], item));
        }
    }
    return RK_OK;
}

static rk_status context(rk_reader *r, int64_t index, rk_arena *arena, rk_context *out,
                         rk_error *err)
{
    rk_reports_world world;
    candidates c = {0};
    rk_rng rng;
    if (index < 0)
        return rk_fail(err, RK_E_ARG, "reports: context %" PRId64, index);
    *out = (rk_context){0};
    out->id = rk_arena_printf(arena, err, "reports/%" PRIu64 "/%" PRId64 "/%" PRId64,
                              r->config.seed, r->config.target_tokens, index);
    if (!out->id)
        return RK_E_MEMORY;
    rk_rng_init(&rng, r->config.seed, out->id);
    /* Deep chains are rare in short contexts; a filter on them draws again. */
    for (int draws = 0; draws < DRAWS_MAX && !c.all; draws++) {
        RK_TRY(draw_fitting(r, &rng, arena, &world, out, err));
        RK_TRY(gather(r->state, &world, &rng, arena, &c, err));
    }
    if (!c.all)
        return rk_fail(err, RK_E_BUDGET,
                       "reports: no question of the wanted tasks in %d worlds of %" PRId64
                       " tokens",
                       DRAWS_MAX, r->config.target_tokens);
    asking a = {&world, arena, out, err};
    return write_items(r, &c, index, &a);
}

const rk_reader_ops rk_reader_reports = {
    .name = "reports",
    .title = "Reports (tiny model's world)",
    .source = "own generator (data/models/tiny)",
    .licence = "as this project",
    .origin = "synthetic",
    .scorer = "exact",
    .instruction = "Read the reports and answer the question.\n",
    .question = "Question: %s\nAnswer:",
    .max_new_tokens = 8,
    .plain = 1,
    .config_size = sizeof(reports_config),
    .options = options,
    .open = open_reader,
    .close = close_reader,
    .contexts = contexts,
    .context = context,
};
