/* matmul.c - matrix product with weights as stored, and the embedding look-up.
 *
 * Weights stay memory-mapped. A tile of outputs is dequantised into the thread's
 * scratch and multiplied by OpenBLAS on that thread; fp32 weights are used where
 * they lie. Tiles are large enough that dequantising is a few per cent of the
 * product (512 rows x 256 outputs: measured with SmolLM2's shapes). */
#include "backend/cpu/cpu.h"

#include <cblas.h>
#include <string.h>

#include "backend/charge.h"
#include "base/dequantize.h"

enum { TILE_ROWS = 512, TILE_OUTPUTS = 256, FEW_ROWS = 16, FEW_OUTPUTS = 64 };

static int used_in_place(const rk_weight *w)
{
    return w->dtype == RK_F32 && (uintptr_t)w->data % sizeof(float) == 0;
}

/* One tile: rows [r0,r1) of x times outputs [o0,o1) of w. */
static void tile(const rk_backend *b, rk_tensor y, rk_tensor x, const rk_weight *w,
                 const float *bias, int64_t r0, int64_t r1, int64_t o0, int64_t o1)
{
    int64_t inputs = w->cols, n = o1 - o0, rows = r1 - r0;
    size_t row_bytes = rk_dtype_bytes(w->dtype, inputs);
    const float *panel = (const float *)w->data + o0 * inputs;
    if (!used_in_place(w)) {
        float *scratch = rk_cpu_thread_scratch(b);
        for (int64_t i = 0; i < n; i++)
            rk_dequantize(w->dtype, (const char *)w->data + (size_t)(o0 + i) * row_bytes,
                          scratch + i * inputs, inputs);
        panel = scratch;
    }
    const float *in = x.data + r0 * x.cols;
    float *out = y.data + r0 * y.cols + o0;
    if (bias)
        for (int64_t r = 0; r < rows; r++)
            memcpy(out + r * y.cols, bias + o0, (size_t)n * sizeof(float));
    float beta = bias ? 1.0f : 0.0f;
    if (rows == 1)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)inputs, 1.0f, panel, (int)inputs, in,
                    1, beta, out, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)n, (int)inputs, 1.0f,
                    in, (int)x.cols, panel, (int)inputs, beta, out, (int)y.cols);
}

rk_status rk_cpu_matmul(rk_backend *b, rk_tensor y, rk_tensor x, const rk_weight *w,
                        const float *bias, rk_phase phase, rk_error *err)
{
    if (x.cols != w->cols || y.cols != w->rows || x.rows != y.rows)
        return rk_fail(err, RK_E_ARG, "matmul: [%lld,%lld] by [%lld,%lld] into [%lld,%lld]",
                       (long long)x.rows, (long long)x.cols, (long long)w->rows, (long long)w->cols,
                       (long long)y.rows, (long long)y.cols);
    if (x.rows == 0)
        return RK_OK;
    int64_t outputs = x.rows <= FEW_ROWS ? FEW_OUTPUTS : TILE_OUTPUTS;
    /* Enough tiles for every thread, also for narrow matrices. */
    int64_t row_tile = TILE_ROWS;
    while (row_tile > 64 &&
           ((x.rows + row_tile - 1) / row_tile) * ((w->rows + outputs - 1) / outputs) < b->threads)
        row_tile /= 2;
    if (!used_in_place(w))
        RK_TRY(rk_cpu_scratch(b, (size_t)(outputs * w->cols), err));
    int64_t across = (w->rows + outputs - 1) / outputs, down = (x.rows + row_tile - 1) / row_tile;
#pragma omp parallel for collapse(2) schedule(dynamic, 1) num_threads(b->threads)
    for (int64_t i = 0; i < down; i++)
        for (int64_t j = 0; j < across; j++) {
            int64_t r1 = (i + 1) * row_tile, o1 = (j + 1) * outputs;
            tile(b, y, x, w, bias, i * row_tile, r1 < x.rows ? r1 : x.rows, j * outputs,
                 o1 < w->rows ? o1 : w->rows);
        }
    rk_count_matmul(&b->counters, phase, x.rows, w, sizeof(float));
    return RK_OK;
}

rk_status rk_cpu_embed(rk_backend *b, rk_tensor y, const rk_weight *table, const int32_t *id,
                       rk_error *err)
{
    size_t row_bytes = rk_dtype_bytes(table->dtype, table->cols);
    for (int64_t i = 0; i < y.rows; i++) {
        if (id[i] < 0 || id[i] >= table->rows)
            return rk_fail(err, RK_E_ARG, "token id %d: expected 0 to %lld", id[i],
                           (long long)table->rows - 1);
        rk_dequantize(table->dtype, (const char *)table->data + (size_t)id[i] * row_bytes,
                      y.data + i * y.cols, table->cols);
    }
    rk_charge_embed(&b->counters, y.rows, table, sizeof(float));
    return RK_OK;
}
