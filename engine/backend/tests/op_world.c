/* op_world.c - see op_world.h. */
#include "op_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

static int visible(const op_world *w, int32_t i, int32_t g, int32_t key)
{
    int32_t view = w->seq[i] * w->spec->kv_heads + g;
    if (key > w->limit[i] || key < w->spec->key_from)
        return 0;
    return w->window[view] == 0 || key < w->sink[view] || key > w->pos[i] - w->window[view];
}

int op_world_sees(const op_world *w, int32_t i, int32_t g, int32_t key)
{
    int64_t page = (int64_t)(w->seq[i] * w->spec->kv_heads + g) * w->stride + key / RK_PAGE_TOKENS;
    return visible(w, i, g, key) && w->table[page] >= 0;
}

static void make_rows(op_world *w)
{
    const op_world_spec *s = w->spec;
    w->n = s->seqs * s->rows;
    w->seq = op_take(w->t, (size_t)w->n, sizeof *w->seq);
    w->pos = op_take(w->t, (size_t)w->n, sizeof *w->pos);
    w->limit = op_take(w->t, (size_t)w->n, sizeof *w->limit);
    for (int32_t i = 0; i < w->n; i++) {
        int32_t seq = i / s->rows, j = i % s->rows, tokens = s->tokens - 23 * seq;
        w->seq[i] = seq;
        w->pos[i] = tokens - 1 - (s->rows - 1 - j) * s->step;
        w->limit[i] = s->bottom_right ? tokens - s->rows + j : w->pos[i];
        assert_true(w->pos[i] >= 0);
    }
}

static void make_views(op_world *w)
{
    const op_world_spec *s = w->spec;
    size_t n = (size_t)(s->seqs * s->kv_heads);
    w->sink = op_take(w->t, n, sizeof *w->sink);
    w->window = op_take(w->t, n, sizeof *w->window);
    for (int32_t i = 0; i < s->seqs * s->kv_heads; i++) {
        int32_t g = i % s->kv_heads, local = s->window > 0 && !(s->globals && g % 2);
        w->window[i] = local ? s->window + 3 * g : 0;
        w->sink[i] = local ? s->sink : 0;
    }
}

static int anyone_sees(const op_world *w, int32_t seq, int32_t g, int32_t key)
{
    int32_t first = seq * w->spec->rows;
    if (w->spec->whole)
        return key < w->spec->tokens - 23 * seq;
    for (int32_t i = first; i < first + w->spec->rows; i++)
        if (visible(w, i, g, key))
            return 1;
    return 0;
}

/* Writes the seen slots of one (sequence, head); takes a page where there is one. */
static void fill_head(op_world *w, float *pool, int32_t seq, int32_t g, int32_t *order,
                      int32_t *taken)
{
    int32_t d = w->spec->dim, head = seq * w->spec->kv_heads + g;
    for (int32_t key = 0; key < w->longest; key++) {
        int32_t *page = &w->table[(int64_t)head * w->stride + key / RK_PAGE_TOKENS];
        if (!anyone_sees(w, seq, g, key))
            continue;
        if (w->spec->absent && head == 0 && key < RK_PAGE_TOKENS)
            continue;
        if (*page < 0)
            *page = order[(*taken)++];
        float *to = pool + ((int64_t)*page * 2 * RK_PAGE_TOKENS + key % RK_PAGE_TOKENS) * d;
        const float *k = w->k + ((int64_t)head * w->longest + key) * d;
        const float *v = w->v + ((int64_t)head * w->longest + key) * d;
        for (int32_t c = 0; c < d; c++) {
            to[c] = k[c];
            to[RK_PAGE_TOKENS * d + c] = v[c];
        }
    }
}

static void make_pages(op_world *w)
{
    const op_world_spec *s = w->spec;
    int32_t heads = s->seqs * s->kv_heads, pages = heads * w->stride, taken = 0;
    size_t floats = (size_t)pages * 2 * RK_PAGE_TOKENS * (size_t)s->dim;
    float *pool = op_take(w->t, floats, sizeof *pool);
    int32_t *order = op_take(w->t, (size_t)pages, sizeof *order);
    w->table = op_take(w->t, (size_t)pages, sizeof *w->table);
    for (size_t i = 0; i < floats; i++)
        pool[i] = NAN;
    for (int32_t i = 0; i < pages; i++) {
        w->table[i] = -1;
        order[i] = i;
    }
    rk_rng_shuffle(&w->t->rng, order, pages);
    for (int32_t h = 0; h < heads; h++)
        fill_head(w, pool, h / s->kv_heads, h % s->kv_heads, order, &taken);
    w->a.pages = (rk_pages){.pool = op_upload(w->t, pool, floats),
                            .table = op_index(w->t, w->table, (size_t)pages),
                            .stride = w->stride,
                            .sequences = s->seqs,
                            .kv_heads = s->kv_heads,
                            .head_dim = s->dim};
}

void op_world_open(op_world *w, op_bench *t, const op_world_spec *s)
{
    *w = (op_world){.spec = s, .t = t, .longest = s->tokens};
    w->stride = (s->tokens + RK_PAGE_TOKENS - 1) / RK_PAGE_TOKENS + 1;
    make_rows(w);
    make_views(w);
    size_t heads = (size_t)(s->seqs * s->kv_heads), n = (size_t)w->n;
    size_t kv = heads * (size_t)s->tokens * (size_t)s->dim;
    int32_t width = s->kv_heads * s->group * s->dim;
    w->k = op_random(t, kv, 1);
    w->v = op_random(t, kv, 1);
    w->q = op_random(t, n * (size_t)width, 1.5);
    make_pages(w);
    w->rows = (rk_rows){.n = w->n,
                        .seq = op_index(t, w->seq, n),
                        .pos = op_index(t, w->pos, n),
                        .rope = op_index(t, w->pos, n),
                        .limit = op_index(t, w->limit, n)};
    w->a.q = op_tensor(t, w->q, w->n, width);
    w->a.rows = &w->rows;
    w->a.views = (rk_views){op_index(t, w->sink, heads), op_index(t, w->window, heads)};
    w->a.heads = s->kv_heads * s->group;
    w->a.key_from = s->key_from;
    w->a.scale = 1 / sqrtf((float)s->dim);
    w->a.phase = RK_PHASE_ATTEND;
}

double op_world_softmax(const op_world *w, int32_t i, int32_t h, int32_t from, int32_t to,
                        double *p)
{
    int32_t d = w->spec->dim, g = h / w->spec->group;
    const float *q = w->q + ((int64_t)i * w->a.heads + h) * d;
    const float *k = w->k + (int64_t)(w->seq[i] * w->spec->kv_heads + g) * w->longest * d;
    double max = -INFINITY, sum = 0;
    for (int32_t key = 0; key < w->longest; key++) {
        p[key] = -INFINITY;
        if (key < from || key >= to || !op_world_sees(w, i, g, key))
            continue;
        p[key] = 0;
        for (int32_t c = 0; c < d; c++)
            p[key] += (double)q[c] * (double)k[(int64_t)key * d + c];
        p[key] *= (double)w->a.scale;
        max = fmax(max, p[key]);
    }
    for (int32_t key = 0; key < w->longest; key++)
        sum += p[key] > -INFINITY ? exp(p[key] - max) : 0;
    for (int32_t key = 0; key < w->longest; key++)
        p[key] = p[key] > -INFINITY ? exp(p[key] - max) / sum : 0;
    return sum > 0 ? max + log(sum) : -INFINITY;
}
