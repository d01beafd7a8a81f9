/* model.c - opening and closing of models, whatever they come from; see model.h. */
#define _POSIX_C_SOURCE 200809L
#include "model/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dequantize.h"
#include "model/loading.h"

/* The last part of a path, without trailing slashes. */
static const char *base_name(rk_arena *arena, const char *path, rk_error *err)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    return rk_arena_text(arena, path + start, end - start, err);
}

static rk_status model_new(rk_model **out, const char *path, rk_error *err)
{
    *out = NULL;
    rk_model *m = rk_heap_take(1, sizeof *m, err);
    rk_model_files *files = m ? rk_heap_take(1, sizeof *files, err) : NULL;
    if (!files) {
        free(m);
        return RK_E_MEMORY;
    }
    m->impl = files;
    m->bos_id = -1;
    rk_status st = rk_arena_new(&files->arena, err);
    if (st == RK_OK) {
        m->name = base_name(files->arena, path, err);
        st = m->name ? RK_OK : RK_E_MEMORY;
    }
    if (st != RK_OK) {
        rk_model_close(m);
        return st;
    }
    *out = m;
    return RK_OK;
}

rk_status rk_model_open(rk_model **out, const char *path, rk_error *err)
{
    struct stat info;
    *out = NULL;
    if (stat(path, &info))
        return rk_fail(err, RK_E_IO, "%s: cannot open the model: %s", path, strerror(errno));
    size_t n = strlen(path);
    int directory = S_ISDIR(info.st_mode);
    if (!directory && (n < 5 || strcmp(path + n - 5, ".gguf")))
        return rk_fail(err, RK_E_USAGE,
                       "%s: expected a directory with config.json and model.safetensors, or a "
                       ".gguf file",
                       path);
    rk_model *m;
    RK_TRY(model_new(&m, path, err));
    rk_status st = directory ? rk_load_safetensors(m, path, err) : rk_load_gguf(m, path, err);
    if (st != RK_OK) {
        rk_model_close(m);
        return st;
    }
    *out = m;
    return RK_OK;
}

/* Matrices with shapes and bf16 as what they would be stored in, without data. */
static void shape_layer(const rk_model_shape *s, rk_layer_weights *w)
{
    int64_t c = s->width, f = s->ffn_width;
    int64_t q = (int64_t)s->heads * s->head_dim, kv = (int64_t)s->kv_heads * s->head_dim;
    w->wq = (rk_weight){NULL, RK_BF16, q, c};
    w->wk = (rk_weight){NULL, RK_BF16, kv, c};
    w->wv = (rk_weight){NULL, RK_BF16, kv, c};
    w->wo = (rk_weight){NULL, RK_BF16, c, q};
    w->w_gate = (rk_weight){NULL, RK_BF16, f, c};
    w->w_up = (rk_weight){NULL, RK_BF16, f, c};
    w->w_down = (rk_weight){NULL, RK_BF16, c, f};
}

static rk_status fill_shape(rk_model *m, const char *name, const rk_model_shape *shape,
                            rk_error *err)
{
    if (shape->layers < 1 || shape->width < 1 || shape->heads < 1 || shape->kv_heads < 1 ||
        shape->head_dim < 2 || shape->ffn_width < 1 || shape->vocab < 1)
        return rk_fail(err, RK_E_ARG, "model shape '%s': expected counts of at least 1", name);
    RK_TRY(rk_config_check_shape(shape, name, err));
    rk_config c = {.shape = *shape,
                   .rope = rk_rope_spec_default(shape->head_dim),
                   .weights_kind = RK_WEIGHTS_NONE,
                   .bos_id = -1};
    RK_TRY(rk_load_config(m, &c, name, err));
    m->embedding = (rk_weight){NULL, RK_BF16, shape->vocab, shape->width};
    m->head = m->embedding;
    for (int32_t i = 0; i < shape->layers; i++)
        shape_layer(shape, &m->layer[i]);
    return RK_OK;
}

rk_status rk_model_open_shape(rk_model **out, const char *name, const rk_model_shape *shape,
                              rk_error *err)
{
    rk_model *m;
    *out = NULL;
    RK_TRY(model_new(&m, name, err));
    rk_status st = fill_shape(m, name, shape, err);
    if (st != RK_OK) {
        rk_model_close(m);
        return st;
    }
    *out = m;
    return RK_OK;
}

void rk_model_close(rk_model *m)
{
    if (!m)
        return;
    rk_model_files *files = m->impl;
    rk_load_tokenizer_close(m);
    if (files) {
        rk_safetensors_close(files->safetensors);
        rk_gguf_close(files->gguf);
        rk_arena_free(files->arena);
    }
    free(files);
    free(m);
}

rk_status rk_load_config(rk_model *m, const rk_config *c, const char *where, rk_error *err)
{
    rk_model_files *files = m->impl;
    m->shape = c->shape;
    m->family = c->family ? c->family->name : "none";
    m->default_system = c->family ? c->family->default_system : NULL;
    m->weights_kind = c->weights_kind;
    m->bos_id = c->bos_id;
    m->stop_ids = c->stop_ids;
    memcpy(m->stop_id, c->stop_id, sizeof m->stop_id);
    if (m->bos_id >= m->shape.vocab)
        return rk_fail(err, RK_E_FORMAT, "%s: BOS id %d is outside the vocabulary of %d", where,
                       m->bos_id, m->shape.vocab);
    m->layer = rk_arena_take(files->arena, (size_t)m->shape.layers, sizeof *m->layer, err);
    if (!m->layer)
        return RK_E_MEMORY;
    return rk_rope_build(&c->rope, where, files->arena, &m->rope, err);
}

static int64_t values_of(const rk_stored_tensor *t)
{
    int64_t n = 1;
    for (int32_t i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

rk_weight rk_load_weight(rk_model *m, const rk_stored_tensor *t)
{
    m->weights_bytes += rk_dtype_bytes(t->dtype, values_of(t));
    return (rk_weight){t->data, t->dtype, t->shape[0], t->shape[1]};
}

rk_status rk_load_floats(rk_model *m, const rk_stored_tensor *t, const float **out, rk_error *err)
{
    rk_model_files *files = m->impl;
    int64_t n = values_of(t);
    float *copy = rk_arena_take(files->arena, (size_t)n, sizeof *copy, err);
    if (!copy)
        return RK_E_MEMORY;
    rk_dequantize(t->dtype, t->data, copy, n);
    m->weights_bytes += rk_dtype_bytes(t->dtype, n);
    *out = copy;
    return RK_OK;
}

rk_status rk_model_sha256(const rk_model *m, char hex[RK_SHA256_HEX], rk_error *err)
{
    const rk_model_files *files = m->impl;
    if (files->paths == 0)
        return rk_fail(err, RK_E_ARG, "model '%s' has no weight files to hash", m->name);
    if (files->paths == 1)
        return rk_sha256_file(files->path[0], hex, err);
    char *all = rk_heap_take((size_t)files->paths, RK_SHA256_HEX, err);
    if (!all)
        return RK_E_MEMORY;
    rk_status st = RK_OK;
    for (int32_t i = 0; i < files->paths && st == RK_OK; i++) {
        char *line = all + (size_t)i * RK_SHA256_HEX;
        st = rk_sha256_file(files->path[i], line, err);
        line[RK_SHA256_HEX - 1] = '\n';
    }
    if (st == RK_OK)
        st = rk_sha256_bytes(all, (size_t)files->paths * RK_SHA256_HEX, hex, err);
    free(all);
    return st;
}
