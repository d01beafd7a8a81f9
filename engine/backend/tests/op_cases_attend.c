/* op_cases_attend.c - attention against fp64 softmax, and merging of its parts. */
#include "op_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "op_world.h"

/* columns: seqs G group D tokens rows step window sink globals key_from right whole absent */
static const op_world_spec worlds[] = {
    {"one row", 1, 2, 1, 16, 200, 1, 1, 0, 0, 0, 0, 0, 0, 0},
    {"two rows, local", 1, 2, 2, 24, 200, 2, 1, 40, 7, 0, 0, 0, 0, 0},
    {"63 rows", 1, 1, 3, 64, 130, 63, 1, 65, 64, 0, 0, 0, 0, 0},
    {"64 rows", 1, 2, 4, 128, 257, 64, 1, 100, 3, 1, 0, 0, 0, 0},
    {"65 rows", 1, 1, 5, 256, 300, 65, 1, 64, 1, 0, 0, 0, 0, 0},
    {"odd head", 1, 3, 6, 6, 150, 20, 1, 30, 5, 1, 0, 0, 0, 0},
    {"group of 7", 1, 2, 7, 16, 129, 9, 1, 0, 0, 0, 0, 0, 0, 0},
    {"group of 8", 1, 2, 8, 16, 128, 128, 1, 17, 2, 1, 0, 0, 0, 0},
    {"window 1, no sink", 1, 1, 2, 16, 140, 70, 1, 1, 0, 0, 0, 0, 0, 0},
    {"window 1, sink 3", 1, 2, 2, 16, 140, 70, 1, 1, 3, 0, 0, 0, 0, 0},
    {"no sink", 1, 2, 2, 16, 500, 40, 1, 64, 0, 0, 0, 0, 0, 0},
    {"window beyond N", 1, 2, 2, 16, 150, 150, 1, 1000, 5, 1, 0, 0, 0, 0},
    {"window equal to N", 1, 2, 1, 16, 150, 150, 1, 150, 0, 0, 0, 0, 0, 0},
    {"sink beyond N", 1, 2, 1, 16, 150, 50, 1, 10, 400, 0, 0, 0, 0, 0},
    {"sink touches window", 1, 1, 1, 16, 120, 30, 1, 60, 70, 0, 0, 0, 0, 0},
    {"sparse rows", 1, 2, 4, 24, 400, 37, 10, 0, 0, 0, 0, 0, 0, 0},
    {"sparse rows, local", 1, 3, 2, 16, 900, 40, 22, 50, 9, 1, 0, 0, 0, 0},
    {"three sequences", 3, 2, 2, 16, 300, 33, 1, 40, 70, 1, 0, 0, 0, 0},
    {"three single rows", 3, 2, 3, 64, 200, 1, 1, 33, 4, 1, 0, 0, 0, 0},
    {"sequences, sparse rows", 2, 1, 2, 16, 300, 70, 3, 0, 0, 0, 0, 0, 0, 0},
    {"bottom right", 1, 2, 2, 16, 200, 20, 9, 0, 0, 0, 0, 1, 0, 0},
    {"bottom right, local", 1, 2, 2, 16, 200, 20, 9, 30, 4, 1, 0, 1, 0, 0},
    {"keys from 100", 1, 2, 2, 16, 160, 60, 1, 0, 0, 0, 100, 0, 0, 0},
    {"keys from 70, local", 1, 2, 2, 16, 300, 60, 1, 90, 80, 1, 70, 0, 0, 0},
    {"rows before key_from", 1, 1, 1, 16, 100, 100, 1, 0, 0, 0, 50, 0, 0, 0},
    {"an absent page", 1, 2, 2, 16, 200, 80, 1, 0, 0, 0, 0, 0, 0, 1},
    {"everything written", 2, 2, 2, 16, 333, 65, 2, 48, 16, 1, 0, 0, 1, 0},
    {"2048 rows", 1, 1, 1, 16, 2048, 2048, 1, 256, 64, 0, 0, 0, 0, 0},
};

