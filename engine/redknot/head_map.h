/* head_map.h - the head class map: (layer, KV head) -> class, window, sink.
 *
 * Reads the published JSON files unchanged (`kv_head_classification`,
 * `kv_head_max_distance`, `kv_head_sink_size`, `dense_prefix_layers`) and writes
 * the same keys. `global`, `dense` and `retrieval` heads see everything: every
 * published benchmark relabels retrieval heads as global before it runs. */
#ifndef RK_REDKNOT_HEAD_MAP_H
#define RK_REDKNOT_HEAD_MAP_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

typedef enum rk_head_class {
    RK_HEAD_LOCAL,
    RK_HEAD_GLOBAL,
    RK_HEAD_RETRIEVAL,
    RK_HEAD_DENSE
} rk_head_class;

typedef struct rk_head_map {
    int32_t layers, kv_heads;
    uint8_t *cls;      /* [L][G] rk_head_class, dense_prefix_layers already applied */
    int32_t *distance; /* [L][G] window of local heads as published; <= 0 = not said */
    int32_t *sink;     /* [L][G]; < 0 = not said */
    const char *name;  /* base name of the file, or the spec it was made from */
} rk_head_map;

/* RK_E_FORMAT names file, key and entry: an unknown class, a negative window of a
 * local head other than the "not said" values 0 and -1, a table of another shape. */
rk_status rk_head_map_read(const char *path, rk_arena *arena, rk_head_map **out, rk_error *err);

/* A map from a spec: a path; "all_local"; "all_global"; "random:SHARE:SEED" (SHARE of
 * all heads global, drawn by SEED). Shape given for the made ones. */
rk_status rk_head_map_make(const char *spec, int32_t layers, int32_t kv_heads, rk_arena *arena,
                           rk_head_map **out, rk_error *err);

/* 1 when the head sees everything. */
int rk_head_map_is_global(const rk_head_map *m, int32_t layer, int32_t head);
/* Heads that see everything. */
int32_t rk_head_map_globals(const rk_head_map *m);

/* Writes JSON: classes, distances, sinks and `evidence_json` (an object's text, or
 * NULL) under "evidence". */
rk_status rk_head_map_write(const rk_head_map *m, const char *evidence_json, const char *path,
                            rk_error *err);

RK_C_END

#endif
