/* page_pool.c - see page_pool.h. */
#include "segpaged/page_pool.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

struct rk_page_pool {
    const rk_backend_ops *ops;
    rk_backend *b;
    float *memory;
    int32_t head_dim, capacity, used, poison;
    int32_t *references; /* [capacity] */
    int32_t *free_list;  /* [capacity] stack of free pages */
    int32_t free_count;
};

size_t rk_page_pool_page_bytes(const rk_page_pool *p)
{
    return (size_t)2 * RK_PAGE_TOKENS * (size_t)p->head_dim * (size_t)p->ops->activation_bytes;
}

rk_status rk_page_pool_new(rk_page_pool **out, const rk_backend_ops *ops, rk_backend *b,
                           int32_t pages, int32_t head_dim, rk_error *err)
{
    *out = NULL;
    rk_page_pool *p = rk_heap_take(1, sizeof *p, err);
    if (!p)
        return RK_E_MEMORY;
    p->ops = ops;
    p->b = b;
    p->capacity = pages;
    p->head_dim = head_dim;
    p->references = rk_heap_take((size_t)pages, sizeof *p->references, err);
    p->free_list = rk_heap_take((size_t)pages, sizeof *p->free_list, err);
    rk_status st = p->references && p->free_list ? RK_OK : RK_E_MEMORY;
    void *memory = NULL;
    if (st == RK_OK)
        st = ops->alloc(b, (size_t)pages * rk_page_pool_page_bytes(p), &memory, err);
    if (st != RK_OK) {
        rk_page_pool_free(p);
        return st;
    }
    p->memory = memory;
    for (int32_t i = 0; i < pages; i++) /* page 0 is handed out first */
        p->free_list[i] = pages - 1 - i;
    p->free_count = pages;
    *out = p;
    return RK_OK;
}

void rk_page_pool_free(rk_page_pool *p)
{
    if (!p)
        return;
    if (p->memory)
        p->ops->release(p->b, p->memory);
    free(p->references);
    free(p->free_list);
    free(p);
}

rk_status rk_page_pool_take(rk_page_pool *p, int32_t *page, rk_error *err)
{
    if (p->free_count == 0)
        return rk_fail(err, RK_E_BUDGET,
                       "KV page pool is full: %d pages of %zu bytes; raise kv_bytes", p->capacity,
                       rk_page_pool_page_bytes(p));
    *page = p->free_list[--p->free_count];
    p->references[*page] = 1;
    p->used++;
    return RK_OK;
}

void rk_page_pool_retain(rk_page_pool *p, int32_t page)
{
    assert(page >= 0 && page < p->capacity && p->references[page] > 0);
    p->references[page]++;
}

void rk_page_pool_release(rk_page_pool *p, int32_t page)
{
    if (page < 0)
        return;
    assert(page < p->capacity && p->references[page] > 0);
    if (--p->references[page] > 0)
        return;
    if (p->poison) {
        size_t floats = (size_t)2 * RK_PAGE_TOKENS * (size_t)p->head_dim;
        p->ops->fill(p->b, p->memory + (size_t)page * floats, floats, NAN, NULL);
    }
    p->free_list[p->free_count++] = page;
    p->used--;
}

rk_status rk_page_pool_copy(rk_page_pool *p, int32_t to, int32_t from, rk_error *err)
{
    return p->ops->page_copy(p->b, p->memory, p->head_dim, to, from, err);
}

int32_t rk_page_pool_references(const rk_page_pool *p, int32_t page)
{
    return p->references[page];
}

float *rk_page_pool_memory(const rk_page_pool *p)
{
    return p->memory;
}

int32_t rk_page_pool_used(const rk_page_pool *p)
{
    return p->used;
}

int32_t rk_page_pool_capacity(const rk_page_pool *p)
{
    return p->capacity;
}

void rk_page_pool_poison(rk_page_pool *p)
{
    p->poison = 1;
    size_t floats = (size_t)2 * RK_PAGE_TOKENS * (size_t)p->head_dim;
    for (int32_t i = 0; i < p->free_count; i++)
        p->ops->fill(p->b, p->memory + (size_t)p->free_list[i] * floats, floats, NAN, NULL);
}
