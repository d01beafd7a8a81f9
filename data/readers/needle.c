/* needle.c - values hidden under names in a haystack, after the NIAH tasks of
 * RULER (Hsieh et al., COLM 2024), in our own words and lengths.
 *
 * Tasks set how many names are hidden (keys), how many values under each, and how
 * many names a question asks for. Unlike RULER a needle never crosses a passage
 * border, and further questions on a context ask for further names. The score is
 * RULER's: the share of all asked values that the answer holds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "haystack.h"
#include "readers/reader.h"

typedef struct needle_config {
    int32_t task, haystack, value_type;
    int64_t keys, values, queries, passage_tokens;
} needle_config;

static const struct {
    const char *name;
    int64_t keys, values, queries;
} tasks[] = {{"niah_single", 1, 1, 1},
             {"niah_multikey", 4, 1, 1},
             {"niah_multivalue", 1, 4, 1},
             {"niah_multiquery", 4, 1, 4}};

enum { VALUE_NUMBER, VALUE_WORD, VALUE_UUID };

static const rk_option options[] = {
    {"task", RK_OPT_CHOICE, offsetof(needle_config, task), "single", 0, 0, "",
     "What is hidden and asked (RULER's NIAH tasks); sets keys, values and queries.",
     "single|multikey|multivalue|multiquery"},
    {"keys", RK_OPT_INT, offsetof(needle_config, keys), "0", 0, 256, "names",
     "Names hidden in a context; 0: the task's (1 4 1 4), and never fewer than are asked.", NULL},
    {"values", RK_OPT_INT, offsetof(needle_config, values), "0", 0, 64, "values",
     "Values under each name; 0: the task's (1 1 4 1).", NULL},
    {"queries", RK_OPT_INT, offsetof(needle_config, queries), "0", 0, 64, "names",
     "Names asked for in one question; 0: the task's (1 1 1 4).", NULL},
    {"value_type", RK_OPT_CHOICE, offsetof(needle_config, value_type), "number", 0, 0, "",
     "Seven digits, a pair of words, or a UUID.", "number|word|uuid"},
    {"haystack", RK_OPT_CHOICE, offsetof(needle_config, haystack), "prose", 0, 0, "",
     "Filler: eight fixed sentences, or sentences from a grammar.", "noise|prose"},
    {"passage_tokens", RK_OPT_INT, offsetof(needle_config, passage_tokens), "256", 32, 65536,
     "tokens", "About how long a passage is.", NULL},
    {0}};

static rk_status open_reader(rk_reader *r, rk_error *err)
{
    if (r->config.target_tokens <= 0 || !r->config.counter)
        return rk_fail(err, RK_E_USAGE, "needle: needs a context length and a token counter");
    needle_config *c = rk_heap_take(1, sizeof *c, err);
    if (!c)
        return RK_E_MEMORY;
    r->state = c;
    rk_status st = RK_OK;
    if (r->config.options)
        *c = *(const needle_config *)r->config.options;
    else
        st = rk_options_default(options, c, err);
    c->keys = c->keys ? c->keys : tasks[c->task].keys;
    c->values = c->values ? c->values : tasks[c->task].values;
    c->queries = c->queries ? c->queries : tasks[c->task].queries;
    if (st != RK_OK) {
        free(c);
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

/* What one context hides: needle k is under name k / values. */
typedef struct hidden {
    const needle_config *c;
    const char **key, **value;
    rk_needle *needle;
    int32_t keys, values, needles;
} hidden;

static const char *draw_uuid(rk_rng *rng, rk_arena *arena, rk_error *err)
{
    uint64_t a = rk_rng_u64(rng), b = rk_rng_u64(rng);
    a = (a & ~(uint64_t)0xf000) | 0x4000;                 /* version 4 */
    b = (b & ~((uint64_t)3 << 62)) | ((uint64_t)2 << 62); /* RFC variant */
    return rk_arena_printf(arena, err,
                           "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
                           a >> 32, a >> 16 & 0xffff, a & 0xffff, b >> 48, b & 0xffffffffffffu);
}

/* Values differ from one another, and words also from the names. */
static rk_status draw_values(hidden *h, const char **words, rk_rng *rng, rk_arena *arena,
                             rk_error *err)
{
    for (int32_t i = 0; i < h->needles;) {
        const char *v = words ? words[i] : NULL;
        if (h->c->value_type == VALUE_NUMBER)
            v = rk_arena_printf(arena, err, "%" PRIu64, 1000000 + rk_rng_below(rng, 9000000));
        else if (h->c->value_type == VALUE_UUID)
            v = draw_uuid(rng, arena, err);
        if (!v)
            return RK_E_MEMORY;
        int repeated = 0;
        for (int32_t k = 0; k < i && !repeated; k++)
            repeated = !strcmp(h->value[k], v);
        h->value[i] = v;
        i += !repeated;
    }
    return RK_OK;
}

