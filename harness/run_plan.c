/* run_plan.c - see run_plan.h. */
#include "run_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static int by_group(const void *a, const void *b)
{
    const rk_run_cell *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->point.index < y->point.index ? -1 : x->point.index > y->point.index;
}

rk_status rk_run_plan_build(const rk_spec *spec, rk_arena *arena, rk_run_plan *out, rk_error *err)
{
    int64_t points = rk_axes_points(spec);
    rk_point p;
    *out = (rk_run_plan){0};
    for (int64_t i = 0; i < points; i++)
        out->cells += rk_axes_point(spec, i, &p);
    out->cell = rk_arena_take(arena, (size_t)out->cells, sizeof *out->cell, err);
    if (!out->cell)
        return RK_E_MEMORY;
    rk_run_cell *c = out->cell;
    for (int64_t i = 0; i < points; i++) {
        if (!rk_axes_point(spec, i, &p))
            continue;
        c->point = p;
        c->group = rk_axes_group(spec, i);
        c->want = c->left = rk_measure_items(&spec->measure, &p) * spec->measure.reps;
        c->predicted = -1;
        c++;
    }
    if (out->cells)
        qsort(out->cell, (size_t)out->cells, sizeof *out->cell, by_group);
    return RK_OK;
}

int32_t rk_run_plan_group(const rk_run_plan *plan, int32_t first)
{
    int32_t n = 0;
    while (first + n < plan->cells && plan->cell[first + n].group == plan->cell[first].group)
        n++;
    return n;
}

void rk_run_plan_order(const rk_measure *m, int64_t group, int64_t block, int64_t rep, int32_t n,
                       int32_t *order)
{
    int back = m->order == RK_ORDER_ABBA && ((block + rep) & 1);
    for (int32_t i = 0; i < n; i++)
        order[i] = back ? n - 1 - i : i;
    if (m->order == RK_ORDER_RANDOM) {
        char purpose[96];
        rk_rng rng;
        snprintf(purpose, sizeof purpose, "order %" PRId64 " %" PRId64 " %" PRId64, group, block,
                 rep);
        rk_rng_init(&rng, (uint64_t)m->seed, purpose);
        rk_rng_shuffle(&rng, order, n);
    }
}

double rk_run_plan_to_go(const rk_run_plan *plan)
{
    double seconds = 0, sum = 0;
    int64_t measured = 0, unknown = 0;
    for (int32_t i = 0; i < plan->cells; i++) {
        const rk_run_cell *c = &plan->cell[i];
        sum += c->seconds;
        measured += c->measured;
        if (c->measured)
            seconds += (double)c->left * c->seconds / (double)c->measured;
        else if (c->predicted >= 0)
            seconds += (double)c->left * c->predicted;
        else
            unknown += c->left;
    }
    if (!unknown)
        return seconds;
    return measured ? seconds + (double)unknown * sum / (double)measured : -1;
}

rk_status rk_run_plan_method_json(const rk_point *p, rk_arena *arena, const char **out,
                                  rk_error *err)
{
    const rk_pair *pair;
    int32_t n;
    RK_TRY(rk_point_method_options(p, arena, &pair, &n, err));
    json_t *params = json_object();
    for (int32_t i = 0; i < n; i++)
        json_object_set_new(params, pair[i].key, json_string(pair[i].value));
    json_t *row = json_pack("{s:s,s:s,s:o,s:i,s:i,s:i}", "name",
                            p->method ? p->method->base : "none", "version", "", "params_json",
                            params, "exact", 0, "cross_query_cache", 0, "offline_phase", 0);
    char *text = row ? json_dumps(row, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(row);
    if (!text)
        return rk_fail(err, RK_E_MEMORY, "out of memory: a method's options");
    *out = rk_arena_text(arena, text, strlen(text), err);
    free(text);
    return *out ? RK_OK : RK_E_MEMORY;
}
