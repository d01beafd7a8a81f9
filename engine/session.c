/* session.c - one timeline: opening, forking, closing, what it holds. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine_impl.h"

static size_t rules_of(const rk_engine *e)
{
    return (size_t)e->model->shape.layers * (size_t)e->model->shape.kv_heads;
}

rk_status rk_session_open(rk_session **out, rk_engine *e, const rk_method *method, rk_error *err)
{
    *out = NULL;
    if (method->ops->flags & RK_METHOD_NEEDS_HEAD_MAP) {
        const rk_head_map *map = method->head_map;
        if (!map)
            return rk_fail(err, RK_E_USAGE, "%s needs a head map", method->ops->name);
        if (map->layers != e->model->shape.layers || map->kv_heads != e->model->shape.kv_heads)
            return rk_fail(err, RK_E_USAGE,
                           "%s: head map %s is of %d layers and %d KV heads, %s has %d and %d",
                           method->ops->name, map->name, map->layers, map->kv_heads, e->model->name,
                           e->model->shape.layers, e->model->shape.kv_heads);
    }
    if (method->ops->check)
        RK_TRY(method->ops->check(method, err));
    rk_session *s = rk_heap_take(1, sizeof *s, err);
    if (!s)
        return RK_E_MEMORY;
    s->e = e;
    s->method = method;
    s->rule = rk_heap_take(rules_of(e), sizeof *s->rule, err);
    s->logits = rk_heap_take((size_t)e->model->shape.vocab, sizeof *s->logits, err);
    rk_status st = s->rule && s->logits
                       ? rk_page_table_new(&s->table, e->pool, e->model->shape.layers,
                                           e->model->shape.kv_heads, err)
                       : RK_E_MEMORY;
    if (st != RK_OK) {
        rk_session_close(s);
        return st;
    }
    *out = s;
    return RK_OK;
}

void rk_session_close(rk_session *s)
{
    if (!s)
        return;
    rk_page_table_free(s->table);
    free(s->rule);
    free(s->logits);
    free(s);
}

rk_status rk_session_fork(rk_session **out, const rk_session *s, rk_error *err)
{
    RK_TRY(rk_session_open(out, s->e, s->method, err));
    rk_session *copy = *out;
    rk_page_table_free(copy->table);
    copy->table = NULL;
    rk_status st = rk_page_table_fork(&copy->table, s->table, err);
    if (st != RK_OK) {
        rk_session_close(copy);
        *out = NULL;
        return st;
    }
    memcpy(copy->rule, s->rule, rules_of(s->e) * sizeof *s->rule);
    memcpy(copy->logits, s->logits, (size_t)s->e->model->shape.vocab * sizeof *s->logits);
    copy->tokens = s->tokens;
    copy->next_rope = s->next_rope;
    return RK_OK;
}

const float *rk_session_logits(const rk_session *s)
{
    return s->e->ops->has_values ? s->logits : NULL;
}

int32_t rk_session_tokens(const rk_session *s)
{
    return s->tokens;
}

size_t rk_session_kv_bytes(const rk_session *s)
{
    return (size_t)rk_page_table_pages(s->table) * rk_page_pool_page_bytes(s->e->pool);
}
