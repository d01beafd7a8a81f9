/* attend.c - attention over ragged per-head pages, blocked through BLAS.
 *
 * A task is one (sequence, KV head, tile of rows): the query heads of the group
 * are stacked, so K and V are read once for all of them (GQA without repeating).
 * Pages that no row of the tile sees are skipped, so a local head costs only its
 * sink and window (paper 4.3). Sink and window blocks share one online softmax;
 * only pages that some row sees in part are masked. */
#include "backend/cpu/cpu.h"

#include "backend/charge.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { TILE_ROWS = 64, BLOCK_PAGES = 4, BLOCK_KEYS = BLOCK_PAGES * RK_PAGE_TOKENS };

typedef struct tile {
    const rk_attend *a;
    int64_t first, rows; /* rows of q */
    int32_t seq, kv, group, dim;
    int32_t sink, window;
    int32_t pos_low, limit_high; /* over the rows of the tile */
    int32_t reach;               /* last key multiplied: limit_high; the sequence's if masked */
    float *q, *k, *v, *score, *out, *max, *sum; /* thread scratch */
} tile;

static size_t scratch_floats(int32_t group, int32_t d)
{
    size_t m = (size_t)TILE_ROWS * (size_t)group, keys = BLOCK_KEYS;
    return 2 * m * (size_t)d + 2 * keys * (size_t)d + m * keys + 2 * m + 64;
}

static void carve(tile *t, float *scratch)
{
    size_t m = (size_t)TILE_ROWS * (size_t)t->group, d = (size_t)t->dim;
    t->q = scratch;
    t->out = t->q + m * d;
    t->k = t->out + m * d;
    t->v = t->k + BLOCK_KEYS * d;
    t->score = t->v + BLOCK_KEYS * d;
    t->max = t->score + m * BLOCK_KEYS;
    t->sum = t->max + m;
}

static void load_queries(tile *t)
{
    const rk_attend *a = t->a;
    int32_t run = t->group * t->dim;
    t->pos_low = INT32_MAX;
    t->limit_high = -1;
    for (int64_t i = 0; i < t->rows; i++) {
        const float *from = a->q.data + (t->first + i) * a->q.cols + (int64_t)t->kv * run;
        float *to = t->q + i * run;
        for (int32_t c = 0; c < run; c++)
            to[c] = from[c] * a->scale;
        int32_t pos = a->rows->pos[t->first + i], limit = a->rows->limit[t->first + i];
        t->pos_low = pos < t->pos_low ? pos : t->pos_low;
        t->limit_high = limit > t->limit_high ? limit : t->limit_high;
    }
    int64_t m = t->rows * t->group;
    memset(t->out, 0, (size_t)m * (size_t)t->dim * sizeof(float));
    for (int64_t i = 0; i < m; i++) {
        t->max[i] = -INFINITY;
        t->sum[i] = 0;
    }
}

/* Can any row of the tile see a key of virtual page v? */
static int page_in_reach(const tile *t, int32_t v)
{
    int32_t first = v * RK_PAGE_TOKENS, last = first + RK_PAGE_TOKENS - 1;
    if (first > t->reach || last < t->a->key_from)
        return 0;
    return t->a->masked || t->window == 0 || first < t->sink || last > t->pos_low - t->window;
}

/* -inf for the keys of page v that row i does not see; nothing when it sees all. Marks
 * in `seen` [P] what it sees. */
static void mask_page(const tile *t, int64_t i, int32_t v, float *score, int32_t ld, uint8_t *seen)
{
    const rk_rows *rows = t->a->rows;
    int32_t pos = rows->pos[t->first + i], limit = rows->limit[t->first + i];
    int32_t first = v * RK_PAGE_TOKENS, last = first + RK_PAGE_TOKENS - 1;
    if (last <= limit && first >= t->a->key_from &&
        (t->window == 0 || first > pos - t->window || last < t->sink)) {
        memset(seen, 1, RK_PAGE_TOKENS);
        return;
    }
    for (int32_t s = 0; s < RK_PAGE_TOKENS; s++) {
        if (rk_cpu_visible(first + s, pos, limit, t->sink, t->window, t->a->key_from)) {
            seen[s] = 1;
            continue;
        }
        for (int32_t h = 0; h < t->group; h++)
            score[(int64_t)h * ld + s] = -INFINITY;
    }
}

