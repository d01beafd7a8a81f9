/* tokenizer_gguf.c - a tokenizer from the metadata of a GGUF file.
 *
 * The file names its splitting rule instead of holding it: the table below gives
 * what Hugging Face's tokenizer.json of the same family says, NFC included, which
 * other readers of these files leave out. SentencePiece-style vocabularies come
 * with scores instead of merges; the merges are made from them in the order of
 * Hugging Face's converter. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/gguf.h"
#include "model/tokenizer_parts.h"

#define TOKENS "tokenizer.ggml.tokens"
#define TYPES "tokenizer.ggml.token_type"
#define SCORES "tokenizer.ggml.scores"
#define MERGES "tokenizer.ggml.merges"

/* tokenizer.ggml.token_type */
enum { TYPE_NORMAL = 1, TYPE_UNKNOWN, TYPE_CONTROL, TYPE_USER_DEFINED, TYPE_UNUSED, TYPE_BYTE };

typedef struct rule {
    const char *pre; /* tokenizer.ggml.pre */
    const char *regex;
    int digits, nfc, ignore_merges;
} rule;

static const rule rules[] = {
    {"gpt-2", rk_regex_gpt2, 0, 0, 0},      {"default", rk_regex_gpt2, 0, 0, 0},
    {"smollm", rk_regex_gpt2, 1, 0, 0},     {"qwen2", rk_regex_qwen2, 0, 1, 0},
    {"qwen35", rk_regex_qwen35, 0, 1, 0},   {"llama-bpe", rk_regex_llama3, 0, 0, 1},
    {"llama-v3", rk_regex_llama3, 0, 0, 1}, {"llama3", rk_regex_llama3, 0, 0, 1},
};

static int same(rk_gguf_text text, const char *name)
{
    return text.n == strlen(name) && memcmp(text.bytes, name, text.n) == 0;
}

static int shown(uint64_t n)
{
    return n > 60 ? 60 : (int)n;
}

static rk_status set_rule(rk_tokenizer *t, rk_gguf_text pre, const char *what, rk_error *err)
{
    const rule *r = NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (same(pre, rules[i].pre))
            r = &rules[i];
    }
    if (!r)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s: tokenizer.ggml.pre '%.*s': expected gpt-2, default, smollm, qwen2, "
                       "qwen35 or llama-bpe",
                       what, shown(pre.n), pre.bytes);
    t->ignore_merges = r->ignore_merges;
    if (r->nfc)
        t->normalizer.step[t->normalizer.steps++].kind = RK_NORMALIZE_NFC;
    if (r->digits)
        RK_TRY(rk_pretokenizer_add_regex(&t->pretokenizer, "\\p{N}", 5, what, err));
    return rk_pretokenizer_add_regex(&t->pretokenizer, r->regex, strlen(r->regex), what, err);
}

static rk_status set_metaspace(rk_tokenizer *t, const rk_gguf *g, const char *what, rk_error *err)
{
    int prefix = 1;
    rk_pretokenize_step *s = NULL;
    RK_TRY(rk_gguf_bool(g, "tokenizer.ggml.add_space_prefix", 0, &prefix, err));
    RK_TRY(rk_pretokenizer_add(&t->pretokenizer, &s, what, err));
    t->mark = "\xe2\x96\x81"; /* U+2581 */
    t->mark_bytes = 3;
    t->prefix_blank = prefix;
    t->byte_fallback = t->fuse_unk = 1;
    *s = (rk_pretokenize_step){.kind = RK_PRETOKENIZE_METASPACE,
                               .prefix = prefix ? RK_PREFIX_FIRST : RK_PREFIX_NEVER,
                               .text = t->mark,
                               .bytes = t->mark_bytes};
    return RK_OK;
}

static rk_status add_token(rk_tokenizer *t, const rk_gguf *g, int64_t id, int64_t type,
                           const char *what, rk_error *err)
{
    rk_gguf_text text;
    RK_TRY(rk_gguf_array_string(g, TOKENS, id, &text, err));
    if (type < TYPE_NORMAL || type > TYPE_BYTE)
        return rk_fail(err, RK_E_FORMAT, "%s: %s[%" PRId64 "]: expected 1 to 6, got %" PRId64, what,
                       TYPES, id, type);
    /* Unused tokens hold their id only: padding rows of the embedding. */
    if (type == TYPE_UNUSED)
        return rk_vocab_add(t->vocab, id, text.bytes, text.n, 0, what, err);
    return rk_tokenizer_add_model(t, id, text.bytes, text.n, what, err);
}

