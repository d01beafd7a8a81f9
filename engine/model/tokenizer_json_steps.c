/* tokenizer_json_steps.c - the normalizer, pre_tokenizer and decoder blocks of a
 * tokenizer.json, as steps; a kind that no supported family uses is refused by name. */
#include <string.h>

#include "base/json.h"
#include "model/tokenizer_parts.h"

/* Sequences in sequences; published files have one level. */
enum { DEPTH_MAX = 4 };

typedef rk_status (*block_fn)(rk_tokenizer *t, const json_t *block, const char *type,
                              const char *what, rk_error *err);

/* Calls `read` for the block, or for each block of a Sequence under `list_key`. */
static rk_status each_block(rk_tokenizer *t, const json_t *block, const char *list_key, int depth,
                            block_fn read, const char *what, rk_error *err)
{
    const char *type = NULL;
    RK_TRY(rk_json_text(block, "type", what, 1, &type, err));
    if (strcmp(type, "Sequence") != 0)
        return read(t, block, type, what, err);
    const json_t *list = json_object_get(block, list_key);
    if (!json_is_array(list))
        return rk_fail(err, RK_E_FORMAT, "%s: key '%s': expected an array, got %s", what, list_key,
                       rk_json_kind(list));
    if (depth == DEPTH_MAX)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: key '%s': sequences nested deeper than %d", what,
                       list_key, DEPTH_MAX);
    for (size_t i = 0; i < json_array_size(list); i++)
        RK_TRY(each_block(t, json_array_get(list, i), list_key, depth + 1, read, what, err));
    return RK_OK;
}

static rk_status unsupported(const char *part, const char *type, const char *what, rk_error *err)
{
    return rk_fail(err, RK_E_UNSUPPORTED, "%s: %s '%.60s' is not supported", what, part, type);
}

/* A required text of the block, copied into the tokenizer's arena. */
static rk_status take_text(rk_tokenizer *t, const json_t *block, const char *key, const char *what,
                           const char **out, size_t *n, rk_error *err)
{
    RK_TRY(rk_json_text(block, key, what, 1, out, err));
    *n = json_string_length(json_object_get(block, key));
    *out = rk_arena_text(t->arena, *out, *n, err);
    return *out ? RK_OK : RK_E_MEMORY;
}

/* {"String": "x"} or {"Regex": "x"}, borrowed from the block. */
static rk_status read_pattern(const json_t *block, const char *what, int *is_regex,
                              const char **text, size_t *n, rk_error *err)
{
    const json_t *pattern = json_object_get(block, "pattern");
    const json_t *string = json_object_get(pattern, "String");
    const json_t *regex = json_object_get(pattern, "Regex");
    const json_t *value = regex ? regex : string;
    if (!value || !json_is_string(value) || json_string_length(value) == 0)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'pattern': expected a String or a Regex that is not empty, got %s",
                       what, rk_json_kind(value ? value : pattern));
    *is_regex = regex != NULL;
    *text = json_string_value(value);
    *n = json_string_length(value);
    return RK_OK;
}

static rk_status read_replace(rk_tokenizer *t, const json_t *block, const char *what,
                              rk_normalize_step *s, rk_error *err)
{
    int is_regex;
    s->kind = RK_NORMALIZE_REPLACE;
    RK_TRY(read_pattern(block, what, &is_regex, &s->find, &s->find_bytes, err));
    if (is_regex)
        return unsupported("a Replace normalizer with a", "Regex", what, err);
    s->find = rk_arena_text(t->arena, s->find, s->find_bytes, err);
    if (!s->find)
        return RK_E_MEMORY;
    RK_TRY(take_text(t, block, "content", what, &s->with, &s->with_bytes, err));
    if (s->find_bytes == 1 && s->find[0] == ' ' && s->with_bytes) {
        t->mark = s->with;
        t->mark_bytes = s->with_bytes;
    }
    return RK_OK;
}

static rk_status read_normalizer(rk_tokenizer *t, const json_t *block, const char *type,
                                 const char *what, rk_error *err)
{
    if (t->normalizer.steps == RK_NORMALIZE_STEPS)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: expected at most %d normalizers", what,
                       RK_NORMALIZE_STEPS);
    rk_normalize_step *s = &t->normalizer.step[t->normalizer.steps++];
    if (strcmp(type, "NFC") == 0) {
        s->kind = RK_NORMALIZE_NFC;
        return RK_OK;
    }
    if (strcmp(type, "Prepend") == 0) {
        s->kind = RK_NORMALIZE_PREPEND;
        t->prefix_blank = 1;
        return take_text(t, block, "prepend", what, &s->with, &s->with_bytes, err);
    }
    if (strcmp(type, "Replace") == 0)
        return read_replace(t, block, what, s, err);
    return unsupported("normalizer", type, what, err);
}

