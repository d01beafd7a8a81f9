/* tokenizer.c - encoding and decoding; see tokenizer.h.
 *
 * The order is Hugging Face's: added tokens of the raw text, normalization, added
 * tokens of the normalized text, pre-tokenization, merging. Building a tokenizer
 * from a file is tokenizer_json.c and tokenizer_gguf.c on tokenizer_build.c. */
#include "model/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "model/tokenizer_parts.h"

/* One call of encode. */
typedef struct encoding {
    const rk_tokenizer *t;
    rk_ids *out;
    int control;        /* control tokens match */
    int at_start;       /* the fragment in work starts the whole input */
    int fragment_first; /* the same, of the text between raw added tokens */
    rk_normalize_room normalize;
    rk_pretokenize_room *pretokenize;
    rk_bpe_room bpe;
    /* The unknown character that waits: it is fused with what follows. */
    int unk_waits;
} encoding;

static rk_status flush_unk(encoding *e, rk_error *err)
{
    if (!e->unk_waits)
        return RK_OK;
    e->unk_waits = 0;
    return rk_ids_add(e->out, e->t->unk_id, err);
}

/* A token of the model that plain text may become. */
static int32_t find_plain(const rk_tokenizer *t, const char *text, size_t n)
{
    int32_t id = rk_vocab_find(t->vocab, text, n);
    return id >= 0 && rk_vocab_flags(t->vocab, id) & RK_TOKEN_CONTROL ? -1 : id;
}

/* An unknown character: its byte tokens if all exist, else the unknown token if
 * there is one, else nothing. A waiting unk stays behind byte tokens, which is
 * what Hugging Face does. */
static rk_status add_unknown(encoding *e, const char *text, size_t n, rk_error *err)
{
    const rk_tokenizer *t = e->t;
    int all = t->byte_fallback;
    for (size_t i = 0; all && i < n; i++)
        all = t->byte_id[(unsigned char)text[i]] >= 0;
    if (all) {
        for (size_t i = 0; i < n; i++)
            RK_TRY(rk_ids_add(e->out, t->byte_id[(unsigned char)text[i]], err));
        return RK_OK;
    }
    if (t->unk_id < 0)
        return RK_OK;
    if (!t->fuse_unk)
        RK_TRY(flush_unk(e, err));
    e->unk_waits = 1;
    return RK_OK;
}

/* The ids that merging starts from. */
static rk_status add_symbols(encoding *e, const char *text, size_t n, rk_error *err)
{
    const rk_tokenizer *t = e->t;
    e->unk_waits = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code;
        size_t length = t->byte_level ? 1 : rk_utf8_next(text + i, n - i, &code);
        int32_t id =
            t->byte_level ? t->byte_id[(unsigned char)text[i]] : find_plain(t, text + i, length);
        if (id >= 0) {
            RK_TRY(flush_unk(e, err));
            RK_TRY(rk_ids_add(e->out, id, err));
        } else {
            RK_TRY(add_unknown(e, text + i, length, err));
        }
        i += length;
    }
    return flush_unk(e, err);
}

static rk_status encode_piece(void *context, const char *piece, size_t n, rk_error *err)
{
    encoding *e = context;
    const rk_tokenizer *t = e->t;
    int32_t whole = t->ignore_merges ? find_plain(t, piece, n) : -1;
    if (whole >= 0)
        return rk_ids_add(e->out, whole, err);
    size_t first = e->out->n;
    RK_TRY(add_symbols(e, piece, n, err));
    size_t symbols = e->out->n - first;
    if (symbols > 1)
        RK_TRY(rk_bpe_merge(t->bpe, &e->bpe, e->out->id + first, &symbols, err));
    e->out->n = first + symbols;
    return RK_OK;
}

/* Text between added tokens that match after normalization. */
static rk_status encode_normalized(void *context, const char *text, size_t start, size_t end,
                                   int32_t id, rk_error *err)
{
    encoding *e = context;
    if (id >= 0)
        return rk_ids_add(e->out, id, err);
    return rk_pretokenize(&e->t->pretokenizer, e->pretokenize, text + start, end - start,
                          e->fragment_first && start == 0, encode_piece, e, err);
}

/* Text between added tokens that match before normalization. */
static rk_status encode_raw(void *context, const char *text, size_t start, size_t end, int32_t id,
                            rk_error *err)
{
    encoding *e = context;
    if (id >= 0)
        return rk_ids_add(e->out, id, err);
    const char *fragment = text + start;
    size_t n = end - start;
    e->fragment_first = e->at_start && start == 0;
    RK_TRY(rk_normalize(&e->t->normalizer, &e->normalize, &fragment, &n, err));
    return rk_added_tokens_split(e->t->after, rk_pretokenize_room_match(e->pretokenize), fragment,
                                 n, e->control, encode_normalized, e, err);
}