/* The tokens matched in the text, once all of the vocabulary is there. */
static rk_status mark_token(rk_tokenizer *t, const rk_gguf *g, int64_t id, int64_t type,
                            const char *what, rk_error *err)
{
    rk_gguf_text text;
    rk_added_token a = {.id = (int32_t)id, .control = type != TYPE_USER_DEFINED};
    if (type != TYPE_UNKNOWN && type != TYPE_CONTROL && type != TYPE_USER_DEFINED)
        return RK_OK;
    RK_TRY(rk_gguf_array_string(g, TOKENS, id, &text, err));
    a.text = text.bytes;
    a.bytes = text.n;
    return rk_tokenizer_add_added(t, &a, what, err);
}

static rk_status type_of(const rk_gguf *g, int64_t types, int64_t id, int64_t *type, rk_error *err)
{
    *type = TYPE_NORMAL;
    return types ? rk_gguf_array_int(g, TYPES, id, type, err) : RK_OK;
}

static rk_status read_tokens(rk_tokenizer *t, const rk_gguf *g, const char *what, rk_error *err)
{
    int64_t n = 0, types = 0, type = 0;
    RK_TRY(rk_gguf_array(g, TOKENS, 1, &n, err));
    RK_TRY(rk_gguf_array(g, TYPES, 0, &types, err));
    if (n > RK_VOCAB_MAX)
        return rk_fail(err, RK_E_FORMAT, "%s: %s: expected at most %d tokens, got %" PRId64, what,
                       TOKENS, RK_VOCAB_MAX, n);
    if (types && types != n)
        return rk_fail(err, RK_E_FORMAT, "%s: %s: expected %" PRId64 " elements, got %" PRId64,
                       what, TYPES, n, types);
    for (int64_t id = 0; id < n; id++) {
        RK_TRY(type_of(g, types, id, &type, err));
        RK_TRY(add_token(t, g, id, type, what, err));
    }
    for (int64_t id = 0; id < n; id++) {
        RK_TRY(type_of(g, types, id, &type, err));
        RK_TRY(mark_token(t, g, id, type, what, err));
    }
    return RK_OK;
}

/* One line "left right" of the merges. */
static rk_status read_merge(rk_tokenizer *t, const rk_gguf *g, int64_t i, rk_text room[2],
                            const char *what, rk_error *err)
{
    rk_gguf_text line;
    RK_TRY(rk_gguf_array_string(g, MERGES, i, &line, err));
    /* A token may start with a blank's own letter but never holds a blank. */
    const char *blank = line.n ? memchr(line.bytes, ' ', line.n) : NULL;
    size_t left = blank ? (size_t)(blank - line.bytes) : 0;
    size_t right = blank ? line.n - left - 1 : 0;
    if (!blank || memchr(blank + 1, ' ', right))
        return rk_fail(err, RK_E_FORMAT,
                       "%s: %s[%" PRId64 "]: expected two tokens and one blank, got '%.*s'", what,
                       MERGES, i, shown(line.n), line.bytes);
    room[0].n = 0;
    RK_TRY(rk_text_add(&room[0], line.bytes, left, err));
    RK_TRY(rk_text_add(&room[0], blank + 1, right, err));
    const char *side[3] = {line.bytes, blank + 1, room[0].bytes};
    const size_t n[3] = {left, right, room[0].n};
    int32_t id[3];
    for (int k = 0; k < 3; k++) {
        id[k] = rk_tokenizer_find_model(t, side[k], n[k], &room[1], err);
        if (id[k] < 0)
            return rk_fail(err, RK_E_FORMAT,
                           "%s: %s[%" PRId64 "] names '%.*s', which is not in the vocabulary", what,
                           MERGES, i, shown(n[k]), side[k]);
    }
    return rk_tokenizer_add_merge(t, id[0], id[1], id[2], (uint32_t)i, err);
}

static rk_status read_merges(rk_tokenizer *t, const rk_gguf *g, const char *what, rk_error *err)
{
    int64_t n = 0;
    rk_text room[2] = {{0}};
    rk_status st = rk_gguf_array(g, MERGES, 1, &n, err);
    if (st == RK_OK && n >= UINT32_MAX)
        st = rk_fail(err, RK_E_FORMAT, "%s: %s: %" PRId64 " merges are too many", what, MERGES, n);
    for (int64_t i = 0; st == RK_OK && i < n; i++)
        st = read_merge(t, g, i, room, what, err);
    rk_text_free(&room[0]);
    rk_text_free(&room[1]);
    return st;
}

