/* claims.c - see claims.h. */
#include "claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "quality.h"

enum { NAME_TEXT = 64 };

const char *rk_claim_status_name(rk_claim_status s)
{
    static const char *const names[] = {"reproduced", "direction-only", "not-reproduced",
                                        "contradicted", "untestable"};
    return names[s];
}

/* ---- the predicate ---- */

static int meets(double a_lo, double a_hi, double b_lo, double b_hi)
{
    return a_lo <= b_hi && b_lo <= a_hi;
}

static void say(rk_claim_verdict *v, rk_claim_status status, const char *why)
{
    v->status = status;
    snprintf(v->why, sizeof v->why, "%s", why);
}

static void decide_reproduced(rk_claim_verdict *v)
{
    int claims_none = v->band_lo <= v->no_effect && v->no_effect <= v->band_hi;
    int holds_none = v->got.lo <= v->no_effect && v->no_effect <= v->got.hi;
    int inside = v->band_lo <= v->got.lo && v->got.hi <= v->band_hi;
    if (!claims_none && holds_none && !isnan(v->no_effect)) {
        v->weak = 1;
        say(v, RK_CLAIM_REPRODUCED, "the interval meets the stated band but also holds no effect");
    } else if (claims_none && !inside) {
        v->weak = 1;
        say(v, RK_CLAIM_REPRODUCED,
            "the interval meets the stated band but is wider: n too small to settle");
    } else {
        say(v, RK_CLAIM_REPRODUCED, "the interval meets the stated band");
    }
}

void rk_claim_decide(double value, double tolerance, int relative, double no_effect,
                     const rk_interval *got, rk_claim_verdict *out)
{
    double half = relative ? tolerance * fabs(value) : tolerance;
    *out = (rk_claim_verdict){
        .got = *got, .band_lo = value - half, .band_hi = value + half, .no_effect = no_effect};
    if (got->n == 0 || isnan(got->est)) {
        say(out, RK_CLAIM_UNTESTABLE, "nothing measured");
        return;
    }
    if (isnan(got->lo) || isnan(got->hi)) {
        snprintf(out->why, sizeof out->why, "n too small: %lld contexts, an interval needs %d",
                 (long long)got->clusters, RK_STATS_MIN_CLUSTERS);
        out->status = RK_CLAIM_UNTESTABLE;
        return;
    }
    if (meets(got->lo, got->hi, out->band_lo, out->band_hi)) {
        decide_reproduced(out);
        return;
    }
    /* Comparisons with a NaN no_effect are all false: no direction, no contradiction. */
    int above = got->lo > no_effect, below = got->hi < no_effect;
    int claimed_above = value > no_effect, claimed_below = value < no_effect;
    if ((above && claimed_above) || (below && claimed_below))
        say(out, RK_CLAIM_DIRECTION_ONLY, "an effect on the claimed side, of another size");
    else if ((above && claimed_below) || (below && claimed_above))
        say(out, RK_CLAIM_CONTRADICTED, "an effect on the other side");
    else if (isnan(no_effect) || value == no_effect)
        say(out, RK_CLAIM_NOT_REPRODUCED, "the interval misses the stated band");
    else
        say(out, RK_CLAIM_NOT_REPRODUCED, "no effect seen");
}

/* ---- finding the cells ---- */

typedef struct target {
    char base[NAME_TEXT]; /* metric of the database */
    rk_effect effect;
    double no_effect;
    int reference_first; /* 1: reference / method */
} target;

static rk_status read_metric(const char *metric, target *t, rk_error *err)
{
    static const struct suffix {
        const char *text;
        rk_effect effect;
        double no_effect;
        int reference_first;
    } suffixes[] = {
        {"_speedup", RK_EFFECT_RATIO_MEDIANS, 1, 1},
        {"_reduction", RK_EFFECT_RATIO_MEDIANS, 1, 1},
        {"_delta", RK_EFFECT_MEAN_DIFF, 0, 0},
        {"_ratio", RK_EFFECT_RATIO_MEANS, 1, 0},
        {"", RK_EFFECT_MEAN, NAN, 0},
    };
    size_t n = strlen(metric);
    if (n == 0 || n + 4 > sizeof t->base)
        return rk_fail(err, RK_E_USAGE, "claim: metric '%s' is empty or too long", metric);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t m = strlen(suffixes[i].text);
        if (m >= n || strcmp(metric + n - m, suffixes[i].text))
            continue;
        snprintf(t->base, sizeof t->base, "%.*s", (int)(n - m), metric);
        /* Speed-ups are of times, which carry their unit in the database. */
        if (i == 0 && !strstr(t->base, "_ms"))
            strcat(t->base, "_ms");
        t->effect = suffixes[i].effect;
        t->no_effect = suffixes[i].no_effect;
        t->reference_first = suffixes[i].reference_first;
        return RK_OK;
    }
    return rk_fail(err, RK_E_USAGE, "claim: metric '%s' has no name before its suffix", metric);
}

static const char *axis_of(const rk_query_point *p, const char *name, size_t n)
{
    static const char *const names[] = {"model", "dataset", "context", "method"};
    const char *const values[] = {p->model, p->dataset, p->context, p->method};
    for (size_t i = 0; i < 4; i++)
        if (strlen(names[i]) == n && !strncmp(names[i], name, n))
            return values[i];
    return NULL;
}

