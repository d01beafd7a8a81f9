/* op_cases.c - cases of the dense operations: products, norms, rotations, rows. */
#include "op_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/dequantize.h"

/* Stored rows of any format: random bytes whose scales are small f16 numbers. */
static rk_weight random_weight(op_bench *t, rk_dtype dtype, int64_t rows, int64_t cols,
                               float **values)
{
    size_t block = rk_dtype_block_bytes(dtype), bytes = rk_dtype_bytes(dtype, cols) * (size_t)rows;
    size_t floats = (bytes + sizeof(float) - 1) / sizeof(float), n = (size_t)(rows * cols);
    unsigned char *raw = op_take(t, floats, sizeof(float));
    for (size_t i = 0; i < bytes; i++)
        raw[i] = (unsigned char)rk_rng_u64(&t->rng);
    for (size_t at = 0; at < bytes; at += block) {
        const uint16_t half[2] = {(uint16_t)(0x2400 + rk_rng_below(&t->rng, 512)),
                                  (uint16_t)(0xa400 + rk_rng_below(&t->rng, 512))};
        const float one = (float)rk_rng_normal(&t->rng);
        uint32_t bits;
        memcpy(&bits, &one, sizeof bits);
        const uint16_t top = (uint16_t)(bits >> 16);
        if (dtype == RK_F32)
            memcpy(raw + at, &one, 4);
        else if (dtype == RK_BF16)
            memcpy(raw + at, &top, 2);
        else if (dtype == RK_F16)
            memcpy(raw + at, &half[at / 2 % 2], 2);
        else if (dtype == RK_Q6_K)
            memcpy(raw + at + 208, half, 2);
        else
            memcpy(raw + at, half,
                   dtype == RK_Q8_0 || dtype == RK_Q4_0 || dtype == RK_Q5_0 ? 2 : 4);
    }
    *values = op_take(t, n, sizeof **values);
    for (int64_t r = 0; r < rows; r++)
        rk_dequantize(dtype, raw + (size_t)r * rk_dtype_bytes(dtype, cols), *values + r * cols,
                      cols);
    return (rk_weight){op_upload(t, (float *)(void *)raw, floats), dtype, rows, cols};
}

static void product(op_bench *t, rk_dtype dtype, int64_t rows, int64_t outputs, int64_t inputs,
                    int with_bias)
{
    float *values, *x = op_random(t, (size_t)(rows * inputs), 1);
    rk_weight w = random_weight(t, dtype, outputs, inputs, &values);
    float *bias = with_bias ? op_random(t, (size_t)outputs, 1) : NULL;
    rk_tensor in = op_tensor(t, x, rows, inputs), out = op_tensor(t, NULL, rows, outputs);
    double *expected = op_take(t, (size_t)(rows * outputs), sizeof *expected);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t o = 0; o < outputs; o++) {
            double sum = bias ? (double)bias[o] : 0;
            for (int64_t i = 0; i < inputs; i++)
                sum += (double)x[r * inputs + i] * (double)values[o * inputs + i];
            expected[r * outputs + o] = sum;
        }
    const float *device_bias = bias ? op_upload(t, bias, (size_t)outputs) : NULL;
    rk_counters before = *t->ops->counters(t->b);
    OP_MUST(t, t->ops->matmul(t->b, out, in, &w, device_bias, RK_PHASE_FFN, &t->err));
    op_near(t, rk_dtype_name(dtype), op_read(t, out.data, (size_t)(rows * outputs)), expected,
            (size_t)(rows * outputs), 3e-6 * sqrt((double)inputs));
    const rk_counters *c = t->ops->counters(t->b);
    assert_int_equal(c->flops[RK_PHASE_FFN] - before.flops[RK_PHASE_FFN],
                     2 * rows * outputs * inputs);
    assert_int_equal(c->bytes - before.bytes,
                     (uint64_t)outputs * rk_dtype_bytes(dtype, inputs) +
                         (uint64_t)(rows * (inputs + outputs) * t->ops->activation_bytes));
}

