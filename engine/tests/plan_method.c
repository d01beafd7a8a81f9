/* plan_method.c - see plan_method.h. */
#include "plan_method.h"

#include <string.h>

rk_status rk_bench_plan(rk_bench *b, const rk_method_ops *ops, const void *config, float *logits,
                        rk_counters *c, rk_error *err)
{
    static const rk_compile compile = {0};
    rk_method m = {
        .ops = ops, .shape = &b->model->shape, .config = config ? config : (const void *)&compile};
    rk_session *s;
    double ms;
    int64_t built;
    rk_report report = {0};
    rk_prefill_out out = {.report = &report};
    RK_TRY(rk_engine_build_states(b->e, &m, &b->request, &ms, &built, err));
    RK_TRY(rk_session_open(&s, b->e, &m, err));
    rk_status st = rk_session_prefill(s, &b->request, RK_PART_WHOLE, &out, err);
    if (st == RK_OK && logits && rk_session_logits(s))
        memcpy(logits, rk_session_logits(s), (size_t)b->model->shape.vocab * sizeof *logits);
    *c = report.counters;
    rk_session_close(s);
    return st;
}
