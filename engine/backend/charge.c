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

/* QK^T over `sum` (row, key) pairs a query head, of which `most` keys are distinct; softmax
 * and sums are not counted. These FLOPs are selection's, also in a probe pass (whose time
 * is the probe's). */
static void charge_scores(rk_counters *c, const rk_attend *a, int64_t sum, int64_t most,
                          int64_t bytes)
{
    uint64_t group = (uint64_t)(a->heads / a->pages.kv_heads);
    uint64_t width = group * (uint64_t)a->pages.head_dim;
    c->flops[RK_PHASE_SELECT] += 2u * (uint64_t)sum * width;
    c->bytes += (uint64_t)most * width * (uint64_t)bytes;
}

/* Keys that row i of KV head g multiplies; with `range` only those of [from, to). */
static int64_t scored_keys(const rk_attend *a, int32_t i, int32_t g, const rk_mass *range)
{
    int64_t view = (int64_t)a->rows->seq[i] * a->pages.kv_heads + g;
    int32_t limit = a->rows->limit[i];
    int64_t keys =
        rk_visible_keys(a->rows->pos[i], limit, a->views.sink[view], a->views.window[view]);
    if (!range || !range->normalise_range)
        return keys;
    int64_t inside = (limit + 1 < range->to ? limit + 1 : range->to) - (int64_t)range->from;
    return inside < 0 ? 0 : inside < keys ? inside : keys;
}

static void charge_head(rk_counters *c, const rk_attend *a, int32_t first, int32_t count, int32_t g,
                        const rk_mass *range, int64_t bytes)
{
    int64_t sum = 0, most = 0;
    for (int32_t i = first; i < first + count; i++) {
        int64_t keys = scored_keys(a, i, g, range);
        sum += keys;
        most = keys > most ? keys : most;
    }
    charge_scores(c, a, sum, most, bytes);
}

void rk_charge_mass(rk_counters *c, const rk_mass *m, int64_t bytes)
{
    for (int32_t g = 0; g < m->attend->pages.kv_heads; g++)
        if (m->kv_head[g])
            charge_head(c, m->attend, m->row_first, m->row_count, g, m, bytes);
}

void rk_charge_edge_mass(rk_counters *c, const rk_attend *a, int32_t seq, int32_t first,
                         int32_t count, int64_t bytes)
{
    for (int32_t g = 0; g < a->pages.kv_heads; g++)
        if (a->views.window[(int64_t)seq * a->pages.kv_heads + g] > 0)
            charge_head(c, a, first, count, g, NULL, bytes);
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