static void every_dtype_multiplies(op_bench *t)
{
    for (int d = 0; d < RK_DTYPES; d++)
        for (int64_t rows = 1; rows <= 33; rows += 16)
            product(t, (rk_dtype)d, rows, 37, 512, rows == 17);
}

static void odd_shapes_multiply(op_bench *t)
{
    static const int64_t shape[][3] = {{1, 1, 1},    {1, 300, 7},  {3, 5, 1},    {16, 64, 33},
                                       {17, 65, 31}, {65, 257, 9}, {513, 3, 20}, {64, 256, 64}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        product(t, RK_F32, shape[i][0], shape[i][1], shape[i][2], 1);
        product(t, RK_BF16, shape[i][0], shape[i][1], shape[i][2], 0);
    }
}

static void a_slice_of_a_weight_multiplies(op_bench *t)
{
    float *values, *x = op_random(t, 5 * 64, 1);
    rk_weight w = random_weight(t, RK_Q8_0, 20, 64, &values), part = rk_weight_rows(&w, 6, 9);
    rk_tensor in = op_tensor(t, x, 5, 64), out = op_tensor(t, NULL, 5, 9);
    double expected[5 * 9] = {0};
    for (int r = 0; r < 5; r++)
        for (int o = 0; o < 9; o++)
            for (int i = 0; i < 64; i++)
                expected[r * 9 + o] += (double)x[r * 64 + i] * (double)values[(o + 6) * 64 + i];
    OP_MUST(t, t->ops->matmul(t->b, out, in, &part, NULL, RK_PHASE_HEAD, &t->err));
    op_near(t, "slice", op_read(t, out.data, 45), expected, 45, 3e-5);
}

static void bad_shapes_are_refused(op_bench *t)
{
    static const int64_t bad[][4] = {{2, 8, 2, 5}, {2, 7, 2, 4}, {2, 8, 3, 4}};
    float *values;
    rk_weight w = random_weight(t, RK_F32, 4, 8, &values);
    for (size_t i = 0; i < 3; i++) {
        rk_tensor in = op_tensor(t, NULL, bad[i][0], bad[i][1]);
        rk_tensor out = op_tensor(t, NULL, bad[i][2], bad[i][3]);
        assert_int_equal(t->ops->matmul(t->b, out, in, &w, NULL, RK_PHASE_FFN, &t->err), RK_E_ARG);
    }
    rk_tensor none = {NULL, 0, 8}, nothing = {NULL, 0, 4};
    OP_MUST(t, t->ops->matmul(t->b, nothing, none, &w, NULL, RK_PHASE_FFN, &t->err));
    assert_int_equal(t->ops->counters(t->b)->flops[RK_PHASE_FFN], 0);
}

static void embedding_copies_rows(op_bench *t)
{
    static const int32_t id[] = {3, 0, 9, 3};
    for (int d = 0; d < RK_DTYPES; d++) {
        float *values;
        rk_weight w = random_weight(t, (rk_dtype)d, 10, 256, &values);
        rk_tensor y = op_tensor(t, NULL, 4, 256);
        double expected[4 * 256];
        for (int i = 0; i < 4 * 256; i++)
            expected[i] = (double)values[id[i / 256] * 256 + i % 256];
        OP_MUST(t, t->ops->embed(t->b, y, &w, op_index(t, id, 4), &t->err));
        op_near(t, "embed", op_read(t, y.data, 4 * 256), expected, 4 * 256, 0);
    }
    static const int32_t bad[] = {10, -1};
    for (int i = 0; i < 2 && t->ops->has_values; i++) {
        float *values;
        rk_weight w = random_weight(t, RK_F32, 10, 4, &values);
        rk_tensor y = op_tensor(t, NULL, 1, 4);
        assert_int_equal(t->ops->embed(t->b, y, &w, op_index(t, &bad[i], 1), &t->err), RK_E_ARG);
        assert_non_null(strstr(t->err.text, "expected 0 to 9"));
    }
}

const op_case op_cases_matmul[] = {
    {"every dtype", every_dtype_multiplies},     {"odd shapes", odd_shapes_multiply},
    {"a slice", a_slice_of_a_weight_multiplies}, {"bad shapes", bad_shapes_are_refused},
    {"embedding", embedding_copies_rows},        {NULL, NULL},
};

