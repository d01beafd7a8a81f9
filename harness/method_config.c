/* method_config.c - see method_config.h. */
#include "method_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"

static rk_status unknown_method(const char *name, rk_error *err)
{
    const char *names[64];
    size_t n = 0;
    for (int32_t i = 0; i < rk_methods_count && n < 64; i++)
        names[n++] = rk_methods[i]->name;
    const char *near = rk_nearest_name(name, names, n);
    return rk_fail(err, RK_E_USAGE, "unknown method '%s'%s%s%s; redknot list methods shows all",
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

rk_status rk_method_configure(const char *name, const rk_pair *option, int32_t options,
                              const rk_model_shape *shape, rk_arena *arena, rk_method *out,
                              rk_error *err)
{
    const rk_method_ops *ops = rk_method_find(name);
    if (!ops)
        return unknown_method(name, err);
    void *config = rk_arena_take(arena, 1, ops->config_size, err);
    if (!config)
        return RK_E_MEMORY;
    *out = (rk_method){.ops = ops, .shape = shape, .config = config};
    RK_TRY(rk_options_default(ops->options, config, err));
    for (int32_t i = 0; i < options; i++) {
        if (!ops->options)
            return rk_fail(err, RK_E_USAGE, "%s takes no options, got '%s'", name, option[i].key);
        if (rk_options_set(ops->options, config, option[i].key, option[i].value, err) != RK_OK)
            return rk_error_prefix(err, "%s", name);
    }
    const rk_option *map_row = rk_option_find(ops->options, "head_map");
    const char *spec =
        map_row ? *(const char *const *)((const char *)config + map_row->offset) : "";
    rk_head_map *map = NULL;
    if (spec[0]) {
        rk_status st = rk_head_map_make(spec, shape->layers, shape->kv_heads, arena, &map, err);
        if (st == RK_E_IO) /* an option that names no file is a wrong option */
            return rk_error_prefix(err, "%s: head_map", name), RK_E_USAGE;
        RK_TRY(st);
    }
    out->head_map = map;
    return RK_OK;
}

/* The base name of paths, so that results do not depend on where files lie. */
static const char *portable(const rk_option *row, const char *text)
{
    return row->kind == RK_OPT_TEXT ? rk_base_name(text) : text;
}

/* 16 hexadecimal digits of what the map says: files of one name may differ. */
static void map_hash(const rk_head_map *map, char hex[17])
{
    size_t n = (size_t)map->layers * (size_t)map->kv_heads;
    uint64_t hash = rk_hash_bytes(map->cls, n, (uint64_t)map->kv_heads).low;
    hash = rk_hash_bytes(map->distance, n * sizeof *map->distance, hash).low;
    hash = rk_hash_bytes(map->sink, n * sizeof *map->sink, hash).low;
    snprintf(hex, 17, "%016llx", (unsigned long long)hash);
}

rk_status rk_method_json(const rk_method *m, rk_arena *arena, const char **out, rk_error *err)
{
    json_t *root = json_object(), *options = json_object();
    rk_status st = RK_OK;
    for (const rk_option *row = m->ops->options; row && row->name && st == RK_OK; row++) {
        char *text = rk_option_text(row, m->config, arena, err);
        if (!text)
            st = RK_E_MEMORY;
        else
            json_object_set_new(options, row->name, json_string(portable(row, text)));
    }
    char hex[17];
    if (m->head_map) {
        map_hash(m->head_map, hex);
        json_object_set_new(options, "head_map_hash", json_string(hex));
    }
    json_object_set_new(root, "name", json_string(m->ops->name));
    json_object_set_new(root, "options", options);
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(root);
    *out = text && st == RK_OK ? rk_arena_text(arena, text, strlen(text), err) : NULL;
    free(text);
    return *out          ? RK_OK
           : st != RK_OK ? st
                         : rk_fail(err, RK_E_MEMORY, "out of memory: method JSON");
}
