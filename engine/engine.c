/* engine.c - model, backend, page pool and chunk store together; the workspace. */
#include "engine_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static rk_status open_parts(rk_engine *e, const rk_engine_config *config, rk_error *err)
{
    const rk_model_shape *m = &e->model->shape;
    RK_TRY(e->ops->open(&e->b, &config->device, err));
    size_t page =
        (size_t)2 * RK_PAGE_TOKENS * (size_t)m->head_dim * (size_t)e->ops->activation_bytes;
    size_t pages = config->kv_bytes / page, least = (size_t)m->layers * (size_t)m->kv_heads;
    if (pages < least || pages > INT32_MAX)
        return rk_fail(err, RK_E_USAGE,
                       "kv_bytes: expected at least %zu bytes (a page a layer and head) and fewer "
                       "than 2^31 pages, got %zu",
                       least * page, config->kv_bytes);
    RK_TRY(rk_page_pool_new(&e->pool, e->ops, e->b, (int32_t)pages, m->head_dim, err));
    if (config->poison_pages)
        rk_page_pool_poison(e->pool);
    return rk_chunk_store_new(&e->store, e->pool, m->layers, m->kv_heads, err);
}

rk_status rk_engine_open(rk_engine **out, const rk_model *model, const rk_engine_config *config,
                         rk_error *err)
{
    *out = NULL;
    const rk_backend_ops *ops = rk_backend_find(config->backend);
    if (!ops)
        return rk_fail(err, RK_E_USAGE, "backend: expected cpu or count, got '%s'",
                       config->backend);
    if (ops->has_values && model->weights_kind == RK_WEIGHTS_NONE)
        return rk_fail(err, RK_E_USAGE, "%s has no weights: only the count backend runs it",
                       model->name);
    rk_engine *e = rk_heap_take(1, sizeof *e, err);
    if (!e)
        return RK_E_MEMORY;
    e->model = model;
    e->ops = ops;
    e->attention_scale = 1.0f / sqrtf((float)model->shape.head_dim);
    e->rotation =
        (rk_rotation){model->rope.inv_freq, model->rope.rotary_dim, model->rope.attention_factor};
    rk_status st = open_parts(e, config, err);
    if (st != RK_OK) {
        rk_engine_close(e);
        return st;
    }
    *out = e;
    return RK_OK;
}

const rk_model *rk_engine_model(const rk_engine *e)
{
    return e->model;
}

void rk_engine_observe(rk_engine *e, const rk_observer *observer)
{
    e->observer = observer;
}

static void release_work(rk_engine *e)
{
    rk_work *w = &e->work;
    rk_buffer *floats[] = {&w->x,      &w->x2,   &w->xn, &w->q,      &w->q2,           &w->o,
                           &w->y,      &w->k,    &w->v,  &w->gather, &w->gather_table, &w->table,
                           &w->table2, &w->gate, &w->up, &w->down,   &w->logits};
    rk_index_buffer *indices[] = {
        &w->row_seq[0],  &w->row_seq[1],   &w->row_pos[0],   &w->row_pos[1], &w->row_rope[0],
        &w->row_rope[1], &w->row_limit[0], &w->row_limit[1], &w->row_id[0],  &w->row_id[1],
        &w->select,      &w->refresh,      &w->page_table,   &w->views,      &w->source,
        &w->sub[0],      &w->sub[1]};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        e->ops->release(e->b, floats[i]->data);
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        e->ops->release_index(e->b, indices[i]->data);
}

void rk_engine_close(rk_engine *e)
{
    if (!e)
        return;
    rk_chunk_store_free(e->store);
    rk_page_pool_free(e->pool);
    if (e->b) {
        release_work(e);
        e->ops->close(e->b);
    }
    free(e);
}

rk_status rk_need(rk_engine *e, rk_buffer *b, size_t floats, rk_error *err)
{
    if (floats <= b->floats)
        return RK_OK;
    void *memory;
    RK_TRY(e->ops->alloc(e->b, floats * sizeof(float), &memory, err));
    e->ops->release(e->b, b->data);
    b->data = memory;
    b->floats = floats;
    return RK_OK;
}

rk_status rk_need_index(rk_engine *e, rk_index_buffer *b, size_t count, rk_error *err)
{
    if (count <= b->count)
        return RK_OK;
    int32_t *memory;
    RK_TRY(e->ops->alloc_index(e->b, count, &memory, err));
    e->ops->release_index(e->b, b->data);
    b->data = memory;
    b->count = count;
    return RK_OK;
}

rk_status rk_need_tensor(rk_engine *e, rk_buffer *b, int64_t rows, int64_t cols, rk_tensor *out,
                         rk_error *err)
{
    RK_TRY(rk_need(e, b, (size_t)rows * (size_t)cols, err));
    *out = (rk_tensor){b->data, rows, cols};
    return RK_OK;
}

rk_phase rk_step_phase(const rk_step *step, rk_phase phase)
{
    rk_phase charged = step->probe || step->charge_probe ? RK_PHASE_PROBE : phase;
    step->e->ops->phase(step->e->b, charged);
    return charged;
}

rk_status rk_engine_take_report(rk_engine *e, rk_report *out, rk_error *err)
{
    *out = (rk_report){0};
    RK_TRY(e->ops->times(e->b, out->phase_ms, err));
    rk_counters *c = e->ops->counters(e->b);
    out->counters = *c;
    memset(c, 0, sizeof *c);
    return RK_OK;
}
