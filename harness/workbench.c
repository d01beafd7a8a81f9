/* workbench.c - see workbench.h. */
#define _POSIX_C_SOURCE 200809L
#include "workbench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"

/* Where each context's items begin; grows as contexts are read. */
typedef struct item_index {
    int64_t *first; /* [known + 1] */
    size_t known, room;
} item_index;

struct rk_workbench {
    rk_workbench_config config;
    rk_model *model;
    char *model_name, sha256[RK_SHA256_HEX];
    rk_engine *engine;
    int64_t engine_tokens;
    rk_arena *set_arena; /* options and keys of the open data set */
    rk_reader reader;
    int reader_open;
    char *set_key; /* what is open: reader variant, options, length */
    item_index index;
    rk_arena *arena; /* the current context */
    int64_t current; /* -1: none */
    rk_context context;
    rk_prompt prompt;
    float **reference; /* [questions] */
    char *head_map;
};

rk_status rk_workbench_new(rk_workbench **out, const rk_workbench_config *config, rk_error *err)
{
    *out = NULL;
    rk_workbench *w = rk_heap_take(1, sizeof *w, err);
    if (!w)
        return RK_E_MEMORY;
    w->config = *config;
    w->current = -1;
    rk_status st = rk_arena_new(&w->arena, err);
    if (st == RK_OK)
        st = rk_arena_new(&w->set_arena, err);
    if (st != RK_OK) {
        rk_workbench_free(w);
        return st;
    }
    *out = w;
    return RK_OK;
}

static void close_dataset(rk_workbench *w)
{
    if (w->reader_open)
        w->reader.ops->close(&w->reader);
    w->reader_open = 0;
    w->set_key = NULL;
    w->current = -1;
    free(w->index.first);
    w->index = (item_index){0};
}

static void close_model(rk_workbench *w)
{
    close_dataset(w);
    rk_engine_close(w->engine);
    rk_model_close(w->model);
    free(w->model_name);
    free(w->head_map);
    w->engine = NULL;
    w->model = NULL;
    w->model_name = w->head_map = NULL;
    w->sha256[0] = '\0';
    w->engine_tokens = 0;
}

void rk_workbench_free(rk_workbench *w)
{
    if (!w)
        return;
    close_model(w);
    rk_arena_free(w->arena);
    rk_arena_free(w->set_arena);
    free(w);
}

static const char *const roots[] = {".", RK_SOURCE_DIR};

/* The first of the places that exists; NULL when none does. */
static const char *find_place(const char *const *format, size_t formats, const char *name,
                              rk_arena *arena, rk_error *err)
{
    for (size_t r = 0; r < sizeof roots / sizeof *roots; r++)
        for (size_t f = 0; f < formats; f++) {
            const char *path = rk_arena_printf(arena, err, "%s/%s%s%s", roots[r], format[2 * f],
                                               name, format[2 * f + 1]);
            if (path && access(path, R_OK) == 0)
                return path;
        }
    return NULL;
}

static rk_status find_model(const char *name, rk_arena *arena, const char **path, rk_error *err)
{
    static const char *const places[] = {"data/models/", "", "models/", ".gguf", "models/", ""};
    *path = access(name, R_OK) == 0 ? name : find_place(places, 3, name, arena, err);
    if (!*path)
        return rk_fail(err, RK_E_IO,
                       "model '%s': no such file or directory, nor data/models/%s, "
                       "models/%s.gguf, models/%s (data/fetch.sh gets known ones)",
                       name, name, name, name);
    return RK_OK;
}

rk_status rk_workbench_model(rk_workbench *w, const char *name, rk_error *err)
{
    const char *path;
    if (w->model && !strcmp(w->model_name, name))
        return RK_OK;
    close_model(w);
    rk_arena_reset(w->set_arena);
    RK_TRY(find_model(name, w->set_arena, &path, err));
    RK_TRY(rk_model_open(&w->model, path, err));
    w->model_name = strdup(name);
    rk_status st = w->model_name ? rk_model_check_finite(w->model, err)
                                 : rk_fail(err, RK_E_MEMORY, "out of memory: a model's name");
    if (st != RK_OK)
        close_model(w);
    return st;
}

