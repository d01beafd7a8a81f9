/* prompt.c - see prompt.h.
 *
 * Every stretch goes through the chat formatter: in style NONE that appends the
 * ids of a text as they are behind other ids, which is what a passage needs. */
#include "prompt.h"

#include <stdlib.h>
#include <string.h>

#include "model/chat.h"

static rk_status check_tokenizer(const rk_model *m, rk_error *err)
{
    if (!m->tokenizer)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: has no tokenizer, so it cannot read text",
                       m->name ? m->name : "the model");
    return RK_OK;
}

/* Moves the collected ids into the arena and empties the list for the next. */
static rk_status keep(rk_ids *ids, rk_arena *arena, rk_ids_span *out, rk_error *err)
{
    if (ids->n > INT32_MAX)
        return rk_fail(err, RK_E_BUDGET, "a prompt segment of %zu tokens", ids->n);
    int32_t *id = rk_arena_take(arena, ids->n, sizeof *id, err);
    if (!id)
        return RK_E_MEMORY;
    if (ids->n)
        memcpy(id, ids->id, ids->n * sizeof *id);
    *out = (rk_ids_span){id, (int32_t)ids->n};
    ids->n = 0;
    return RK_OK;
}

/* `form` with its first %s replaced. Not printf: the form may come from data. */
static char *question_text(const char *form, const char *question, rk_arena *arena, rk_error *err)
{
    const char *slot = strstr(form, "%s");
    if (!slot) {
        rk_fail(err, RK_E_ARG, "expected a question form with %%s, got '%.80s'", form);
        return NULL;
    }
    size_t head = (size_t)(slot - form), middle = strlen(question), tail = strlen(slot + 2);
    char *text = rk_arena_take(arena, head + middle + tail + 1, 1, err);
    if (!text)
        return NULL;
    memcpy(text, form, head);
    memcpy(text + head, question, middle);
    memcpy(text + head + middle, slot + 2, tail);
    return text;
}

static rk_status build_passages(const rk_model *plain, const rk_context *context, rk_ids *ids,
                                rk_arena *arena, rk_prompt *out, rk_error *err)
{
    out->passages = context->passages;
    out->passage = rk_arena_take(arena, (size_t)context->passages, sizeof *out->passage, err);
    if (!out->passage)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < context->passages; i++) {
        RK_TRY(rk_chat_close(plain, context->passage[i].text, ids, err));
        RK_TRY(keep(ids, arena, &out->passage[i], err));
        if (!out->passage[i].n)
            return rk_fail(err, RK_E_FORMAT, "%s: passage %d has no token", context->id, (int)i);
        out->context_tokens += out->passage[i].n;
    }
    return RK_OK;
}

static rk_status build_questions(const rk_model *asked, const rk_reader_ops *reader,
                                 const rk_context *context, rk_ids *ids, rk_arena *arena,
                                 rk_prompt *out, rk_error *err)
{
    const char *form = context->question_form ? context->question_form : reader->question;
    out->questions = context->items;
    out->question = rk_arena_take(arena, (size_t)context->items, sizeof *out->question, err);
    if (!out->question)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < context->items; i++) {
        const char *text = question_text(form, context->item[i].question, arena, err);
        if (!text)
            return strstr(form, "%s") ? RK_E_MEMORY : RK_E_ARG;
        RK_TRY(rk_chat_close(asked, text, ids, err));
        RK_TRY(keep(ids, arena, &out->question[i], err));
    }
    return RK_OK;
}

rk_status rk_prompt_build(const rk_model *m, const rk_reader_ops *reader, const rk_context *context,
                          rk_arena *arena, rk_prompt *out, rk_error *err)
{
    RK_TRY(check_tokenizer(m, err));
    rk_model plain = *m;
    plain.chat = RK_CHAT_NONE;
    const rk_model *framed = reader->plain ? &plain : m;
    const char *instruction = context->instruction ? context->instruction : reader->instruction;
    rk_ids ids = {0};
    *out = (rk_prompt){0};
    rk_status st = rk_chat_open(framed, NULL, instruction, &ids, err);
    if (st == RK_OK)
        st = keep(&ids, arena, &out->prefix, err);
    out->context_tokens = out->prefix.n;
    if (st == RK_OK)
        st = build_passages(&plain, context, &ids, arena, out, err);
    if (st == RK_OK)
        st = build_questions(framed, reader, context, &ids, arena, out, err);
    rk_ids_free(&ids);
    return st;
}

/* As build_passages tokenises, so that what is counted is what is run. */
static rk_status count_tokens(void *self, const char *text, size_t n, int64_t *tokens,
                              rk_error *err)
{
    rk_model plain = *(const rk_model *)self;
    rk_ids ids = {0};
    RK_TRY(check_tokenizer(&plain, err));
    char *copy = rk_heap_take(n + 1, 1, err);
    if (!copy)
        return RK_E_MEMORY;
    memcpy(copy, text, n);
    copy[n] = '\0';
    plain.chat = RK_CHAT_NONE;
    rk_status st = rk_chat_close(&plain, copy, &ids, err);
    *tokens = (int64_t)ids.n;
    rk_ids_free(&ids);
    free(copy);
    return st;
}

rk_token_counter rk_prompt_counter(const rk_model *m)
{
    return (rk_token_counter){(void *)m, count_tokens};
}

const char *rk_prompt_answer(const rk_reader_ops *reader, const char *generated, rk_arena *arena,
                             rk_error *err)
{
    static const char blanks[] = " \t\r\n\v\f";
    const char *start = generated + strspn(generated, blanks);
    const char *stop = reader->stop ? strstr(start, reader->stop) : NULL;
    size_t n = stop ? (size_t)(stop - start) : strlen(start);
    while (n && strchr(blanks, start[n - 1]))
        n--;
    return rk_arena_text(arena, start, n, err);
}
