/* sgemm_probe.c - see sgemm_probe.h: through the backend's own matmul. */
#include "sgemm_probe.h"

#include "backend/backend.h"
#include "base/clock.h"

enum { ROWS = 1024, INPUTS = 768, OUTPUTS = 1536, RUNS = 6 };

double rk_sgemm_probe(void)
{
    const rk_backend_ops *ops = &rk_backend_cpu;
    rk_backend *b = NULL;
    void *x = NULL, *y = NULL, *w = NULL;
    double best = 1;
    rk_backend_config config = {0};
    if (ops->open(&b, &config, NULL) != RK_OK)
        return best;
    if (ops->alloc(b, sizeof(float) * ROWS * INPUTS, &x, NULL) == RK_OK &&
        ops->alloc(b, sizeof(float) * ROWS * OUTPUTS, &y, NULL) == RK_OK &&
        ops->alloc(b, sizeof(float) * OUTPUTS * INPUTS, &w, NULL) == RK_OK) {
        ops->fill(b, x, ROWS * INPUTS, 0.5f, NULL);
        ops->fill(b, w, OUTPUTS * INPUTS, 0.25f, NULL);
        rk_weight weight = {w, RK_F32, OUTPUTS, INPUTS};
        for (int i = 0; i < RUNS; i++) {
            int64_t start = rk_clock_ns();
            ops->matmul(b, (rk_tensor){y, ROWS, OUTPUTS}, (rk_tensor){x, ROWS, INPUTS}, &weight,
                        NULL, RK_PHASE_PROJECT, NULL);
            double rate = 2.0 * ROWS * INPUTS * OUTPUTS * 1e9 / (double)(rk_clock_ns() - start);
            best = rate > best ? rate : best;
        }
    }
    ops->release(b, x);
    ops->release(b, y);
    ops->release(b, w);
    ops->close(b);
    return best;
}
