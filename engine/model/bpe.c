/* bpe.c - see bpe.h. */
#include "model/bpe.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

typedef struct rule {
    int32_t left, right; /* left < 0: empty */
    uint32_t rank;
    int32_t merged;
} rule;

struct rk_bpe {
    rule *rule; /* [rules] open addressing, at most half full, a power of two */
    size_t rules, used;
};

/* A doubly linked list over the piece: a merge takes its right symbol out. */
struct rk_bpe_symbol {
    int32_t id; /* -1: merged into its left neighbour */
    int32_t left, right;
};

/* A pair that could be merged when it was seen; may be stale when it is popped. */
struct rk_bpe_candidate {
    uint32_t rank;
    int32_t at, merged;
};

rk_status rk_bpe_new(rk_bpe **out, rk_error *err)
{
    *out = rk_heap_take(1, sizeof **out, err);
    return *out ? RK_OK : RK_E_MEMORY;
}

void rk_bpe_free(rk_bpe *b)
{
    if (!b)
        return;
    free(b->rule);
    free(b);
}

/* The rule of the pair, or the empty place where it belongs. Multiplier: 2^64
 * divided by the golden ratio (Knuth, TAOCP 3, 6.4), which spreads close keys. */
static rule *probe(const rk_bpe *b, int32_t left, int32_t right)
{
    uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(key ^ key >> 32) & (b->rules - 1);
    for (;; i = (i + 1) & (b->rules - 1)) {
        rule *r = &b->rule[i];
        if (r->left < 0 || (r->left == left && r->right == right))
            return r;
    }
}

static rk_status grow(rk_bpe *b, rk_error *err)
{
    if (b->used * 2 < b->rules)
        return RK_OK;
    rule *old = b->rule;
    size_t old_rules = b->rules, rules = old_rules ? old_rules * 2 : 1024;
    rule *table = rk_heap_take(rules, sizeof *table, err);
    if (!table)
        return RK_E_MEMORY;
    for (size_t i = 0; i < rules; i++)
        table[i].left = -1;
    b->rule = table;
    b->rules = rules;
    for (size_t i = 0; i < old_rules; i++) {
        if (old[i].left >= 0)
            *probe(b, old[i].left, old[i].right) = old[i];
    }
    free(old);
    return RK_OK;
}

rk_status rk_bpe_add(rk_bpe *b, int32_t left, int32_t right, uint32_t rank, int32_t merged,
                     rk_error *err)
{
    RK_TRY(grow(b, err));
    rule *r = probe(b, left, right);
    if (r->left < 0)
        b->used++;
    *r = (rule){.left = left, .right = right, .rank = rank, .merged = merged};
    return RK_OK;
}

void rk_bpe_room_free(rk_bpe_room *room)
{
    free(room->symbol);
    free(room->heap);
    *room = (rk_bpe_room){0};
}

static int before(const struct rk_bpe_candidate *a, const struct rk_bpe_candidate *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void push(struct rk_bpe_candidate *heap, size_t *n, struct rk_bpe_candidate c)
{
    size_t i = (*n)++;
    while (i > 0 && before(&c, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = c;
}

static struct rk_bpe_candidate pop(struct rk_bpe_candidate *heap, size_t *n)
{
    struct rk_bpe_candidate top = heap[0], last = heap[--*n];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= *n)
            break;
        if (child + 1 < *n && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

/* Queues the pair that starts at symbol `at` when it has a right neighbour and a
 * rule. */
static void consider(const rk_bpe *b, const struct rk_bpe_symbol *s, int32_t at,
                     struct rk_bpe_candidate *heap, size_t *n)
{
    if (s[at].right < 0)
        return;
    const rule *r = probe(b, s[at].id, s[s[at].right].id);
    if (r->left >= 0)
        push(heap, n, (struct rk_bpe_candidate){r->rank, at, r->merged});
}

static void merge_at(const rk_bpe *b, struct rk_bpe_symbol *s, int32_t at,
                     struct rk_bpe_candidate *heap, size_t *n)
{
    int32_t gone = s[at].right;
    s[at].right = s[gone].right;
    if (s[gone].right >= 0)
        s[s[gone].right].left = at;
    s[gone].id = -1;
    if (s[at].left >= 0)
        consider(b, s, s[at].left, heap, n);
    consider(b, s, at, heap, n);
}

/* The first pairs are n - 1 candidates, and each of at most n - 1 merges takes
 * one out and puts at most two in: 2n places always suffice. */
static rk_status reserve(rk_bpe_room *room, size_t n, rk_error *err)
{
    RK_TRY(rk_heap_grow((void **)&room->symbol, &room->symbols, n, sizeof *room->symbol, err));
    return rk_heap_grow((void **)&room->heap, &room->heaps, 2 * n, sizeof *room->heap, err);
}

rk_status rk_bpe_merge(const rk_bpe *b, rk_bpe_room *room, int32_t *ids, size_t *n, rk_error *err)
{
    if (*n < 2 || b->used == 0)
        return RK_OK;
    if (*n > INT32_MAX / 4)
        return rk_fail(err, RK_E_BUDGET, "a piece of %zu symbols is longer than %d", *n,
                       INT32_MAX / 4);
    RK_TRY(reserve(room, *n, err));
    struct rk_bpe_symbol *s = room->symbol;
    struct rk_bpe_candidate *heap = room->heap;
    int32_t count = (int32_t)*n;
    size_t queued = 0;
    for (int32_t i = 0; i < count; i++)
        s[i] = (struct rk_bpe_symbol){ids[i], i - 1, i + 1 < count ? i + 1 : -1};
    for (int32_t i = 0; i + 1 < count; i++)
        consider(b, s, i, heap, &queued);
    while (queued > 0) {
        struct rk_bpe_candidate top = pop(heap, &queued);
        struct rk_bpe_symbol *left = &s[top.at];
        if (left->id < 0 || left->right < 0)
            continue;
        /* Stale unless the pair now there still makes the same token. That the
         * token decides, not the pair, is Hugging Face's rule too. */
        const rule *r = probe(b, left->id, s[left->right].id);
        if (r->left < 0 || r->merged != top.merged)
            continue;
        left->id = top.merged;
        merge_at(b, s, top.at, heap, &queued);
    }
    size_t kept = 0;
    for (int32_t i = 0; i >= 0; i = s[i].right)
        ids[kept++] = s[i].id;
    *n = kept;
    return RK_OK;
}
