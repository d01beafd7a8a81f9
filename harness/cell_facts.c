/* cell_facts.c - see cell_facts.h. */
#include "cell_facts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "method_config.h"

/* Takes the reference of `row`. */
static rk_status to_text(json_t *row, rk_arena *arena, const char **out, rk_error *err)
{
    char *text = row ? json_dumps(row, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(row);
    if (!text)
        return rk_fail(err, RK_E_MEMORY, "out of memory: facts of a cell");
    *out = rk_arena_text(arena, text, strlen(text), err);
    free(text);
    return *out ? RK_OK : RK_E_MEMORY;
}

static const char *kind_name(rk_weights_kind kind)
{
    return kind == RK_WEIGHTS_TRAINED ? "trained" : kind == RK_WEIGHTS_RANDOM ? "random" : "none";
}

rk_status rk_cell_facts_model(const rk_model *m, const char *sha256, rk_arena *arena,
                              const char **out, rk_error *err)
{
    json_t *row = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:s,s:I,s:s,s:s}", "name", m->name, "arch",
                            m->family, "n_layers", m->shape.layers, "n_q_heads", m->shape.heads,
                            "n_kv_heads", m->shape.kv_heads, "head_dim", m->shape.head_dim, "dtype",
                            rk_dtype_name(m->layer[0].wq.dtype), "weights_bytes",
                            (json_int_t)m->weights_bytes, "weights_sha256", sha256, "weights_kind",
                            kind_name(m->weights_kind));
    if (row && m->tokenizer)
        json_object_set_new(row, "tokenizer_sha256",
                            json_string(rk_tokenizer_sha256(m->tokenizer)));
    return to_text(row, arena, out, err);
}

rk_status rk_cell_facts_method(const rk_method *m, const rk_point *p, rk_arena *arena,
                               const char **out, rk_error *err)
{
    const char *text;
    RK_TRY(rk_method_json(m, arena, &text, err));
    json_t *all = json_loads(text, 0, NULL);
    uint32_t f = m->ops->flags;
    json_t *row = json_pack(
        "{s:s,s:s,s:O,s:i,s:i,s:i,s:i}", "name", p->method->name, "version", m->ops->name,
        "params_json", json_object_get(all, "options"), "exact", (f & RK_METHOD_EXACT) != 0,
        "cross_query_cache", (f & RK_METHOD_CROSS_QUERY) != 0, "offline_phase",
        (f & RK_METHOD_REUSES) != 0, "is_reference", !strcmp(m->ops->name, "dense"));
    json_decref(all);
    return to_text(row, arena, out, err);
}

rk_status rk_cell_facts_dataset(const rk_reader_ops *reader, const rk_point *p, int64_t seed,
                                rk_arena *arena, const char **out, rk_error *err)
{
    const rk_pair *option;
    int32_t n;
    RK_TRY(rk_point_reader_options(p, arena, &option, &n, err));
    json_t *how = json_object();
    for (int32_t i = 0; i < n; i++)
        json_object_set_new(how, option[i].key, json_string(option[i].value));
    json_object_set_new(how, "seed", json_integer(seed));
    json_object_set_new(how, "context", json_integer(rk_point_int(p, "context", 0)));
    char *text = json_dumps(how, JSON_COMPACT | JSON_SORT_KEYS), hash[RK_SHA256_HEX];
    if (!text) {
        json_decref(how);
        return rk_fail(err, RK_E_MEMORY, "out of memory: facts of a data set");
    }
    rk_status st = rk_sha256_bytes(text, strlen(text), hash, err);
    free(text);
    json_t *row = json_pack("{s:s,s:s,s:s,s:s,s:i,s:s,s:o}", "name", p->reader->name, "upstream",
                            reader->source, "licence", reader->licence, "origin", reader->origin,
                            "n_items", 0, "manifest_sha256", hash, "generator_json", how);
    return st == RK_OK ? to_text(row, arena, out, err) : (json_decref(row), st);
}

rk_status rk_cell_facts_without_model(const rk_point *p, const char *model, rk_arena *arena,
                                      rk_cell_facts *facts, rk_error *err)
{
    json_t *row = json_pack("{s:s,s:s,s:s}", "name", rk_base_name(model), "arch", "unknown",
                            "weights_kind", "none");
    facts->context_tokens = rk_point_int(p, "context", 0);
    return to_text(row, arena, &facts->model_json, err);
}
