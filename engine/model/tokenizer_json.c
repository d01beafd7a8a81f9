/* tokenizer_json.c - a tokenizer from Hugging Face's tokenizer.json.
 *
 * Owns: the model and added_tokens blocks and which tokens are BOS and EOS. The
 * blocks that change and split text are tokenizer_json_steps.c. `truncation` and
 * `padding` are settings of a caller's batch and are not applied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "model/tokenizer_parts.h"

/* The largest published file has 33 MB (a quarter of a million tokens). */
enum { FILE_BYTES = 256 << 20, CONFIG_BYTES = 4 << 20 };

/* A part of the model block that would change ids and that no supported family
 * sets: it must be absent, null or empty. */
static rk_status refuse_set(const json_t *model, const char *key, const char *what, rk_error *err)
{
    const json_t *v = json_object_get(model, key);
    int unset = !v || json_is_null(v) || (json_is_string(v) && json_string_length(v) == 0) ||
                (json_is_number(v) && json_number_value(v) == 0);
    return unset ? RK_OK
                 : rk_fail(err, RK_E_UNSUPPORTED, "%s: key '%s' is set; expected null", what, key);
}

static rk_status read_settings(rk_tokenizer *t, const json_t *model, const char *what,
                               rk_error *err)
{
    const char *type = "BPE";
    RK_TRY(rk_json_text(model, "type", what, 0, &type, err));
    if (strcmp(type, "BPE") != 0)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: model type '%.60s': expected 'BPE'", what, type);
    RK_TRY(refuse_set(model, "dropout", what, err));
    RK_TRY(refuse_set(model, "continuing_subword_prefix", what, err));
    RK_TRY(refuse_set(model, "end_of_word_suffix", what, err));
    RK_TRY(rk_json_bool(model, "byte_fallback", what, &t->byte_fallback, err));
    RK_TRY(rk_json_bool(model, "fuse_unk", what, &t->fuse_unk, err));
    RK_TRY(rk_json_bool(model, "ignore_merges", what, &t->ignore_merges, err));
    if (t->byte_level && t->byte_fallback)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: byte_fallback with a ByteLevel pre-tokenizer",
                       what);
    return RK_OK;
}

static rk_status read_vocab(rk_tokenizer *t, const json_t *model, const char *what, rk_error *err)
{
    const char *text;
    json_t *id;
    json_t *vocab = json_object_get(model, "vocab");
    if (!json_is_object(vocab))
        return rk_fail(err, RK_E_FORMAT, "%s: key 'vocab': expected an object, got %s", what,
                       rk_json_kind(vocab));
    json_object_foreach(vocab, text, id)
    {
        if (!json_is_integer(id))
            return rk_fail(err, RK_E_FORMAT, "%s: token '%.60s': expected a whole number, got %s",
                           what, text, rk_json_kind(id));
        RK_TRY(rk_tokenizer_add_model(t, json_integer_value(id), text, strlen(text), what, err));
    }
    return RK_OK;
}

/* "a b" or ["a", "b"]. */
static rk_status split_merge(const json_t *merge, size_t i, const char *side[2], size_t n[2],
                             const char *what, rk_error *err)
{
    if (json_is_string(merge)) {
        const char *text = json_string_value(merge), *blank;
        size_t length = json_string_length(merge);
        blank = memchr(text, ' ', length);
        if (blank && !memchr(blank + 1, ' ', length - (size_t)(blank + 1 - text))) {
            side[0] = text;
            n[0] = (size_t)(blank - text);
            side[1] = blank + 1;
            n[1] = length - n[0] - 1;
            return RK_OK;
        }
        return rk_fail(err, RK_E_FORMAT,
                       "%s: merge %zu: expected two tokens and one blank, got "
                       "'%.60s'",
                       what, i, text);
    }
    const json_t *pair[2] = {json_array_get(merge, 0), json_array_get(merge, 1)};
    if (json_array_size(merge) != 2 || !json_is_string(pair[0]) || !json_is_string(pair[1]))
        return rk_fail(err, RK_E_FORMAT, "%s: merge %zu: expected a string or two strings, got %s",
                       what, i, rk_json_kind(merge));
    for (int k = 0; k < 2; k++) {
        side[k] = json_string_value(pair[k]);
        n[k] = json_string_length(pair[k]);
    }
    return RK_OK;
}

typedef struct merge_room {
    rk_text joined, form;
} merge_room;