static void expect(const op_world *w, double *out, double *lse)
{
    int32_t d = w->spec->dim;
    double *p = op_take(w->t, (size_t)w->longest, sizeof *p);
    for (int32_t i = 0; i < w->n; i++)
        for (int32_t h = 0; h < w->a.heads; h++) {
            int64_t at = (int64_t)i * w->a.heads + h;
            int32_t head = w->seq[i] * w->spec->kv_heads + h / w->spec->group;
            const float *v = w->v + (int64_t)head * w->longest * d;
            lse[at] = op_world_softmax(w, i, h, 0, INT32_MAX, p);
            for (int32_t key = 0; key < w->longest; key++)
                for (int32_t c = 0; c < d && p[key] > 0; c++)
                    out[at * d + c] += p[key] * (double)v[(int64_t)key * d + c];
        }
}

static double cosine(const float *a, const double *b, size_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        ab += (double)a[i] * b[i];
        aa += (double)a[i] * (double)a[i];
        bb += b[i] * b[i];
    }
    return ab / sqrt(aa * bb);
}

/* Keys multiplied, counted one by one; masked attention multiplies all of its sequence. */
static uint64_t pairs_of(const op_world *w, int masked)
{
    uint64_t pairs = 0;
    for (int32_t i = 0; i < w->n; i++) {
        int32_t last = w->limit[(w->seq[i] + 1) * w->spec->rows - 1];
        for (int32_t g = 0; g < w->spec->kv_heads; g++)
            for (int32_t key = 0; key <= w->limit[i] && !masked; key++) {
                int32_t view = w->seq[i] * w->spec->kv_heads + g;
                pairs += key >= w->spec->key_from && (w->window[view] == 0 || key < w->sink[view] ||
                                                      key > w->pos[i] - w->window[view]);
            }
        pairs += masked ? (uint64_t)(last + 1) * (uint64_t)w->spec->kv_heads : 0;
    }
    return pairs * (uint64_t)w->spec->group;
}

static void check_world(op_bench *t, const op_world_spec *spec, int masked)
{
    op_world w;
    op_world_open(&w, t, spec);
    size_t n = (size_t)(w.a.q.rows * w.a.q.cols), heads = (size_t)(w.n * w.a.heads);
    double *out = op_take(t, n, sizeof *out), *lse = op_take(t, heads, sizeof *lse);
    expect(&w, out, lse);
    w.a.out = op_tensor(t, NULL, w.a.q.rows, w.a.q.cols);
    w.a.lse = op_memory(t, heads);
    w.a.masked = masked;
    uint64_t before = t->ops->counters(t->b)->attended_pairs;
    OP_MUST(t, t->ops->attend(t->b, &w.a, &t->err));
    const float *got = op_read(t, w.a.out.data, n);
    op_near(t, spec->name, got, out, n, 2e-5);
    op_near(t, spec->name, op_read(t, w.a.lse, heads), lse, heads, 2e-5);
    if (t->ops->has_values && cosine(got, out, n) < 0.99998)
        fail_msg("%s: cosine %.7f", spec->name, cosine(got, out, n));
    uint64_t pairs = t->ops->counters(t->b)->attended_pairs - before;
    if (pairs != pairs_of(&w, masked))
        fail_msg("%s: %llu pairs counted, %llu multiplied", spec->name, (unsigned long long)pairs,
                 (unsigned long long)pairs_of(&w, masked));
}

static void attention_is_softmax(op_bench *t)
{
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        check_world(t, &worlds[i], 0);
}

static void masking_changes_nothing(op_bench *t)
{
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        if (worlds[i].step == 1 && worlds[i].tokens < 1000 && !worlds[i].key_from)
            check_world(t, &worlds[i], 1);
}

static void output_without_lse_is_the_same(op_bench *t)
{
    op_world w;
    op_world_open(&w, t, &worlds[3]);
    size_t n = (size_t)(w.a.q.rows * w.a.q.cols), heads = (size_t)(w.n * w.a.heads);
    double *out = op_take(t, n, sizeof *out), *lse = op_take(t, heads, sizeof *lse);
    expect(&w, out, lse);
    w.a.out = op_tensor(t, NULL, w.a.q.rows, w.a.q.cols);
    OP_MUST(t, t->ops->attend(t->b, &w.a, &t->err));
    op_near(t, "no lse", op_read(t, w.a.out.data, n), out, n, 2e-5);
}

static void bad_shapes_are_refused(op_bench *t)
{
    op_world w;
    if (!t->ops->has_values)
        return;
    op_world_open(&w, t, &worlds[1]);
    w.a.out = op_tensor(t, NULL, w.a.q.rows, w.a.q.cols);
    rk_attend bad[3] = {w.a, w.a, w.a};
    bad[0].heads = 3;
    bad[1].q.cols--;
    bad[2].q.rows++;
    for (int i = 0; i < 3; i++)
        assert_int_equal(t->ops->attend(t->b, &bad[i], &t->err), RK_E_ARG);
}

