/* head_profile.c - see head_profile.h. */
#include "head_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

typedef enum measure { FAR_QUESTION, FAR_CONTEXT, EDGE, NEEDLE, PREFIX_SHIFT, MEASURES } measure;

static const char *const measure_names[] = {"far_question", "far_context", "edge", "needle",
                                            "prefix_shift"};

/* Dot products of attention rows alone and in the prompt, for the cosine. */
typedef struct overlap {
    double both, alone, prompt;
} overlap;

/* Rows of one passage as it was seen alone: [L][G][rows][n] probabilities. */
typedef struct alone_rows {
    float *p;
    int32_t first, step, rows, n; /* rows are first + i * step of the passage */
} alone_rows;

struct rk_profile {
    rk_profile_config config;
    const rk_model_shape *shape;
    double *sum[MEASURES]; /* [L][G] */
    int64_t count[MEASURES];
    overlap *shift; /* [L][G], of the probe in hand */
    /* the probe in hand */
    rk_engine *e;
    const rk_request *r;
    const uint8_t *gold;
    alone_rows *alone;   /* [chunks] */
    alone_rows *filling; /* the passage that runs alone; NULL: the whole prompt runs */
    float *row;          /* [N] scratch */
};

static size_t heads_of(const rk_profile *p)
{
    return (size_t)p->shape->layers * (size_t)p->shape->kv_heads;
}

rk_status rk_profile_new(rk_profile **out, const rk_model_shape *shape,
                         const rk_profile_config *config, rk_error *err)
{
    *out = NULL;
    if (config->window < 1 || config->sink < 0 || config->rows < 1)
        return rk_fail(err, RK_E_USAGE,
                       "profile: window and rows of at least 1, sink of at least 0");
    rk_profile *p = rk_heap_take(1, sizeof *p, err);
    if (!p)
        return RK_E_MEMORY;
    p->config = *config;
    p->shape = shape;
    rk_status st = RK_OK;
    for (int i = 0; i < MEASURES && st == RK_OK; i++) {
        p->sum[i] = rk_heap_take(heads_of(p), sizeof **p->sum, err);
        st = p->sum[i] ? RK_OK : RK_E_MEMORY;
    }
    p->shift = st == RK_OK ? rk_heap_take(heads_of(p), sizeof *p->shift, err) : NULL;
    if (!p->shift) {
        rk_profile_free(p);
        return RK_E_MEMORY;
    }
    *out = p;
    return RK_OK;
}

void rk_profile_free(rk_profile *p)
{
    if (!p)
        return;
    for (int i = 0; i < MEASURES; i++)
        free(p->sum[i]);
    free(p->shift);
    free(p);
}

/* Probability of one row over all keys, mean over the query heads of KV head g. */
static rk_status row_of(rk_profile *p, const rk_backend_ops *ops, rk_backend *b, const rk_attend *a,
                        int32_t row, int32_t g, int32_t keys, rk_error *err)
{
    uint8_t head[1024] = {0};
    if (a->pages.kv_heads > (int32_t)sizeof head)
        return rk_fail(err, RK_E_UNSUPPORTED, "profile: more than %zu KV heads", sizeof head);
    head[g] = 1;
    void *mass;
    RK_TRY(ops->alloc(b, (size_t)keys * sizeof(float), &mass, err));
    rk_mass m = {.attend = a,
                 .row_first = row,
                 .row_count = 1,
                 .kv_head = head,
                 .from = 0,
                 .to = keys,
                 .weight = (float)a->pages.kv_heads / (float)a->heads,
                 .mass = mass};
    rk_status st = ops->fill(b, mass, (size_t)keys, 0, err);
    if (st == RK_OK)
        st = ops->mass(b, &m, err);
    if (st == RK_OK)
        st = ops->download(b, p->row, mass, (size_t)keys, err);
    ops->release(b, mass);
    return st;
}

/* Probability outside sink and window for a row at `pos`. */
static double far_mass(const rk_profile *p, int32_t pos)
{
    double far = 0;
    for (int32_t key = p->config.sink; key <= pos - p->config.window; key++)
        far += (double)p->row[key];
    return far;
}

/* Probability on the P oldest keys of the row's window, where keys are hidden beyond it. */
static double edge_mass(const rk_profile *p, int32_t pos)
{
    int32_t oldest = pos - p->config.window + 1;
    double edge = 0;
    if (oldest <= p->config.sink)
        return 0;
    for (int32_t key = oldest; key < oldest + RK_PAGE_TOKENS && key <= pos; key++)
        edge += (double)p->row[key];
    return edge;
}

static double gold_mass(const rk_profile *p, int32_t pos)
{
    double sum = 0;
    for (int32_t c = 0; c < p->r->chunks; c++) {
        const rk_segment *s = &p->r->chunk[c];
        for (int32_t key = s->start; p->gold[c] && key < s->start + s->n; key++)
            sum += key >= p->config.sink && key <= pos - p->config.window ? (double)p->row[key] : 0;
    }
    return sum;
}

