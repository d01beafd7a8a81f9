/* cpu.h - the CPU backend's own state and operations (private to backend/cpu). */
#ifndef RK_BACKEND_CPU_CPU_H
#define RK_BACKEND_CPU_CPU_H

#include "backend/backend.h"

/* Hot loops are compiled for several instruction sets and chosen at load.
 * Sanitizers start too late for the resolver, so their builds take one. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define RK_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RK_SIMD
#endif

struct rk_backend {
    rk_counters counters;
    int32_t threads;
    int32_t plain_attention;
    rk_phase phase; /* RK_PHASES = the clock stands */
    int64_t phase_start_ns;
    int64_t phase_ns[RK_PHASES];
    float *scratch; /* [threads][scratch_floats] */
    size_t scratch_floats;
};

/* A scratch of at least `floats` for each thread; kept between calls. */
rk_status rk_cpu_scratch(rk_backend *b, size_t floats, rk_error *err);
float *rk_cpu_thread_scratch(const rk_backend *b); /* the calling thread's */

/* x[i] = exp(x[i] - max); returns the sum. Relative error below 2e-7. */
float rk_cpu_exp_sum(float *x, int64_t n, float max);
/* Visible slots of a page for a row are those with slot + first in
 * [0, sink) or (pos - window, limit]; window 0 = [0, limit]. */
int rk_cpu_visible(int32_t key, int32_t pos, int32_t limit, int32_t sink, int32_t window,
                   int32_t from);
/* Physical page of virtual page v for (sequence, KV head); -1 when absent. */
static inline int32_t rk_cpu_page(const rk_pages *p, int32_t seq, int32_t head, int32_t v)
{
    return p->table[((int64_t)seq * p->kv_heads + head) * p->stride + v];
}
static inline float *rk_cpu_keys(const rk_pages *p, int32_t page)
{
    return p->pool + (int64_t)page * 2 * RK_PAGE_TOKENS * p->head_dim;
}
static inline float *rk_cpu_values(const rk_pages *p, int32_t page)
{
    return rk_cpu_keys(p, page) + (int64_t)RK_PAGE_TOKENS * p->head_dim;
}

/* Operations, one concept a file; contracts in backend.h. */
rk_status rk_cpu_matmul(rk_backend *b, rk_tensor y, rk_tensor x, const rk_weight *w,
                        const float *bias, rk_phase phase, rk_error *err);
rk_status rk_cpu_embed(rk_backend *b, rk_tensor y, const rk_weight *table, const int32_t *id,
                       rk_error *err);
rk_status rk_cpu_rms_norm(rk_backend *b, rk_tensor y, rk_tensor x, const float *w, int32_t width,
                          float eps, rk_error *err);
rk_status rk_cpu_swiglu(rk_backend *b, rk_tensor gate, rk_tensor up, rk_error *err);
rk_status rk_cpu_add(rk_backend *b, rk_tensor x, rk_tensor y, rk_error *err);
rk_status rk_cpu_rope_table(rk_backend *b, rk_tensor table, const int32_t *rope, rk_rotation r,
                            rk_error *err);
rk_status rk_cpu_rope(rk_backend *b, rk_tensor x, int32_t head_dim, rk_tensor table, rk_error *err);
rk_status rk_cpu_rows_gather(rk_backend *b, rk_tensor y, rk_tensor x, const int32_t *row,
                             rk_error *err);
rk_status rk_cpu_rows_add(rk_backend *b, rk_tensor x, rk_tensor y, const int32_t *row,
                          rk_error *err);
rk_status rk_cpu_row_norm(rk_backend *b, rk_tensor x, const rk_tensor *y, const int32_t *pos,
                          float *out, rk_error *err);
rk_status rk_cpu_argmax(rk_backend *b, rk_tensor x, int32_t *index, rk_error *err);
rk_status rk_cpu_find_nonfinite(rk_backend *b, rk_tensor x, int64_t *bad, rk_error *err);
rk_status rk_cpu_pages_write(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                             int32_t head_first, int32_t heads, const int32_t *seq,
                             const int32_t *pos, rk_error *err);
rk_status rk_cpu_relocate(rk_backend *b, const rk_relocate *r, rk_error *err);
rk_status rk_cpu_page_copy(rk_backend *b, float *pool, int32_t head_dim, int32_t to, int32_t from,
                           rk_error *err);
rk_status rk_cpu_kv_drift(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                          const int32_t *seq, const int32_t *pos, int use_k, int use_v, float *out,
                          rk_error *err);
rk_status rk_cpu_attend(rk_backend *b, const rk_attend *a, rk_error *err);
void rk_cpu_attend_plain(const rk_attend *a);
rk_status rk_cpu_lse_merge(rk_backend *b, rk_tensor out, float *lse, rk_tensor out_b,
                           const float *lse_b, int32_t heads, rk_error *err);
rk_status rk_cpu_mass(rk_backend *b, const rk_mass *m, rk_error *err);
rk_status rk_cpu_edge_mass(rk_backend *b, const rk_attend *a, int32_t seq, int32_t first,
                           int32_t count, float *edge, rk_error *err);

#endif
