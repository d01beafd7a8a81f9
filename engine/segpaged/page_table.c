/* page_table.c - see page_table.h. Entries are [layers][G][stride] int32. */
#include "segpaged/page_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct rk_page_table {
    rk_page_pool *pool;
    int32_t layers, kv_heads, stride;
    int32_t *page;
};

rk_status rk_page_table_new(rk_page_table **out, rk_page_pool *pool, int32_t layers,
                            int32_t kv_heads, rk_error *err)
{
    *out = rk_heap_take(1, sizeof **out, err);
    if (!*out)
        return RK_E_MEMORY;
    **out = (rk_page_table){.pool = pool, .layers = layers, .kv_heads = kv_heads};
    return RK_OK;
}

void rk_page_table_free(rk_page_table *t)
{
    if (!t)
        return;
    size_t n = (size_t)t->layers * (size_t)t->kv_heads * (size_t)t->stride;
    for (size_t i = 0; i < n; i++)
        rk_page_pool_release(t->pool, t->page[i]);
    free(t->page);
    free(t);
}

/* Room for `pages` virtual pages a head; doubles so that decoding rarely moves. */
static rk_status reserve(rk_page_table *t, int32_t pages, rk_error *err)
{
    if (pages <= t->stride)
        return RK_OK;
    int32_t stride = t->stride ? t->stride : 8;
    while (stride < pages)
        stride *= 2;
    size_t rows = (size_t)t->layers * (size_t)t->kv_heads;
    int32_t *grown = rk_heap_take(rows * (size_t)stride, sizeof *grown, err);
    if (!grown)
        return RK_E_MEMORY;
    for (size_t i = 0; i < rows * (size_t)stride; i++)
        grown[i] = -1;
    for (size_t r = 0; r < rows && t->stride; r++)
        memcpy(grown + r * (size_t)stride, t->page + r * (size_t)t->stride,
               (size_t)t->stride * sizeof *grown);
    free(t->page);
    t->page = grown;
    t->stride = stride;
    return RK_OK;
}

static int32_t *entry(const rk_page_table *t, int32_t layer, int32_t head, int32_t v)
{
    return t->page + ((int64_t)layer * t->kv_heads + head) * t->stride + v;
}

rk_status rk_page_table_fork(rk_page_table **out, const rk_page_table *from, rk_error *err)
{
    RK_TRY(rk_page_table_new(out, from->pool, from->layers, from->kv_heads, err));
    rk_status st = reserve(*out, from->stride, err);
    if (st != RK_OK) {
        rk_page_table_free(*out);
        *out = NULL;
        return st;
    }
    size_t n = (size_t)from->layers * (size_t)from->kv_heads;
    for (size_t r = 0; r < n; r++)
        for (int32_t v = 0; v < from->stride; v++) {
            int32_t page = from->page[r * (size_t)from->stride + (size_t)v];
            (*out)->page[r * (size_t)(*out)->stride + (size_t)v] = page;
            if (page >= 0)
                rk_page_pool_retain(from->pool, page);
        }
    return RK_OK;
}

static rk_status make_one_writable(rk_page_table *t, int32_t *at, rk_error *err)
{
    if (*at >= 0 && rk_page_pool_references(t->pool, *at) == 1)
        return RK_OK;
    int32_t fresh;
    RK_TRY(rk_page_pool_take(t->pool, &fresh, err));
    if (*at >= 0) {
        rk_status st = rk_page_pool_copy(t->pool, fresh, *at, err);
        if (st != RK_OK) {
            rk_page_pool_release(t->pool, fresh);
            return st;
        }
        rk_page_pool_release(t->pool, *at);
    }
    *at = fresh;
    return RK_OK;
}

rk_status rk_page_table_make_writable(rk_page_table *t, int32_t layer, const uint8_t *head,
                                      int32_t from, int32_t to, rk_error *err)
{
    if (from >= to)
        return RK_OK;
    int32_t last = (to - 1) / RK_PAGE_TOKENS;
    RK_TRY(reserve(t, last + 1, err));
    for (int32_t h = 0; h < t->kv_heads; h++)
        for (int32_t v = from / RK_PAGE_TOKENS; v <= last && (!head || head[h]); v++)
            RK_TRY(make_one_writable(t, entry(t, layer, h, v), err));
    return RK_OK;
}

rk_status rk_page_table_share(rk_page_table *t, int32_t layer, int32_t head, int32_t v,
                              int32_t page, rk_error *err)
{
    RK_TRY(reserve(t, v + 1, err));
    int32_t *at = entry(t, layer, head, v);
    rk_page_pool_retain(t->pool, page);
    rk_page_pool_release(t->pool, *at);
    *at = page;
    return RK_OK;
}

void rk_page_table_trim(rk_page_table *t, int32_t layer, int32_t head, int32_t sink, int32_t window,
                        int32_t next)
{
    /* The next row sees (next - window, next]: `next - window + 1` is the oldest. */
    int64_t oldest = (int64_t)next - window + 1;
    for (int32_t v = 0; v < t->stride; v++) {
        int32_t first = v * RK_PAGE_TOKENS, *at = entry(t, layer, head, v);
        if (*at < 0 || first < sink || first + RK_PAGE_TOKENS > oldest)
            continue;
        rk_page_pool_release(t->pool, *at);
        *at = -1;
    }
}

int32_t rk_page_table_at(const rk_page_table *t, int32_t layer, int32_t head, int32_t v)
{
    return v < t->stride ? *entry(t, layer, head, v) : -1;
}

const int32_t *rk_page_table_layer(const rk_page_table *t, int32_t layer)
{
    return entry(t, layer, 0, 0);
}

int32_t rk_page_table_stride(const rk_page_table *t)
{
    return t->stride;
}

int64_t rk_page_table_pages(const rk_page_table *t)
{
    int64_t held = 0, n = (int64_t)t->layers * t->kv_heads * t->stride;
    for (int64_t i = 0; i < n; i++)
        held += t->page[i] >= 0;
    return held;
}