/* "4K", "4096" and 4096 are one context. */
static int same_value(const char *axis, size_t axis_n, const char *have, const char *want,
                      size_t want_n)
{
    if (strlen(have) == want_n && !strncmp(have, want, want_n))
        return 1;
    char text[NAME_TEXT];
    int64_t a, b;
    if (axis_n != 7 || strncmp(axis, "context", 7) || want_n >= sizeof text)
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)want_n, want);
    return rk_parse_int(have, axis, &a, NULL) == RK_OK &&
           rk_parse_int(text, axis, &b, NULL) == RK_OK && a == b;
}

/* Is "name=value" among the words of p->rest? */
static int in_rest(const rk_query_point *p, const char *word, size_t n)
{
    for (const char *c = p->rest; c && *c; c = strchr(c, ' ') ? strchr(c, ' ') + 1 : NULL)
        if (strcspn(c, " ") == n && !strncmp(c, word, n))
            return 1;
    return 0;
}

/* Does a point meet the words of `where`, "vs" left out? -1: a word is no axis=value. */
static int point_meets(const rk_query_point *p, const char *where)
{
    for (const char *c = where + strspn(where, " "); *c; c += strspn(c, " ")) {
        size_t n = strcspn(c, " ");
        const char *eq = memchr(c, '=', n);
        if (!eq || eq == c)
            return -1;
        size_t name = (size_t)(eq - c), value = n - name - 1;
        int is_vs = name == 2 && !strncmp(c, "vs", 2);
        if (!is_vs) {
            const char *have = axis_of(p, c, name);
            if (have ? !same_value(c, name, have, eq + 1, value) : !in_rest(p, c, n))
                return 0;
        }
        c += n;
    }
    return 1;
}

static int is_reference(const rk_query_point *p, const char *where)
{
    for (const char *c = where + strspn(where, " "); *c; c += strspn(c, " ")) {
        size_t n = strcspn(c, " ");
        if (n > 3 && !strncmp(c, "vs=", 3))
            return strlen(p->method) == n - 3 && !strncmp(p->method, c + 3, n - 3);
        c += n;
    }
    return p->is_reference;
}

static void untestable(rk_claim_verdict *out, const rk_claim_input *c, double no_effect,
                       const char *why)
{
    rk_interval none = {NAN, NAN, NAN, 0, 0};
    rk_claim_decide(c->value, c->tolerance, c->relative, no_effect, &none, out);
    snprintf(out->why, sizeof out->why, "%s", why);
}

/* The one point the words fix; *found counts how many did. */
static rk_status find_point(const rk_query_point *p, int64_t n, const rk_claim_input *claim,
                            const rk_query_point **out, int64_t *found, rk_error *err)
{
    *out = NULL;
    *found = 0;
    for (int64_t i = 0; i < n; i++) {
        int met = point_meets(p + i, claim->where);
        if (met < 0)
            return rk_fail(err, RK_E_USAGE, "claim: '%s' is not a list of axis=value",
                           claim->where);
        int any = !claim->experiment || !claim->experiment[0];
        if (met && (any || !strcmp(p[i].exp_id, claim->experiment))) {
            *out = p + i;
            ++*found;
        }
    }
    return RK_OK;
}

static rk_status measure(rk_query *q, const target *t, const rk_query_point *method,
                         const rk_query_point *reference, rk_interval *out, rk_error *err)
{
    rk_series m, r = {0};
    rk_pairs pairs;
    RK_TRY(rk_query_series(q, method->id, t->base, &m, err));
    if (t->effect == RK_EFFECT_MEAN) {
        pairs = (rk_pairs){m.value, NULL, m.cluster, m.n};
    } else {
        RK_TRY(rk_query_series(q, reference->id, t->base, &r, err));
        if (t->reference_first)
            RK_TRY(rk_query_pair(&r, &m, rk_query_arena(q), &pairs, err));
        else
            RK_TRY(rk_query_pair(&m, &r, rk_query_arena(q), &pairs, err));
    }
    return rk_stats_bootstrap(&pairs, t->effect, RK_STATS_LEVEL, RK_STATS_SEED, out, err);
}

rk_status rk_claim_check(rk_query *q, const rk_claim_input *claim, rk_claim_verdict *out,
                         rk_error *err)
{
    target t;
    const rk_query_point *p, *method = NULL, *reference = NULL;
    int64_t n, found;
    RK_TRY(read_metric(claim->metric, &t, err));
    RK_TRY(rk_query_points(q, &p, &n, err));
    RK_TRY(find_point(p, n, claim, &method, &found, err));
    if (found != 1) {
        char why[80] = "not run on this machine";
        if (found > 1)
            snprintf(why, sizeof why, "names %lld cells; fix the other axes too", (long long)found);
        untestable(out, claim, t.no_effect, why);
        return RK_OK;
    }
    if (rk_quality_metric(t.base) && !rk_quality_known(method)) {
        untestable(out, claim, t.no_effect, "quality is not measured on random weights");
        return RK_OK;
    }
    for (int64_t i = 0; i < n && t.effect != RK_EFFECT_MEAN; i++)
        if (rk_query_same_group(p + i, method) && is_reference(p + i, claim->where))
            reference = p + i;
    if (t.effect != RK_EFFECT_MEAN && !reference) {
        untestable(out, claim, t.no_effect, "the method it is compared with was not run");
        return RK_OK;
    }
    if (reference && strcmp(reference->dataset_id, method->dataset_id)) {
        untestable(out, claim, t.no_effect, "method and reference ran on different items");
        return RK_OK;
    }
    rk_interval got;
    RK_TRY(measure(q, &t, method, reference, &got, err));
    rk_claim_decide(claim->value, claim->tolerance, claim->relative, t.no_effect, &got, out);
    return RK_OK;
}