static rk_status visit_far(rk_profile *p, const rk_backend_ops *ops, rk_backend *b, int32_t layer,
                           const rk_attend *a, int32_t g, rk_error *err)
{
    int32_t n = p->r->tokens, context = p->r->question.start;
    size_t at = (size_t)layer * (size_t)p->shape->kv_heads + (size_t)g;
    double question = 0, spread = 0, edge = 0;
    for (int32_t row = context; row < n; row++) {
        RK_TRY(row_of(p, ops, b, a, row, g, n, err));
        question += far_mass(p, row);
        edge += edge_mass(p, row);
    }
    p->sum[NEEDLE][at] += gold_mass(p, n - 1); /* of the row that gives the first token */
    p->sum[FAR_QUESTION][at] += question / (n - context);
    p->sum[EDGE][at] += edge / (n - context);
    int32_t first = p->config.window + p->config.sink, rows = 0;
    for (int32_t i = 0; i < p->config.rows && first < context; i++, rows++) {
        int32_t row = first + (int32_t)((int64_t)i * (context - first) / p->config.rows);
        RK_TRY(row_of(p, ops, b, a, row, g, n, err));
        spread += far_mass(p, row);
    }
    p->sum[FAR_CONTEXT][at] += rows ? spread / rows : 0;
    return RK_OK;
}

/* The prompt's rows of every passage against those kept of it alone. */
static rk_status visit_shift(rk_profile *p, const rk_backend_ops *ops, rk_backend *b, int32_t layer,
                             const rk_attend *a, int32_t g, rk_error *err)
{
    overlap *o = &p->shift[(size_t)layer * (size_t)p->shape->kv_heads + (size_t)g];
    for (int32_t c = 0; c < p->r->chunks; c++) {
        const alone_rows *k = &p->alone[c];
        const float *alone = k->p + ((size_t)layer * (size_t)p->shape->kv_heads + (size_t)g) *
                                        (size_t)k->rows * (size_t)k->n;
        for (int32_t i = 0; i < k->rows; i++, alone += k->n) {
            int32_t start = p->r->chunk[c].start;
            RK_TRY(row_of(p, ops, b, a, start + k->first + i * k->step, g, p->r->tokens, err));
            for (int32_t j = 0; j < k->n; j++) {
                double x = (double)alone[j], y = (double)p->row[start + j];
                o->both += x * y;
                o->alone += x * x;
                o->prompt += y * y;
            }
        }
    }
    return RK_OK;
}

static rk_status visit_alone(rk_profile *p, const rk_backend_ops *ops, rk_backend *b, int32_t layer,
                             const rk_attend *a, int32_t g, rk_error *err)
{
    alone_rows *k = p->filling;
    int32_t prefix = p->r->prefix.n;
    for (int32_t i = 0; i < k->rows; i++) {
        RK_TRY(row_of(p, ops, b, a, prefix + k->first + i * k->step, g, prefix + k->n, err));
        size_t row =
            ((size_t)layer * (size_t)p->shape->kv_heads + (size_t)g) * (size_t)k->rows + (size_t)i;
        memcpy(k->p + row * (size_t)k->n, p->row + prefix, (size_t)k->n * sizeof(float));
    }
    return RK_OK;
}

static rk_status visit_layer(void *self, const rk_backend_ops *ops, rk_backend *b, int32_t layer,
                             const rk_attend *a, rk_error *err)
{
    rk_profile *p = self;
    for (int32_t g = 0; g < p->shape->kv_heads; g++) {
        if (p->filling) {
            RK_TRY(visit_alone(p, ops, b, layer, a, g, err));
            continue;
        }
        RK_TRY(visit_far(p, ops, b, layer, a, g, err));
        RK_TRY(visit_shift(p, ops, b, layer, a, g, err));
    }
    return RK_OK;
}

/* A dense prefill with the observer looking on. */
static rk_status observe(rk_profile *p, const rk_request *r, rk_error *err)
{
    static const rk_method_ops dense = {.name = "profile", .title = "profile"};
    rk_method method = {.ops = &dense, .shape = p->shape};
    const rk_observer observer = {p, visit_layer};
    rk_session *s;
    RK_TRY(rk_session_open(&s, p->e, &method, err));
    rk_engine_observe(p->e, &observer);
    rk_status st = rk_session_prefill(s, r, RK_PART_WHOLE, NULL, err);
    rk_engine_observe(p->e, NULL);
    rk_session_close(s);
    return st;
}

/* Runs passage c alone behind the prefix and keeps its sampled rows. */
static rk_status run_alone(rk_profile *p, int32_t c, rk_arena *arena, rk_error *err)
{
    const rk_segment *chunk = &p->r->chunk[c];
    alone_rows *k = &p->alone[c];
    rk_request r;
    k->n = chunk->n;
    k->rows = p->config.rows < chunk->n ? p->config.rows : chunk->n;
    k->step = chunk->n / k->rows;
    k->first = k->step - 1;
    k->p = rk_arena_take(arena, heads_of(p) * (size_t)k->rows, (size_t)k->n * sizeof(float), err);
    if (!k->p)
        return RK_E_MEMORY;
    RK_TRY(rk_request_build(&r, (rk_ids_span){p->r->prefix.id, p->r->prefix.n}, NULL, 0,
                            (rk_ids_span){chunk->id, chunk->n}, arena, err));
    p->filling = k;
    rk_status st = observe(p, &r, err);
    p->filling = NULL;
    return st;
}