const rk_model *rk_workbench_opened(const rk_workbench *w)
{
    return w->model;
}

rk_status rk_workbench_model_sha256(rk_workbench *w, const char **hex, rk_error *err)
{
    if (!w->sha256[0])
        RK_TRY(rk_model_sha256(w->model, w->sha256, err));
    *hex = w->sha256;
    return RK_OK;
}

const char *rk_workbench_head_map(rk_workbench *w, rk_error *err)
{
    static const char *const places[] = {"data/head_maps/", ".json"};
    if (!w->head_map) {
        const char *base = rk_base_name(w->model_name);
        size_t n = strlen(base);
        if (n > 5 && !strcmp(base + n - 5, ".gguf"))
            n -= 5;
        char *stem = rk_arena_text(w->set_arena, base, n, err);
        const char *path = stem ? find_place(places, 1, stem, w->set_arena, err) : NULL;
        w->head_map = path ? strdup(path) : NULL;
    }
    return w->head_map;
}

/* "reports:T3 tasks=T3 |1024|seed": equal keys are the same open data set. */
static rk_status dataset_key(const rk_workbench *w, const rk_point *point, const rk_pair *option,
                             int32_t options, int64_t context_tokens, rk_arena *arena, char **key,
                             rk_error *err)
{
    *key = rk_arena_printf(arena, err, "%s", point->reader->name);
    for (int32_t i = 0; *key && i < options; i++)
        *key = rk_arena_printf(arena, err, "%s %s=%s", *key, option[i].key, option[i].value);
    if (*key)
        *key = rk_arena_printf(arena, err, "%s |%lld|%lld", *key, (long long)context_tokens,
                               (long long)w->config.seed);
    return *key ? RK_OK : RK_E_MEMORY;
}

static const rk_reader_ops *find_reader(const char *name)
{
    for (int32_t i = 0; i < rk_readers_count; i++)
        if (!strcmp(rk_readers[i]->name, name))
            return rk_readers[i];
    return NULL;
}

static rk_status open_reader(rk_workbench *w, const rk_reader_ops *ops, const rk_pair *option,
                             int32_t options, int64_t context_tokens, rk_error *err)
{
    void *config = rk_arena_take(w->set_arena, 1, ops->config_size, err);
    rk_token_counter *counter = rk_arena_take(w->set_arena, 1, sizeof *counter, err);
    if (!config || !counter)
        return RK_E_MEMORY;
    RK_TRY(rk_options_default(ops->options, config, err));
    for (int32_t i = 0; i < options; i++) {
        const char *value = rk_arena_printf(w->set_arena, err, "%s", option[i].value);
        if (!value)
            return RK_E_MEMORY;
        if (rk_options_set(ops->options, config, option[i].key, value, err) != RK_OK)
            return rk_error_prefix(err, "%s", ops->name);
    }
    *counter = rk_prompt_counter(w->model);
    w->reader = (rk_reader){.ops = ops,
                            .config = {.path = w->config.data,
                                       .seed = (uint64_t)w->config.seed,
                                       .target_tokens = context_tokens,
                                       .counter = counter,
                                       .items_per_context = (int32_t)w->config.items_per_context,
                                       .options = config}};
    RK_TRY(ops->open(&w->reader, err));
    w->reader_open = 1;
    return RK_OK;
}