static void norms_are_over_runs(op_bench *t)
{
    static const struct {
        int64_t rows, cols;
        int32_t width;
        double scale;
    } cases[] = {{1, 1, 1, 1},        {3, 7, 7, 1},     {5, 24, 6, 1},  {130, 64, 16, 1},
                 {2, 512, 512, 1e-4}, {2, 64, 64, 1e4}, {4, 128, 64, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t n = (size_t)(cases[c].rows * cases[c].cols), width = (size_t)cases[c].width;
        float *x = op_random(t, n, cases[c].scale), *w = op_random(t, width, 1);
        double *expected = op_take(t, n, sizeof *expected);
        for (size_t at = 0; at < n; at += width) {
            double sum = 0;
            for (size_t i = at; i < at + width; i++)
                sum += (double)x[i] * (double)x[i];
            for (size_t i = at; i < at + width; i++)
                expected[i] =
                    (double)x[i] / sqrt(sum / (double)width + (double)1e-5f) * (double)w[i - at];
        }
        rk_tensor in = op_tensor(t, x, cases[c].rows, cases[c].cols);
        rk_tensor out = op_tensor(t, NULL, cases[c].rows, cases[c].cols);
        const float *gain = op_upload(t, w, width);
        OP_MUST(t, t->ops->rms_norm(t->b, out, in, gain, cases[c].width, 1e-5f, &t->err));
        op_near(t, "rms_norm", op_read(t, out.data, n), expected, n, 2e-6);
        OP_MUST(t, t->ops->rms_norm(t->b, in, in, gain, cases[c].width, 1e-5f, &t->err));
        op_near(t, "rms_norm in place", op_read(t, in.data, n), expected, n, 2e-6);
    }
    if (!t->ops->has_values)
        return;
    rk_tensor x = op_tensor(t, NULL, 2, 10), y = op_tensor(t, NULL, 3, 10);
    const float *gain = op_memory(t, 10);
    assert_int_equal(t->ops->rms_norm(t->b, x, x, gain, 3, 1e-5f, &t->err), RK_E_ARG);
    assert_int_equal(t->ops->rms_norm(t->b, x, x, gain, 0, 1e-5f, &t->err), RK_E_ARG);
    assert_int_equal(t->ops->rms_norm(t->b, y, x, gain, 10, 1e-5f, &t->err), RK_E_ARG);
}

static void gating_is_silu_times_up(op_bench *t)
{
    static const float edges[] = {0,  -0.0f, 1e-30f, -1e-30f, 20,   -20,
                                  87, -87,   89,     -89,     1000, -1000};
    enum { EDGES = sizeof edges / sizeof *edges, ROWS = 11, COLS = 37, N = ROWS * COLS };
    float *gate = op_random(t, N, 3), *up = op_random(t, N, 2);
    double expected[N];
    memcpy(gate, edges, sizeof edges);
    for (int i = 0; i < N; i++)
        expected[i] = (double)gate[i] / (1 + exp(-(double)gate[i])) * (double)up[i];
    rk_tensor g = op_tensor(t, gate, ROWS, COLS), u = op_tensor(t, up, ROWS, COLS);
    OP_MUST(t, t->ops->swiglu(t->b, g, u, &t->err));
    const float *got = op_read(t, g.data, N);
    op_near(t, "swiglu edges", got, expected, EDGES, 1e-6);
    op_near(t, "swiglu", got + EDGES, expected + EDGES, N - EDGES, 1e-6);
}

static void broken_gates_stay_broken(op_bench *t)
{
    const float gate[4] = {NAN, 1, INFINITY, 2}, up[4] = {1, NAN, 1, 1};
    rk_tensor g = op_tensor(t, gate, 4, 1), u = op_tensor(t, up, 4, 1);
    OP_MUST(t, t->ops->swiglu(t->b, g, u, &t->err));
    const float *got = op_read(t, g.data, 4);
    if (t->ops->has_values)
        assert_true(!isfinite(got[0]) && !isfinite(got[1]) && !isfinite(got[2]) &&
                    isfinite(got[3]));
}

static void adding_adds(op_bench *t)
{
    static const int64_t shape[][2] = {{1, 1}, {3, 5}, {70, 1000}};
    for (size_t s = 0; s < 3; s++) {
        size_t n = (size_t)(shape[s][0] * shape[s][1]);
        float *x = op_random(t, n, 1), *y = op_random(t, n, 1);
        double *expected = op_take(t, n, sizeof *expected);
        for (size_t i = 0; i < n; i++)
            expected[i] = (double)(x[i] + y[i]);
        rk_tensor a = op_tensor(t, x, shape[s][0], shape[s][1]);
        rk_tensor b = op_tensor(t, y, shape[s][0], shape[s][1]);
        OP_MUST(t, t->ops->add(t->b, a, b, &t->err));
        op_near(t, "add", op_read(t, a.data, n), expected, n, 0);
    }
}

const op_case op_cases_norm[] = {
    {"norm over runs", norms_are_over_runs},
    {"silu(gate) up", gating_is_silu_times_up},
    {"broken gates", broken_gates_stay_broken},
    {"add", adding_adds},
    {NULL, NULL},
};

static rk_rotation rotation(op_bench *t, int32_t dim, float factor, const float **host)
{
    float *f = op_take(t, (size_t)dim / 2 + 1, sizeof *f);
    for (int32_t i = 0; i < dim / 2; i++)
        f[i] = (float)pow(10000, -2.0 * i / dim);
    *host = f;
    return (rk_rotation){op_upload(t, f, (size_t)dim / 2), dim, factor};
}

/* The definition: pairs (i, i + dim/2) turn by rope * inv_freq[i]. */
static void rotate(double *head, const float *inv_freq, int32_t dim, int32_t rope, double factor)
{
    for (int32_t i = 0; i < dim / 2; i++) {
        double angle = (double)rope * (double)inv_freq[i], u = head[i], v = head[i + dim / 2];
        head[i] = (u * cos(angle) - v * sin(angle)) * factor;
        head[i + dim / 2] = (u * sin(angle) + v * cos(angle)) * factor;
    }
}

static void heads_rotate(op_bench *t)
{
    static const struct {
        int32_t heads, head_dim, dim;
        float factor;
    } cases[] = {{1, 6, 6, 1}, {3, 24, 16, 1}, {4, 64, 64, 1.25f}, {2, 128, 128, 1}, {2, 8, 2, 1}};
    static const int32_t rope[] = {0, 1, 63, 64, 1000, 131071, 1000000, 5};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int32_t cols = cases[c].heads * cases[c].head_dim;
        size_t n = 8u * (size_t)cols;
        const float *freq;
        float *x = op_random(t, n, 1);
        double *expected = op_take(t, n, sizeof *expected);
        rk_rotation r = rotation(t, cases[c].dim, cases[c].factor, &freq);
        rk_tensor table = op_tensor(t, NULL, 8, cases[c].dim), y = op_tensor(t, x, 8, cols);
        for (size_t i = 0; i < n; i++)
            expected[i] = (double)x[i];
        for (int32_t i = 0; i < 8 * cases[c].heads; i++)
            rotate(expected + i * cases[c].head_dim, freq, cases[c].dim, rope[i / cases[c].heads],
                   (double)cases[c].factor);
        OP_MUST(t, t->ops->rope_table(t->b, table, op_index(t, rope, 8), r, &t->err));
        OP_MUST(t, t->ops->rope(t->b, y, cases[c].head_dim, table, &t->err));
        op_near(t, "rope", op_read(t, y.data, n), expected, n, 1e-6);
    }
}

