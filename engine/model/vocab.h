/* vocab.h - token id to text and back.
 *
 * Owns: the texts, their flags and one hash table of the model's own tokens.
 * Texts are in working form: bytes for byte-level vocabularies, the file's own
 * form otherwise. Added tokens that the model's vocabulary lacks are stored but
 * not hashed, so merging cannot reach them. */
#ifndef RK_MODEL_VOCAB_H
#define RK_MODEL_VOCAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

/* Ids are below it: the largest published vocabularies have a quarter of a
 * million; a hostile file must not make the table larger than this. */
enum { RK_VOCAB_MAX = 1 << 22 };

enum {
    RK_TOKEN_MODEL = 1,   /* in the hash: merging may produce it */
    RK_TOKEN_ADDED = 2,   /* matched in the text before merging */
    RK_TOKEN_CONTROL = 4, /* never from plain text, no text when decoded */
    RK_TOKEN_BYTE = 8,    /* "<0xHH>", one byte when decoded */
};

typedef struct rk_vocab rk_vocab;

rk_status rk_vocab_new(rk_vocab **out, rk_error *err);
void rk_vocab_free(rk_vocab *v); /* accepts NULL */

/* Copies `text`. RK_E_FORMAT, naming `what`, when the id is out of range or
 * taken, or when RK_TOKEN_MODEL is set and the text is there already. */
rk_status rk_vocab_add(rk_vocab *v, int64_t id, const char *text, size_t n, uint32_t flags,
                       const char *what, rk_error *err);
void rk_vocab_mark(rk_vocab *v, int32_t id, uint32_t flags); /* adds flags; the id exists */

int32_t rk_vocab_find(const rk_vocab *v, const char *text, size_t n); /* of the model; -1: none */
/* NUL-terminated, valid until the next add; NULL for an id without a token. The id
 * is below the size. */
const char *rk_vocab_text(const rk_vocab *v, int32_t id, size_t *n);
uint32_t rk_vocab_flags(const rk_vocab *v, int32_t id); /* 0 for an id without a token */
int32_t rk_vocab_size(const rk_vocab *v);               /* highest id + 1 */

RK_C_END

#endif
