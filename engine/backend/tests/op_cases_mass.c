/* op_cases_mass.c - attention mass and the mass at a window's edge against fp64. */
#include "op_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op_world.h"

static const op_world_spec worlds[] = {
    {"global", 1, 3, 2, 16, 200, 12, 1, 0, 0, 0, 0, 0, 0, 0},
    {"local", 1, 3, 2, 24, 200, 40, 1, 70, 9, 1, 0, 0, 0, 0},
    {"sparse rows", 1, 3, 1, 6, 300, 20, 9, 80, 64, 1, 0, 0, 0, 0},
    {"window beyond N", 1, 3, 4, 16, 100, 30, 1, 500, 4, 1, 0, 0, 0, 0},
    {"window below a page", 1, 3, 2, 16, 150, 30, 1, 20, 4, 1, 0, 0, 0, 0},
    {"an absent page", 1, 3, 2, 16, 150, 10, 1, 0, 0, 0, 0, 0, 0, 1},
    {"second of two", 2, 3, 2, 16, 250, 30, 1, 90, 10, 1, 0, 0, 0, 0},
};

/* Mass twice over [from, to), of rows [2, n) of the last sequence; heads 0 and 2 send. */
static void check_mass(op_bench *t, const op_world_spec *spec, int32_t from, int32_t to,
                       int normalise)
{
    static const uint8_t heads[3] = {1, 0, 1};
    op_world w;
    op_world_open(&w, t, spec);
    int32_t first = w.n - spec->rows + 2;
    double *expected = op_take(t, (size_t)spec->tokens, sizeof *expected);
    double *p = op_take(t, (size_t)spec->tokens, sizeof *p);
    for (int32_t i = 0; i < spec->tokens; i++)
        expected[i] = 7.5;
    for (int32_t i = first; i < w.n; i++)
        for (int32_t h = 0; h < w.a.heads; h++) {
            if (!heads[h / spec->group])
                continue;
            op_world_softmax(&w, i, h, normalise ? from : 0, normalise ? to : INT32_MAX, p);
            for (int32_t key = from; key < to && key < spec->tokens; key++)
                expected[key] += 2 * 0.25 * p[key];
        }
    rk_mass m = {.attend = &w.a,
                 .row_first = first,
                 .row_count = spec->rows - 2,
                 .kv_head = heads,
                 .from = from,
                 .to = to,
                 .normalise_range = normalise,
                 .weight = 0.25f,
                 .mass = op_memory(t, (size_t)spec->tokens)};
    for (int i = 0; i < 2; i++)
        OP_MUST(t, t->ops->mass(t->b, &m, &t->err));
    op_near(t, spec->name, op_read(t, m.mass, (size_t)spec->tokens), expected, (size_t)spec->tokens,
            5e-6);
}

static void mass_is_summed_by_position(op_bench *t)
{
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        for (int normalise = 0; normalise < 2; normalise++) {
            check_mass(t, &worlds[i], 0, worlds[i].tokens, normalise);
            check_mass(t, &worlds[i], 10, 77, normalise);
        }
}

static void nobody_sends_nothing(op_bench *t)
{
    static const uint8_t none[3] = {0}, all[3] = {1, 1, 1};
    op_world w;
    op_world_open(&w, t, &worlds[0]);
    double expected[200];
    for (int i = 0; i < 200; i++)
        expected[i] = 7.5;
    rk_mass m = {.attend = &w.a, .row_count = 5, .kv_head = none, .to = 200, .weight = 1};
    m.mass = op_memory(t, 200);
    OP_MUST(t, t->ops->mass(t->b, &m, &t->err));
    m.kv_head = all;
    m.row_count = 0;
    OP_MUST(t, t->ops->mass(t->b, &m, &t->err));
    m.row_count = 5;
    m.to = 0; /* an empty range receives nothing */
    m.normalise_range = 1;
    OP_MUST(t, t->ops->mass(t->b, &m, &t->err));
    op_near(t, "nobody", op_read(t, m.mass, 200), expected, 200, 0);
}

/* The definition: share on the P oldest keys of the window; a row whose window (with
 * the sink) hides nothing counts 0. */
static double edge_of(const op_world *w, int32_t g, int32_t first, int32_t count, double *p)
{
    int32_t view = w->seq[first] * w->spec->kv_heads + g, window = w->window[view];
    double sum = 0;
    for (int32_t i = first; window > 0 && i < first + count; i++) {
        int32_t oldest = w->pos[i] - window + 1;
        if (oldest <= w->sink[view])
            continue;
        for (int32_t h = g * w->spec->group; h < (g + 1) * w->spec->group; h++) {
            op_world_softmax(w, i, h, 0, INT32_MAX, p);
            for (int32_t key = oldest; key < oldest + RK_PAGE_TOKENS && key <= w->limit[i]; key++)
                sum += p[key];
        }
    }
    return sum / ((double)count * w->spec->group);
}

static void edge_mass_is_a_share(op_bench *t)
{
    for (size_t c = 0; c < sizeof worlds / sizeof *worlds; c++) {
        op_world w;
        op_world_open(&w, t, &worlds[c]);
        int32_t count = worlds[c].rows - 1, first = w.n - count;
        double expected[3], *p = op_take(t, (size_t)worlds[c].tokens, sizeof *p);
        float edge[3] = {9, 9, 9};
        for (int32_t g = 0; g < 3; g++)
            expected[g] = edge_of(&w, g, first, count, p);
        OP_MUST(t, t->ops->edge_mass(t->b, &w.a, worlds[c].seqs - 1, first, count, edge, &t->err));
        op_near(t, worlds[c].name, edge, expected, 3, 5e-6);
        for (int32_t g = 0; g < 3; g++)
            assert_true(edge[g] >= 0 && (double)edge[g] <= 1 + 1e-6);
        if (t->ops->has_values && worlds[c].window == 70)
            assert_true(edge[0] > 0 && edge[1] == 0);
        if (t->ops->has_values)
            assert_int_equal(t->ops->edge_mass(t->b, &w.a, 0, 0, 0, edge, &t->err), RK_E_ARG);
    }
}

const op_case op_cases_mass[] = {
    {"mass by position", mass_is_summed_by_position},
    {"nobody sends", nobody_sends_nothing},
    {"edge mass", edge_mass_is_a_share},
    {NULL, NULL},
};
