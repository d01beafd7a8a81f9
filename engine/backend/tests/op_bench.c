/* op_bench.c - see op_bench.h. */
#include "op_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

void op_bench_open(op_bench *t, const rk_backend_ops *ops, const rk_backend_config *config)
{
    memset(t, 0, sizeof *t);
    t->ops = ops;
    assert_int_equal(rk_arena_new(&t->arena, NULL), RK_OK);
    rk_rng_init(&t->rng, 11, "op_bench");
    OP_MUST(t, ops->open(&t->b, config, &t->err));
}

void op_bench_close(op_bench *t)
{
    for (int32_t i = 0; i < t->floats; i++)
        t->ops->release(t->b, t->taken[i]);
    for (int32_t i = 0; i < t->indices; i++)
        t->ops->release_index(t->b, t->taken_index[i]);
    t->ops->close(t->b);
    rk_arena_free(t->arena);
}

void *op_take(op_bench *t, size_t count, size_t size)
{
    void *p = rk_arena_take(t->arena, count, size, NULL);
    assert_non_null(p);
    return p;
}

float *op_random(op_bench *t, size_t n, double scale)
{
    float *x = op_take(t, n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(scale * rk_rng_normal(&t->rng));
    return x;
}

float *op_memory(op_bench *t, size_t n)
{
    assert_true(t->floats < OP_TAKEN_MAX);
    OP_MUST(t, t->ops->alloc(t->b, n * sizeof(float), &t->taken[t->floats], &t->err));
    float *x = t->taken[t->floats++];
    OP_MUST(t, t->ops->fill(t->b, x, n, 7.5f, &t->err));
    return x;
}

float *op_upload(op_bench *t, const float *x, size_t n)
{
    float *to = op_memory(t, n);
    OP_MUST(t, t->ops->upload(t->b, to, x, n, &t->err));
    return to;
}

int32_t *op_index(op_bench *t, const int32_t *x, size_t n)
{
    assert_true(t->indices < OP_TAKEN_MAX);
    int32_t **to = &t->taken_index[t->indices];
    OP_MUST(t, t->ops->alloc_index(t->b, n, to, &t->err));
    t->indices++;
    OP_MUST(t, t->ops->upload_index(t->b, *to, x, n, &t->err));
    return *to;
}

rk_tensor op_tensor(op_bench *t, const float *x, int64_t rows, int64_t cols)
{
    size_t n = (size_t)(rows * cols);
    return (rk_tensor){x ? op_upload(t, x, n) : op_memory(t, n), rows, cols};
}

float *op_read(op_bench *t, const float *x, size_t n)
{
    float *to = op_take(t, n, sizeof *to);
    OP_MUST(t, t->ops->download(t->b, to, x, n, &t->err));
    return to;
}

void op_near(op_bench *t, const char *what, const float *got, const double *expected, size_t n,
             double tolerance)
{
    double scale = 1;
    if (!t->ops->has_values)
        return;
    for (size_t i = 0; i < n; i++)
        if (isfinite(expected[i]))
            scale = fmax(scale, fabs(expected[i]));
    for (size_t i = 0; i < n; i++) {
        if (isinf(expected[i]) && (double)got[i] == expected[i])
            continue;
        double d = fabs((double)got[i] - expected[i]);
        if (!(d <= tolerance * scale))
            fail_msg("%s: %s: value %zu is %.9g, expected %.9g", t->ops->name, what, i,
                     (double)got[i], expected[i]);
    }
}

void op_run(const op_case *cases)
{
    static const rk_backend_config fast = {.threads = 2},
                                   plain = {.threads = 1, .plain_attention = 1};
    const struct {
        const rk_backend_ops *ops;
        const rk_backend_config *config;
    } runs[] = {{&rk_backend_cpu, &fast}, {&rk_backend_cpu, &plain}, {&rk_backend_count, &fast}};
    for (const op_case *c = cases; c->run; c++) {
        rk_counters counters[3];
        for (size_t i = 0; i < 3; i++) {
            op_bench t;
            op_bench_open(&t, runs[i].ops, runs[i].config);
            c->run(&t);
            counters[i] = *t.ops->counters(t.b);
            op_bench_close(&t);
            if (memcmp(&counters[i], &counters[0], sizeof *counters))
                fail_msg("%s: %s counts otherwise than %s", c->name, runs[i].ops->name,
                         runs[0].ops->name);
        }
    }
}