rk_status rk_tokenizer_encode(const rk_tokenizer *t, const char *text, size_t n, uint32_t flags,
                              rk_ids *out, rk_error *err)
{
    rk_text repaired = {0};
    size_t before = out->n;
    encoding e = {.t = t,
                  .out = out,
                  .control = (flags & RK_TOKENIZE_SPECIAL) != 0,
                  .at_start = !(flags & RK_TOKENIZE_INNER)};
    if (flags & ~(uint32_t)(RK_TOKENIZE_SPECIAL | RK_TOKENIZE_INNER))
        return rk_fail(err, RK_E_ARG, "encode: unknown flags 0x%x", flags);
    rk_status st = rk_pretokenize_room_new(&e.pretokenize, err);
    if (st == RK_OK)
        st = rk_utf8_repair(&text, &n, &repaired, err);
    if (st == RK_OK)
        st = rk_added_tokens_split(t->before, rk_pretokenize_room_match(e.pretokenize), text, n,
                                   e.control, encode_raw, &e, err);
    if (st != RK_OK)
        out->n = before;
    rk_bpe_room_free(&e.bpe);
    rk_normalize_room_free(&e.normalize);
    rk_pretokenize_room_free(e.pretokenize);
    rk_text_free(&repaired);
    return st;
}

/* A token's text with marks as blanks. */
static rk_status add_marked(const rk_tokenizer *t, rk_text *out, const char *text, size_t n,
                            rk_error *err)
{
    for (size_t i = 0; i < n;) {
        const char *mark = t->mark ? rk_text_find(text + i, n - i, t->mark, t->mark_bytes) : NULL;
        size_t end = mark ? (size_t)(mark - text) : n;
        RK_TRY(rk_text_add(out, text + i, end - i, err));
        if (mark)
            RK_TRY(rk_text_add(out, " ", 1, err));
        i = mark ? end + t->mark_bytes : n;
    }
    return RK_OK;
}

static unsigned hex_digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'A' + 10);
}

static rk_status decode_token(const rk_tokenizer *t, int32_t id, uint32_t flags, rk_text *out,
                              rk_error *err)
{
    size_t n;
    uint32_t kind = rk_vocab_flags(t->vocab, id);
    const char *text = rk_vocab_text(t->vocab, id, &n);
    if (!text || ((kind & RK_TOKEN_CONTROL) && !(flags & RK_TOKENIZE_SPECIAL)))
        return RK_OK;
    if (kind & RK_TOKEN_ADDED)
        return rk_text_add(out, text, n, err);
    if (kind & RK_TOKEN_BYTE) { /* "<0xHH>", checked when it was added */
        char byte = (char)(hex_digit(text[3]) << 4 | hex_digit(text[4]));
        return rk_text_add(out, &byte, 1, err);
    }
    return add_marked(t, out, text, n, err);
}

rk_status rk_tokenizer_decode(const rk_tokenizer *t, const int32_t *ids, size_t n, uint32_t flags,
                              char **out, size_t *bytes, rk_error *err)
{
    rk_text text = {0};
    int may_strip = t->prefix_blank && !(flags & RK_TOKENIZE_INNER);
    rk_status st = RK_OK;
    for (size_t i = 0; st == RK_OK && i < n; i++) {
        if (ids[i] < 0 || ids[i] >= rk_vocab_size(t->vocab)) {
            st = rk_fail(err, RK_E_ARG, "decode: id %d at place %zu: expected 0 to %d", ids[i], i,
                         rk_vocab_size(t->vocab) - 1);
            break;
        }
        int first = text.n == 0;
        st = decode_token(t, ids[i], flags, &text, err);
        if (!first || text.n == 0 || st != RK_OK || !may_strip)
            continue;
        may_strip = 0;
        if (text.bytes[0] == ' ' && !(rk_vocab_flags(t->vocab, ids[i]) & RK_TOKEN_ADDED))
            memmove(text.bytes, text.bytes + 1, --text.n);
    }
    if (st == RK_OK)
        st = rk_text_add(&text, "", 1, err);
    if (st != RK_OK) {
        rk_text_free(&text);
        return st;
    }
    *out = text.bytes;
    *bytes = text.n - 1;
    return RK_OK;
}

int32_t rk_tokenizer_size(const rk_tokenizer *t)
{
    return rk_vocab_size(t->vocab);
}

int32_t rk_tokenizer_find(const rk_tokenizer *t, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < t->addeds; i++) {
        if (t->added[i].bytes == n && memcmp(t->added[i].text, text, n) == 0)
            return t->added[i].id;
    }
    return rk_vocab_find(t->vocab, text, n);
}

int32_t rk_tokenizer_bos(const rk_tokenizer *t)
{
    return t->bos_id;
}

int32_t rk_tokenizer_eos(const rk_tokenizer *t)
{
    return t->eos_id;
}

const char *rk_tokenizer_sha256(const rk_tokenizer *t)
{
    return t->sha256;
}
