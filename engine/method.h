/* method.h - the method interface: a method plans, the engine executes.
 *
 * Per layer a method answers the paper's three questions: what does each head keep
 * (storage), what does each head refresh (heads), which tokens take the FFN
 * (channels); plus which rows live at all. Answers are rules (select.h) that the
 * engine resolves where the data is. Our own method has no private path: it is a
 * file behind this interface like every baseline. */
#ifndef RK_METHOD_H
#define RK_METHOD_H

#include <stdint.h>

#include "base/arena.h"
#include "base/option.h"
#include "model/model.h"
#include "redknot/head_map.h"
#include "request.h"
#include "select.h"

RK_C_BEGIN

/* What one KV head keeps and may see. */
typedef struct rk_head_rule {
    int32_t window;       /* last keys a row sees, itself included; 0 = all (global) */
    int32_t sink;         /* first positions of the prompt, always visible; window > 0 only */
    int32_t masked;       /* 1: keep every page and mask (dense_masked), never skip */
    double promote_above; /* edge mass above which it runs as global; > 1 = never */
} rk_head_rule;

/* Where each stored segment goes, and what a request takes from the store. */
typedef struct rk_layout {
    int32_t reuse_prefix;   /* 1: the prefix's own stored K/V (exact) */
    uint8_t *reuse_chunk;   /* [chunks] 1: the chunk's stored K/V */
    int32_t *rope_start;    /* [chunks] rotary position of the chunk's first token; arrives
                             * as its place in the prompt */
    int32_t reuse_question; /* 1: the question's K/V compiled alone, as the published CacheBlend
                             * scripts do; its state must be in the store */
    int32_t question_rope;  /* rotary position of the question's first token */
    int32_t compact;        /* 1: tokens that do not live in layer 0 leave the prompt and
                             * the others close up (tokdrop_redknot) */
} rk_layout;

typedef enum rk_mask { RK_MASK_CAUSAL, RK_MASK_BOTTOM_RIGHT } rk_mask;

/* Whose attention mass a layer measures (RK_SIGNAL_TOKEN_MASS). */
typedef struct rk_mass_plan {
    int32_t last_rows;    /* rows that send: the last n live rows; 0 = the question's; -1 = all */
    int32_t global_heads; /* 1: query heads of global KV heads; 0: every head */
    int32_t measure;      /* 1: also when no rule of this layer reads it, for later layers */
} rk_mass_plan;

typedef struct rk_layer_plan {
    int32_t layer, layers, kv_heads; /* read-only */
    /* Rows that go on living from this layer on; resolved before projection. */
    rk_select rows;
    /* Rows that attend and live after it; resolved after projection, so that it may
     * read RK_SIGNAL_KV_DRIFT. Every row of `rows` is projected. */
    rk_select attend;
    int32_t drift_k, drift_v;    /* what the drift compares */
    int32_t write_attended_only; /* 1: only attended rows replace the stored K/V */
    rk_mask mask;
    rk_head_rule *head; /* [G], arrives global */
    rk_select *refresh; /* [G] live rows whose K/V the head recomputes; tokens without
                         * stored K/V always are. Arrives ALL. */
    rk_select ffn;      /* rows through the FFN; the others pass the residual */
    rk_mass_plan mass;
    int32_t probe_rows; /* edge mass: the question's rows and this many before it */
    rk_arena *arena;    /* for the children of unions; lives as long as the prefill */
} rk_layer_plan;

/* A pass before layer 0, charged to TTFT like everything else. */
typedef enum rk_probe {
    RK_PROBE_NONE,
    RK_PROBE_QUERY,          /* the question over the reused context: RK_SIGNAL_QUERY_MASS */
    RK_PROBE_QUERY_ISOLATED, /* the same with the question attending to itself alone */
    RK_PROBE_HIDDEN_DRIFT    /* chunk-alone and whole forwards: RK_SIGNAL_HIDDEN_DRIFT */
} rk_probe;

typedef struct rk_compile {
    int32_t prefix;  /* rk_compile_prefix; options below */
    int64_t dummies; /* RK_COMPILE_SINK_DROP: BOS copies in front of the one BOS */
} rk_compile;

typedef struct rk_method {
    const struct rk_method_ops *ops;
    const rk_model_shape *shape;
    const void *config;          /* ops->config_size bytes, parsed; borrowed */
    const rk_head_map *head_map; /* NULL when none was given; borrowed */
} rk_method;

enum {
    RK_METHOD_REUSES = 1, /* reads the chunk store: config begins with rk_compile */
    RK_METHOD_NEEDS_HEAD_MAP = 2,
    RK_METHOD_EXACT = 4,      /* same function as dense prefill */
    RK_METHOD_CROSS_QUERY = 8 /* keeps state between requests */
};

typedef struct rk_method_ops {
    const char *name;   /* the file's name without .c */
    const char *title;  /* as plots print it */
    const char *source; /* paper, section; public code if any */
    uint32_t flags;     /* RK_METHOD_* */
    size_t config_size;
    const rk_option *options; /* NULL: none */

    /* Refuses a combination of options or a head map of the wrong shape. Optional. */
    rk_status (*check)(const rk_method *m, rk_error *err);
    /* 1: the pass over prefix and chunks depends on the question, so questions of
     * one context cannot share it. Optional; absent means 0. */
    int (*depends_on_question)(const rk_method *m);
    /* The pass it wants before layer 0. Optional; absent means none. */
    rk_probe (*probe)(const rk_method *m);
    /* Once a request. `layout` arrives as "reuse nothing, prompt order". Optional. */
    rk_status (*plan_request)(const rk_method *m, const rk_request *r, rk_layout *layout,
                              rk_error *err);
    /* Before each layer of a prefill. `plan` arrives as "every row, global heads,
     * refresh all, dense FFN": a method writes only what it changes. */
    rk_status (*plan_layer)(const rk_method *m, const rk_request *r, rk_layer_plan *plan,
                            rk_error *err);
} rk_method_ops;

/* Generated by CMake from engine/methods/ and baselines/, sorted by name. */
extern const rk_method_ops *const rk_methods[];
extern const int32_t rk_methods_count;
const rk_method_ops *rk_method_find(const char *name); /* NULL: none of that name */

/* The first rows of the option table of every method that reuses chunks. */
#define RK_COMPILE_OPTIONS                                                                         \
    {"compile_prefix",                                                                             \
     RK_OPT_CHOICE,                                                                                \
     offsetof(rk_compile, prefix),                                                                 \
     "sysprefix",                                                                                  \
     0,                                                                                            \
     0,                                                                                            \
     "",                                                                                           \
     "What stands before a chunk when its state is built; its own K/V are dropped.",               \
     "sysprefix|bos_drop|bos_keep|sink_drop|none"},                                                \
    {                                                                                              \
        "dummies", RK_OPT_INT, offsetof(rk_compile, dummies), "3", 0, 64, "tokens",                \
            "BOS copies in front of the chunk's BOS with sink_drop (EPIC, LegoLink-0).", NULL      \
    }

/* `n` zeroed rules in the plan's arena, for a union. NULL with err filled. */
rk_select *rk_plan_children(rk_layer_plan *plan, int32_t n, rk_error *err);
/* rows = the context tokens `context` selects, and the whole question. */
rk_status rk_plan_keep_rows(rk_layer_plan *plan, rk_select *where, rk_select context,
                            rk_error *err);
/* The prefix and every chunk come from the store. */
void rk_layout_reuse_all(rk_layout *layout, const rk_request *r);
/* Total tokens of the chunks. */
int32_t rk_request_chunk_tokens(const rk_request *r);

RK_C_END

#endif