static rk_status read_merge(rk_tokenizer *t, const json_t *merge, size_t i, merge_room *room,
                            const char *what, rk_error *err)
{
    const char *side[3];
    size_t n[3];
    int32_t id[3];
    RK_TRY(split_merge(merge, i, side, n, what, err));
    room->joined.n = 0;
    RK_TRY(rk_text_add(&room->joined, side[0], n[0], err));
    RK_TRY(rk_text_add(&room->joined, side[1], n[1], err));
    side[2] = room->joined.bytes;
    n[2] = room->joined.n;
    for (int k = 0; k < 3; k++) {
        id[k] = rk_tokenizer_find_model(t, side[k], n[k], &room->form, err);
        if (id[k] < 0)
            return rk_fail(err, RK_E_FORMAT,
                           "%s: merge %zu names '%.*s', which is not in the "
                           "vocabulary",
                           what, i, n[k] > 60 ? 60 : (int)n[k], side[k]);
    }
    return rk_tokenizer_add_merge(t, id[0], id[1], id[2], (uint32_t)i, err);
}

static rk_status read_merges(rk_tokenizer *t, const json_t *model, const char *what, rk_error *err)
{
    merge_room room = {0};
    rk_status st = RK_OK;
    const json_t *merges = json_object_get(model, "merges");
    if (!json_is_array(merges))
        return rk_fail(err, RK_E_FORMAT, "%s: key 'merges': expected an array, got %s", what,
                       rk_json_kind(merges));
    for (size_t i = 0; st == RK_OK && i < json_array_size(merges); i++)
        st = read_merge(t, json_array_get(merges, i), i, &room, what, err);
    rk_text_free(&room.joined);
    rk_text_free(&room.form);
    return st;
}

static rk_status read_flag(const json_t *entry, const char *key, const char *what,
                           unsigned char *out, rk_error *err)
{
    int value = *out;
    RK_TRY(rk_json_bool(entry, key, what, &value, err));
    *out = (unsigned char)value;
    return RK_OK;
}

static rk_status read_added(rk_tokenizer *t, const json_t *entry, const char *what, rk_error *err)
{
    int64_t id = 0;
    rk_added_token a = {0};
    RK_TRY(rk_json_int(entry, "id", what, 1, 0, RK_VOCAB_MAX - 1, &id, err));
    RK_TRY(rk_json_text(entry, "content", what, 1, &a.text, err));
    a.id = (int32_t)id;
    a.bytes = json_string_length(json_object_get(entry, "content"));
    RK_TRY(read_flag(entry, "special", what, &a.control, err));
    a.normalized = !a.control;
    RK_TRY(read_flag(entry, "normalized", what, &a.normalized, err));
    RK_TRY(read_flag(entry, "lstrip", what, &a.lstrip, err));
    RK_TRY(read_flag(entry, "rstrip", what, &a.rstrip, err));
    RK_TRY(read_flag(entry, "single_word", what, &a.single_word, err));
    return rk_tokenizer_add_added(t, &a, what, err);
}

static rk_status read_all_added(rk_tokenizer *t, const json_t *root, const char *what,
                                rk_error *err)
{
    const json_t *list = json_object_get(root, "added_tokens");
    if (!list || json_is_null(list))
        return RK_OK;
    if (!json_is_array(list))
        return rk_fail(err, RK_E_FORMAT, "%s: key 'added_tokens': expected an array, got %s", what,
                       rk_json_kind(list));
    for (size_t i = 0; i < json_array_size(list); i++)
        RK_TRY(read_added(t, json_array_get(list, i), what, err));
    return RK_OK;
}

/* The unknown token must be of the model, as Hugging Face demands at its first use. */
static rk_status read_unknown(rk_tokenizer *t, const json_t *model, const char *what, rk_error *err)
{
    const char *name = NULL;
    rk_text room = {0};
    RK_TRY(rk_json_text(model, "unk_token", what, 0, &name, err));
    if (!name)
        return RK_OK;
    t->unk_id = rk_tokenizer_find_model(t, name, strlen(name), &room, err);
    rk_text_free(&room);
    return t->unk_id >= 0 ? RK_OK
                          : rk_fail(err, RK_E_FORMAT,
                                    "%s: unk_token '%.60s' is not in the vocabulary", what, name);
}

/* The id of the special token at one end of the template that a post-processor
 * applies to a single text; -1: none, or not a template. */
