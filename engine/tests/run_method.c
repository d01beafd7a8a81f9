/* run_method.c - see run_method.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_method.h"

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != RK_OK)                                                                       \
            fail_msg("%s", err.text);                                                              \
    } while (0)

static rk_ids_span random_ids(rk_bench *b, rk_rng *rng, int32_t n)
{
    int32_t *id = rk_arena_take(b->arena, (size_t)n, sizeof *id, NULL);
    for (int32_t i = 0; i < n; i++)
        id[i] = (int32_t)rk_rng_below(rng, (uint64_t)b->model->shape.vocab);
    return (rk_ids_span){id, n};
}

void rk_bench_open(rk_bench *b, const char *name, const char *backend, int32_t prefix,
                   const int32_t *chunks, int32_t question)
{
    rk_error err = {0};
    char path[512];
    rk_ids_span span[32];
    int32_t count = 0;
    rk_rng rng;
    snprintf(path, sizeof path, "%s/fixtures/golden/%s", RK_TEST_DATA, name);
    MUST(rk_model_open(&b->model, path, &err));
    rk_engine_config config = {.backend = backend, .kv_bytes = 256 << 20, .poison_pages = 1};
    MUST(rk_engine_open(&b->e, b->model, &config, &err));
    MUST(rk_arena_new(&b->arena, &err));
    rk_rng_init(&rng, 7, "request");
    rk_ids_span first = random_ids(b, &rng, prefix);
    for (; chunks[count]; count++)
        span[count] = random_ids(b, &rng, chunks[count]);
    MUST(rk_request_build(&b->request, first, span, count, random_ids(b, &rng, question), b->arena,
                          &err));
}

void rk_bench_close(rk_bench *b)
{
    rk_engine_close(b->e);
    rk_model_close(b->model);
    rk_arena_free(b->arena);
}

rk_method rk_bench_method(rk_bench *b, const char *text)
{
    rk_error err = {0};
    char *copy = rk_arena_printf(b->arena, &err, "%s", text), *save = NULL;
    const rk_method_ops *ops = rk_method_find(strtok_r(copy, " ", &save));
    assert_non_null(ops);
    rk_method m = {.ops = ops, .shape = &b->model->shape};
    void *config = rk_arena_take(b->arena, 1, ops->config_size + 1, &err);
    if (ops->options)
        MUST(rk_options_default(ops->options, config, &err));
    for (char *word; (word = strtok_r(NULL, " ", &save));) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        MUST(rk_options_set(ops->options, config, word, equals + 1, &err));
        if (!strcmp(word, "head_map")) {
            rk_head_map *map;
            MUST(rk_head_map_make(equals + 1, b->model->shape.layers, b->model->shape.kv_heads,
                                  b->arena, &map, &err));
            m.head_map = map;
        }
    }
    m.config = config;
    return m;
}

void rk_bench_run(rk_bench *b, const char *text, float *out, rk_prefill_out *all,
                  rk_counters *counters)
{
    rk_error err = {0};
    rk_method m = rk_bench_method(b, text);
    rk_session *s;
    double ms;
    int64_t built;
    rk_report report;
    rk_prefill_out own = {0};
    rk_engine_forget_states(b->e);
    MUST(rk_engine_build_states(b->e, &m, &b->request, &ms, &built, &err));
    MUST(rk_session_open(&s, b->e, &m, &err));
    if (all)
        own.all_rows = 1;
    own.report = &report;
    MUST(rk_session_prefill(s, &b->request, RK_PART_WHOLE, &own, &err));
    if (out && rk_session_logits(s))
        memcpy(out, rk_session_logits(s), (size_t)b->model->shape.vocab * sizeof *out);
    if (all)
        *all = own;
    if (counters)
        *counters = report.counters;
    rk_session_close(s);
}

double rk_bench_difference(const float *a, const float *b, size_t n)
{
    double worst = 0, scale = 0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
        scale = fmax(scale, fabs((double)b[i]));
        if (!isfinite(a[i]))
            return INFINITY;
    }
    return worst / scale;
}
