/* fill.c - see fill.h. */
#include "fill.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/* Passages in a row that may be too long for the room left before the context
 * counts as full: enough for a short one to turn up, cheap beside tokenising. */
enum { MISFITS_MAX = 32 };

rk_status rk_fill_pool_init(rk_fill_pool *pool, const rk_passage *passage, int64_t passages,
                            rk_arena *arena, rk_error *err)
{
    size_t n = (size_t)passages;
    *pool = (rk_fill_pool){.passage = passage, .passages = passages};
    pool->text = rk_arena_take(arena, n, sizeof *pool->text, err);
    pool->title = rk_arena_take(arena, n, sizeof *pool->title, err);
    pool->tokens = rk_arena_take(arena, n, sizeof *pool->tokens, err);
    pool->order = rk_arena_take(arena, n, sizeof *pool->order, err);
    if (!pool->text || !pool->title || !pool->tokens || !pool->order)
        return RK_E_MEMORY;
    for (int64_t i = 0; i < passages; i++) {
        const char *title = passage[i].title ? passage[i].title : "";
        pool->text[i] = rk_hash_bytes(passage[i].text, strlen(passage[i].text), 0);
        pool->title[i] = rk_hash_bytes(title, strlen(title), 0);
        pool->tokens[i] = -1;
    }
    return RK_OK;
}