rk_status rk_workbench_dataset(rk_workbench *w, const rk_point *point, int64_t context_tokens,
                               rk_error *err)
{
    const rk_pair *option;
    int32_t options;
    char *key;
    const rk_reader_ops *ops = find_reader(point->reader->base);
    if (!ops)
        return rk_fail(err, RK_E_USAGE, "unknown data set '%s'", point->reader->base);
    rk_arena *scratch;
    RK_TRY(rk_arena_new(&scratch, err));
    rk_status st = rk_point_reader_options(point, scratch, &option, &options, err);
    if (st == RK_OK)
        st = dataset_key(w, point, option, options, context_tokens, scratch, &key, err);
    if (st == RK_OK && (!w->set_key || strcmp(w->set_key, key))) {
        close_dataset(w);
        st = open_reader(w, ops, option, options, context_tokens, err);
        if (st == RK_OK) {
            w->set_key = rk_arena_printf(w->set_arena, err, "%s", key);
            st = w->set_key ? RK_OK : RK_E_MEMORY;
        }
    }
    rk_arena_free(scratch);
    return st;
}

const rk_reader *rk_workbench_reader(const rk_workbench *w)
{
    return &w->reader;
}

/* Items of one more context; 0 added when the data set has ended. */
static rk_status index_next(rk_workbench *w, int *ended, rk_error *err)
{
    int64_t next = (int64_t)w->index.known;
    *ended = next >= w->reader.ops->contexts(&w->reader);
    if (*ended)
        return RK_OK;
    rk_arena *scratch;
    rk_context c;
    RK_TRY(rk_arena_new(&scratch, err));
    rk_status st = w->reader.ops->context(&w->reader, next, scratch, &c, err);
    if (st == RK_OK)
        st = rk_heap_grow((void **)&w->index.first, &w->index.room, w->index.known + 2,
                          sizeof *w->index.first, err);
    if (st == RK_OK) {
        if (next == 0)
            w->index.first[0] = 0;
        w->index.first[next + 1] = w->index.first[next] + c.items;
        w->index.known++;
    }
    rk_arena_free(scratch);
    return st;
}

rk_status rk_workbench_items(rk_workbench *w, int64_t index, int64_t *first, int64_t *count,
                             rk_error *err)
{
    int ended = 0;
    while ((int64_t)w->index.known <= index && !ended)
        RK_TRY(index_next(w, &ended, err));
    *first = *count = 0;
    if ((int64_t)w->index.known <= index)
        return RK_OK;
    *first = w->index.first[index];
    *count = w->index.first[index + 1] - *first;
    return RK_OK;
}

rk_status rk_workbench_find(rk_workbench *w, int64_t item, int64_t *index, rk_error *err)
{
    for (*index = 0;; (*index)++) {
        int64_t first, count;
        RK_TRY(rk_workbench_items(w, *index, &first, &count, err));
        if (count == 0 && (int64_t)w->index.known <= *index)
            return rk_fail(err, RK_E_ARG, "%s has no item %lld", w->reader.ops->name,
                           (long long)item);
        if (item < first + count)
            return RK_OK;
    }
}

rk_engine *rk_workbench_engine(const rk_workbench *w)
{
    return w->engine;
}

/* Room for a context, its stored states, a shared context pass, a fork and the dense
 * reference, with page rounding for many short passages. */
static rk_status make_room(rk_workbench *w, rk_error *err)
{
    const rk_model_shape *m = &w->model->shape;
    int64_t longest = 0;
    for (int32_t q = 0; q < w->prompt.questions; q++)
        longest = w->prompt.question[q].n > longest ? w->prompt.question[q].n : longest;
    int64_t tokens = 6 * (w->prompt.context_tokens + longest + 512) +
                     (int64_t)3 * RK_PAGE_TOKENS * w->prompt.passages;
    if (w->engine && tokens <= w->engine_tokens) {
        rk_engine_forget_states(w->engine);
        return RK_OK;
    }
    rk_engine_close(w->engine);
    w->engine = NULL;
    size_t page = (size_t)2 * RK_PAGE_TOKENS * (size_t)m->head_dim * sizeof(float);
    size_t pages = ((size_t)tokens / RK_PAGE_TOKENS + 8) * (size_t)m->layers * (size_t)m->kv_heads;
    rk_engine_config config = {.backend = w->config.backend,
                               .device = {.threads = w->config.threads},
                               .kv_bytes = pages * page};
    RK_TRY(rk_engine_open(&w->engine, w->model, &config, err));
    w->engine_tokens = tokens;
    return RK_OK;
}

