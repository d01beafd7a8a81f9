/* chunk_store.h - the KV states of reusable text, keyed by content.
 *
 * A state is the K/V of one segment built behind a compile prefix at positions
 * from 0, of which only the segment's own slice is kept (p_off = prefix length).
 * Keys are stored rotated at p_off; relocation rotates once by p_on - p_off from
 * these bytes, never chained. A hit compares the ids, not the hash alone. Model,
 * dtype and RoPE are those of the engine that owns the store. */
#ifndef RK_LIFECYCLE_CHUNK_STORE_H
#define RK_LIFECYCLE_CHUNK_STORE_H

#include "base/hash.h"
#include "request.h"
#include "segpaged/page_table.h"

RK_C_BEGIN

typedef struct rk_chunk_store rk_chunk_store;

typedef struct rk_chunk_state {
    int32_t offset; /* p_off: position of the first token when built */
    int32_t tokens;
    int32_t first_page; /* virtual page of p_off; pages below start there */
    int32_t pages;      /* virtual pages a (layer, head) */
    int32_t *page;      /* [L][G][pages] physical pages, retained */
    double build_ms;    /* offline time it took to build */
} rk_chunk_state;

rk_status rk_chunk_store_new(rk_chunk_store **out, rk_page_pool *pool, int32_t layers,
                             int32_t kv_heads, rk_error *err);
void rk_chunk_store_free(rk_chunk_store *s); /* accepts NULL */

/* The state of `segment` built behind `compile`; NULL when there is none. */
const rk_chunk_state *rk_chunk_store_find(rk_chunk_store *s, rk_ids_span compile,
                                          rk_ids_span segment);

/* Keeps positions [compile.n, compile.n + segment.n) of every (layer, head) of
 * `from`, sharing its pages. Ids are copied. */
rk_status rk_chunk_store_add(rk_chunk_store *s, rk_ids_span compile, rk_ids_span segment,
                             const rk_page_table *from, double build_ms, rk_error *err);

void rk_chunk_store_clear(rk_chunk_store *s); /* forgets every state */
int32_t rk_chunk_store_states(const rk_chunk_store *s);
int64_t rk_chunk_store_pages(const rk_chunk_store *s); /* held, shared ones counted each time */

RK_C_END

#endif