static void turning_back_restores(op_bench *t)
{
    enum { ROWS = 6, D = 64 };
    static const int32_t there[ROWS] = {0, 1, 77, 4096, 100000, 999999};
    int32_t back[ROWS];
    const float *freq;
    float *x = op_random(t, ROWS * D, 1);
    double expected[ROWS * D];
    rk_rotation r = rotation(t, D, 1, &freq);
    rk_tensor table = op_tensor(t, NULL, ROWS, D), y = op_tensor(t, x, ROWS, D);
    for (int i = 0; i < ROWS; i++)
        back[i] = -there[i];
    for (int i = 0; i < ROWS * D; i++)
        expected[i] = (double)x[i];
    for (int i = 0; i < 2; i++) {
        OP_MUST(t,
                t->ops->rope_table(t->b, table, op_index(t, i ? back : there, ROWS), r, &t->err));
        OP_MUST(t, t->ops->rope(t->b, y, D, table, &t->err));
    }
    op_near(t, "round trip", op_read(t, y.data, ROWS * D), expected, ROWS * D, 1e-6);
}

static void bad_rotations_are_refused(op_bench *t)
{
    if (!t->ops->has_values)
        return;
    const float *freq;
    rk_rotation r = rotation(t, 8, 1, &freq);
    const int32_t zero[2] = {0, 0};
    rk_tensor table = op_tensor(t, NULL, 2, 6), x = op_tensor(t, NULL, 2, 12);
    int32_t *rope = op_index(t, zero, 2);
    assert_int_equal(t->ops->rope_table(t->b, table, rope, r, &t->err), RK_E_ARG);
    r.dim = 7;
    table.cols = 7;
    assert_int_equal(t->ops->rope_table(t->b, table, rope, r, &t->err), RK_E_ARG);
    table.cols = 6;
    assert_int_equal(t->ops->rope(t->b, x, 5, table, &t->err), RK_E_ARG);
    assert_int_equal(t->ops->rope(t->b, x, 4, table, &t->err), RK_E_ARG);
    table.rows = 1;
    assert_int_equal(t->ops->rope(t->b, x, 6, table, &t->err), RK_E_ARG);
}

