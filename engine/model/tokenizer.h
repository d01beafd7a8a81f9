/* tokenizer.h - text to token ids and back: byte-level BPE and SentencePiece-style
 * BPE with byte fallback, from tokenizer.json or from GGUF metadata.
 *
 * Ids equal those of Hugging Face `tokenizers`. BOS and EOS are never added here;
 * prompts are assembled as ids (model/chat.h), never re-tokenised across seams. */
#ifndef RK_MODEL_TOKENIZER_H
#define RK_MODEL_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_tokenizer rk_tokenizer;
typedef struct rk_gguf rk_gguf;

/* A growing list of ids on the heap; start from {0}, end with rk_ids_free. */
typedef struct rk_ids {
    int32_t *id;
    size_t n, capacity;
} rk_ids;

rk_status rk_ids_add(rk_ids *ids, int32_t id, rk_error *err);
void rk_ids_free(rk_ids *ids); /* leaves {0} */

enum {
    /* Control tokens written out in the text become their ids. Without it they
     * are plain text; user-defined tokens match in either case. */
    RK_TOKENIZE_SPECIAL = 1,
    /* The text goes on behind other ids: a blank that the tokenizer puts only in
     * front of the first text (Metaspace "first") is left out. */
    RK_TOKENIZE_INNER = 2,
};

/* A tokenizer.json. BOS and EOS come from the tokenizer_config.json beside it, or
 * from the file's own template. RK_E_FORMAT for what is broken, RK_E_UNSUPPORTED
 * naming the part for what is valid but not of the supported families. */
rk_status rk_tokenizer_open_json(rk_tokenizer **out, const char *path, rk_error *err);
/* tokenizer.ggml.model gpt2 (with .pre gpt-2, default, smollm, qwen2, llama-bpe) or
 * llama. Copies what it needs: `file` may be closed afterwards. */
rk_status rk_tokenizer_open_gguf(rk_tokenizer **out, const rk_gguf *file, rk_error *err);
void rk_tokenizer_close(rk_tokenizer *t); /* accepts NULL */

/* An open tokenizer never changes: any number of threads may use it. */

/* Appends the ids of `n` bytes (NULs included) to `out`. Invalid UTF-8 is taken
 * as U+FFFD a maximal subpart, as Hugging Face's Python binding would be given it. */
rk_status rk_tokenizer_encode(const rk_tokenizer *t, const char *text, size_t n, uint32_t flags,
                              rk_ids *out, rk_error *err);

/* The bytes of `n` ids, NUL-terminated, on the heap (caller frees); *bytes without
 * the NUL. Control tokens give no text unless RK_TOKENIZE_SPECIAL. Ids outside
 * the vocabulary are RK_E_ARG. The bytes may be invalid UTF-8 at a cut character.
 * The blank that the tokenizer puts in front of the first text is taken off again
 * unless RK_TOKENIZE_INNER. */
rk_status rk_tokenizer_decode(const rk_tokenizer *t, const int32_t *ids, size_t n, uint32_t flags,
                              char **out, size_t *bytes, rk_error *err);

int32_t rk_tokenizer_size(const rk_tokenizer *t); /* ids are below it */
/* The id of a whole token, -1: none. Added tokens first; byte-level tokens are given
 * as the bytes they stand for (" the", not the file's own form). */
int32_t rk_tokenizer_find(const rk_tokenizer *t, const char *text);
int32_t rk_tokenizer_bos(const rk_tokenizer *t); /* -1: none */
int32_t rk_tokenizer_eos(const rk_tokenizer *t); /* -1: none */
/* SHA-256 of the source (file bytes, or the GGUF vocabulary keys), hex. */
const char *rk_tokenizer_sha256(const rk_tokenizer *t);

RK_C_END

#endif
