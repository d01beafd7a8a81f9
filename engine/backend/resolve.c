/* resolve.c - see resolve.h. A rule marks rows in a byte mask; unions mark twice. */
#include "backend/resolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    int32_t row;
    float score;
} candidate;

typedef struct resolver {
    const rk_select_input *in;
    int has_values;
    uint8_t *mask;   /* [n] 1 = selected */
    int32_t *chunk;  /* [n] chunk of the row, -1 outside */
    uint8_t *domain; /* [n] domain bit of the row */
    candidate *pick; /* [n] scratch */
} resolver;

int32_t rk_request_domain(const rk_request *r, int32_t pos, int32_t *chunk)
{
    *chunk = -1;
    if (pos < r->prefix.n)
        return RK_DOMAIN_PREFIX;
    if (pos >= r->question.start)
        return RK_DOMAIN_QUESTION;
    int32_t low = 0, high = r->chunks - 1;
    while (low < high) {
        int32_t mid = (low + high + 1) / 2;
        if (r->chunk[mid].start <= pos)
            low = mid;
        else
            high = mid - 1;
    }
    *chunk = low;
    return RK_DOMAIN_CHUNKS;
}

/* Higher score first, lower position first among equals; a NaN was made -inf, so it
 * comes last. */
static int by_score(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->score > y->score)
        return -1;
    if (x->score < y->score)
        return 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static double mass_of(const candidate *c)
{
    return c->score > 0 ? (double)c->score : 0;
}

static int in_domain(const resolver *r, const rk_select *s, int32_t row)
{
    int32_t pos = r->in->pos[row];
    return (r->domain[row] & s->domain) && pos >= s->from && (s->to == 0 || pos < s->to);
}

/* `wanted` of the n candidates, evenly spaced: what `count` takes for a score. */
static void mark_evenly(resolver *r, int32_t n, int32_t wanted)
{
    for (int32_t i = 0; i < wanted; i++)
        r->mask[r->pick[(int64_t)i * n / wanted].row] = 1;
}

static void mark_top(resolver *r, const rk_select *s, int32_t n)
{
    if (n == 0)
        return;
    int32_t wanted = s->kind == RK_SELECT_TOP_COUNT ? (s->amount < n ? (int32_t)s->amount : n) : n;
    if (!r->has_values) {
        if (s->kind == RK_SELECT_TOP_MASS && s->amount < 1)
            wanted = (int32_t)(s->amount * n + 0.5);
        mark_evenly(r, n, wanted);
        return;
    }
    if (s->kind == RK_SELECT_TOP_MASS && s->amount < 1) {
        double total = 0, sum = 0;
        for (int32_t i = 0; i < n; i++)
            total += mass_of(&r->pick[i]);
        qsort(r->pick, (size_t)n, sizeof *r->pick, by_score);
        for (wanted = 0; wanted < n && sum < s->amount * total; wanted++)
            sum += mass_of(&r->pick[wanted]);
    } else if (wanted < n) {
        qsort(r->pick, (size_t)n, sizeof *r->pick, by_score);
    }
    for (int32_t i = 0; i < wanted; i++)
        r->mask[r->pick[i].row] = 1;
}

/* One run of rows: the whole prompt's domain or one chunk's part of it. */
static void mark_run(resolver *r, const rk_select *s, int32_t n)
{
    int32_t amount = s->amount < n ? (int32_t)s->amount : n, first = 0;
    if (s->kind == RK_SELECT_TOP_COUNT || s->kind == RK_SELECT_TOP_MASS) {
        mark_top(r, s, n);
        return;
    }
    if (s->kind == RK_SELECT_ALL)
        amount = n;
    else if (s->kind == RK_SELECT_LAST_N)
        first = n - amount;
    for (int32_t i = first; i < first + amount; i++)
        r->mask[r->pick[i].row] = 1;
}

static void mark_set(resolver *r, const rk_select *s)
{
    int32_t i = 0;
    for (int32_t row = 0; row < r->in->n; row++) {
        while (i < s->n && s->pos[i] < r->in->pos[row])
            i++;
        if (i < s->n && s->pos[i] == r->in->pos[row] && in_domain(r, s, row))
            r->mask[row] = 1;
    }
}

static void mark(resolver *r, const rk_select *s)
{
    if (s->kind == RK_SELECT_NONE)
        return;
    if (s->kind == RK_SELECT_SET) {
        mark_set(r, s);
        return;
    }
    if (s->kind == RK_SELECT_UNION) {
        for (int32_t i = 0; i < s->children; i++)
            mark(r, &s->child[i]);
        return;
    }
    const float *signal = r->has_values ? r->in->signal[s->signal] : NULL;
    int32_t n = 0, run_chunk = -2;
    for (int32_t row = 0; row < r->in->n; row++) {
        if (!in_domain(r, s, row))
            continue;
        if (s->scope == RK_SCOPE_CHUNK && r->chunk[row] != run_chunk) {
            mark_run(r, s, n);
            n = 0;
            run_chunk = r->chunk[row];
        }
        float score = signal ? signal[r->in->pos[row]] : 0;
        r->pick[n++] = (candidate){row, isnan(score) ? -INFINITY : score};
    }
    mark_run(r, s, n);
}

static rk_status check_signals(const rk_select_input *in, rk_error *err)
{
    uint32_t bits = rk_select_signals(in->rule);
    for (int i = 1; i < RK_SIGNALS; i++)
        if ((bits >> i & 1) && !in->signal[i])
            return rk_fail(err, RK_E_ARG, "a rule reads signal %d, which was not measured", i);
    return RK_OK;
}

rk_status rk_select_resolve(const rk_select_input *in, int has_values, int32_t *row, int32_t *count,
                            rk_error *err)
{
    if (has_values)
        RK_TRY(check_signals(in, err));
    size_t n = (size_t)in->n;
    resolver r = {.in = in, .has_values = has_values};
    rk_status st = RK_OK;
    r.mask = calloc(n + 1, 1);
    r.domain = malloc(n + 1);
    r.chunk = malloc((n + 1) * sizeof *r.chunk);
    r.pick = malloc((n + 1) * sizeof *r.pick);
    if (!r.mask || !r.domain || !r.chunk || !r.pick) {
        st = rk_fail(err, RK_E_MEMORY, "out of memory: a selection over %zu rows", n);
        goto done;
    }
    for (int32_t i = 0; i < in->n; i++)
        r.domain[i] = (uint8_t)rk_request_domain(in->request, in->pos[i], &r.chunk[i]);
    mark(&r, in->rule);
    *count = 0;
    for (int32_t i = 0; i < in->n; i++)
        if (r.mask[i])
            row[(*count)++] = in->row_base + i;
done:
    free(r.mask);
    free(r.domain);
    free(r.chunk);
    free(r.pick);
    return st;
}
