/* page_table.h - virtual to physical pages of every (layer, KV head) of a session.
 *
 * Virtual page v holds positions v*P .. v*P+P-1 (slot = position mod P). A head
 * keeps what it sees: after trimming, a local head has entries for its sink and
 * window only and -1 in between, so the memory is really gone (paper 4.3). */
#ifndef RK_SEGPAGED_PAGE_TABLE_H
#define RK_SEGPAGED_PAGE_TABLE_H

#include "segpaged/page_pool.h"

RK_C_BEGIN

typedef struct rk_page_table rk_page_table;

rk_status rk_page_table_new(rk_page_table **out, rk_page_pool *pool, int32_t layers,
                            int32_t kv_heads, rk_error *err);
void rk_page_table_free(rk_page_table *t); /* releases its pages; accepts NULL */

/* Shares every page of `from` (reference counts); what is written next into a
 * shared page is copied first. */
rk_status rk_page_table_fork(rk_page_table **out, const rk_page_table *from, rk_error *err);

/* Makes positions [from, to) of one layer writable for the heads marked in
 * `head` ([G], NULL = all): absent pages are taken, shared ones copied. */
rk_status rk_page_table_make_writable(rk_page_table *t, int32_t layer, const uint8_t *head,
                                      int32_t from, int32_t to, rk_error *err);

/* Puts a page of another owner at virtual page v (shared, retained). */
rk_status rk_page_table_share(rk_page_table *t, int32_t layer, int32_t head, int32_t v,
                              int32_t page, rk_error *err);

/* Drops pages that hold neither a sink position nor one of the last
 * `window` - 1 before `next` (the next row's position). */
void rk_page_table_trim(rk_page_table *t, int32_t layer, int32_t head, int32_t sink, int32_t window,
                        int32_t next);

/* Physical page of virtual page v, -1 when absent. */
int32_t rk_page_table_at(const rk_page_table *t, int32_t layer, int32_t head, int32_t v);
/* One layer's [G][stride] entries; valid until the table grows. */
const int32_t *rk_page_table_layer(const rk_page_table *t, int32_t layer);
int32_t rk_page_table_stride(const rk_page_table *t);
/* Pages held, shared ones included. */
int64_t rk_page_table_pages(const rk_page_table *t);

RK_C_END

#endif