/* A token as two tokens, for vocabularies with scores. */
typedef struct score_merge {
    double score;
    int32_t left_chars, right_chars;
    int32_t left, right, merged;
} score_merge;

/* Best score first; of equal ones the longer left part, then the longer right
 * part, then the lower token (Hugging Face's converter sorts so). */
static int merge_order(const void *x, const void *y)
{
    const score_merge *a = x, *b = y;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->left_chars != b->left_chars)
        return a->left_chars > b->left_chars ? -1 : 1;
    if (a->right_chars != b->right_chars)
        return a->right_chars > b->right_chars ? -1 : 1;
    return (a->merged > b->merged) - (a->merged < b->merged);
}

typedef struct merge_list {
    score_merge *merge;
    size_t n, capacity;
} merge_list;

/* All ways to put token `id` together from two tokens. */
static rk_status list_merges(const rk_tokenizer *t, int32_t id, double score, merge_list *list,
                             rk_error *err)
{
    size_t n;
    int32_t chars = 0, before = 0;
    const char *text = rk_vocab_text(t->vocab, id, &n);
    uint32_t code;
    for (size_t i = 0; i < n; chars++)
        i += rk_utf8_next(text + i, n - i, &code);
    for (size_t i = rk_utf8_next(text, n, &code); i < n;) {
        int32_t left = rk_vocab_find(t->vocab, text, i);
        int32_t right = rk_vocab_find(t->vocab, text + i, n - i);
        before++;
        if (left >= 0 && right >= 0) {
            RK_TRY(rk_heap_grow((void **)&list->merge, &list->capacity, list->n + 1,
                                sizeof *list->merge, err));
            list->merge[list->n++] = (score_merge){score, before, chars - before, left, right, id};
        }
        i += rk_utf8_next(text + i, n - i, &code);
    }
    return RK_OK;
}

static rk_status make_merges(rk_tokenizer *t, const rk_gguf *g, const char *what, rk_error *err)
{
    merge_list list = {0};
    int64_t scores = 0;
    int32_t size = rk_vocab_size(t->vocab);
    rk_status st = rk_gguf_array(g, SCORES, 1, &scores, err);
    if (st == RK_OK && scores != size)
        st = rk_fail(err, RK_E_FORMAT, "%s: %s: expected %d elements, got %" PRId64, what, SCORES,
                     size, scores);
    for (int32_t id = 0; st == RK_OK && id < size; id++) {
        double score;
        size_t n;
        /* Normal tokens only: bytes, control and user-defined tokens do not merge. */
        if (rk_vocab_flags(t->vocab, id) != RK_TOKEN_MODEL || !rk_vocab_text(t->vocab, id, &n) ||
            n < 2)
            continue;
        st = rk_gguf_array_float(g, SCORES, id, &score, err);
        if (st == RK_OK && score != score)
            st = rk_fail(err, RK_E_FORMAT, "%s: %s[%d] is not a number", what, SCORES, id);
        if (st == RK_OK)
            st = list_merges(t, id, score, &list, err);
    }
    if (st == RK_OK && list.n)
        qsort(list.merge, list.n, sizeof *list.merge, merge_order);
    for (size_t i = 0; st == RK_OK && i < list.n; i++)
        st = rk_tokenizer_add_merge(t, list.merge[i].left, list.merge[i].right,
                                    list.merge[i].merged, (uint32_t)i, err);
    free(list.merge);
    return st;
}

static rk_status read_ids(rk_tokenizer *t, const rk_gguf *g, rk_error *err)
{
    int64_t bos = -1, eos = -1, unk = -1, last = rk_vocab_size(t->vocab) - 1;
    RK_TRY(rk_gguf_int(g, "tokenizer.ggml.bos_token_id", 0, 0, last, &bos, err));
    RK_TRY(rk_gguf_int(g, "tokenizer.ggml.eos_token_id", 0, 0, last, &eos, err));
    /* Byte-level files name one too, but their tokenizers have none. */
    if (!t->byte_level)
        RK_TRY(rk_gguf_int(g, "tokenizer.ggml.unknown_token_id", 0, 0, last, &unk, err));
    t->bos_id = (int32_t)bos;
    t->eos_id = (int32_t)eos;
    t->unk_id = (int32_t)unk;
    return RK_OK;
}

