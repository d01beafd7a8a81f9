/* variable_tracking.c - chains of assignments spread over a haystack, after the
 * vt task of RULER (Hsieh et al., COLM 2024), in our own words and lengths.
 *
 * A chain gives one variable a number and each next one the value of the one
 * before; every assignment lies in a later passage than the one it refers to, so
 * no passage can be read alone. The question asks for all names of a number. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "haystack.h"
#include "readers/reader.h"

enum { NAME_LETTERS = 5 };

typedef struct vt_config {
    int64_t chains, hops, passage_tokens;
    int32_t haystack;
} vt_config;

static const rk_option options[] = {
    {"chains", RK_OPT_INT, offsetof(vt_config, chains), "1", 1, 64, "chains",
     "Chains in a context, and never fewer than questions; each question asks for one.", NULL},
    {"hops", RK_OPT_INT, offsetof(vt_config, hops), "4", 1, 32, "links",
     "Links of a chain; it has one variable more.", NULL},
    {"haystack", RK_OPT_CHOICE, offsetof(vt_config, haystack), "prose", 0, 0, "",
     "Filler: eight fixed sentences, or sentences from a grammar.", "noise|prose"},
    {"passage_tokens", RK_OPT_INT, offsetof(vt_config, passage_tokens), "256", 32, 65536, "tokens",
     "About how long a passage is.", NULL},
    {0}};

static rk_status open_reader(rk_reader *r, rk_error *err)
{
    if (r->config.target_tokens <= 0 || !r->config.counter)
        return rk_fail(err, RK_E_USAGE,
                       "variable_tracking: needs a context length and a token counter");
    vt_config *c = rk_heap_take(1, sizeof *c, err);
    if (!c)
        return RK_E_MEMORY;
    rk_status st = RK_OK;
    if (r->config.options)
        *c = *(const vt_config *)r->config.options;
    else
        st = rk_options_default(options, c, err);
    if (st != RK_OK)
        free(c);
    else
        r->state = c;
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

/* The chains of one context: variable v of chain c is name[c * length + v]. */
typedef struct chains {
    char (*name)[NAME_LETTERS + 1];
    int64_t *number; /* [n] */
    rk_needle *needle;
    int32_t n, length;
} chains;

static void draw_name(chains *c, int32_t at, rk_rng *rng)
{
    for (int repeated = 1; repeated;) {
        for (int i = 0; i < NAME_LETTERS; i++)
            c->name[at][i] = (char)('A' + rk_rng_below(rng, 26));
        repeated = 0;
        for (int32_t k = 0; k < at; k++)
            repeated |= !memcmp(c->name[k], c->name[at], NAME_LETTERS);
    }
}

static void draw_number(chains *c, int32_t at, rk_rng *rng)
{
    for (int repeated = 1; repeated;) {
        c->number[at] = 10000 + (int64_t)rk_rng_below(rng, 89999);
        repeated = 0;
        for (int32_t k = 0; k < at; k++)
            repeated |= c->number[k] == c->number[at];
    }
}

/* `length` different passages in ascending order, all choices alike (Knuth's
 * selection sampling, TAOCP 3.4.2 S). */
static void draw_passages(chains *c, int32_t chain, int32_t passages, rk_rng *rng)
{
    int32_t left = c->length;
    for (int32_t p = 0; p < passages && left > 0; p++) {
        if (rk_rng_below(rng, (uint64_t)(passages - p)) >= (uint64_t)left)
            continue;
        rk_needle *n = &c->needle[(chain + 1) * c->length - left--];
        n->passage = p;
        n->depth = rk_rng_unit(rng);
    }
}

static rk_status draw_chains(chains *c, int32_t passages, rk_rng *rng, rk_arena *arena,
                             rk_error *err)
{
    size_t all = (size_t)c->n * (size_t)c->length;
    c->name = rk_arena_take(arena, all, sizeof *c->name, err);
    c->number = rk_arena_take(arena, (size_t)c->n, sizeof *c->number, err);
    c->needle = rk_arena_take(arena, all, sizeof *c->needle, err);
    if (!c->name || !c->number || !c->needle)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < c->n; i++) {
        draw_number(c, i, rng);
        draw_passages(c, i, passages, rng);
        for (int32_t v = 0; v < c->length; v++) {
            int32_t at = i * c->length + v;
            draw_name(c, at, rng);
            c->needle[at].text =
                v == 0
                    ? rk_arena_printf(arena, err, "Variable %s is set to %" PRId64 ".", c->name[at],
                                      c->number[i])
                    : rk_arena_printf(arena, err, "Variable %s is set to the value of variable %s.",
                                      c->name[at], c->name[at - 1]);
            if (!c->needle[at].text)
                return RK_E_MEMORY;
        }
    }
    return RK_OK;
}