static rk_status read_byte_level(rk_tokenizer *t, const json_t *block, const char *what,
                                 rk_error *err)
{
    int blank = 1, regex = 1;
    rk_pretokenize_step *s;
    RK_TRY(rk_json_bool(block, "add_prefix_space", what, &blank, err));
    RK_TRY(rk_json_bool(block, "use_regex", what, &regex, err));
    if (blank) {
        RK_TRY(rk_pretokenizer_add(&t->pretokenizer, &s, what, err));
        s->kind = RK_PRETOKENIZE_BLANK;
    }
    t->byte_level = 1;
    return regex ? rk_pretokenizer_add_regex(&t->pretokenizer, rk_regex_gpt2, strlen(rk_regex_gpt2),
                                             what, err)
                 : RK_OK;
}

static rk_status read_digits(rk_tokenizer *t, const json_t *block, const char *what, rk_error *err)
{
    int single = 0;
    RK_TRY(rk_json_bool(block, "individual_digits", what, &single, err));
    RK_TRY(rk_pretokenizer_add_regex(&t->pretokenizer, "\\p{N}", 5, what, err));
    if (!single)
        t->pretokenizer.step[t->pretokenizer.steps - 1].behavior = RK_BEHAVIOR_CONTIGUOUS;
    return RK_OK;
}

static rk_status read_split(rk_tokenizer *t, const json_t *block, const char *what, rk_error *err)
{
    static const char *const name[] = {"Isolated", "Removed", "Contiguous", "MergedWithPrevious",
                                       "MergedWithNext"};
    const char *behavior = NULL, *pattern = NULL;
    int is_regex = 0, invert = 0, kind = 0;
    size_t n = 0;
    rk_pretokenize_step *s;
    RK_TRY(read_pattern(block, what, &is_regex, &pattern, &n, err));
    RK_TRY(rk_json_text(block, "behavior", what, 1, &behavior, err));
    RK_TRY(rk_json_bool(block, "invert", what, &invert, err));
    while (kind < 5 && strcmp(name[kind], behavior) != 0)
        kind++;
    if (kind == 5)
        return unsupported("the split behavior", behavior, what, err);
    if (is_regex) {
        RK_TRY(rk_pretokenizer_add_regex(&t->pretokenizer, pattern, n, what, err));
        s = &t->pretokenizer.step[t->pretokenizer.steps - 1];
    } else {
        RK_TRY(rk_pretokenizer_add(&t->pretokenizer, &s, what, err));
        s->kind = RK_PRETOKENIZE_STRING;
        s->bytes = n;
        s->text = rk_arena_text(t->arena, pattern, n, err);
        if (!s->text)
            return RK_E_MEMORY;
    }
    s->behavior = (rk_pretokenize_behavior)kind;
    s->invert = invert;
    return RK_OK;
}

/* prepend_scheme, and the add_prefix_space of older files, which may only agree. */
static rk_status read_scheme(const json_t *block, const char *what, rk_prefix *out, rk_error *err)
{
    const char *scheme = "always";
    int blank = 1;
    RK_TRY(rk_json_text(block, "prepend_scheme", what, 0, &scheme, err));
    RK_TRY(rk_json_bool(block, "add_prefix_space", what, &blank, err));
    if (strcmp(scheme, "always") == 0)
        *out = RK_PREFIX_ALWAYS;
    else if (strcmp(scheme, "first") == 0)
        *out = RK_PREFIX_FIRST;
    else if (strcmp(scheme, "never") == 0)
        *out = RK_PREFIX_NEVER;
    else
        return unsupported("the prepend_scheme", scheme, what, err);
    if (!blank && *out != RK_PREFIX_NEVER)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'add_prefix_space' is false, but prepend_scheme is '%s'", what,
                       scheme);
    return RK_OK;
}

/* The sign that stands for a blank: one character. */
static rk_status take_mark(rk_tokenizer *t, const json_t *block, const char *what, rk_error *err)
{
    uint32_t code;
    RK_TRY(take_text(t, block, "replacement", what, &t->mark, &t->mark_bytes, err));
    if (t->mark_bytes == 0 || rk_utf8_next(t->mark, t->mark_bytes, &code) != t->mark_bytes)
        return rk_fail(err, RK_E_FORMAT, "%s: key 'replacement': expected one character", what);
    return RK_OK;
}