/* Masks page p of the block; a value that no row sees may be recycled memory, and
 * 0 * NaN would spread: it becomes 0. */
static void hide_unseen(tile *t, int32_t v, int32_t p, int32_t keys)
{
    uint8_t seen[RK_PAGE_TOKENS] = {0};
    size_t d = (size_t)t->dim;
    for (int64_t i = 0; i < t->rows; i++)
        mask_page(t, i, v, t->score + i * t->group * keys + (int64_t)p * RK_PAGE_TOKENS, keys,
                  seen);
    for (int32_t s = 0; s < RK_PAGE_TOKENS; s++)
        if (!seen[s])
            memset(t->v + ((size_t)p * RK_PAGE_TOKENS + (size_t)s) * d, 0, d * sizeof(float));
}

static float row_max(const float *x, int32_t n)
{
    float max = -INFINITY;
    for (int32_t i = 0; i < n; i++)
        max = x[i] > max ? x[i] : max;
    return max;
}

/* A block in which a row sees nothing: probabilities 0. Scores that are all NaN (a
 * broken weight) look the same to the maximum and must not vanish: they stay. */
static float no_number(float *score, int32_t n)
{
    float broken = 0;
    for (int32_t i = 0; i < n; i++) {
        if (isnan(score[i]))
            broken = NAN;
        else
            score[i] = 0;
    }
    return broken;
}

/* Scores of one block to probabilities; rescales what was summed before. */
static void soften(tile *t, int32_t keys)
{
    for (int64_t i = 0; i < t->rows * t->group; i++) {
        float *score = t->score + i * keys, *out = t->out + i * t->dim;
        float max = row_max(score, keys);
        if (max < t->max[i])
            max = t->max[i];
        if (max == -INFINITY) {
            t->sum[i] += no_number(score, keys);
            continue;
        }
        float keep = expf(t->max[i] - max);
        t->sum[i] = t->sum[i] * keep + rk_cpu_exp_sum(score, keys, max);
        t->max[i] = max;
        if (keep != 1.0f)
            for (int32_t c = 0; c < t->dim; c++)
                out[c] *= keep;
    }
}

/* Multiplies the gathered pages [n] and folds them into the softmax state. */
static void attend_block(tile *t, const int32_t *pages, int32_t n)
{
    int32_t d = t->dim, keys = n * RK_PAGE_TOKENS, m = (int32_t)(t->rows * t->group);
    size_t bytes = (size_t)RK_PAGE_TOKENS * (size_t)d * sizeof(float);
    for (int32_t i = 0; i < n; i++) {
        int32_t page = rk_cpu_page(&t->a->pages, t->seq, t->kv, pages[i]);
        memcpy(t->k + (size_t)i * RK_PAGE_TOKENS * (size_t)d, rk_cpu_keys(&t->a->pages, page),
               bytes);
        memcpy(t->v + (size_t)i * RK_PAGE_TOKENS * (size_t)d, rk_cpu_values(&t->a->pages, page),
               bytes);
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, keys, d, 1.0f, t->q, d, t->k, d, 0.0f,
                t->score, keys);
    for (int32_t p = 0; p < n; p++)
        hide_unseen(t, pages[p], p, keys);
    soften(t, keys);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, d, keys, 1.0f, t->score, keys, t->v,
                d, 1.0f, t->out, d);
}

static void store(const tile *t)
{
    const rk_attend *a = t->a;
    int32_t run = t->group * t->dim;
    for (int64_t i = 0; i < t->rows * t->group; i++) {
        int64_t row = t->first + i / t->group;
        int32_t h = (int32_t)(i % t->group);
        float *to = a->out.data + row * a->out.cols + (int64_t)t->kv * run + (int64_t)h * t->dim;
        float scale = t->sum[i] == 0 ? 0 : 1.0f / t->sum[i];
        for (int32_t c = 0; c < t->dim; c++)
            to[c] = t->out[i * t->dim + c] * scale;
        if (a->lse)
            a->lse[row * a->heads + t->kv * t->group + h] =
                t->sum[i] == 0 ? -INFINITY : t->max[i] + logf(t->sum[i]);
    }
}

