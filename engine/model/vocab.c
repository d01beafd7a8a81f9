/* vocab.c - see vocab.h. */
#include "model/vocab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "model/utf8.h"

typedef struct token {
    size_t place; /* of its text in the pool, plus 1; 0: no such token */
    uint32_t n, flags;
} token;

struct rk_vocab {
    rk_text pool; /* all texts, one behind the other */
    token *token; /* [capacity], ids without a token are zeroed */
    size_t size, capacity;
    int32_t *slot; /* [slots] ids, -1 empty; open addressing, at most half full */
    size_t slots, hashed;
};

rk_status rk_vocab_new(rk_vocab **out, rk_error *err)
{
    rk_vocab *v = rk_heap_take(1, sizeof *v, err);
    if (!v)
        return RK_E_MEMORY;
    *out = v;
    return RK_OK;
}

void rk_vocab_free(rk_vocab *v)
{
    if (!v)
        return;
    rk_text_free(&v->pool);
    free(v->token);
    free(v->slot);
    free(v);
}

static const char *text_of(const rk_vocab *v, const token *t)
{
    return v->pool.bytes + t->place - 1;
}

/* The slot that holds the text, or the empty one where it belongs. */
static size_t probe(const rk_vocab *v, const char *text, size_t n)
{
    size_t i = (size_t)rk_hash_bytes(text, n, 0).low & (v->slots - 1);
    for (;; i = (i + 1) & (v->slots - 1)) {
        if (v->slot[i] < 0)
            return i;
        const token *t = &v->token[v->slot[i]];
        if (t->n == n && memcmp(text_of(v, t), text, n) == 0)
            return i;
    }
}

static rk_status grow_hash(rk_vocab *v, rk_error *err)
{
    if (v->hashed * 2 < v->slots)
        return RK_OK;
    size_t old_slots = v->slots;
    int32_t *old = v->slot;
    size_t slots = old_slots ? old_slots * 2 : 1024;
    int32_t *slot = rk_heap_take(slots, sizeof *slot, err);
    if (!slot)
        return RK_E_MEMORY;
    memset(slot, 0xff, slots * sizeof *slot);
    v->slot = slot;
    v->slots = slots;
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i] >= 0)
            slot[probe(v, text_of(v, &v->token[old[i]]), v->token[old[i]].n)] = old[i];
    }
    free(old);
    return RK_OK;
}

static rk_status reserve(rk_vocab *v, size_t id, rk_error *err)
{
    size_t before = v->capacity;
    RK_TRY(rk_heap_grow((void **)&v->token, &v->capacity, id + 1, sizeof *v->token, err));
    memset(v->token + before, 0, (v->capacity - before) * sizeof *v->token);
    return RK_OK;
}

rk_status rk_vocab_add(rk_vocab *v, int64_t id, const char *text, size_t n, uint32_t flags,
                       const char *what, rk_error *err)
{
    int shown = n > 60 ? 60 : (int)n;
    if (id < 0 || id >= RK_VOCAB_MAX)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: token '%.*s': expected an id of 0 to %d, got %" PRId64, what, shown,
                       text, RK_VOCAB_MAX - 1, id);
    if (n > INT32_MAX)
        return rk_fail(err, RK_E_FORMAT, "%s: token %" PRId64 " has %zu bytes", what, id, n);
    RK_TRY(reserve(v, (size_t)id, err));
    token *t = &v->token[id];
    if (t->place)
        return rk_fail(err, RK_E_FORMAT, "%s: id %" PRId64 " is both '%.*s' and '%.*s'", what, id,
                       t->n > 60 ? 60 : (int)t->n, text_of(v, t), shown, text);
    size_t place = 0;
    if (flags & RK_TOKEN_MODEL) {
        RK_TRY(grow_hash(v, err));
        place = probe(v, text, n);
        if (v->slot[place] >= 0)
            return rk_fail(err, RK_E_FORMAT, "%s: token '%.*s' has two ids, %d and %" PRId64, what,
                           shown, text, v->slot[place], id);
    }
    size_t at = v->pool.n;
    RK_TRY(rk_text_add(&v->pool, text, n, err));
    RK_TRY(rk_text_add(&v->pool, "", 1, err)); /* a NUL, so that every text has an address */
    *t = (token){.place = at + 1, .n = (uint32_t)n, .flags = flags};
    if ((size_t)id >= v->size)
        v->size = (size_t)id + 1;
    if (flags & RK_TOKEN_MODEL) {
        v->slot[place] = (int32_t)id;
        v->hashed++;
    }
    return RK_OK;
}

void rk_vocab_mark(rk_vocab *v, int32_t id, uint32_t flags)
{
    v->token[id].flags |= flags;
}

int32_t rk_vocab_find(const rk_vocab *v, const char *text, size_t n)
{
    return v->slots ? v->slot[probe(v, text, n)] : -1;
}

const char *rk_vocab_text(const rk_vocab *v, int32_t id, size_t *n)
{
    *n = v->token[id].n;
    return v->token[id].place ? text_of(v, &v->token[id]) : NULL;
}

uint32_t rk_vocab_flags(const rk_vocab *v, int32_t id)
{
    return v->token[id].flags;
}

int32_t rk_vocab_size(const rk_vocab *v)
{
    return (int32_t)v->size;
}
