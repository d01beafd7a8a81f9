/* count.c - the backend that executes plans without arithmetic.
 *
 * Row lists, page tables and counters are real; float memory does not exist. It
 * gives FLOPs and bytes for shapes no test machine holds. What an operation costs
 * is shared with the CPU backend (charge.c); what a score would decide is spaced
 * evenly (resolve.c). */
#include <stdlib.h>
#include <string.h>

#include "backend/charge.h"
#include "backend/resolve.h"
#include "base/arena.h"

struct rk_backend {
    rk_counters counters;
};

enum { ACTIVATION_BYTES = 4 }; /* as the CPU backend, so that counters are equal */

static rk_status count_open(rk_backend **out, const rk_backend_config *config, rk_error *err)
{
    (void)config;
    *out = rk_heap_take(1, sizeof **out, err);
    return *out ? RK_OK : RK_E_MEMORY;
}

static void count_close(rk_backend *b)
{
    free(b);
}

static rk_counters *count_counters(rk_backend *b)
{
    return &b->counters;
}

static rk_status no_memory(rk_backend *b, size_t bytes, void **out, rk_error *err)
{
    (void)b, (void)bytes, (void)err;
    *out = NULL;
    return RK_OK;
}

static void no_release(rk_backend *b, void *memory)
{
    (void)b, (void)memory;
}

static rk_status index_memory(rk_backend *b, size_t count, int32_t **out, rk_error *err)
{
    (void)b;
    *out = rk_heap_take(count, sizeof **out, err);
    return *out ? RK_OK : RK_E_MEMORY;
}

static void release_index(rk_backend *b, int32_t *memory)
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

static rk_status no_copy(rk_backend *b, float *to, const float *from, size_t count, rk_error *err)
{
    (void)b, (void)to, (void)from, (void)count, (void)err;
    return RK_OK;
}

static void no_phase(rk_backend *b, rk_phase phase)
{
    (void)b, (void)phase;
}

static rk_status no_times(rk_backend *b, double ms[RK_PHASES], rk_error *err)
{
    (void)b, (void)err;
    for (int i = 0; i < RK_PHASES; i++)
        ms[i] = 0;
    return RK_OK;
}

