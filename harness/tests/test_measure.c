/* test_measure.c - the list of metrics and the values that come from the engine's report. */
#include "cmocka_all.h"

#include "measure.h"

static rk_arena *arena;
static const rk_metric *const *metric;
static int32_t metrics;

static const rk_metric *find(const char *name)
{
    for (int32_t i = 0; i < metrics; i++)
        if (!strcmp(metric[i]->name, name))
            return metric[i];
    fail_msg("no metric %s", name);
    return NULL;
}

static void list_is_complete_and_sound(void **state)
{
    static const char *const kinds[] = {"time", "rate", "size", "count", "quality", "ratio"};
    int32_t counters = 0;
    (void)state;
    while (rk_counter_fields[counters].name)
        counters++;
    assert_int_equal(metrics, rk_metrics_count + 2 * RK_PHASES + counters);
    for (int32_t i = 0; i < metrics; i++) {
        const rk_metric *m = metric[i];
        int known = 0;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            known |= !strcmp(m->kind, kinds[k]);
        if (!known || !m->unit[0] || !m->doc[0] ||
            (strcmp(m->better, "lower") && strcmp(m->better, "higher") &&
             strcmp(m->better, "none")))
            fail_msg("%s: kind %s, unit '%s', better %s", m->name, m->kind, m->unit, m->better);
        for (int32_t j = 0; j < i; j++)
            if (!strcmp(metric[j]->name, m->name))
                fail_msg("%s is there twice", m->name);
    }
}

static void values_of_the_report(void **state)
{
    rk_measurement m = {.whole = 1};
    double value;
    (void)state;
    for (int i = 0; i < RK_PHASES; i++) {
        m.report.phase_ms[i] = 1.5 * (i + 1);
        m.report.counters.flops[i] = (uint64_t)(100 * (i + 1));
    }
    m.report.counters.reused_tokens = 11;
    m.report.counters.projected_local_kv_rows_reused = 12;
    m.report.counters.promoted_heads = 13;
    static const struct {
        const char *name;
        double value;
    } cases[] = {{"ttft_lookup_ms", 1.5},
                 {"ttft_probe_ms", 1.5 * (RK_PHASE_PROBE + 1)},
                 {"ttft_head_ms", 1.5 * (RK_PHASE_HEAD + 1)},
                 {"flops_ffn", 100 * (RK_PHASE_FFN + 1)},
                 {"flops_attend", 100 * (RK_PHASE_ATTEND + 1)},
                 {"reused_tokens", 11},
                 {"projected_local_kv_rows_reused", 12},
                 {"promoted_heads", 13},
                 {"fallbacks", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!rk_measure_value(find(cases[i].name), &m, &value) || value != cases[i].value)
            fail_msg("%s: %g", cases[i].name, value);
    }
    m.whole = 0; /* a forked question has neither times nor counters */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_false(rk_measure_value(find(cases[i].name), &m, &value));
    static const rk_metric stranger = {"ttft_nothing_ms", "ms", "lower", "time", "-", NULL};
    m.whole = 1;
    assert_false(rk_measure_value(&stranger, &m, &value));
}

static int setup(void **state)
{
    rk_error err = {0};
    (void)state;
    assert_int_equal(rk_arena_new(&arena, &err), RK_OK);
    return rk_measure_metrics(arena, &metric, &metrics, &err);
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(list_is_complete_and_sound),
                                       cmocka_unit_test(values_of_the_report)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