static rk_status write_item(const chains *c, int32_t chain, const char *id, rk_arena *arena,
                            rk_item *out, rk_error *err)
{
    int32_t first = chain * c->length, last = first + c->length - 1;
    const char **answer = rk_arena_take(arena, (size_t)c->length, sizeof *answer, err);
    if (!answer)
        return RK_E_MEMORY;
    for (int32_t v = 0; v < c->length; v++)
        answer[v] = c->name[first + v];
    *out = (rk_item){.answer = answer,
                     .answers = c->length,
                     .task = "vt",
                     .hops = c->length - 1,
                     .distance = c->needle[last].passage - c->needle[first].passage};
    out->id = rk_arena_printf(arena, err, "%s/%d", id, (int)chain);
    out->question = rk_arena_printf(
        arena, err, "Which variables have the value %" PRId64 "? There are %d of them.",
        c->number[chain], (int)c->length);
    return out->id && out->question ? RK_OK : RK_E_MEMORY;
}

static rk_status context(rk_reader *r, int64_t index, rk_arena *arena, rk_context *out,
                         rk_error *err)
{
    const vt_config *config = r->state;
    int32_t items = r->config.items_per_context > 0 ? r->config.items_per_context : 1;
    rk_rng rng;
    if (index < 0)
        return rk_fail(err, RK_E_ARG, "variable_tracking: context %" PRId64, index);
    rk_haystack stack = {.style = (rk_haystack_style)config->haystack,
                         .target_tokens = r->config.target_tokens,
                         .passage_tokens = config->passage_tokens,
                         .counter = r->config.counter,
                         .what = "variable_tracking"};
    chains c = {.n = config->chains > items ? (int32_t)config->chains : items,
                .length = (int32_t)config->hops + 1};
    *out = (rk_context){.passages = rk_haystack_passages(&stack), .items = items};
    if (out->passages < c.length)
        return rk_fail(err, RK_E_BUDGET,
                       "variable_tracking: %d links need %d passages, the context has %d",
                       (int)config->hops, (int)c.length, (int)out->passages);
    out->id = rk_arena_printf(arena, err, "vt/%" PRIu64 "/%" PRId64 "/%" PRId64, r->config.seed,
                              r->config.target_tokens, index);
    out->item = rk_arena_take(arena, (size_t)items, sizeof *out->item, err);
    if (!out->id || !out->item)
        return RK_E_MEMORY;
    rk_rng_init(&rng, r->config.seed, out->id);
    RK_TRY(draw_chains(&c, out->passages, &rng, arena, err));
    RK_TRY(rk_haystack_build(&stack, c.needle, c.n * c.length, &rng, arena, &out->passage, err));
    for (int32_t i = 0; i < items; i++)
        RK_TRY(write_item(&c, i, out->id, arena, &out->item[i], err));
    return RK_OK;
}

const rk_reader_ops rk_reader_variable_tracking = {
    .name = "variable_tracking",
    .title = "Variable tracking",
    .source = "own generator after RULER's vt task (Hsieh et al. 2024)",
    .licence = "as this project",
    .origin = "synthetic",
    .scorer = "ruler_all",
    .instruction = "The passages below mention variables that are set to numbers or to the values "
                   "of other variables. Keep track of them. Example: when variable AB is set to 7 "
                   "and variable CD is set to the value of variable AB, both AB and CD have the "
                   "value 7.\n\n",
    .question = "\nQuestion: %s Reply with their names only.\nAnswer:",
    .max_new_tokens = 64,
    .config_size = sizeof(vt_config),
    .options = options,
    .open = open_reader,
    .close = close_reader,
    .contexts = contexts,
    .context = context,
};