const op_case op_cases_rope[] = {
    {"heads rotate", heads_rotate},
    {"there and back", turning_back_restores},
    {"bad rotations", bad_rotations_are_refused},
    {NULL, NULL},
};

static void rows_gather_and_add(op_bench *t)
{
    enum { ROWS = 9, COLS = 13, PICKED = 4 };
    static const int32_t row[PICKED] = {8, 0, 3, 4};
    float *x = op_random(t, ROWS * COLS, 1);
    double picked[PICKED * COLS], added[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        added[i] = (double)x[i];
    for (int i = 0; i < PICKED * COLS; i++) {
        picked[i] = (double)x[row[i / COLS] * COLS + i % COLS];
        added[row[i / COLS] * COLS + i % COLS] *= 2;
    }
    rk_tensor from = op_tensor(t, x, ROWS, COLS), to = op_tensor(t, NULL, PICKED, COLS);
    int32_t *rows = op_index(t, row, PICKED), got[PICKED];
    OP_MUST(t, t->ops->rows_gather(t->b, to, from, rows, &t->err));
    op_near(t, "rows_gather", op_read(t, to.data, PICKED * COLS), picked, PICKED * COLS, 0);
    OP_MUST(t, t->ops->rows_add(t->b, from, to, rows, &t->err));
    op_near(t, "rows_add", op_read(t, from.data, ROWS * COLS), added, ROWS * COLS, 0);
    static const int32_t index[] = {10, 11, 12, 13, 14, 15, 16, 17, 18};
    int32_t *out = op_index(t, row, PICKED);
    OP_MUST(t, t->ops->gather_index(t->b, out, op_index(t, index, 9), rows, PICKED, &t->err));
    OP_MUST(t, t->ops->download_index(t->b, got, out, PICKED, &t->err));
    for (int i = 0; i < PICKED; i++)
        assert_int_equal(got[i], 10 + row[i]);
}

static void norms_go_by_position(op_bench *t)
{
    enum { ROWS = 70, COLS = 19, N = 300 };
    int32_t pos[ROWS];
    float *x = op_random(t, ROWS * COLS, 1), *y = op_random(t, ROWS * COLS, 1);
    double alone[N], apart[N];
    for (int i = 0; i < N; i++)
        alone[i] = apart[i] = 7.5; /* untouched */
    for (int i = 0; i < ROWS; i++) {
        double u = 0, d = 0;
        pos[i] = 4 * i + 3;
        for (int c = i * COLS; c < (i + 1) * COLS; c++) {
            u += (double)x[c] * (double)x[c];
            d += ((double)x[c] - (double)y[c]) * ((double)x[c] - (double)y[c]);
        }
        alone[pos[i]] = sqrt(u);
        apart[pos[i]] = sqrt(d);
    }
    rk_tensor a = op_tensor(t, x, ROWS, COLS), b = op_tensor(t, y, ROWS, COLS);
    int32_t *at = op_index(t, pos, ROWS);
    float *out = op_memory(t, N), *out2 = op_memory(t, N);
    OP_MUST(t, t->ops->row_norm(t->b, a, NULL, at, out, &t->err));
    op_near(t, "row_norm", op_read(t, out, N), alone, N, 1e-6);
    OP_MUST(t, t->ops->row_norm(t->b, a, &b, at, out2, &t->err));
    op_near(t, "row_norm of a difference", op_read(t, out2, N), apart, N, 1e-6);
}

static void the_largest_is_found(op_bench *t)
{
    static const float x[5][6] = {{1, 5, 5, 2, 0, 5},
                                  {-3, -2, -1, -1, -9, -8},
                                  {0, 0, 0, 0, 0, 0},
                                  {1, 2, 3, 4, 5, 6},
                                  {-INFINITY, -7, -8, -INFINITY, -7, -9}};
    static const int32_t expected[] = {1, 2, 0, 5, 1};
    int32_t got[5];
    OP_MUST(t, t->ops->argmax(t->b, op_tensor(t, x[0], 5, 6), got, &t->err));
    for (int i = 0; i < 5 && t->ops->has_values; i++)
        assert_int_equal(got[i], expected[i]);
}

static void the_first_broken_row_is_found(op_bench *t)
{
    static const struct {
        int at, and_at;
        float value;
    } cases[] = {{-1, -1, 0},          {0, -1, NAN},       {129, -1, INFINITY},
                 {77, 100, -INFINITY}, {31, 64, INFINITY}, {63, 62, (float)NAN},
                 {40, 41, NAN}};
    enum { ROWS = 10, COLS = 13 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        float *x = op_random(t, ROWS * COLS, 1e30);
        int first = cases[c].at;
        if (cases[c].at >= 0)
            x[cases[c].at] = cases[c].value;
        if (cases[c].and_at >= 0) {
            x[cases[c].and_at] = -cases[c].value;
            first = first < cases[c].and_at ? first : cases[c].and_at;
        }
        int64_t bad = 99;
        OP_MUST(t, t->ops->find_nonfinite(t->b, op_tensor(t, x, ROWS, COLS), &bad, &t->err));
        assert_int_equal(bad, first < 0 || !t->ops->has_values ? -1 : first / COLS);
    }
    int64_t bad = 99;
    OP_MUST(t, t->ops->find_nonfinite(t->b, (rk_tensor){NULL, 0, 5}, &bad, &t->err));
    assert_int_equal(bad, -1);
}

static void memory_fills_and_moves(op_bench *t)
{
    float *x = op_memory(t, 20);
    double expected[20];
    for (int i = 0; i < 20; i++)
        expected[i] = i < 12 ? -2 : 7.5;
    OP_MUST(t, t->ops->fill(t->b, x, 12, -2, &t->err));
    op_near(t, "fill", op_read(t, x, 20), expected, 20, 0);
    OP_MUST(t, t->ops->upload(t->b, x, NULL, 0, &t->err));
    OP_MUST(t, t->ops->download(t->b, NULL, x, 0, &t->err));
    rk_tensor part = rk_tensor_rows((rk_tensor){x, 5, 4}, 2, 3);
    assert_int_equal(part.rows, 3);
    assert_int_equal(part.cols, 4);
    if (t->ops->has_values)
        assert_ptr_equal(part.data, x + 8);
}

const op_case op_cases_rows[] = {
    {"gather and add", rows_gather_and_add},   {"norms", norms_go_by_position},
    {"argmax", the_largest_is_found},          {"find_nonfinite", the_first_broken_row_is_found},
    {"fill and move", memory_fills_and_moves}, {NULL, NULL},
};
