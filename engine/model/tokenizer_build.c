/* tokenizer_build.c - what building a tokenizer shares between the containers; see
 * tokenizer_parts.h. */
#include "model/tokenizer_parts.h"

#include <stdlib.h>
#include <string.h>

#include "model/byte_alphabet.h"

#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)|"

/* Sources: GPT-2's encoder.py, and the pre_tokenizer blocks of the tokenizer.json
 * of Qwen2.5, Qwen3.5 and Llama 3. */
const char rk_regex_gpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"
                             "\\s+(?!\\S)|\\s+";
const char rk_regex_qwen2[] = CONTRACTIONS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
                                           " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|"
                                           "\\s+(?!\\S)|\\s+";
const char rk_regex_qwen35[] = CONTRACTIONS "[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}|"
                                            " ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|"
                                            "\\s+(?!\\S)|\\s+";
const char rk_regex_llama3[] = CONTRACTIONS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
                                            " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|"
                                            "\\s+(?!\\S)|\\s+";

rk_status rk_tokenizer_new(rk_tokenizer **out, rk_error *err)
{
    rk_tokenizer *t = rk_heap_take(1, sizeof *t, err);
    if (!t)
        return RK_E_MEMORY;
    t->unk_id = t->bos_id = t->eos_id = -1;
    memset(t->byte_id, 0xff, sizeof t->byte_id);
    rk_status st = rk_arena_new(&t->arena, err);
    if (st == RK_OK)
        st = rk_vocab_new(&t->vocab, err);
    if (st == RK_OK)
        st = rk_bpe_new(&t->bpe, err);
    if (st != RK_OK)
        rk_tokenizer_close(t);
    else
        *out = t;
    return st;
}

void rk_tokenizer_close(rk_tokenizer *t)
{
    if (!t)
        return;
    rk_added_tokens_free(t->before);
    rk_added_tokens_free(t->after);
    rk_pretokenizer_free(&t->pretokenizer);
    rk_bpe_free(t->bpe);
    rk_vocab_free(t->vocab);
    rk_arena_free(t->arena);
    free(t->added);
    free(t);
}

/* The working form of a token: *text stays when it is the file's own, else it
 * points into `room`. A byte-level token with a character outside the alphabet
 * cannot come out of merging: *reachable is 0. */
static rk_status to_working_form(const rk_tokenizer *t, const char **text, size_t *n,
                                 int *reachable, rk_text *room, rk_error *err)
{
    *reachable = 1;
    if (!t->byte_level)
        return RK_OK;
    room->n = 0;
    RK_TRY(rk_text_add(room, *text, *n, err)); /* as many bytes as it can take */
    int64_t bytes = rk_byte_alphabet_read(*text, *n, room->bytes);
    if (bytes < 0) {
        *reachable = 0;
        return RK_OK;
    }
    *text = bytes ? room->bytes : "";
    *n = (size_t)bytes;
    return RK_OK;
}

static int is_byte_token(const char *text, size_t n)
{
    return n == 6 && memcmp(text, "<0x", 3) == 0 && text[5] == '>' && text[3] && text[4] &&
           strchr("0123456789ABCDEF", text[3]) && strchr("0123456789ABCDEF", text[4]);
}

rk_status rk_tokenizer_add_model(rk_tokenizer *t, int64_t id, const char *text, size_t n,
                                 const char *what, rk_error *err)
{
    rk_text room = {0};
    int reachable;
    uint32_t flags = t->byte_fallback && is_byte_token(text, n) ? RK_TOKEN_BYTE : 0;
    rk_status st = to_working_form(t, &text, &n, &reachable, &room, err);
    if (st == RK_OK)
        st = rk_vocab_add(t->vocab, id, text, n, flags | (reachable ? RK_TOKEN_MODEL : 0), what,
                          err);
    rk_text_free(&room);
    return st;
}

int32_t rk_tokenizer_find_model(const rk_tokenizer *t, const char *text, size_t n, rk_text *room,
                                rk_error *err)
{
    int reachable;
    if (to_working_form(t, &text, &n, &reachable, room, err) != RK_OK || !reachable)
        return -1;
    return rk_vocab_find(t->vocab, text, n);
}

static int shown(size_t n)
{
    return n > 60 ? 60 : (int)n;
}

/* Gives the token its place in the vocabulary: it is there already under the same
 * id, or the id is free. */
