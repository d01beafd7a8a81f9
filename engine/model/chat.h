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

/* BOS if the model has one, system turn (`system` NULL = the family's default),
 * start of the user turn and `head`. Style NONE: BOS and `head`. */
rk_status rk_chat_open(const rk_model *m, const char *system, const char *head, rk_ids *out,
                       rk_error *err);

/* `tail`, end of the user turn and the generation prompt. Style NONE: `tail`. */
rk_status rk_chat_close(const rk_model *m, const char *tail, rk_ids *out, rk_error *err);

RK_C_END

#endif
