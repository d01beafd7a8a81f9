/* backend.h - one device: about twenty eager operations on one stream.
 *
 * Owns: the list of operations and what each means. A backend implements the
 * table in a .c file with designated initialisers: `cpu` (fp32, the reference),
 * `count` (no arithmetic: counters only). Tests run one case table over all.
 *
 * Activations are dense row-major [rows, cols] in the backend's own format
 * (fp32 on the CPU). A tensor is a borrowed window; `data` is an address of the
 * backend, NULL under `count`. Row lists, positions and page tables are int32
 * arrays in backend memory. Every function returns RK_OK or fills `err`. */
#ifndef RK_BACKEND_BACKEND_H
#define RK_BACKEND_BACKEND_H

#include <stdint.h>

#include "backend/counters.h"
#include "base/status.h"
#include "base/tensor.h"
#include "request.h"
#include "select.h"

RK_C_BEGIN

enum { RK_PAGE_TOKENS = 64 }; /* P */

typedef struct rk_backend rk_backend;

typedef struct rk_backend_config {
    int32_t threads;         /* cpu: worker threads; 0 = all processors */
    int32_t plain_attention; /* cpu: 1 = the plain loops, for tests */
} rk_backend_config;

typedef struct rk_tensor {
    float *data; /* [rows, cols] */
    int64_t rows, cols;
} rk_tensor;

/* The live rows of a step, sorted by (sequence, position). int32 arrays in
 * backend memory, [n] each. */
typedef struct rk_rows {
    int32_t n;
    int32_t *seq;   /* index of the sequence in the step */
    int32_t *pos;   /* position in the prompt: page slot, causality, window */
    int32_t *rope;  /* rotary position; differs from pos only without relocation */
    int32_t *limit; /* last visible key; = pos under the true causal mask */
} rk_rows;

/* Rotary table on the backend; see model.h. */
typedef struct rk_rotation {
    const float *inv_freq; /* [dim / 2], backend memory */
    int32_t dim;
    float factor;
} rk_rotation;

/* The KV pages of one layer for every sequence of a step. A physical page is
 * K [P,D] then V [P,D] of one KV head. Entry [s][g][v] of `table` is the physical
 * page of positions v*P .. v*P+P-1, or -1 where the head keeps nothing. */
typedef struct rk_pages {
    float *pool;          /* [pages][2][P][D] */
    const int32_t *table; /* [sequences][G][stride], backend memory */
    int32_t stride;       /* virtual pages a (sequence, head) */
    int32_t sequences, kv_heads, head_dim;
} rk_pages;

/* What the head (s, g) may see: [sequences][G] each, backend memory. */
typedef struct rk_views {
    const int32_t *sink;   /* first tokens of the prompt, always visible */
    const int32_t *window; /* recent tokens, itself included; 0 = everything */
} rk_views;

/* Attention of live rows over ragged per-head pages (paper 4.3, Algorithm 2):
 * sink and window in one softmax, true causal mask by `limit`. */
typedef struct rk_attend {
    rk_tensor q, out;    /* [T, H*D]; q is rotated */
    const rk_rows *rows; /* T rows, the rows of q */
    rk_pages pages;
    rk_views views;
    int32_t heads;    /* H */
    int32_t key_from; /* keys before this position are invisible; 0 = none */
    int32_t masked;   /* 1: every key is multiplied, then masked (dense_masked) */
    float scale;      /* 1/sqrt(D) */
    float *lse;       /* [T,H] log-sum-exp, or NULL */
    rk_phase phase;   /* where FLOPs and time go */
} rk_attend;

/* Attention mass that keys received, summed by position into mass[]. */
typedef struct rk_mass {
    const rk_attend *attend;      /* q, rows, pages, views; `out` unused */
    int32_t row_first, row_count; /* the rows that send */
    const uint8_t *kv_head;       /* [G] host: 1 = its query heads count */
    int32_t from, to;             /* keys in [from, to) receive */
    int32_t normalise_range;      /* 1: softmax over [from, to) alone (ProphetKV) */
    float weight;                 /* mass[p] += weight * probability */
    float *mass;                  /* [>= to] backend */
} rk_mass;