static rk_status place_added(rk_tokenizer *t, const rk_added_token *a, uint32_t flags,
                             const char *what, rk_text *room, rk_error *err)
{
    const char *form = a->text;
    size_t n = a->bytes, have_bytes;
    int reachable;
    RK_TRY(to_working_form(t, &form, &n, &reachable, room, err));
    const char *have =
        a->id < rk_vocab_size(t->vocab) ? rk_vocab_text(t->vocab, a->id, &have_bytes) : NULL;
    if (have && have_bytes == n && memcmp(have, form, n) == 0) {
        rk_vocab_mark(t->vocab, a->id, flags);
        return RK_OK;
    }
    int32_t other = reachable ? rk_vocab_find(t->vocab, form, n) : -1;
    if (other >= 0 && other != a->id)
        return rk_fail(err, RK_E_FORMAT, "%s: added token '%.*s' has two ids, %d and %d", what,
                       shown(a->bytes), a->text, other, a->id);
    return rk_vocab_add(t->vocab, a->id, a->text, a->bytes, flags, what, err);
}

rk_status rk_tokenizer_add_added(rk_tokenizer *t, const rk_added_token *token, const char *what,
                                 rk_error *err)
{
    rk_text room = {0};
    rk_added_token a = *token;
    uint32_t flags = RK_TOKEN_ADDED | (a.control ? RK_TOKEN_CONTROL : 0);
    if (a.id < 0 || a.id >= RK_VOCAB_MAX)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: added token '%.*s': expected an id of 0 to %d, got %d", what,
                       shown(a.bytes), a.text, RK_VOCAB_MAX - 1, a.id);
    if (a.id < rk_vocab_size(t->vocab) && rk_vocab_flags(t->vocab, a.id) & RK_TOKEN_ADDED)
        return rk_fail(err, RK_E_FORMAT, "%s: added token '%.*s': id %d is already an added token",
                       what, shown(a.bytes), a.text, a.id);
    a.text = rk_arena_text(t->arena, token->text, token->bytes, err);
    if (!a.text)
        return RK_E_MEMORY;
    RK_TRY(
        rk_heap_grow((void **)&t->added, &t->added_capacity, t->addeds + 1, sizeof *t->added, err));
    rk_status st = place_added(t, &a, flags, what, &room, err);
    rk_text_free(&room);
    if (st == RK_OK)
        t->added[t->addeds++] = a;
    return st;
}

rk_status rk_tokenizer_add_merge(rk_tokenizer *t, int32_t left, int32_t right, int32_t merged,
                                 uint32_t rank, rk_error *err)
{
    if (rk_vocab_flags(t->vocab, merged) & RK_TOKEN_CONTROL)
        return RK_OK;
    return rk_bpe_add(t->bpe, left, right, rank, merged, err);
}

/* Single-byte tokens, or the byte tokens of fallback. */
static void find_bytes(rk_tokenizer *t)
{
    static const char digit[] = "0123456789ABCDEF";
    for (int byte = 0; byte < 256; byte++) {
        char name[6] = {'<', '0', 'x', digit[byte >> 4], digit[byte & 15], '>'};
        char single = (char)byte;
        int32_t id = -1;
        if (t->byte_level)
            id = rk_vocab_find(t->vocab, &single, 1);
        else if (t->byte_fallback)
            id = rk_vocab_find(t->vocab, name, sizeof name);
        if (id >= 0 && rk_vocab_flags(t->vocab, id) & RK_TOKEN_CONTROL)
            id = -1;
        t->byte_id[byte] = id;
    }
}

/* The tokens matched after normalization are themselves normalized. */
static rk_status normalize_added(rk_tokenizer *t, rk_added_token *a, rk_normalize_room *room,
                                 rk_error *err)
{
    const char *text = a->text;
    size_t n = a->bytes;
    RK_TRY(rk_normalize(&t->normalizer, room, &text, &n, err));
    if (text == a->text)
        return RK_OK;
    a->text = rk_arena_text(t->arena, text, n, err);
    a->bytes = n;
    return a->text ? RK_OK : RK_E_MEMORY;
}

rk_status rk_tokenizer_finish(rk_tokenizer *t, const char *what, rk_error *err)
{
    rk_normalize_room room = {0};
    rk_status st = RK_OK;
    if (rk_vocab_size(t->vocab) == 0)
        return rk_fail(err, RK_E_FORMAT, "%s: the vocabulary is empty", what);
    find_bytes(t);
    /* One array for both sets: raw tokens from the front, normalized from the back. */
    size_t raw = 0, normal = t->addeds;
    rk_added_token *both = rk_heap_take(t->addeds + 1, sizeof *both, err);
    if (!both)
        return RK_E_MEMORY;
    for (size_t i = 0; st == RK_OK && i < t->addeds; i++) {
        rk_added_token *a = t->added[i].normalized ? &both[--normal] : &both[raw++];
        *a = t->added[i];
        if (a->normalized)
            st = normalize_added(t, a, &room, err);
    }
    if (st == RK_OK)
        st = rk_added_tokens_new(&t->before, both, raw, err);
    if (st == RK_OK)
        st = rk_added_tokens_new(&t->after, both + normal, t->addeds - normal, err);
    rk_normalize_room_free(&room);
    free(both);
    return st;
}