/* Length and bytes, so that no two vocabularies give one stream. */
static rk_status add_field(rk_text *all, const void *bytes, uint64_t n, rk_error *err)
{
    RK_TRY(rk_text_add(all, (const char *)&n, sizeof n, err));
    return rk_text_add(all, bytes, (size_t)n, err);
}

static rk_status add_strings(rk_text *all, const rk_gguf *g, const char *key, rk_error *err)
{
    int64_t n = 0;
    rk_gguf_text text;
    RK_TRY(rk_gguf_array(g, key, 0, &n, err));
    RK_TRY(add_field(all, &n, sizeof n, err));
    for (int64_t i = 0; i < n; i++) {
        RK_TRY(rk_gguf_array_string(g, key, i, &text, err));
        RK_TRY(add_field(all, text.bytes, text.n, err));
    }
    return RK_OK;
}

static rk_status add_numbers(rk_text *all, const rk_gguf *g, rk_error *err)
{
    int64_t n = 0, value;
    double score;
    RK_TRY(rk_gguf_array(g, TYPES, 0, &n, err));
    for (int64_t i = 0; i < n; i++) {
        RK_TRY(rk_gguf_array_int(g, TYPES, i, &value, err));
        RK_TRY(add_field(all, &value, sizeof value, err));
    }
    n = 0;
    RK_TRY(rk_gguf_array(g, SCORES, 0, &n, err));
    for (int64_t i = 0; i < n; i++) {
        RK_TRY(rk_gguf_array_float(g, SCORES, i, &score, err));
        RK_TRY(add_field(all, &score, sizeof score, err));
    }
    return RK_OK;
}

static rk_status hash_keys(rk_tokenizer *t, const rk_gguf *g, rk_gguf_text model, rk_gguf_text pre,
                           rk_error *err)
{
    rk_text all = {0};
    const int32_t numbers[] = {t->bos_id, t->eos_id, t->unk_id, t->prefix_blank};
    rk_status st = add_field(&all, model.bytes, model.n, err);
    if (st == RK_OK)
        st = add_field(&all, pre.bytes, pre.n, err);
    if (st == RK_OK)
        st = add_field(&all, numbers, sizeof numbers, err);
    if (st == RK_OK)
        st = add_strings(&all, g, TOKENS, err);
    if (st == RK_OK)
        st = add_strings(&all, g, MERGES, err);
    if (st == RK_OK)
        st = add_numbers(&all, g, err);
    if (st == RK_OK)
        st = rk_sha256_bytes(all.bytes, all.n, t->sha256, err);
    rk_text_free(&all);
    return st;
}

static rk_status build(rk_tokenizer *t, const rk_gguf *g, rk_error *err)
{
    const char *what = rk_gguf_path(g);
    rk_gguf_text model = {0}, pre = {"default", 7};
    RK_TRY(rk_gguf_string(g, "tokenizer.ggml.model", 1, &model, err));
    RK_TRY(rk_gguf_string(g, "tokenizer.ggml.pre", 0, &pre, err));
    t->byte_level = same(model, "gpt2");
    if (!t->byte_level && !same(model, "llama"))
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s: tokenizer.ggml.model '%.*s': expected gpt2 or llama", what,
                       shown(model.n), model.bytes);
    if (t->byte_level)
        RK_TRY(set_rule(t, pre, what, err));
    else
        RK_TRY(set_metaspace(t, g, what, err));
    RK_TRY(read_tokens(t, g, what, err));
    if (t->byte_level)
        RK_TRY(read_merges(t, g, what, err));
    else
        RK_TRY(make_merges(t, g, what, err));
    RK_TRY(read_ids(t, g, err));
    RK_TRY(rk_tokenizer_finish(t, what, err));
    return hash_keys(t, g, model, pre, err);
}

rk_status rk_tokenizer_open_gguf(rk_tokenizer **out, const rk_gguf *file, rk_error *err)
{
    rk_tokenizer *t = NULL;
    RK_TRY(rk_tokenizer_new(&t, err));
    rk_status st = build(t, file, err);
    if (st != RK_OK)
        rk_tokenizer_close(t);
    else
        *out = t;
    return st;
}