/* The last key of the tile's sequence. */
static int32_t sequence_limit(const rk_rows *rows, int32_t seq)
{
    int32_t high = -1;
    for (int32_t i = 0; i < rows->n; i++)
        high = rows->seq[i] == seq && rows->limit[i] > high ? rows->limit[i] : high;
    return high;
}

static void attend_tile(tile *t)
{
    load_queries(t);
    t->reach = t->a->masked ? sequence_limit(t->a->rows, t->seq) : t->limit_high;
    int32_t block[BLOCK_PAGES], n = 0, last = t->reach / RK_PAGE_TOKENS;
    for (int32_t v = 0; v <= last && v < t->a->pages.stride; v++) {
        if (!page_in_reach(t, v) || rk_cpu_page(&t->a->pages, t->seq, t->kv, v) < 0)
            continue;
        block[n++] = v;
        if (n == BLOCK_PAGES) {
            attend_block(t, block, n);
            n = 0;
        }
    }
    if (n)
        attend_block(t, block, n);
    store(t);
}

rk_status rk_cpu_attend(rk_backend *b, const rk_attend *a, rk_error *err)
{
    int32_t d = a->pages.head_dim, kv_heads = a->pages.kv_heads, group = a->heads / kv_heads;
    if (a->heads % kv_heads || a->q.cols != (int64_t)a->heads * d || a->rows->n != a->q.rows)
        return rk_fail(err, RK_E_ARG, "attend: %d heads of %d, %d KV heads, q [%lld,%lld], %d rows",
                       a->heads, d, kv_heads, (long long)a->q.rows, (long long)a->q.cols,
                       a->rows->n);
    rk_charge_attend(&b->counters, a, sizeof(float));
    if (b->plain_attention) {
        rk_cpu_attend_plain(a);
        return RK_OK;
    }
    RK_TRY(rk_cpu_scratch(b, scratch_floats(group, d), err));
    int64_t tiles = (a->q.rows + TILE_ROWS - 1) / TILE_ROWS;
    /* Late tiles see more keys: longest first keeps the threads even. */
#pragma omp parallel for collapse(2) schedule(dynamic, 1) num_threads(b->threads)
    for (int64_t i = 0; i < tiles; i++)
        for (int32_t kv = 0; kv < kv_heads; kv++) {
            int64_t first = (tiles - 1 - i) * TILE_ROWS, end = first + TILE_ROWS;
            end = end < a->q.rows ? end : a->q.rows;
            while (first < end) { /* a tile never mixes sequences */
                tile t = {.a = a, .first = first, .kv = kv, .group = group, .dim = d};
                t.seq = a->rows->seq[first];
                for (t.rows = 1; first + t.rows < end && a->rows->seq[first + t.rows] == t.seq;)
                    t.rows++;
                t.sink = a->views.sink[(int64_t)t.seq * kv_heads + kv];
                t.window = a->views.window[(int64_t)t.seq * kv_heads + kv];
                carve(&t, rk_cpu_thread_scratch(b));
                attend_tile(&t);
                first += t.rows;
            }
        }
    return RK_OK;
}

rk_status rk_cpu_lse_merge(rk_backend *b, rk_tensor out, float *lse, rk_tensor out_b,
                           const float *lse_b, int32_t heads, rk_error *err)
{
    (void)b, (void)err;
    int64_t d = out.cols / heads;
    for (int64_t i = 0; i < out.rows * heads; i++) {
        float max = lse[i] > lse_b[i] ? lse[i] : lse_b[i];
        if (max == -INFINITY)
            continue;
        float wa = expf(lse[i] - max), wb = expf(lse_b[i] - max), sum = wa + wb;
        for (int64_t c = i * d; c < (i + 1) * d; c++)
            out.data[c] = (out.data[c] * wa + out_b.data[c] * wb) / sum;
        lse[i] = max + logf(sum);
    }
    return RK_OK;
}
