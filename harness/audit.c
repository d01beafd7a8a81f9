/* audit.c - see audit.h. */
#include "audit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_TEXT = 64, CLAUSE_TEXT = 200 };

typedef struct audit {
    const rk_published *p;
    rk_arena *arena;
    rk_audit_finding *finding;
    size_t n, capacity;
    int64_t checked;
    rk_error *err;
} audit;

static rk_status found(audit *a, const char *rule, const rk_published_row *row, const char *fmt,
                       ...) __attribute__((format(printf, 4, 5)));
static rk_status found(audit *a, const char *rule, const rk_published_row *row, const char *fmt,
                       ...)
{
    char text[CLAUSE_TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *kept = rk_arena_text(a->arena, text, strlen(text), a->err);
    if (!kept)
        return RK_E_MEMORY;
    RK_TRY(rk_heap_grow((void **)&a->finding, &a->capacity, a->n + 1, sizeof *a->finding, a->err));
    a->finding[a->n++] = (rk_audit_finding){rule, row, kept};
    return RK_OK;
}

/* Half a unit of the last digit. */
static double rounding(const rk_published_row *r)
{
    return 0.5 * pow(10, -r->decimals);
}

/* The row of the same experiment, x and origin; origin NULL: any. */
static const rk_published_row *find(const audit *a, const rk_published_row *like,
                                    const char *series, const char *metric, const char *origin)
{
    for (int64_t i = 0; i < a->p->n; i++) {
        const rk_published_row *r = a->p->row + i;
        if (!strcmp(r->exp_id, like->exp_id) && !strcmp(r->x, like->x) &&
            !strcmp(r->series, series) && !strcmp(r->metric, metric) &&
            (!origin || !strcmp(r->origin, origin)))
            return r;
    }
    return NULL;
}

static rk_status check_bounds(audit *a, const rk_published_row *r)
{
    static const char *const fractions[] = {
        "f1", "em", "cosine", "top1_agreement", "top10_agreement", "top_match"};
    double most = -1;
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++)
        if (!strcmp(r->metric, fractions[i]))
            most = 1;
    if (!strcmp(r->unit, "%"))
        most = 100;
    /* A relative accuracy may pass 100 % of its base. */
    if (most < 0 || !strncmp(r->metric, "relative", 8))
        return RK_OK;
    a->checked++;
    if (r->value < 0 || r->value > most)
        return found(a, "bounds", r, "%s %.*f lies outside 0 to %g", r->metric, r->decimals,
                     r->value, most);
    return RK_OK;
}

static rk_status check_f1_em(audit *a, const rk_published_row *em)
{
    if (strcmp(em->metric, "em"))
        return RK_OK;
    const rk_published_row *f1 = find(a, em, em->series, "f1", em->origin);
    if (!f1)
        return RK_OK;
    a->checked++;
    if (f1->value + rounding(f1) < em->value - rounding(em))
        return found(a, "f1-em", em, "F1 %.*f < EM %.*f, but an exact match has F1 = 1",
                     f1->decimals, f1->value, em->decimals, em->value);
    return RK_OK;
}

static rk_status check_grim(audit *a, const rk_published_row *em)
{
    if (strcmp(em->metric, "em"))
        return RK_OK;
    const rk_published_row *n = find(a, em, em->series, "n_items", NULL);
    n = n ? n : find(a, em, "*", "n_items", NULL);
    if (!n || n->value < 1)
        return RK_OK;
    a->checked++;
    double nearest = round(em->value * n->value) / n->value;
    /* The slack covers the binary image of the decimal half unit. */
    if (fabs(em->value - nearest) > rounding(em) * (1 + 1e-9))
        return found(a, "grim", em, "%.*f is no multiple of 1/%g (nearest %.4f)", em->decimals,
                     em->value, n->value, nearest);
    return RK_OK;
}

static rk_status check_ratio(audit *a, const rk_published_row *r)
{
    int ratio = !strncmp(r->metric, "ratio:", 6), gain = !strncmp(r->metric, "gain:", 5);
    if (!ratio && !gain)
        return RK_OK;
    const char *name = r->metric + (ratio ? 6 : 5), *colon = strrchr(name, ':');
    if (!colon || colon == name || (size_t)(colon - name) >= NAME_TEXT)
        return rk_fail(a->err, RK_E_FORMAT, "%s line %lld: expected %s:METRIC:BASE, got '%s'",
                       r->file, (long long)r->line, ratio ? "ratio" : "gain", r->metric);
    char metric[NAME_TEXT];
    snprintf(metric, sizeof metric, "%.*s", (int)(colon - name), name);
    const rk_published_row *base = find(a, r, colon + 1, metric, r->origin);
    const rk_published_row *own = find(a, r, r->series, metric, r->origin);
    if (!base || !own)
        return RK_OK;
    a->checked++;
    const rk_published_row *up = ratio ? base : own, *down = ratio ? own : base;
    double low = (up->value - rounding(up)) / (down->value + rounding(down));
    double high = (up->value + rounding(up)) / (down->value - rounding(down));
    if (down->value - rounding(down) <= 0)
        high = INFINITY;
    if (r->value + rounding(r) < low || r->value - rounding(r) > high)
        return found(a, "ratio", r, "stated %.*f, but %g / %g of %s is %.3g", r->decimals, r->value,
                     up->value, down->value, metric, up->value / down->value);
    return RK_OK;
}

static rk_status check_mismatch(audit *a, const rk_published_row *r)
{
    for (const rk_published_row *o = r + 1; o < a->p->row + a->p->n; o++) {
        if (strcmp(o->exp_id, r->exp_id) || strcmp(o->x, r->x) || strcmp(o->series, r->series) ||
            strcmp(o->metric, r->metric))
            continue;
        a->checked++;
        if (fabs(o->value - r->value) > (rounding(o) + rounding(r)) * (1 + 1e-9))
            RK_TRY(found(a, "mismatch", r, "%s says %.*f, %s says %.*f", r->origin, r->decimals,
                         r->value, o->origin, o->decimals, o->value));
    }
    return RK_OK;
}

rk_status rk_audit_run(const rk_published *p, rk_arena *arena, rk_audit *out, rk_error *err)
{
    *out = (rk_audit){0};
    static rk_status (*const rules[])(audit *, const rk_published_row *) = {
        check_bounds, check_f1_em, check_grim, check_ratio, check_mismatch};
    audit a = {.p = p, .arena = arena, .err = err};
    rk_status status = RK_OK;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        for (int64_t i = 0; i < p->n && status == RK_OK; i++)
            status = rules[k](&a, p->row + i);
    rk_audit_finding *kept = NULL;
    if (status == RK_OK)
        kept = rk_arena_take(arena, a.n, sizeof *kept, err);
    if (kept && a.n)
        memcpy(kept, a.finding, a.n * sizeof *kept);
    free(a.finding);
    if (!kept)
        return status ? status : RK_E_MEMORY;
    *out = (rk_audit){kept, (int64_t)a.n, a.checked};
    return RK_OK;
}
