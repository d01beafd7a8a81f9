/* select.h - which tokens: rules that are resolved where the data is.
 *
 * One type serves live rows, refresh, FFN and attended rows. A rule names a kind,
 * an amount, a scope and a domain; the backend resolves it over the live rows of
 * a sequence, on the signal it names, without the host deciding anything.
 * Ties go to the lower position. Resolved sets can be read back for tests. */
#ifndef RK_SELECT_H
#define RK_SELECT_H

#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

typedef enum rk_select_kind {
    RK_SELECT_ALL, /* every live token of the domain */
    RK_SELECT_NONE,
    RK_SELECT_SET,       /* the positions listed */
    RK_SELECT_TOP_COUNT, /* the `amount` tokens of the highest signal */
    RK_SELECT_TOP_MASS,  /* the smallest set whose share of the signal reaches `amount`, the
                          * crossing token kept; amount >= 1 = all of the domain */
    RK_SELECT_FIRST_K,   /* the first `amount` tokens (of each chunk) */
    RK_SELECT_LAST_N,    /* the last `amount` tokens (of each chunk) */
    RK_SELECT_UNION      /* of the children */
} rk_select_kind;

typedef enum rk_select_scope { RK_SCOPE_PROMPT, RK_SCOPE_CHUNK } rk_select_scope;

/* Which parts of the prompt a rule may select from (and count). */
enum {
    RK_DOMAIN_PREFIX = 1,
    RK_DOMAIN_CHUNKS = 2,
    RK_DOMAIN_QUESTION = 4,
    RK_DOMAIN_CONTEXT = 3,
    RK_DOMAIN_PROMPT = 7
};

/* What the engine can measure, by position [N]. */
typedef enum rk_signal {
    RK_SIGNAL_NONE,
    RK_SIGNAL_KV_DRIFT,     /* squared distance of fresh and stored K/V, this layer */
    RK_SIGNAL_TOKEN_MASS,   /* attention received, this layer (or the nearest earlier one) */
    RK_SIGNAL_OUTPUT_NORM,  /* L2 norm of the attention output before O */
    RK_SIGNAL_QUERY_MASS,   /* attention of the question's probe pass, mean over layers */
    RK_SIGNAL_HIDDEN_DRIFT, /* last hidden state, chunk alone against whole prompt */
    RK_SIGNALS
} rk_signal;

typedef struct rk_select {
    rk_select_kind kind;
    rk_signal signal; /* TOP_COUNT, TOP_MASS */
    double amount;    /* tokens, or a fraction for TOP_MASS */
    rk_select_scope scope;
    int32_t domain;     /* RK_DOMAIN_* */
    int32_t from, to;   /* only positions in [from, to); to 0 = no bound */
    const int32_t *pos; /* SET: [n] ascending positions, borrowed */
    int32_t n;
    const struct rk_select *child; /* UNION: [children], borrowed */
    int32_t children;
} rk_select;

/* Every token of the domain. */
rk_select rk_select_all(int32_t domain);

/* 1 when the rule needs no signal and selects every live token of the prompt. */
int rk_select_is_all(const rk_select *s);
/* The signals that a rule reads, as bits 1 << rk_signal. */
uint32_t rk_select_signals(const rk_select *s);

RK_C_END

#endif