static rk_status hide(hidden *h, int32_t passages, rk_rng *rng, rk_arena *arena, rk_error *err)
{
    static const char *const types[] = {"number", "word", "code"};
    int32_t words = h->c->value_type == VALUE_WORD ? h->needles : 0;
    const char **name;
    RK_TRY(rk_haystack_names(h->keys + words, rng, arena, &name, err));
    h->key = name;
    h->value = rk_arena_take(arena, (size_t)h->needles, sizeof *h->value, err);
    h->needle = rk_arena_take(arena, (size_t)h->needles, sizeof *h->needle, err);
    if (!h->value || !h->needle)
        return RK_E_MEMORY;
    RK_TRY(draw_values(h, words ? name + h->keys : NULL, rng, arena, err));
    for (int32_t i = 0; i < h->needles; i++) {
        double depth = rk_rng_unit(rng) * passages;
        rk_needle *n = &h->needle[i];
        n->passage = (int32_t)depth < passages ? (int32_t)depth : passages - 1;
        n->depth = depth - n->passage;
        n->text = rk_arena_printf(arena, err,
                                  h->values > 1 ? "One %s kept under %s is %s."
                                                : "The %s kept under %s is %s.",
                                  types[h->c->value_type], h->key[i / h->values], h->value[i]);
        if (!n->text)
            return RK_E_MEMORY;
    }
    return RK_OK;
}

/* Question `index` asks for `queries` names that no other question asks for. */
static rk_status write_item(const hidden *h, int64_t index, const char *id, rk_arena *arena,
                            rk_item *out, rk_error *err)
{
    static const char *const types[] = {"number", "word", "code"};
    int32_t queries = (int32_t)h->c->queries, first = (int32_t)index * queries;
    int32_t from = INT32_MAX, to = 0;
    const char *names = "", *type = types[h->c->value_type];
    out->answers = queries * h->values;
    const char **answer = rk_arena_take(arena, (size_t)out->answers, sizeof *answer, err);
    if (!answer)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < out->answers; i++) {
        int32_t k = first * h->values + i, passage = h->needle[k].passage;
        answer[i] = h->value[k];
        from = passage < from ? passage : from;
        to = passage > to ? passage : to;
    }
    for (int32_t i = 0; i < queries && names; i++)
        names = rk_arena_printf(arena, err, "%s%s%s", names,
                                i == 0            ? ""
                                : i + 1 < queries ? ", "
                                                  : " and ",
                                h->key[first + i]);
    if (!names)
        return RK_E_MEMORY;
    out->question =
        out->answers == 1
            ? rk_arena_printf(arena, err, "What is the %s kept under %s?", type, names)
            : rk_arena_printf(arena, err, "What are all the %ss kept under %s?", type, names);
    out->id = rk_arena_printf(arena, err, "%s/%" PRId64, id, index);
    out->answer = answer;
    out->task = tasks[h->c->task].name;
    out->hops = 0;
    out->distance = to - from;
    return out->question && out->id ? RK_OK : RK_E_MEMORY;
}

static rk_status context(rk_reader *r, int64_t index, rk_arena *arena, rk_context *out,
                         rk_error *err)
{
    const needle_config *c = r->state;
    rk_rng rng;
    if (index < 0)
        return rk_fail(err, RK_E_ARG, "needle: context %" PRId64, index);
    *out = (rk_context){.items = r->config.items_per_context > 0 ? r->config.items_per_context : 1};
    rk_haystack stack = {.style = (rk_haystack_style)c->haystack,
                         .target_tokens = r->config.target_tokens,
                         .passage_tokens = c->passage_tokens,
                         .counter = r->config.counter,
                         .what = "needle"};
    int64_t asked = c->queries * out->items, keys = c->keys > asked ? c->keys : asked;
    if (keys * c->values > RK_HAYSTACK_NAMES)
        return rk_fail(err, RK_E_BUDGET, "needle: expected at most %d hidden values, got %" PRId64,
                       RK_HAYSTACK_NAMES, keys * c->values);
    hidden h = {.c = c,
                .keys = (int32_t)keys,
                .values = (int32_t)c->values,
                .needles = (int32_t)(keys * c->values)};
    out->id = rk_arena_printf(arena, err, "%s/%" PRIu64 "/%" PRId64 "/%" PRId64,
                              tasks[c->task].name, r->config.seed, r->config.target_tokens, index);
    out->item = rk_arena_take(arena, (size_t)out->items, sizeof *out->item, err);
    if (!out->id || !out->item)
        return RK_E_MEMORY;
    rk_rng_init(&rng, r->config.seed, out->id);
    out->passages = rk_haystack_passages(&stack);
    RK_TRY(hide(&h, out->passages, &rng, arena, err));
    RK_TRY(rk_haystack_build(&stack, h.needle, h.needles, &rng, arena, &out->passage, err));
    for (int64_t i = 0; i < out->items; i++)
        RK_TRY(write_item(&h, i, out->id, arena, &out->item[i], err));
    return RK_OK;
}

const rk_reader_ops rk_reader_needle = {
    .name = "needle",
    .title = "Needle in a haystack",
    .source = "own generator after RULER's NIAH tasks (Hsieh et al. 2024)",
    .licence = "as this project",
    .origin = "synthetic",
    .scorer = "ruler_all",
    .instruction = "Somewhere in the passages below it is noted what is kept under certain names. "
                   "Remember it; you will be asked for it.\n\n",
    .question = "\nQuestion: %s Reply with what is kept there only.\nAnswer:",
    .max_new_tokens = 128,
    .config_size = sizeof(needle_config),
    .options = options,
    .open = open_reader,
    .close = close_reader,
    .contexts = contexts,
    .context = context,
};
