/* null_executor.c - see null_executor.h. */
#define _POSIX_C_SOURCE 200809L
#include "null_executor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"

static const rk_metric null_ms = {"null_ms", "ms", "lower", "time", "Made up from the item.", NULL};
static const rk_metric null_tokens = {
    "null_tokens", "tokens", "none", "count", "Made up from the item.", NULL};
const rk_metric *const rk_null_metrics[] = {&null_ms, &null_tokens};

double rk_null_value(const char *method, int64_t item, int32_t rep, int64_t idx)
{
    char text[160];
    int n = snprintf(text, sizeof text, "%.100s %" PRId64 " %d %" PRId64, method, item, rep, idx);
    return (double)(rk_hash_bytes(text, (size_t)n, 0).low >> 11) / 1e12;
}

static int is(const char *wanted, const rk_point *p)
{
    return wanted && p->method && !strcmp(p->method->name, wanted);
}

static rk_status prepare(void *self, const rk_point *p, rk_outcome *outcome, char *reason,
                         size_t size, rk_cell_facts *facts, rk_error *err)
{
    const rk_null_executor *x = self;
    (void)err;
    *facts = (rk_cell_facts){
        .model_json = "{\"name\":\"null\",\"arch\":\"none\",\"weights_kind\":\"none\"}",
        .dataset_json = "{\"name\":\"null\",\"licence\":\"none\",\"origin\":\"synthetic\","
                        "\"n_items\":0,\"manifest_sha256\":\"none\"}",
        .context_tokens = rk_point_int(p, "context", 0)};
    *outcome = is(x->skip_method, p) ? RK_SKIPPED : RK_RAN;
    if (*outcome == RK_SKIPPED)
        snprintf(reason, size, "%s was told to be skipped", x->skip_method);
    return RK_OK;
}

static int64_t per_context(const rk_null_executor *x)
{
    return x->items_per_context ? x->items_per_context : 5;
}

static int64_t limit(const rk_null_executor *x, int64_t n)
{
    return x->items && x->items < n ? x->items : n;
}

static rk_status layout(void *self, const rk_point *p, int64_t n, int64_t *contexts, rk_error *err)
{
    const rk_null_executor *x = self;
    (void)p, (void)err;
    *contexts = (limit(x, n) + per_context(x) - 1) / per_context(x);
    return RK_OK;
}

static rk_status items(void *self, const rk_point *p, int64_t n, int64_t block, int64_t *first,
                       int64_t *count, rk_error *err)
{
    const rk_null_executor *x = self;
    (void)p, (void)err;
    *first = block * per_context(x);
    *count = limit(x, n) - *first < per_context(x) ? limit(x, n) - *first : per_context(x);
    return RK_OK;
}

static rk_status item_key(void *self, const rk_point *p, int64_t item, rk_item_identity *out,
                          rk_error *err)
{
    (void)self, (void)p, (void)err;
    snprintf(out->key, sizeof out->key, "null-%" PRId64, item);
    snprintf(out->cluster, sizeof out->cluster, "context-%" PRId64, item / per_context(self));
    return RK_OK;
}

static void dawdle(int64_t us)
{
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    if (us > 0)
        nanosleep(&t, NULL);
}

static void note(rk_null_executor *x, const rk_point *p, int64_t item, int32_t rep, int warmup)
{
    if (x->log && x->runs < x->log_room) {
        rk_null_run *to = &x->log[x->runs];
        *to = (rk_null_run){.item = item, .rep = rep, .warmup = warmup};
        snprintf(to->method, sizeof to->method, "%s", p->method ? p->method->name : "");
    }
    x->runs++;
    x->kept += !warmup;
    if (x->stop && !warmup && x->kept >= x->stop_after)
        *x->stop = 1;
}

static rk_status run(void *self, const rk_point *p, int64_t item, int32_t rep, int warmup,
                     const rk_sink *sink, rk_outcome *outcome, char *reason, size_t size,
                     rk_error *err)
{
    rk_null_executor *x = self;
    const char *method = p->method ? p->method->name : "";
    char text[96];
    note(x, p, item, rep, warmup);
    dawdle(is(x->slow_method, p) ? x->slow_us : x->delay_us);
    *outcome = RK_RAN;
    if (is(x->fail_method, p) && item == x->fail_item) {
        *outcome = RK_FAILED;
        snprintf(reason, size, "item %" PRId64 " was told to fail", item);
        return RK_OK;
    }
    if (is(x->broken_method, p))
        return sink->add(sink->self, "no_such_metric", 1, err);
    if (is(x->unfinite_method, p))
        return sink->add(sink->self, "null_ms", NAN, err);
    RK_TRY(sink->add(sink->self, "null_ms", rk_null_value(method, item, rep, 0), err));
    RK_TRY(sink->add(sink->self, "null_ms", rk_null_value(method, item, rep, 1), err));
    RK_TRY(sink->add(sink->self, "null_tokens", (double)item, err));
    snprintf(text, sizeof text, "answer \"%" PRId64 "\", of %.40s\n", item, method);
    return sink->output(sink->self, text, err);
}

static double predict(void *self, const rk_point *p)
{
    const rk_null_executor *x = self;
    return (double)(is(x->slow_method, p) ? x->slow_us : x->delay_us) / 1e6;
}

const rk_executor_ops rk_null_executor_ops = {.prepare = prepare,
                                              .layout = layout,
                                              .items = items,
                                              .item_key = item_key,
                                              .run = run,
                                              .predict = predict};