static int32_t template_end(const rk_tokenizer *t, const json_t *block, int last)
{
    const json_t *list = json_object_get(block, "processors");
    for (size_t i = 0; i < json_array_size(list); i++) { /* of a Sequence */
        const json_t *inner = json_array_get(list, i);
        if (json_object_get(inner, "single"))
            block = inner;
    }
    const json_t *single = json_object_get(block, "single");
    size_t n = json_array_size(single);
    const json_t *end = json_array_get(single, last && n ? n - 1 : 0);
    const json_t *id = json_object_get(json_object_get(end, "SpecialToken"), "id");
    return id && json_is_string(id) ? rk_tokenizer_find(t, json_string_value(id)) : -1;
}

static rk_status build(rk_tokenizer *t, const json_t *root, const char *what, rk_error *err)
{
    const json_t *model = json_object_get(root, "model");
    if (!json_is_object(root) || !json_is_object(model))
        return rk_fail(err, RK_E_FORMAT, "%s: key 'model': expected an object, got %s", what,
                       rk_json_kind(model));
    RK_TRY(rk_tokenizer_json_normalizer(t, json_object_get(root, "normalizer"), what, err));
    RK_TRY(rk_tokenizer_json_pretokenizer(t, json_object_get(root, "pre_tokenizer"), what, err));
    RK_TRY(rk_tokenizer_json_decoder(t, json_object_get(root, "decoder"), what, err));
    RK_TRY(read_settings(t, model, what, err));
    RK_TRY(read_vocab(t, model, what, err));
    RK_TRY(read_all_added(t, root, what, err));
    RK_TRY(read_merges(t, model, what, err));
    RK_TRY(read_unknown(t, model, what, err));
    RK_TRY(rk_tokenizer_finish(t, what, err));
    t->bos_id = template_end(t, json_object_get(root, "post_processor"), 0);
    t->eos_id = template_end(t, json_object_get(root, "post_processor"), 1);
    return RK_OK;
}

rk_status rk_tokenizer_parse_json(rk_tokenizer **out, const char *text, size_t n, const char *what,
                                  rk_error *err)
{
    json_t *root = NULL;
    rk_tokenizer *t = NULL;
    rk_status st = rk_json_parse(text, n, what, &root, err);
    if (st == RK_OK)
        st = rk_tokenizer_new(&t, err);
    if (st == RK_OK)
        st = build(t, root, what, err);
    if (st == RK_OK)
        st = rk_sha256_bytes(text, n, t->sha256, err);
    json_decref(root);
    if (st != RK_OK)
        rk_tokenizer_close(t);
    else
        *out = t;
    return st;
}

/* "bos_token": "x" or {"content": "x"}; absent or null leaves *id. */
static rk_status read_named(const rk_tokenizer *t, const json_t *config, const char *key,
                            const char *what, int32_t *id, rk_error *err)
{
    const char *name = NULL;
    const json_t *v = json_object_get(config, key);
    if (json_is_object(v))
        RK_TRY(rk_json_text(v, "content", what, 1, &name, err));
    else
        RK_TRY(rk_json_text(config, key, what, 0, &name, err));
    if (!name)
        return RK_OK;
    *id = rk_tokenizer_find(t, name);
    return *id >= 0 ? RK_OK
                    : rk_fail(err, RK_E_FORMAT, "%s: %s '%.60s' is not in the vocabulary", what,
                              key, name);
}

/* The tokenizer_config.json beside the file, when there is one. */
static rk_status read_config(rk_tokenizer *t, const char *path, rk_error *err)
{
    json_t *config = NULL;
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    char *beside = rk_arena_printf(t->arena, err, "%.*stokenizer_config.json", directory, path);
    if (!beside)
        return RK_E_MEMORY;
    if (access(beside, F_OK) != 0)
        return RK_OK;
    RK_TRY(rk_json_load(beside, CONFIG_BYTES, &config, err));
    rk_status st = read_named(t, config, "bos_token", beside, &t->bos_id, err);
    if (st == RK_OK)
        st = read_named(t, config, "eos_token", beside, &t->eos_id, err);
    json_decref(config);
    return st;
}

rk_status rk_tokenizer_open_json(rk_tokenizer **out, const char *path, rk_error *err)
{
    char *text;
    size_t n;
    rk_arena *arena = NULL;
    rk_tokenizer *t = NULL;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_file_read(path, FILE_BYTES, arena, &text, &n, err);
    if (st == RK_OK)
        st = rk_tokenizer_parse_json(&t, text, n, path, err);
    rk_arena_free(arena);
    if (st == RK_OK)
        st = read_config(t, path, err);
    if (st != RK_OK)
        rk_tokenizer_close(t);
    else
        *out = t;
    return st;
}
