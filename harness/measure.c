/* measure.c - the list of metrics: files, phases of the engine, counters. */
#include "measure.h"

#include <string.h>

static rk_status add_phase_rows(rk_arena *arena, rk_metric *to, rk_error *err)
{
    for (int i = 0; i < RK_PHASES; i++) {
        const char *phase = rk_phase_name((rk_phase)i);
        char *time = rk_arena_printf(arena, err, "ttft_%s_ms", phase);
        char *flops = rk_arena_printf(arena, err, "flops_%s", phase);
        char *doc = rk_arena_printf(arena, err, "The part '%s' of the prefill.", phase);
        if (!time || !flops || !doc)
            return RK_E_MEMORY;
        *to++ = (rk_metric){time, "ms", "lower", "time", doc, NULL};
        *to++ = (rk_metric){flops, "FLOP", "lower", "count", doc, NULL};
    }
    return RK_OK;
}

rk_status rk_measure_metrics(rk_arena *arena, const rk_metric *const **out, int32_t *n,
                             rk_error *err)
{
    int32_t counters = 0, total, at = 0;
    while (rk_counter_fields[counters].name)
        counters++;
    total = rk_metrics_count + 2 * RK_PHASES + counters;
    rk_metric *own = rk_arena_take(arena, (size_t)total, sizeof *own, err);
    const rk_metric **list = rk_arena_take(arena, (size_t)total, sizeof *list, err);
    if (!own || !list)
        return RK_E_MEMORY;
    RK_TRY(add_phase_rows(arena, own, err));
    for (int32_t i = 0; i < counters; i++) {
        const rk_counter_field *f = &rk_counter_fields[i];
        own[2 * RK_PHASES + i] = (rk_metric){f->name, f->unit, "none", "count", f->doc, NULL};
    }
    for (int32_t i = 0; i < rk_metrics_count; i++)
        list[at++] = rk_metrics[i];
    for (int32_t i = 0; i < 2 * RK_PHASES + counters; i++)
        list[at++] = &own[i];
    *out = list;
    *n = total;
    return RK_OK;
}

/* "ttft_NAME_ms" and "flops_NAME" of a phase, or a counter, by name. */
static int built_in(const char *name, const rk_measurement *m, double *out)
{
    for (int i = 0; i < RK_PHASES; i++) {
        const char *phase = rk_phase_name((rk_phase)i);
        size_t n = strlen(phase);
        if (!strncmp(name, "ttft_", 5) && !strncmp(name + 5, phase, n) &&
            !strcmp(name + 5 + n, "_ms"))
            return *out = m->report.phase_ms[i], 1;
        if (!strncmp(name, "flops_", 6) && !strcmp(name + 6, phase))
            return *out = (double)m->report.counters.flops[i], 1;
    }
    for (const rk_counter_field *f = rk_counter_fields; f->name; f++)
        if (!strcmp(name, f->name)) {
            const char *base = (const char *)&m->report.counters;
            return *out = (double)*(const uint64_t *)(base + f->offset), 1;
        }
    return 0;
}

int rk_measure_value(const rk_metric *metric, const rk_measurement *m, double *out)
{
    if (metric->value)
        return metric->value(m, out);
    return m->whole && built_in(metric->name, m, out);
}