/* Queries of a broken weight must not turn into a clean zero. */
static void broken_queries_stay_broken(op_bench *t)
{
    static const op_world_spec spec = {"NaN", 1, 1, 2, 16, 100, 5, 1, 0, 0, 0, 0, 0, 0, 0};
    op_world w;
    op_world_open(&w, t, &spec);
    w.a.out = op_tensor(t, NULL, w.a.q.rows, w.a.q.cols);
    OP_MUST(t, t->ops->fill(t->b, w.a.q.data, 32, NAN, &t->err)); /* row 0 */
    OP_MUST(t, t->ops->attend(t->b, &w.a, &t->err));
    const float *got = op_read(t, w.a.out.data, 5 * 32);
    for (int i = 0; i < 5 * 32 && t->ops->has_values; i++)
        assert_int_equal(isfinite(got[i]) != 0, i >= 32);
}

/* Keys split at 90: two parts, one softmax. Row 0 sees nothing of the later part. */
static void merged_parts_are_one_softmax(op_bench *t)
{
    static const op_world_spec whole = {"", 1, 2, 2, 16, 200, 120, 1, 0, 0, 0, 0, 0, 1, 0};
    op_world w;
    op_world_open(&w, t, &whole);
    size_t n = (size_t)(w.a.q.rows * w.a.q.cols), heads = (size_t)(w.n * w.a.heads);
    double *out = op_take(t, n, sizeof *out), *lse = op_take(t, heads, sizeof *lse);
    expect(&w, out, lse);
    rk_attend part[2] = {w.a, w.a};
    int32_t *limit = op_take(t, (size_t)w.n, sizeof *limit);
    for (int32_t i = 0; i < w.n; i++)
        limit[i] = w.limit[i] < 89 ? w.limit[i] : 89;
    rk_rows early = w.rows;
    early.limit = op_index(t, limit, (size_t)w.n);
    part[0].rows = &early;
    part[1].key_from = 90;
    for (int i = 0; i < 2; i++) {
        part[i].out = op_tensor(t, NULL, w.a.q.rows, w.a.q.cols);
        part[i].lse = op_memory(t, heads);
        OP_MUST(t, t->ops->attend(t->b, &part[i], &t->err));
    }
    OP_MUST(t, t->ops->lse_merge(t->b, part[0].out, part[0].lse, part[1].out, part[1].lse,
                                 w.a.heads, &t->err));
    op_near(t, "merged", op_read(t, part[0].out.data, n), out, n, 2e-5);
    op_near(t, "merged lse", op_read(t, part[0].lse, heads), lse, heads, 2e-5);
}

static void empty_parts_merge(op_bench *t)
{
    const float x[4] = {1, 2, 3, 4}, zero[4] = {0}, y[4] = {5, 6, 7, 8};
    const float a[4] = {0.5f, -INFINITY, -INFINITY, 0}, b[4] = {-INFINITY, 0.25f, -INFINITY, 0};
    const double out[4] = {1, 6, 0, 6}, lse[4] = {0.5, 0.25, -INFINITY, log(2)};
    float first[4] = {x[0], 0, 0, x[3]}, second[4] = {0, y[1], zero[2], y[3]};
    rk_tensor left = op_tensor(t, first, 2, 2), right = op_tensor(t, second, 2, 2);
    float *left_lse = op_upload(t, a, 4), *right_lse = op_upload(t, b, 4);
    OP_MUST(t, t->ops->lse_merge(t->b, left, left_lse, right, right_lse, 2, &t->err));
    op_near(t, "empty parts", op_read(t, left.data, 4), out, 4, 1e-6);
    op_near(t, "empty lse", op_read(t, left_lse, 4), lse, 4, 1e-6);
}

const op_case op_cases_attend[] = {
    {"attention is softmax", attention_is_softmax},
    {"masked = paged", masking_changes_nothing},
    {"without lse", output_without_lse_is_the_same},
    {"bad shapes", bad_shapes_are_refused},
    {"broken queries", broken_queries_stay_broken},
    {"merged parts", merged_parts_are_one_softmax},
    {"empty parts", empty_parts_merge},
    {NULL, NULL},
};