static rk_status read_metaspace(rk_tokenizer *t, const json_t *block, const char *what,
                                rk_error *err)
{
    int splits = 1;
    rk_prefix prefix;
    rk_pretokenize_step *s;
    RK_TRY(read_scheme(block, what, &prefix, err));
    RK_TRY(take_mark(t, block, what, err));
    RK_TRY(rk_json_bool(block, "split", what, &splits, err));
    RK_TRY(rk_pretokenizer_add(&t->pretokenizer, &s, what, err));
    *s = (rk_pretokenize_step){.kind = RK_PRETOKENIZE_METASPACE,
                               .prefix = prefix,
                               .text = t->mark,
                               .bytes = t->mark_bytes};
    t->prefix_blank = prefix != RK_PREFIX_NEVER;
    if (!splits)
        return RK_OK;
    RK_TRY(rk_pretokenizer_add(&t->pretokenizer, &s, what, err));
    *s = (rk_pretokenize_step){.kind = RK_PRETOKENIZE_STRING,
                               .behavior = RK_BEHAVIOR_MERGED_WITH_NEXT,
                               .text = t->mark,
                               .bytes = t->mark_bytes};
    return RK_OK;
}

static rk_status read_pretokenizer(rk_tokenizer *t, const json_t *block, const char *type,
                                   const char *what, rk_error *err)
{
    if (t->byte_level)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: pre_tokenizer '%.60s' behind ByteLevel", what,
                       type);
    if (strcmp(type, "ByteLevel") == 0)
        return read_byte_level(t, block, what, err);
    if (strcmp(type, "Split") == 0)
        return read_split(t, block, what, err);
    if (strcmp(type, "Digits") == 0)
        return read_digits(t, block, what, err);
    if (strcmp(type, "Metaspace") == 0)
        return read_metaspace(t, block, what, err);
    return unsupported("pre_tokenizer", type, what, err);
}

/* Takes the `start` characters off that a Strip removes in front: one blank. */
static rk_status read_strip(rk_tokenizer *t, const json_t *block, const char *what, rk_error *err)
{
    const char *content = NULL;
    int64_t start = 0, stop = 0;
    RK_TRY(rk_json_text(block, "content", what, 1, &content, err));
    RK_TRY(rk_json_int(block, "start", what, 1, 0, INT32_MAX, &start, err));
    RK_TRY(rk_json_int(block, "stop", what, 1, 0, INT32_MAX, &stop, err));
    if (strcmp(content, " ") != 0 || start > 1 || stop != 0)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s: decoder Strip: expected content ' ', start 0 or 1 and stop 0", what);
    t->prefix_blank = start == 1;
    return RK_OK;
}

static rk_status read_decoder(rk_tokenizer *t, const json_t *block, const char *type,
                              const char *what, rk_error *err)
{
    rk_prefix prefix;
    rk_normalize_step replace;
    if (strcmp(type, "ByteLevel") == 0 && t->byte_level)
        return RK_OK;
    if (strcmp(type, "ByteFallback") == 0 || strcmp(type, "Fuse") == 0)
        return RK_OK;
    if (strcmp(type, "Strip") == 0)
        return read_strip(t, block, what, err);
    if (strcmp(type, "Metaspace") == 0) {
        RK_TRY(read_scheme(block, what, &prefix, err));
        t->prefix_blank = prefix != RK_PREFIX_NEVER;
        return take_mark(t, block, what, err);
    }
    if (strcmp(type, "Replace") == 0) {
        RK_TRY(read_replace(t, block, what, &replace, err));
        if (replace.with_bytes != 1 || replace.with[0] != ' ')
            return unsupported("a decoder that replaces with", replace.with, what, err);
        t->mark = replace.find;
        t->mark_bytes = replace.find_bytes;
        return RK_OK;
    }
    return unsupported("decoder", type, what, err);
}

rk_status rk_tokenizer_json_normalizer(rk_tokenizer *t, const json_t *block, const char *what,
                                       rk_error *err)
{
    if (!block || json_is_null(block))
        return RK_OK;
    return each_block(t, block, "normalizers", 0, read_normalizer, what, err);
}

rk_status rk_tokenizer_json_pretokenizer(rk_tokenizer *t, const json_t *block, const char *what,
                                         rk_error *err)
{
    if (!block || json_is_null(block))
        return RK_OK;
    return each_block(t, block, "pretokenizers", 0, read_pretokenizer, what, err);
}

/* Without a decoder block the marks are those of the encoding side. */
rk_status rk_tokenizer_json_decoder(rk_tokenizer *t, const json_t *block, const char *what,
                                    rk_error *err)
{
    if (!block || json_is_null(block))
        return RK_OK;
    t->prefix_blank = 0;
    t->mark = NULL;
    return each_block(t, block, "decoders", 0, read_decoder, what, err);
}