typedef struct rk_relocate { /* one stored segment to the pages of a session */
    const int32_t *source;   /* [heads][source_stride] physical pages, backend memory */
    int32_t source_stride;
    int32_t source_start;  /* slot of the first token in the first source page */
    const int32_t *target; /* [heads][target_stride] session table, backend memory */
    int32_t target_stride;
    int32_t target_start; /* position of the first token in the session */
    int32_t tokens, heads;
    const uint8_t *head; /* [heads] host: 1 = copy this head; NULL = all */
    int32_t shift;       /* rotate keys by this many positions; 0 = plain copy */
    float *pool;
    int32_t head_dim;
    rk_rotation rotation; /* its factor is not applied: keys carry it already */
} rk_relocate;

/* What a selection rule is resolved over: the live rows of one sequence. */
typedef struct rk_select_input {
    const rk_select *rule;
    const rk_request *request;
    const int32_t *pos; /* [n] positions of the rows, ascending, backend memory */
    int32_t n;
    int32_t row_base;                /* added to every row number given out */
    const float *signal[RK_SIGNALS]; /* by position, backend memory; NULL = not measured */
} rk_select_input;

typedef struct rk_backend_ops {
    const char *name;
    int32_t activation_bytes;
    int32_t has_values; /* 0: counts only, no number can be read back */

    rk_status (*open)(rk_backend **out, const rk_backend_config *config, rk_error *err);
    void (*close)(rk_backend *b);
    rk_counters *(*counters)(rk_backend *b);

    /* Memory of the backend. Under `count` float memory is NULL but index memory
     * (int32 rows, tables) is real, since shapes depend on it. */
    rk_status (*alloc)(rk_backend *b, size_t bytes, void **out, rk_error *err);
    void (*release)(rk_backend *b, void *memory);
    rk_status (*alloc_index)(rk_backend *b, size_t count, int32_t **out, rk_error *err);
    void (*release_index)(rk_backend *b, int32_t *memory);
    rk_status (*upload_index)(rk_backend *b, int32_t *to, const int32_t *from, size_t count,
                              rk_error *err);
    rk_status (*upload)(rk_backend *b, float *to, const float *from, size_t count, rk_error *err);
    rk_status (*download)(rk_backend *b, float *to, const float *from, size_t count, rk_error *err);
    rk_status (*download_index)(rk_backend *b, int32_t *to, const int32_t *from, size_t count,
                                rk_error *err);

    /* Time: work from here on belongs to `phase`; RK_PHASES stops the clock. */
    void (*phase)(rk_backend *b, rk_phase phase);
    rk_status (*times)(rk_backend *b, double ms[RK_PHASES], rk_error *err); /* and resets */

    /* y[T,C] = rows `id` of a [V,C] table */
    rk_status (*embed)(rk_backend *b, rk_tensor y, const rk_weight *table, const int32_t *id,
                       rk_error *err);
    /* y[T,O] = x[T,I] w[O,I]^T + bias[O] (NULL = none) */
    rk_status (*matmul)(rk_backend *b, rk_tensor y, rk_tensor x, const rk_weight *w,
                        const float *bias, rk_phase phase, rk_error *err);
    /* y = x * rsqrt(mean(x^2) + eps) * w, over runs of `width` columns; in place allowed */
    rk_status (*rms_norm)(rk_backend *b, rk_tensor y, rk_tensor x, const float *w, int32_t width,
                          float eps, rk_error *err);
    /* table[T, dim]: dim/2 cosines then dim/2 sines at the rotary positions, times factor */
    rk_status (*rope_table)(rk_backend *b, rk_tensor table, const int32_t *rope, rk_rotation r,
                            rk_error *err);
    /* rotates every head of x[T, heads*D] by its row of the table */
    rk_status (*rope)(rk_backend *b, rk_tensor x, int32_t head_dim, rk_tensor table, rk_error *err);
    /* gate = silu(gate) * up */
    rk_status (*swiglu)(rk_backend *b, rk_tensor gate, rk_tensor up, rk_error *err);
    /* x += y */
    rk_status (*add)(rk_backend *b, rk_tensor x, rk_tensor y, rk_error *err);
    /* y[i] = x[row[i]];  x[row[i]] += y[i] */
    rk_status (*rows_gather)(rk_backend *b, rk_tensor y, rk_tensor x, const int32_t *row,
                             rk_error *err);
    rk_status (*rows_add)(rk_backend *b, rk_tensor x, rk_tensor y, const int32_t *row,
                          rk_error *err);
    rk_status (*gather_index)(rk_backend *b, int32_t *y, const int32_t *x, const int32_t *row,
                              int32_t n, rk_error *err);
    /* K and V rows [n, heads*D] of KV heads head_first.. to their pages at `pos`, `seq` */
    rk_status (*pages_write)(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                             int32_t head_first, int32_t heads, const int32_t *seq,
                             const int32_t *pos, rk_error *err);
    rk_status (*relocate)(rk_backend *b, const rk_relocate *r, rk_error *err);
    /* whole page `from` over page `to` (copy on write) */
    rk_status (*page_copy)(rk_backend *b, float *pool, int32_t head_dim, int32_t to, int32_t from,
                           rk_error *err);
    rk_status (*attend)(rk_backend *b, const rk_attend *a, rk_error *err);
    rk_status (*mass)(rk_backend *b, const rk_mass *m, rk_error *err);
    /* edge[g] = share of the probability of rows [first, first+count) of sequence s
     * that falls on the P oldest keys of the window; 0 where the window hides nothing.
     * Host memory, [G]; heads with window 0 get 0. */
    rk_status (*edge_mass)(rk_backend *b, const rk_attend *a, int32_t seq, int32_t first,
                           int32_t count, float *edge, rk_error *err);
    /* out[pos[i]] = sum over heads and dims of (fresh - stored)^2 for K and/or V */
    rk_status (*kv_drift)(rk_backend *b, const rk_pages *p, rk_tensor k, rk_tensor v,
                          const int32_t *seq, const int32_t *pos, int use_k, int use_v, float *out,
                          rk_error *err);
    /* out[pos[i]] = L2 norm of x[i]; with y given, of x[i] - y[i] */
    rk_status (*row_norm)(rk_backend *b, rk_tensor x, const rk_tensor *y, const int32_t *pos,
                          float *out, rk_error *err);
    /* Two attention parts over disjoint keys become one softmax:
     * (out, lse) and (out_b, lse_b) -> (out, lse); [T, H*D] and [T,H] */
    rk_status (*lse_merge)(rk_backend *b, rk_tensor out, float *lse, rk_tensor out_b,
                           const float *lse_b, int32_t heads, rk_error *err);
    /* Row numbers (row_base + 0..n-1) that the rule selects, ascending, into `row` ([n] backend);
     * *count is how many. */
    rk_status (*select)(rk_backend *b, const rk_select_input *in, int32_t *row, int32_t *count,
                        rk_error *err);
    /* index of the largest value of each row, the lower one on ties; host memory */
    rk_status (*argmax)(rk_backend *b, rk_tensor x, int32_t *index, rk_error *err);
    /* *bad = first row holding a NaN or an infinity, -1 when none */
    rk_status (*find_nonfinite)(rk_backend *b, rk_tensor x, int64_t *bad, rk_error *err);
    rk_status (*fill)(rk_backend *b, float *x, size_t count, float value, rk_error *err);
} rk_backend_ops;

extern const rk_backend_ops rk_backend_cpu, rk_backend_count;
const rk_backend_ops *rk_backend_find(const char *name); /* NULL: none of that name */

/* Rows [first, first + n) of a weight. */
rk_weight rk_weight_rows(const rk_weight *w, int64_t first, int64_t n);
/* Rows [first, first + n) of a tensor. */
rk_tensor rk_tensor_rows(rk_tensor x, int64_t first, int64_t n);

RK_C_END

#endif