rk_status rk_workbench_context(rk_workbench *w, int64_t index, const rk_context **context,
                               const rk_prompt **prompt, rk_error *err)
{
    *context = &w->context;
    *prompt = &w->prompt;
    if (!w->reader_open)
        return rk_fail(err, RK_E_ARG, "no data set is open");
    if (w->current == index)
        return RK_OK;
    w->current = -1;
    rk_arena_reset(w->arena);
    RK_TRY(w->reader.ops->context(&w->reader, index, w->arena, &w->context, err));
    RK_TRY(rk_prompt_build(w->model, w->reader.ops, &w->context, w->arena, &w->prompt, err));
    w->reference = rk_arena_take(w->arena, (size_t)w->prompt.questions, sizeof *w->reference, err);
    if (!w->reference)
        return RK_E_MEMORY;
    RK_TRY(make_room(w, err));
    w->current = index;
    return RK_OK;
}

static rk_status spans_with_bos(rk_workbench *w, int32_t bos, rk_ids_span **out, rk_error *err)
{
    rk_ids_span *chunk = rk_arena_take(w->arena, (size_t)w->prompt.passages, sizeof *chunk, err);
    if (!chunk)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < w->prompt.passages; i++) {
        rk_ids_span from = w->prompt.passage[i];
        int32_t *id = rk_arena_take(w->arena, (size_t)from.n + 1, sizeof *id, err);
        if (!id)
            return RK_E_MEMORY;
        id[0] = bos;
        memcpy(id + 1, from.id, (size_t)from.n * sizeof *id);
        chunk[i] = (rk_ids_span){id, from.n + 1};
    }
    *out = chunk;
    return RK_OK;
}

rk_status rk_workbench_request(rk_workbench *w, int32_t q, int32_t bos, const rk_request **out,
                               rk_error *err)
{
    rk_ids_span *chunk = w->prompt.passage;
    rk_request *r = rk_arena_take(w->arena, 1, sizeof *r, err);
    if (!r)
        return RK_E_MEMORY;
    if (bos >= 0)
        RK_TRY(spans_with_bos(w, bos, &chunk, err));
    *out = r;
    return rk_request_build(r, w->prompt.prefix, chunk, w->prompt.passages, w->prompt.question[q],
                            w->arena, err);
}

/* Every question's first-token logits from one dense context, forked. */
static rk_status fill_reference(rk_workbench *w, rk_error *err)
{
    rk_engine *e = w->engine;
    rk_session *context = NULL;
    const rk_request *r;
    rk_method dense = {.ops = rk_method_find("dense"), .shape = &w->model->shape};
    RK_TRY(rk_workbench_request(w, 0, -1, &r, err));
    RK_TRY(rk_session_open(&context, e, &dense, err));
    rk_status st = rk_session_prefill(context, r, RK_PART_CONTEXT, NULL, err);
    size_t vocab = (size_t)w->model->shape.vocab;
    for (int32_t q = 0; q < w->prompt.questions && st == RK_OK; q++) {
        rk_session *s = NULL;
        st = rk_workbench_request(w, q, -1, &r, err);
        if (st == RK_OK)
            st = rk_session_fork(&s, context, err);
        if (st == RK_OK)
            st = rk_session_prefill(s, r, RK_PART_QUESTION, NULL, err);
        if (st == RK_OK) {
            w->reference[q] = rk_arena_take(w->arena, vocab, sizeof(float), err);
            st = w->reference[q] ? RK_OK : RK_E_MEMORY;
        }
        if (st == RK_OK)
            memcpy(w->reference[q], rk_session_logits(s), vocab * sizeof(float));
        rk_session_close(s);
    }
    rk_session_close(context);
    return st;
}

rk_status rk_workbench_reference(rk_workbench *w, int32_t q, const float **logits, rk_error *err)
{
    if (!w->reference[q])
        RK_TRY(fill_reference(w, err));
    *logits = w->reference[q];
    return RK_OK;
}
