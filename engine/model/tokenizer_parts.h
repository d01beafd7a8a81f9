/* tokenizer_parts.h - the inside of a tokenizer, for the files that build one
 * (tokenizer_json.c, tokenizer_gguf.c) and the one that runs it (tokenizer.c). */
#ifndef RK_MODEL_TOKENIZER_PARTS_H
#define RK_MODEL_TOKENIZER_PARTS_H

#include <jansson.h>

#include "base/arena.h"
#include "base/hash.h"
#include "model/added_tokens.h"
#include "model/bpe.h"
#include "model/normalize.h"
#include "model/pretokenize.h"
#include "model/tokenizer.h"
#include "model/vocab.h"

RK_C_BEGIN

struct rk_tokenizer {
    rk_arena *arena; /* texts of steps and of added tokens */
    rk_vocab *vocab;
    rk_bpe *bpe;
    rk_normalizer normalizer;
    rk_pretokenizer pretokenizer;
    rk_added_token *added; /* [addeds] while it is built */
    size_t addeds, added_capacity;
    rk_added_tokens *before, *after; /* matched before and after normalization */
    int byte_level;                  /* symbols start as bytes, else as characters */
    int byte_fallback;               /* an unknown character becomes its byte tokens */
    int fuse_unk;                    /* neighbouring unknown characters are one unk */
    int ignore_merges;               /* a piece that is a token is not merged */
    int prefix_blank;                /* decoding takes off one blank in front */
    const char *mark;                /* what stands for a blank inside tokens; NULL: nothing */
    size_t mark_bytes;
    int32_t unk_id, bos_id, eos_id; /* -1: none */
    int32_t byte_id[256];           /* of single bytes; -1: none */
    char sha256[RK_SHA256_HEX];
};

/* The splitting expressions of the families, as their files write them. */
extern const char rk_regex_gpt2[], rk_regex_qwen2[], rk_regex_qwen35[], rk_regex_llama3[];

rk_status rk_tokenizer_new(rk_tokenizer **out, rk_error *err);

/* Adds a token of the model's own vocabulary in the file's form; bytes where the
 * tokenizer is byte-level. */
rk_status rk_tokenizer_add_model(rk_tokenizer *t, int64_t id, const char *text, size_t n,
                                 const char *what, rk_error *err);
/* Finds one by the file's form; -1: none. `room` is overwritten. */
int32_t rk_tokenizer_find_model(const rk_tokenizer *t, const char *text, size_t n, rk_text *room,
                                rk_error *err);
/* Adds a token matched in the text, before or after the model's vocabulary has it.
 * token->text is copied. */
rk_status rk_tokenizer_add_added(rk_tokenizer *t, const rk_added_token *token, const char *what,
                                 rk_error *err);
/* One merge; the three are ids of the model. A merge into a control token is left
 * out: plain text never produces one. */
rk_status rk_tokenizer_add_merge(rk_tokenizer *t, int32_t left, int32_t right, int32_t merged,
                                 uint32_t rank, rk_error *err);
/* Builds what encoding looks up; the last step of opening. */
rk_status rk_tokenizer_finish(rk_tokenizer *t, const char *what, rk_error *err);

/* tokenizer_json_steps.c: the normalizer, pre_tokenizer and decoder blocks. */
rk_status rk_tokenizer_json_normalizer(rk_tokenizer *t, const json_t *block, const char *what,
                                       rk_error *err);
rk_status rk_tokenizer_json_pretokenizer(rk_tokenizer *t, const json_t *block, const char *what,
                                         rk_error *err);
rk_status rk_tokenizer_json_decoder(rk_tokenizer *t, const json_t *block, const char *what,
                                    rk_error *err);

/* tokenizer_json.c: a tokenizer.json in memory; `what` names it. */
rk_status rk_tokenizer_parse_json(rk_tokenizer **out, const char *text, size_t n, const char *what,
                                  rk_error *err);

RK_C_END

#endif
