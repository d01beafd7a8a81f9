/* bench_prefill.c - prefill speed against the matrix product's own limit.
 *
 * bench_prefill MODEL TOKENS THREADS: dense prefill of random ids (best and median of
 * five after a warm-up) beside the time that fp32 sgemm of the same shapes takes on
 * the same threads: every projection and FFN product of every layer at this number
 * of rows, and the attention's FLOPs at the mean rate of these. Prints tokens a second,
 * FLOP/s and the share of the sgemm rate. Not a test: run it on an idle machine. */
#include <cblas.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rng.h"
#include "engine.h"

enum { RUNS = 5 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Seconds of one [rows, in] x [out, in]^T product, split by rows over the threads. */
static double sgemm_seconds(int rows, int in, int out, int threads, const float *x, const float *w,
                            float *y)
{
    double best = 1e9;
    for (int run = 0; run < 3; run++) {
        int64_t start = rk_clock_ns();
#pragma omp parallel for num_threads(threads)
        for (int t = 0; t < threads; t++) {
            int from = rows * t / threads, n = rows * (t + 1) / threads - from;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, out, in, 1,
                        x + (size_t)from * in, in, w, in, 0, y + (size_t)from * out, out);
        }
        double s = (double)(rk_clock_ns() - start) * 1e-9;
        best = s < best ? s : best;
    }
    return best;
}

/* FLOP/s of sgemm over the model's own products, weighted as a layer uses them. */
static double sgemm_rate(const rk_model_shape *m, int rows, int threads)
{
    int q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim;
    const int shape[][3] = {{m->width, q, 1},
                            {m->width, kv, 2},
                            {q, m->width, 1},
                            {m->width, m->ffn_width, 2},
                            {m->ffn_width, m->width, 1}};
    size_t wide = (size_t)(m->ffn_width > q ? m->ffn_width : q);
    float *x = calloc((size_t)rows * wide, sizeof *x), *y = calloc((size_t)rows * wide, sizeof *y);
    float *w = calloc(wide * wide, sizeof *w);
    double flops = 0, seconds = 0;
    for (size_t i = 0; x && y && w && i < sizeof shape / sizeof *shape; i++) {
        seconds += shape[i][2] * sgemm_seconds(rows, shape[i][0], shape[i][1], threads, x, w, y);
        flops += 2.0 * rows * shape[i][0] * shape[i][1] * shape[i][2];
    }
    free(x);
    free(y);
    free(w);
    return seconds > 0 ? flops / seconds : 0;
}

static rk_status prefill_seconds(rk_engine *e, const rk_model *m, int32_t *ids, int32_t n,
                                 double *seconds, double *flops, rk_error *err)
{
    static const rk_method_ops dense = {.name = "bench", .title = "bench"};
    rk_method method = {.ops = &dense, .shape = &m->shape};
    rk_request r = {.question = {ids, n, 0}, .tokens = n};
    rk_report report;
    rk_prefill_out out = {.report = &report};
    rk_session *s;
    RK_TRY(rk_session_open(&s, e, &method, err));
    rk_status st = rk_session_prefill(s, &r, RK_PART_WHOLE, &out, err);
    rk_session_close(s);
    *seconds = report.total_ms * 1e-3;
    *flops = (double)rk_counters_flops(&report.counters);
    return st;
}

int main(int argc, char **argv)
{
    rk_error err = {0};
    rk_model *m;
    rk_engine *e;
    double seconds[RUNS + 1], flops = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: bench_prefill MODEL TOKENS THREADS\n");
        return 2;
    }
    int32_t n = atoi(argv[2]), threads = atoi(argv[3]);
    if (rk_model_open(&m, argv[1], &err) != RK_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    size_t page = (size_t)2 * RK_PAGE_TOKENS * (size_t)m->shape.head_dim * sizeof(float);
    rk_engine_config config = {.backend = "cpu", .device = {.threads = threads}};
    config.kv_bytes = page * (size_t)(n / RK_PAGE_TOKENS + 2) * (size_t)m->shape.layers *
                      (size_t)m->shape.kv_heads;
    int32_t *ids = calloc((size_t)n, sizeof *ids);
    rk_rng rng;
    rk_rng_init(&rng, 1, "bench");
    for (int32_t i = 0; ids && i < n; i++)
        ids[i] = (int32_t)rk_rng_below(&rng, (uint64_t)m->shape.vocab);
    if (!ids || rk_engine_open(&e, m, &config, &err) != RK_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    for (int i = 0; i <= RUNS; i++)
        if (prefill_seconds(e, m, ids, n, &seconds[i], &flops, &err) != RK_OK)
            return fprintf(stderr, "%s\n", err.text), 1;
    qsort(seconds + 1, RUNS, sizeof *seconds, by_value);
    double rate = sgemm_rate(&m->shape, n, threads), median = seconds[1 + RUNS / 2];
    printf("%s: %d tokens, %d threads: median %.3f s (best %.3f), %.0f tokens/s, %.1f GFLOP/s; "
           "sgemm on its shapes %.1f GFLOP/s: %.0f %%\n",
           m->name, n, threads, median, seconds[1], n / median, flops / median * 1e-9, rate * 1e-9,
           100 * flops / median / rate);
    free(ids);
    rk_engine_close(e);
    rk_model_close(m);
    return 0;
}
