/* charge.c - see charge.h. Rows and views are real under every backend. */
#include "backend/charge.h"

/* Distinct keys that rows [first, first + n) of one sequence see in head g. */
static uint64_t distinct_keys(const rk_attend *a, int32_t seq, int32_t g)
{
    int32_t low_pos = INT32_MAX, high = -1;
    for (int32_t i = 0; i < a->rows->n; i++) {
        if (a->rows->seq[i] != seq)
            continue;
        low_pos = a->rows->pos[i] < low_pos ? a->rows->pos[i] : low_pos;
        high = a->rows->limit[i] > high ? a->rows->limit[i] : high;
    }
    if (high < 0)
        return 0;
    int64_t view = (int64_t)seq * a->pages.kv_heads + g;
    int32_t window = a->views.window[view], sink = a->views.sink[view];
    if (window == 0 || a->masked)
        return (uint64_t)high + 1;
    int64_t low = (int64_t)low_pos - window + 1;
    low = low < 0 ? 0 : low;
    return (uint64_t)(high - low + 1 + (sink < low ? sink : low));
}

/* Keys that row i multiplies in head g; `high` is the last key of its sequence. */
static uint64_t keys_of_row(const rk_attend *a, int32_t i, int32_t g, int32_t high)
{
    int64_t view = (int64_t)a->rows->seq[i] * a->pages.kv_heads + g;
    int32_t pos = a->rows->pos[i], limit = a->rows->limit[i];
    int32_t sink = a->views.sink[view], window = a->views.window[view];
    if (a->masked)
        return (uint64_t)high + 1;
    int64_t keys = rk_visible_keys(pos, limit, sink, window);
    if (a->key_from > 0)
        keys -=
            rk_visible_keys(pos, a->key_from - 1 < limit ? a->key_from - 1 : limit, sink, window);
    return (uint64_t)keys;
}

void rk_charge_attend(rk_counters *c, const rk_attend *a, int64_t bytes)
{
    uint64_t pairs = 0, keys = 0;
    int32_t group = a->heads / a->pages.kv_heads, high = 0;
    for (int32_t i = 0, end = 0; i < a->rows->n; i++) {
        for (; end < a->rows->n && (end <= i || a->rows->seq[end] == a->rows->seq[i]); end++) {
            int32_t limit = a->rows->limit[end];
            high = end == i || limit > high ? limit : high;
        }
        for (int32_t g = 0; g < a->pages.kv_heads; g++)
            pairs += keys_of_row(a, i, g, high);
    }
    for (int32_t s = 0; s < a->pages.sequences; s++)
        for (int32_t g = 0; g < a->pages.kv_heads; g++)
            keys += distinct_keys(a, s, g);
    pairs *= (uint64_t)group;
    uint64_t d = (uint64_t)a->pages.head_dim;
    c->flops[a->phase] += 4u * pairs * d;
    c->attended_pairs += pairs;
    c->bytes += (2u * keys * d + 2u * (uint64_t)(a->q.rows * a->q.cols)) * (uint64_t)bytes;
}

/* QK^T over every key up to the row's limit; softmax and sums are not counted. */
static void charge_scores(rk_counters *c, const rk_attend *a, int32_t first, int32_t count,
                          int32_t query_heads, int64_t bytes)
{
    uint64_t pairs = 0, keys = 0;
    for (int32_t i = first; i < first + count; i++) {
        uint64_t seen = (uint64_t)a->rows->limit[i] + 1;
        pairs += seen;
        keys = seen > keys ? seen : keys;
    }
    uint64_t d = (uint64_t)a->pages.head_dim;
    c->flops[RK_PHASE_SELECT] += 2u * pairs * (uint64_t)query_heads * d;
    c->bytes += keys * (uint64_t)query_heads * d * (uint64_t)bytes;
}

void rk_charge_mass(rk_counters *c, const rk_mass *m, int64_t bytes)
{
    int32_t senders = 0, group = m->attend->heads / m->attend->pages.kv_heads;
    for (int32_t g = 0; g < m->attend->pages.kv_heads; g++)
        senders += m->kv_head[g] ? group : 0;
    charge_scores(c, m->attend, m->row_first, m->row_count, senders, bytes);
}

void rk_charge_edge_mass(rk_counters *c, const rk_attend *a, int32_t seq, int32_t first,
                         int32_t count, int64_t bytes)
{
    int32_t local = 0, group = a->heads / a->pages.kv_heads;
    for (int32_t g = 0; g < a->pages.kv_heads; g++)
        local += a->views.window[(int64_t)seq * a->pages.kv_heads + g] > 0 ? group : 0;
    charge_scores(c, a, first, count, local, bytes);
}

void rk_charge_embed(rk_counters *c, int64_t rows, const rk_weight *table, int64_t bytes)
{
    c->bytes += (uint64_t)rows *
                (rk_dtype_bytes(table->dtype, table->cols) + (uint64_t)(table->cols * bytes));
}

void rk_charge_rows(rk_counters *c, int64_t rows, int64_t cols, int touches, int64_t bytes)
{
    c->bytes += (uint64_t)touches * (uint64_t)(rows * cols * bytes);
}

void rk_charge_relocate(rk_counters *c, const rk_relocate *r, int64_t bytes)
{
    int32_t heads = 0;
    for (int32_t h = 0; h < r->heads; h++)
        heads += !r->head || r->head[h];
    c->bytes +=
        4u * (uint64_t)heads * (uint64_t)r->tokens * (uint64_t)r->head_dim * (uint64_t)bytes;
}
