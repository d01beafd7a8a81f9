/* chat.h - the chat templates of the supported families as small formatters.
 *
 * A single-turn prompt is [open(system) + head text] .. reusable passages ..
 * [tail text + close]: the first part is the system prefix that chunks are
 * compiled behind, the last one the question. Control tokens are written as ids;
 * text never produces one. Templates: reference of each model's tokenizer_config. */
#ifndef RK_MODEL_CHAT_H
#define RK_MODEL_CHAT_H

#include "model/model.h"

RK_C_BEGIN

/* Appends: BOS where the template has one, the system turn, the start of the user
 * turn and `head`. `system` NULL is the family's default, "" none. Mistral has no
 * system turn: the text stands in front of `head`, with a blank line between, and
 * so it does for style NONE. RK_E_ARG: a model without a tokenizer; RK_E_FORMAT: a
 * tokenizer without the template's control tokens. On failure `out` keeps what was
 * appended so far. */
rk_status rk_chat_open(const rk_model *m, const char *system, const char *head, rk_ids *out,
                       rk_error *err);

/* Appends: `tail`, the end of the user turn and the generation prompt. Style NONE:
 * `tail`. `out` may start empty: the ids are then put behind others by the caller.
 * Qwen3 gets an empty block of thoughts, so that it answers at once. */
rk_status rk_chat_close(const rk_model *m, const char *tail, rk_ids *out, rk_error *err);

RK_C_END

#endif
