/* added_tokens.h - finds added tokens in text: leftmost, then longest.
 *
 * A control token that is not wanted still uses up the text it matched, as in
 * Hugging Face (encode_special_tokens): no shorter token is found inside it. */
#ifndef RK_MODEL_ADDED_TOKENS_H
#define RK_MODEL_ADDED_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/regex.h"

RK_C_BEGIN

typedef struct rk_added_token {
    const char *text; /* lifetime: the tokenizer; empty ones never match */
    size_t bytes;
    int32_t id;
    unsigned char control;     /* "special" in tokenizer.json */
    unsigned char lstrip;      /* takes the white space in front of it along */
    unsigned char rstrip;      /* and behind it */
    unsigned char single_word; /* not next to a word character */
    unsigned char normalized;  /* matched after normalization, else before */
} rk_added_token;

typedef struct rk_added_tokens rk_added_tokens;

/* Copies the `n` tokens (their texts stay borrowed). */
rk_status rk_added_tokens_new(rk_added_tokens **out, const rk_added_token *token, size_t n,
                              rk_error *err);
void rk_added_tokens_free(rk_added_tokens *a); /* accepts NULL */

/* A stretch of text: id -1, else the token that was matched there. */
typedef rk_status (*rk_stretch_fn)(void *context, const char *text, size_t start, size_t end,
                                   int32_t id, rk_error *err);

/* Gives all of well-formed text[0..n) in order, as tokens and text between them.
 * `control`: whether control tokens match. */
rk_status rk_added_tokens_split(const rk_added_tokens *a, rk_regex_match *m, const char *text,
                                size_t n, int control, rk_stretch_fn stretch, void *context,
                                rk_error *err);

RK_C_END

#endif