static rk_status count_embed(rk_backend *b, rk_tensor y, const rk_weight *table, const int32_t *id,
                             rk_error *err)
{
    (void)id, (void)err;
    rk_charge_embed(&b->counters, y.rows, table, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status count_matmul(rk_backend *b, rk_tensor y, rk_tensor x, const rk_weight *w,
                              const float *bias, rk_phase phase, rk_error *err)
{
    (void)bias;
    if (x.cols != w->cols || y.cols != w->rows || x.rows != y.rows)
        return rk_fail(err, RK_E_ARG, "matmul: shapes do not match");
    if (x.rows > 0)
        rk_count_matmul(&b->counters, phase, x.rows, w, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status no_norm(rk_backend *b, rk_tensor y, rk_tensor x, const float *w, int32_t width,
                         float eps, rk_error *err)
{
    (void)b, (void)y, (void)x, (void)w, (void)width, (void)eps, (void)err;
    return RK_OK;
}

static rk_status no_table(rk_backend *b, rk_tensor table, const int32_t *rope, rk_rotation r,
                          rk_error *err)
{
    (void)b, (void)table, (void)rope, (void)r, (void)err;
    return RK_OK;
}

static rk_status no_rope(rk_backend *b, rk_tensor x, int32_t head_dim, rk_tensor table,
                         rk_error *err)
{
    (void)b, (void)x, (void)head_dim, (void)table, (void)err;
    return RK_OK;
}

static rk_status no_pair(rk_backend *b, rk_tensor x, rk_tensor y, rk_error *err)
{
    (void)b, (void)x, (void)y, (void)err;
    return RK_OK;
}

static rk_status count_gather(rk_backend *b, rk_tensor y, rk_tensor x, const int32_t *row,
                              rk_error *err)
{
    (void)x, (void)row, (void)err;
    rk_charge_rows(&b->counters, y.rows, y.cols, 2, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status count_rows_add(rk_backend *b, rk_tensor x, rk_tensor y, const int32_t *row,
                                rk_error *err)
{
    (void)x, (void)row, (void)err;
    rk_charge_rows(&b->counters, y.rows, y.cols, 3, ACTIVATION_BYTES);
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

static rk_status count_pages_write(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                                   int32_t head_first, int32_t heads, const int32_t *seq,
                                   const int32_t *pos, rk_error *err)
{
    (void)v, (void)head_first, (void)seq, (void)pos, (void)err;
    rk_charge_rows(&b->counters, k.rows, (int64_t)heads * p->head_dim, 4, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status count_relocate(rk_backend *b, const rk_relocate *r, rk_error *err)
{
    (void)err;
    rk_charge_relocate(&b->counters, r, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status count_page_copy(rk_backend *b, float *pool, int32_t head_dim, int32_t to,
                                 int32_t from, rk_error *err)
{
    (void)pool, (void)to, (void)from, (void)err;
    rk_charge_rows(&b->counters, 2 * RK_PAGE_TOKENS, head_dim, 2, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status count_attend(rk_backend *b, const rk_attend *a, rk_error *err)
{
    (void)err;
    rk_charge_attend(&b->counters, a, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status count_mass(rk_backend *b, const rk_mass *m, rk_error *err)
{
    (void)err;
    rk_charge_mass(&b->counters, m, ACTIVATION_BYTES);
    return RK_OK;
}

/* No head is promoted where nothing is measured. */
static rk_status count_edge_mass(rk_backend *b, const rk_attend *a, int32_t seq, int32_t first,
                                 int32_t count, float *edge, rk_error *err)
{
    (void)err;
    for (int32_t g = 0; g < a->pages.kv_heads; g++)
        edge[g] = 0;
    rk_charge_edge_mass(&b->counters, a, seq, first, count, ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status count_drift(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                             const int32_t *seq, const int32_t *pos, int use_k, int use_v,
                             float *out, rk_error *err)
{
    (void)p, (void)v, (void)seq, (void)pos, (void)out, (void)err;
    rk_charge_rows(&b->counters, k.rows, k.cols, 2 * (!!use_k + !!use_v), ACTIVATION_BYTES);
    return RK_OK;
}

static rk_status no_row_norm(rk_backend *b, rk_tensor x, const rk_tensor *y, const int32_t *pos,
                             float *out, rk_error *err)
{
    (void)b, (void)x, (void)y, (void)pos, (void)out, (void)err;
    return RK_OK;
}

static rk_status no_merge(rk_backend *b, rk_tensor out, float *lse, rk_tensor out_b,
                          const float *lse_b, int32_t heads, rk_error *err)
{
    (void)b, (void)out, (void)lse, (void)out_b, (void)lse_b, (void)heads, (void)err;
    return RK_OK;
}

static rk_status count_select(rk_backend *b, const rk_select_input *in, int32_t *row,
                              int32_t *count, rk_error *err)
{
    (void)b;
    return rk_select_resolve(in, 0, row, count, err);
}

static rk_status first_index(rk_backend *b, rk_tensor x, int32_t *index, rk_error *err)
{
    (void)b, (void)err;
    for (int64_t i = 0; i < x.rows; i++)
        index[i] = 0;
    return RK_OK;
}

static rk_status all_finite(rk_backend *b, rk_tensor x, int64_t *bad, rk_error *err)
{
    (void)b, (void)x, (void)err;
    *bad = -1;
    return RK_OK;
}

static rk_status no_fill(rk_backend *b, float *x, size_t count, float value, rk_error *err)
{
    (void)b, (void)x, (void)count, (void)value, (void)err;
    return RK_OK;
}

const rk_backend_ops rk_backend_count = {
    .name = "count",
    .activation_bytes = ACTIVATION_BYTES,
    .has_values = 0,
    .open = count_open,
    .close = count_close,
    .counters = count_counters,
    .alloc = no_memory,
    .release = no_release,
    .alloc_index = index_memory,
    .release_index = release_index,
    .upload_index = copy_index,
    .upload = no_copy,
    .download = no_copy,
    .download_index = copy_index,
    .phase = no_phase,
    .times = no_times,
    .embed = count_embed,
    .matmul = count_matmul,
    .rms_norm = no_norm,
    .rope_table = no_table,
    .rope = no_rope,
    .swiglu = no_pair,
    .add = no_pair,
    .rows_gather = count_gather,
    .rows_add = count_rows_add,
    .gather_index = gather_index,
    .pages_write = count_pages_write,
    .relocate = count_relocate,
    .page_copy = count_page_copy,
    .attend = count_attend,
    .mass = count_mass,
    .edge_mass = count_edge_mass,
    .kv_drift = count_drift,
    .row_norm = no_row_norm,
    .lse_merge = no_merge,
    .select = count_select,
    .argmax = first_index,
    .find_nonfinite = all_finite,
    .fill = no_fill,
};
