/* bpe.h - the merge table of byte pair encoding, and merging.
 *
 * Ids in, ids out: where the first ids come from (bytes, characters, fallback) is
 * the tokenizer's. The order of merges is Hugging Face `tokenizers`': lowest rank
 * first, leftmost on ties. */
#ifndef RK_MODEL_BPE_H
#define RK_MODEL_BPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_bpe rk_bpe;

rk_status rk_bpe_new(rk_bpe **out, rk_error *err);
void rk_bpe_free(rk_bpe *b); /* accepts NULL */

/* left right -> merged, tried in the order of `rank`. A pair given again takes
 * the later rank, as Hugging Face does with a repeated line. */
rk_status rk_bpe_add(rk_bpe *b, int32_t left, int32_t right, uint32_t rank, int32_t merged,
                     rk_error *err);

/* Working memory of one thread; start from {0}. */
typedef struct rk_bpe_room {
    struct rk_bpe_symbol *symbol;
    size_t symbols;
    struct rk_bpe_candidate *heap;
    size_t heaps;
} rk_bpe_room;

void rk_bpe_room_free(rk_bpe_room *room); /* leaves {0} */

/* Merges `*n` ids in place until no pair is in the table; O(n log n). */
rk_status rk_bpe_merge(const rk_bpe *b, rk_bpe_room *room, int32_t *ids, size_t *n, rk_error *err);

RK_C_END

#endif