static int equal(rk_hash128 a, rk_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

/* The context being put together. */
typedef struct filling {
    rk_fill_pool *pool;
    const rk_fill_request *request;
    int64_t *chosen; /* pool entries */
    int32_t n;
    size_t capacity;
    int64_t tokens, misfits;
    int has_gold;
} filling;

static int is_own(const rk_fill_request *r, int64_t entry)
{
    return entry >= r->first && entry < r->first + r->own;
}

static int must_stay(const filling *f, int64_t entry)
{
    return is_own(f->request, entry) && (!f->has_gold || f->pool->passage[entry].gold);
}

static int is_barred(const filling *f, int64_t entry)
{
    for (int32_t i = 0; i < f->n; i++) {
        int64_t other = f->chosen[i];
        if (equal(f->pool->text[other], f->pool->text[entry]))
            return 1;
        if (must_stay(f, other) && f->pool->passage[entry].title &&
            equal(f->pool->title[other], f->pool->title[entry]))
            return 1;
    }
    return 0;
}

static rk_status count(filling *f, int64_t entry, int64_t *tokens, rk_error *err)
{
    const rk_token_counter *c = f->request->counter;
    const char *text = f->pool->passage[entry].text;
    if (f->pool->tokens[entry] < 0)
        RK_TRY(c->count(c->self, text, strlen(text), &f->pool->tokens[entry], err));
    *tokens = f->pool->tokens[entry];
    return RK_OK;
}

static rk_status take(filling *f, int64_t entry, rk_error *err)
{
    RK_TRY(
        rk_heap_grow((void **)&f->chosen, &f->capacity, (size_t)f->n + 1, sizeof *f->chosen, err));
    f->chosen[f->n++] = entry;
    return RK_OK;
}

/* Takes an entry when it fits; `required` ones are an error when they do not. */
static rk_status offer(filling *f, int64_t entry, int required, rk_error *err)
{
    const rk_fill_request *r = f->request;
    int64_t tokens = 0;
    if (r->target_tokens) {
        RK_TRY(count(f, entry, &tokens, err));
        if (f->tokens + tokens > r->target_tokens) {
            f->misfits++;
            if (required)
                return rk_fail(err, RK_E_BUDGET,
                               "%s: passages that must stay need %" PRId64
                               " tokens or more, the context has %" PRId64,
                               r->what, f->tokens + tokens, r->target_tokens);
            return RK_OK;
        }
    }
    f->misfits = 0;
    f->tokens += tokens;
    return take(f, entry, err);
}

static rk_status offer_own(filling *f, rk_rng *rng, int gold, rk_error *err)
{
    const rk_fill_request *r = f->request;
    for (int32_t i = 0; i < r->own; i++)
        f->pool->order[i] = r->first + i;
    for (int32_t i = r->own - 1; i > 0 && r->target_tokens && !gold; i--) {
        int64_t j = (int64_t)rk_rng_below(rng, (uint64_t)i + 1), t = f->pool->order[i];
        f->pool->order[i] = f->pool->order[j];
        f->pool->order[j] = t;
    }
    for (int32_t i = 0; i < r->own; i++) {
        int64_t entry = f->pool->order[i];
        int stays = must_stay(f, entry), repeated = 0;
        for (int32_t k = 0; k < f->n; k++)
            repeated |= equal(f->pool->text[f->chosen[k]], f->pool->text[entry]);
        if (stays == gold && !repeated)
            RK_TRY(offer(f, entry, gold, err));
    }
    return RK_OK;
}

/* A partial Fisher-Yates walk: entries are drawn only as far as they are needed. */
static rk_status offer_others(filling *f, rk_rng *rng, rk_error *err)
{
    rk_fill_pool *pool = f->pool;
    int64_t left = pool->passages, target = f->request->target_tokens, enough = target / 10 * 9;
    for (int64_t i = 0; i < left; i++)
        pool->order[i] = i;
    while (left > 0 && f->tokens < target && (f->tokens < enough || f->misfits < MISFITS_MAX)) {
        int64_t j = (int64_t)rk_rng_below(rng, (uint64_t)left), entry = pool->order[j];
        pool->order[j] = pool->order[--left];
        if (!is_own(f->request, entry) && !is_barred(f, entry))
            RK_TRY(offer(f, entry, 0, err));
    }
    if (f->tokens < enough)
        return rk_fail(err, RK_E_BUDGET,
                       "%s: all fitting passages of the data give %" PRId64 " of %" PRId64
                       " tokens",
                       f->request->what, f->tokens, target);
    return RK_OK;
}

static rk_status choose(filling *f, rk_rng *rng, rk_error *err)
{
    const rk_fill_request *r = f->request;
    for (int32_t i = 0; i < r->own; i++)
        f->has_gold |= f->pool->passage[r->first + i].gold;
    if (!r->target_tokens) {
        f->has_gold = 0; /* everything stays */
        return offer_own(f, rng, 1, err);
    }
    RK_TRY(offer_own(f, rng, 1, err));
    f->misfits = 0;
    RK_TRY(offer_own(f, rng, 0, err));
    f->misfits = 0;
    return offer_others(f, rng, err);
}

rk_status rk_fill_context(rk_fill_pool *pool, const rk_fill_request *r, rk_arena *arena,
                          rk_passage **out, int32_t *passages, rk_error *err)
{
    filling f = {.pool = pool, .request = r};
    rk_rng rng;
    if (r->target_tokens && !r->counter)
        return rk_fail(err, RK_E_ARG, "%s: a target of tokens needs a counter", r->what);
    rk_rng_init(&rng, r->seed, r->stream);
    rk_status st = choose(&f, &rng, err);
    if (st != RK_OK)
        goto done;
    if (!f.n) {
        st = rk_fail(err, RK_E_FORMAT, "%s: has no passage", r->what);
        goto done;
    }
    *out = rk_arena_take(arena, (size_t)f.n, sizeof **out, err);
    if (!*out) {
        st = RK_E_MEMORY;
        goto done;
    }
    for (int32_t i = f.n - 1; i > 0 && !(r->keep_order && f.n <= r->own); i--) {
        int64_t j = (int64_t)rk_rng_below(&rng, (uint64_t)i + 1), t = f.chosen[i];
        f.chosen[i] = f.chosen[j];
        f.chosen[j] = t;
    }
    for (int32_t i = 0; i < f.n; i++) {
        (*out)[i] = pool->passage[f.chosen[i]];
        if (!is_own(r, f.chosen[i]))
            (*out)[i].gold = 0;
    }
    *passages = f.n;
done:
    free(f.chosen);
    return st;
}
