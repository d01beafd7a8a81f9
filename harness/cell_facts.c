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

/* Every option of the open reader, defaults included. */
static rk_status reader_options(const rk_reader *r, rk_arena *arena, json_t *how, rk_error *err)
{
    for (const rk_option *row = r->ops->options; row && row->name; row++) {
        char *text = rk_option_text(row, r->config.options, arena, err);
        if (!text)
            return RK_E_MEMORY;
        json_object_set_new(how, row->name, json_string(text));
    }
    return RK_OK;
}

static rk_status describe_data(const rk_reader *r, const rk_point *p, int64_t seed, rk_arena *arena,
                               json_t *how, rk_error *err)
{
    char hash[RK_SHA256_HEX];
    RK_TRY(reader_options(r, arena, how, err));
    if (r->ops->file) {
        RK_TRY(rk_sha256_file(r->ops->file(r), hash, err));
        json_object_set_new(how, "file_sha256", json_string(hash));
    }
    json_object_set_new(how, "seed", json_integer(seed));
    json_object_set_new(how, "context", json_integer(rk_point_int(p, "context", 0)));
    return RK_OK;
}

rk_status rk_cell_facts_dataset(const rk_reader *reader, const rk_point *p, int64_t seed,
                                rk_arena *arena, const char **out, rk_error *err)
{
    json_t *how = json_object();
    char hash[RK_SHA256_HEX];
    rk_status st = describe_data(reader, p, seed, arena, how, err);
    char *text = st == RK_OK ? json_dumps(how, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (st == RK_OK)
        st = text ? rk_sha256_bytes(text, strlen(text), hash, err)
                  : rk_fail(err, RK_E_MEMORY, "out of memory: facts of a data set");
    free(text);
    if (st != RK_OK) {
        json_decref(how);
        return st;
    }
    const rk_reader_ops *ops = reader->ops;
    int64_t contexts = ops->contexts(reader);
    json_t *row = json_pack("{s:s,s:s,s:s,s:s,s:I,s:s,s:o}", "name", p->reader->name, "upstream",
                            ops->source, "licence", ops->licence, "origin", ops->origin, "n_items",
                            (json_int_t)(contexts == INT64_MAX ? 0 : contexts), "manifest_sha256",
                            hash, "generator_json", how);
    return to_text(row, arena, out, err);
}

rk_status rk_cell_facts_item(const rk_context *c, const rk_item *item, rk_arena *arena,
                             char hex[RK_SHA256_HEX], rk_error *err)
{
    size_t n = strlen(item->question) + 1, at = 0;
    for (int32_t i = 0; i < c->passages; i++)
        n += strlen(c->passage[i].text) + 1;
    for (int32_t i = 0; i < item->answers; i++)
        n += strlen(item->answer[i]) + 1;
    char *all = rk_arena_take(arena, n, 1, err);
    if (!all)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < c->passages; i++) /* the NULs between keep the parts apart */
        at += strlen(strcpy(all + at, c->passage[i].text)) + 1;
    at += strlen(strcpy(all + at, item->question)) + 1;
    for (int32_t i = 0; i < item->answers; i++)
        at += strlen(strcpy(all + at, item->answer[i])) + 1;
    return rk_sha256_bytes(all, n, hex, err);
}

rk_status rk_cell_facts_without_model(const rk_point *p, const char *model, rk_arena *arena,
                                      rk_cell_facts *facts, rk_error *err)
{
    json_t *row = json_pack("{s:s,s:s,s:s}", "name", rk_base_name(model), "arch", "unknown",
                            "weights_kind", "none");
    facts->context_tokens = rk_point_int(p, "context", 0);
    return to_text(row, arena, &facts->model_json, err);
}