static rk_status add_in(rk_profile *p, rk_arena *arena, rk_error *err)
{
    p->alone = rk_arena_take(arena, (size_t)p->r->chunks, sizeof *p->alone, err);
    p->row = rk_arena_take(arena, (size_t)p->r->tokens, sizeof *p->row, err);
    if (!p->alone || !p->row)
        return RK_E_MEMORY;
    memset(p->shift, 0, heads_of(p) * sizeof *p->shift);
    for (int32_t c = 0; c < p->r->chunks; c++)
        RK_TRY(run_alone(p, c, arena, err));
    RK_TRY(observe(p, p->r, err));
    for (size_t i = 0; i < heads_of(p); i++) {
        const overlap *o = &p->shift[i];
        double norm = sqrt(o->alone * o->prompt);
        p->sum[PREFIX_SHIFT][i] += norm > 0 ? 1 - o->both / norm : 0;
    }
    for (int i = 0; i < MEASURES; i++)
        p->count[i]++;
    return RK_OK;
}

rk_status rk_profile_add(rk_profile *p, rk_engine *e, const rk_request *r, const uint8_t *gold,
                         rk_error *err)
{
    rk_arena *arena;
    RK_TRY(rk_arena_new(&arena, err));
    p->e = e;
    p->r = r;
    p->gold = gold;
    rk_status st = add_in(p, arena, err);
    rk_arena_free(arena);
    return st;
}

static double mean_of(const rk_profile *p, measure m, size_t i)
{
    return p->count[m] ? p->sum[m][i] / (double)p->count[m] : 0;
}

double rk_profile_value(const rk_profile *p, rk_profile_score score, int32_t layer, int32_t head)
{
    size_t i = (size_t)layer * (size_t)p->shape->kv_heads + (size_t)head;
    double far = fmax(mean_of(p, FAR_QUESTION, i), mean_of(p, FAR_CONTEXT, i));
    double needle = mean_of(p, NEEDLE, i), shift = mean_of(p, PREFIX_SHIFT, i);
    switch (score) {
    case RK_PROFILE_EDGE:
        return mean_of(p, EDGE, i);
    case RK_PROFILE_NEEDLE:
        return needle;
    case RK_PROFILE_SHIFT:
        return shift;
    case RK_PROFILE_MAX:
        return fmax(far, fmax(needle, shift));
    default:
        return far;
    }
}

typedef struct ranked {
    double score;
    int32_t index;
} ranked;

static int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->index - y->index;
}

rk_status rk_profile_map(const rk_profile *p, rk_profile_score score, double share,
                         double threshold, rk_arena *arena, rk_head_map **out, rk_error *err)
{
    int32_t n = (int32_t)heads_of(p), wanted = (int32_t)lround(share * n);
    ranked *rank = rk_arena_take(arena, (size_t)n, sizeof *rank, err);
    if (!rank)
        return RK_E_MEMORY;
    RK_TRY(rk_head_map_make("all_local", p->shape->layers, p->shape->kv_heads, arena, out, err));
    for (int32_t i = 0; i < n; i++) {
        rank[i].index = i;
        rank[i].score = rk_profile_value(p, score, i / p->shape->kv_heads, i % p->shape->kv_heads);
        (*out)->distance[i] = p->config.window;
        (*out)->sink[i] = p->config.sink;
    }
    qsort(rank, (size_t)n, sizeof *rank, by_score);
    for (int32_t i = 0; i < n; i++)
        if (share >= 0 ? i < wanted : rank[i].score > threshold) {
            (*out)->cls[rank[i].index] = RK_HEAD_GLOBAL;
            (*out)->distance[rank[i].index] = -1;
        }
    return RK_OK;
}

rk_status rk_profile_evidence(const rk_profile *p, rk_arena *arena, char **out, rk_error *err)
{
    json_t *root = json_object();
    for (int m = 0; m < MEASURES; m++) {
        json_t *table = json_array();
        for (int32_t l = 0; l < p->shape->layers; l++) {
            json_t *row = json_array();
            for (int32_t h = 0; h < p->shape->kv_heads; h++) {
                double v = mean_of(p, (measure)m, (size_t)(l * p->shape->kv_heads + h));
                json_array_append_new(row, json_real(round(v * 1e5) / 1e5));
            }
            json_array_append_new(table, row);
        }
        json_object_set_new(root, measure_names[m], table);
    }
    json_object_set_new(root, "contexts", json_integer(p->count[0]));
    json_object_set_new(root, "window", json_integer(p->config.window));
    json_object_set_new(root, "sink", json_integer(p->config.sink));
    json_object_set_new(root, "rows", json_integer(p->config.rows));
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(root);
    *out = text ? rk_arena_text(arena, text, strlen(text), err) : NULL;
    free(text);
    return *out ? RK_OK : rk_fail(err, RK_E_MEMORY, "out of memory: profile evidence");
}
