/* chunk_store.c - see chunk_store.h. A hash table of chains. */
#include "lifecycle/chunk_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { BUCKETS = 1024 };

typedef struct entry {
    struct entry *next;
    rk_hash128 key;
    int32_t compile_n, segment_n;
    int32_t *id; /* [compile_n + segment_n] */
    rk_chunk_state state;
} entry;

struct rk_chunk_store {
    rk_page_pool *pool;
    int32_t layers, kv_heads, states;
    int64_t pages;
    entry *bucket[BUCKETS];
};

rk_status rk_chunk_store_new(rk_chunk_store **out, rk_page_pool *pool, int32_t layers,
                             int32_t kv_heads, rk_error *err)
{
    *out = rk_heap_take(1, sizeof **out, err);
    if (!*out)
        return RK_E_MEMORY;
    (*out)->pool = pool;
    (*out)->layers = layers;
    (*out)->kv_heads = kv_heads;
    return RK_OK;
}

static void entry_free(rk_chunk_store *s, entry *e)
{
    int64_t n = (int64_t)s->layers * s->kv_heads * e->state.pages;
    for (int64_t i = 0; e->state.page && i < n; i++)
        rk_page_pool_release(s->pool, e->state.page[i]);
    free(e->state.page);
    free(e->id);
    free(e);
}

void rk_chunk_store_clear(rk_chunk_store *s)
{
    for (int b = 0; b < BUCKETS; b++)
        while (s->bucket[b]) {
            entry *e = s->bucket[b];
            s->bucket[b] = e->next;
            entry_free(s, e);
        }
    s->states = 0;
    s->pages = 0;
}

void rk_chunk_store_free(rk_chunk_store *s)
{
    if (!s)
        return;
    rk_chunk_store_clear(s);
    free(s);
}

static rk_hash128 key_of(rk_ids_span compile, rk_ids_span segment)
{
    rk_hash128 prefix =
        rk_hash_bytes(compile.id, (size_t)compile.n * sizeof(int32_t), (uint64_t)compile.n);
    return rk_hash_bytes(segment.id, (size_t)segment.n * sizeof(int32_t), prefix.low ^ prefix.high);
}

static int same_ids(const entry *e, rk_ids_span compile, rk_ids_span segment)
{
    return e->compile_n == compile.n && e->segment_n == segment.n &&
           !memcmp(e->id + compile.n, segment.id, (size_t)segment.n * sizeof(int32_t)) &&
           (compile.n == 0 || !memcmp(e->id, compile.id, (size_t)compile.n * sizeof(int32_t)));
}

const rk_chunk_state *rk_chunk_store_find(rk_chunk_store *s, rk_ids_span compile,
                                          rk_ids_span segment)
{
    rk_hash128 key = key_of(compile, segment);
    for (entry *e = s->bucket[key.low % BUCKETS]; e; e = e->next)
        if (e->key.low == key.low && e->key.high == key.high && same_ids(e, compile, segment))
            return &e->state;
    return NULL;
}

/* Retains the pages that cover the segment, layer by layer and head by head. */
static void share_pages(rk_chunk_store *s, entry *e, const rk_page_table *from)
{
    int64_t at = 0;
    for (int32_t l = 0; l < s->layers; l++)
        for (int32_t h = 0; h < s->kv_heads; h++)
            for (int32_t v = 0; v < e->state.pages; v++) {
                int32_t page = rk_page_table_at(from, l, h, e->state.first_page + v);
                e->state.page[at++] = page;
                if (page >= 0)
                    rk_page_pool_retain(s->pool, page);
            }
    s->pages += at;
}

rk_status rk_chunk_store_add(rk_chunk_store *s, rk_ids_span compile, rk_ids_span segment,
                             const rk_page_table *from, double build_ms, rk_error *err)
{
    if (segment.n <= 0)
        return rk_fail(err, RK_E_ARG, "chunk store: a segment of %d tokens", segment.n);
    entry *e = rk_heap_take(1, sizeof *e, err);
    if (!e)
        return RK_E_MEMORY;
    e->key = key_of(compile, segment);
    e->compile_n = compile.n;
    e->segment_n = segment.n;
    int32_t first = compile.n / RK_PAGE_TOKENS, last = (compile.n + segment.n - 1) / RK_PAGE_TOKENS;
    e->state = (rk_chunk_state){
        .offset = compile.n, .tokens = segment.n, .first_page = first, .build_ms = build_ms};
    e->id = rk_heap_take((size_t)compile.n + (size_t)segment.n, sizeof *e->id, err);
    size_t pages = (size_t)s->layers * (size_t)s->kv_heads * (size_t)(last - first + 1);
    e->state.page = rk_heap_take(pages, sizeof *e->state.page, err);
    if (!e->id || !e->state.page) {
        free(e->id);
        free(e->state.page);
        free(e);
        return RK_E_MEMORY;
    }
    e->state.pages = last - first + 1;
    if (compile.n)
        memcpy(e->id, compile.id, (size_t)compile.n * sizeof *e->id);
    memcpy(e->id + compile.n, segment.id, (size_t)segment.n * sizeof *e->id);
    share_pages(s, e, from);
    entry **bucket = &s->bucket[e->key.low % BUCKETS];
    e->next = *bucket;
    *bucket = e;
    s->states++;
    return RK_OK;
}

int32_t rk_chunk_store_states(const rk_chunk_store *s)
{
    return s->states;
}

int64_t rk_chunk_store_pages(const rk_chunk_store *s)
{
    return s->pages;
}
