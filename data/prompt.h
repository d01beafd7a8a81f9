/* prompt.h - a context and one of its questions as token-id segments.
 *
 * [prefix][passage 1]..[passage M][question]: each segment is tokenised alone, so
 * a passage has the same ids wherever it appears and its stored KV can match. */
#ifndef RK_DATA_PROMPT_H
#define RK_DATA_PROMPT_H

#include "model/model.h"
#include "request.h"
#include "readers/reader.h"

RK_C_BEGIN

typedef struct rk_prompt {
    rk_ids_span prefix;   /* chat opening, instruction */
    rk_ids_span *passage; /* [passages] */
    int32_t passages;
    rk_ids_span *question; /* [items] question text and generation prompt, one an item */
    int32_t questions;
    int64_t context_tokens; /* prefix and passages */
} rk_prompt;

/* Tokenises a context with the model's tokenizer and chat style (or plain text
 * where the reader says so). The context's own instruction and question form, where
 * it has them, take the place of the reader's. All memory in `arena`.
 * RK_E_UNSUPPORTED: a model without a tokenizer; RK_E_FORMAT: a passage without a
 * token; RK_E_ARG: a question form without %s. */
rk_status rk_prompt_build(const rk_model *m, const rk_reader_ops *reader, const rk_context *context,
                          rk_arena *arena, rk_prompt *out, rk_error *err);

/* The counter readers use to reach a length: what rk_prompt_build would give a
 * passage. Borrows the model. */
rk_token_counter rk_prompt_counter(const rk_model *m);

/* The answer in generated text: leading blanks off, cut at the reader's stop text,
 * blanks trimmed. In the arena; NULL with `err` filled on failure. */
const char *rk_prompt_answer(const rk_reader_ops *reader, const char *generated, rk_arena *arena,
                             rk_error *err);

RK_C_END

#endif
