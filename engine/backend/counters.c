/* counters.c - see counters.h. */
#include "backend/counters.h"

const char *rk_phase_name(rk_phase phase)
{
    switch (phase) {
#define RK_PHASE_NAME(name, text)                                                                  \
    case RK_PHASE_##name:                                                                          \
        return text;
        RK_PHASE_MAP(RK_PHASE_NAME)
#undef RK_PHASE_NAME
    case RK_PHASES:
        break;
    }
    return "?";
}

uint64_t rk_counters_flops(const rk_counters *c)
{
    uint64_t sum = 0;
    for (int i = 0; i < RK_PHASES; i++)
        sum += c->flops[i];
    return sum;
}

#define FIELD(name, unit, doc)                                                                     \
    {                                                                                              \
#name, offsetof(rk_counters, name), unit, doc                                              \
    }

const rk_counter_field rk_counter_fields[] = {
    FIELD(bytes, "bytes", "Operands read and results written, as stored."),
    FIELD(reused_tokens, "tokens", "Context tokens whose stored K/V served at least one head."),
    FIELD(recomputed_tokens, "tokens", "Context tokens live in the last layer."),
    FIELD(projected_kv_rows, "rows", "Rows projected to K and V, summed over layers and KV heads."),
    FIELD(projected_chunk_kv_rows, "rows", "Of these, rows that lie in chunks."),
    FIELD(probed_kv_rows, "rows", "Rows projected to K and V by probe passes."),
    FIELD(projected_local_kv_rows_reused, "rows",
          "Of these, rows of reused tokens projected for local heads."),
    FIELD(ffn_tokens, "tokens", "Rows through the FFN, summed over layers."),
    FIELD(promoted_heads, "heads", "Local heads that ran as global."),
    FIELD(fallbacks, "count", "Slower paths taken instead of the asked one."),
    FIELD(attended_pairs, "pairs", "(query head, key) pairs multiplied."),
    {NULL, 0, NULL, NULL},
};

void rk_count_matmul(rk_counters *c, rk_phase phase, int64_t rows, const rk_weight *w,
                     int64_t activation_bytes)
{
    c->flops[phase] += 2u * (uint64_t)rows * (uint64_t)w->rows * (uint64_t)w->cols;
    c->bytes += (uint64_t)w->rows * rk_dtype_bytes(w->dtype, w->cols) +
                (uint64_t)(rows * (w->rows + w->cols) * activation_bytes);
}

int64_t rk_visible_keys(int32_t pos, int32_t limit, int32_t sink, int32_t window)
{
    if (window == 0)
        return (int64_t)limit + 1;
    int64_t low = (int64_t)pos - window + 1;
    if (low < 0)
        low = 0;
    int64_t recent = limit >= low ? (int64_t)limit - low + 1 : 0;
    int64_t first = sink < low ? sink : low;
    return recent + (first <= limit ? first : (int64_t)limit + 1);
}
