/* page_pool.h - physical KV pages: one allocation, reference counts, a free list.
 *
 * A page is K [P,D] then V [P,D] of one (layer, KV head) (paper 4.3). Sessions,
 * forks and the chunk store share pages by count; the last release frees one. */
#ifndef RK_SEGPAGED_PAGE_POOL_H
#define RK_SEGPAGED_PAGE_POOL_H

#include "backend/backend.h"

RK_C_BEGIN

typedef struct rk_page_pool rk_page_pool;

/* Room for `pages` pages of head dim D, taken from the backend at once. */
rk_status rk_page_pool_new(rk_page_pool **out, const rk_backend_ops *ops, rk_backend *b,
                           int32_t pages, int32_t head_dim, rk_error *err);
void rk_page_pool_free(rk_page_pool *p); /* accepts NULL */

/* A page with one reference. RK_E_BUDGET when none is free. Contents are whatever
 * the last owner left (poisoned with NaN when the pool is asked to). */
rk_status rk_page_pool_take(rk_page_pool *p, int32_t *page, rk_error *err);
void rk_page_pool_retain(rk_page_pool *p, int32_t page);
void rk_page_pool_release(rk_page_pool *p, int32_t page); /* ignores -1 */
/* Page `from` over page `to`. */
rk_status rk_page_pool_copy(rk_page_pool *p, int32_t to, int32_t from, rk_error *err);
int32_t rk_page_pool_references(const rk_page_pool *p, int32_t page);

float *rk_page_pool_memory(const rk_page_pool *p); /* backend address of page 0 */
int32_t rk_page_pool_used(const rk_page_pool *p);
int32_t rk_page_pool_capacity(const rk_page_pool *p);
size_t rk_page_pool_page_bytes(const rk_page_pool *p);

/* From now on a freed page is filled with NaN: what is read without having been
 * written shows. For tests. */
void rk_page_pool_poison(rk_page_pool *p);

RK_C_END

#endif
