/* cpu.c - the CPU backend: table, memory, phase clock. fp32 throughout. */
#define _POSIX_C_SOURCE 200809L
#include "backend/cpu/cpu.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/resolve.h"
#include "base/arena.h"
#include "base/clock.h"

#ifdef _OPENMP
static int32_t take_threads(int32_t asked)
{
    int32_t threads = asked > 0 ? asked : omp_get_num_procs();
    omp_set_num_threads(threads);
    return threads;
}

static size_t this_thread(void)
{
    return (size_t)omp_get_thread_num();
}
#else /* the fuzz build: every loop runs on the caller's thread */
static int32_t take_threads(int32_t asked)
{
    (void)asked;
    return 1;
}

static size_t this_thread(void)
{
    return 0;
}
#endif

static rk_status cpu_open(rk_backend **out, const rk_backend_config *config, rk_error *err)
{
    rk_backend *b = rk_heap_take(1, sizeof *b, err);
    if (!b)
        return RK_E_MEMORY;
    b->threads = take_threads(config->threads);
    b->plain_attention = config->plain_attention;
    b->phase = RK_PHASES;
    openblas_set_num_threads(1); /* our own loops are the parallel ones */
    *out = b;
    return RK_OK;
}

static void cpu_close(rk_backend *b)
{
    if (!b)
        return;
    free(b->scratch);
    free(b);
}

static rk_counters *cpu_counters(rk_backend *b)
{
    return &b->counters;
}

rk_status rk_cpu_scratch(rk_backend *b, size_t floats, rk_error *err)
{
    if (floats <= b->scratch_floats)
        return RK_OK;
    floats = (floats + 15) / 16 * 16;
    size_t bytes;
    if (__builtin_mul_overflow(floats * sizeof(float), (size_t)b->threads, &bytes))
        return rk_fail(err, RK_E_MEMORY, "out of memory: %zu floats of scratch overflow", floats);
    float *grown = aligned_alloc(64, bytes);
    if (!grown)
        return rk_fail(err, RK_E_MEMORY, "out of memory: %zu bytes of scratch", bytes);
    free(b->scratch);
    b->scratch = grown;
    b->scratch_floats = floats;
    return RK_OK;
}

float *rk_cpu_thread_scratch(const rk_backend *b)
{
    return b->scratch + this_thread() * b->scratch_floats;
}

static rk_status cpu_alloc(rk_backend *b, size_t bytes, void **out, rk_error *err)
{
    (void)b;
    *out = bytes <= SIZE_MAX - 64 ? aligned_alloc(64, (bytes + 64) / 64 * 64) : NULL;
    if (!*out)
        return rk_fail(err, RK_E_MEMORY, "out of memory: %zu bytes of CPU memory", bytes);
    return RK_OK;
}

static void cpu_release(rk_backend *b, void *memory)
{
    (void)b;
    free(memory);
}

static rk_status cpu_alloc_index(rk_backend *b, size_t count, int32_t **out, rk_error *err)
{
    (void)b;
    *out = rk_heap_take(count, sizeof **out, err);
    return *out ? RK_OK : RK_E_MEMORY;
}

static void cpu_release_index(rk_backend *b, int32_t *memory)
{
    (void)b;
    free(memory);
}

static rk_status copy_index(rk_backend *b, int32_t *to, const int32_t *from, size_t count,
                            rk_error *err)
{
    (void)b, (void)err;
    if (count)
        memmove(to, from, count * sizeof *to);
    return RK_OK;
}

static rk_status copy_floats(rk_backend *b, float *to, const float *from, size_t count,
                             rk_error *err)
{
    (void)b, (void)err;
    if (count)
        memmove(to, from, count * sizeof *to);
    return RK_OK;
}

static void cpu_phase(rk_backend *b, rk_phase phase)
{
    int64_t now = rk_clock_ns();
    if (b->phase != RK_PHASES)
        b->phase_ns[b->phase] += now - b->phase_start_ns;
    b->phase = phase;
    b->phase_start_ns = now;
}

static rk_status cpu_times(rk_backend *b, double ms[RK_PHASES], rk_error *err)
{
    (void)err;
    for (int i = 0; i < RK_PHASES; i++) {
        ms[i] = (double)b->phase_ns[i] * 1e-6;
        b->phase_ns[i] = 0;
    }
    return RK_OK;
}

static rk_status gather_index(rk_backend *b, int32_t *y, const int32_t *x, const int32_t *row,
                              int32_t n, rk_error *err)
{
    (void)b, (void)err;
    for (int32_t i = 0; i < n; i++)
        y[i] = x[row[i]];
    return RK_OK;
}

static rk_status cpu_select(rk_backend *b, const rk_select_input *in, int32_t *row, int32_t *count,
                            rk_error *err)
{
    (void)b;
    return rk_select_resolve(in, 1, row, count, err);
}

static rk_status cpu_fill(rk_backend *b, float *x, size_t count, float value, rk_error *err)
{
    (void)b, (void)err;
    for (size_t i = 0; i < count; i++)
        x[i] = value;
    return RK_OK;
}

const rk_backend_ops rk_backend_cpu = {
    .name = "cpu",
    .activation_bytes = sizeof(float),
    .has_values = 1,
    .open = cpu_open,
    .close = cpu_close,
    .counters = cpu_counters,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .alloc_index = cpu_alloc_index,
    .release_index = cpu_release_index,
    .upload_index = copy_index,
    .upload = copy_floats,
    .download = copy_floats,
    .download_index = copy_index,
    .phase = cpu_phase,
    .times = cpu_times,
    .embed = rk_cpu_embed,
    .matmul = rk_cpu_matmul,
    .rms_norm = rk_cpu_rms_norm,
    .rope_table = rk_cpu_rope_table,
    .rope = rk_cpu_rope,
    .swiglu = rk_cpu_swiglu,
    .add = rk_cpu_add,
    .rows_gather = rk_cpu_rows_gather,
    .rows_add = rk_cpu_rows_add,
    .gather_index = gather_index,
    .pages_write = rk_cpu_pages_write,
    .relocate = rk_cpu_relocate,
    .page_copy = rk_cpu_page_copy,
    .attend = rk_cpu_attend,
    .mass = rk_cpu_mass,
    .edge_mass = rk_cpu_edge_mass,
    .kv_drift = rk_cpu_kv_drift,
    .row_norm = rk_cpu_row_norm,
    .lse_merge = rk_cpu_lse_merge,
    .select = cpu_select,
    .argmax = rk_cpu_argmax,
    .find_nonfinite = rk_cpu_find_nonfinite,
    .fill = cpu_fill,
};
