/* chat.c - see chat.h.
 *
 * ChatML:  <|im_start|>system NL {system}<|im_end|> NL <|im_start|>user NL {text}
 *          <|im_end|> NL <|im_start|>assistant NL      (SmolLM2, Qwen2.5, Qwen3)
 * Llama 3: <|begin_of_text|>{header system}{dates}{system}<|eot_id|>{header user}
 *          {text}<|eot_id|>{header assistant}
 * Mistral: <s>[INST] {system} NL NL {text}[/INST]
 *
 * Each stretch of text is tokenized alone, so a prompt that is put together from
 * parts has the same ids whatever the parts are joined with. */
#include "model/chat.h"

#include <string.h>

#include "model/utf8.h"

/* A control token by its text. */
static rk_status add_control(const rk_model *m, const char *text, rk_ids *out, rk_error *err)
{
    int32_t id = rk_tokenizer_find(m->tokenizer, text);
    if (id < 0)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: the chat template needs the token '%s', which the "
                       "tokenizer lacks",
                       m->name ? m->name : "model", text);
    return rk_ids_add(out, id, err);
}

typedef struct part {
    const char *text;
    size_t n;
} part;

static part all_of(const char *text)
{
    return (part){text, strlen(text)};
}

/* Parts as one stretch of text, which never becomes a control token. */
static rk_status add_parts(const rk_model *m, uint32_t flags, const part *p, size_t parts,
                           rk_ids *out, rk_error *err)
{
    rk_text all = {0};
    rk_status st = RK_OK;
    for (size_t i = 0; st == RK_OK && i < parts; i++)
        st = rk_text_add(&all, p[i].text, p[i].n, err);
    if (st == RK_OK)
        st = rk_tokenizer_encode(m->tokenizer, all.bytes, all.n, flags, out, err);
    rk_text_free(&all);
    return st;
}

/* Inside a prompt: text goes on behind other ids. */
#define ADD(...)                                                                                   \
    add_parts(m, RK_TOKENIZE_INNER, (const part[]){__VA_ARGS__},                                   \
              sizeof((const part[]){__VA_ARGS__}) / sizeof(part), out, err)

static rk_status add_bos(const rk_model *m, rk_ids *out, rk_error *err)
{
    return m->bos_id < 0 ? RK_OK : rk_ids_add(out, m->bos_id, err);
}

/* White space at the ends, which Llama 3's template trims off each message. */
static part trim_left(part p)
{
    while (p.n > 0) {
        uint32_t code;
        size_t length = rk_utf8_next(p.text, p.n, &code);
        if (!rk_utf8_is_space(code))
            break;
        p.text += length;
        p.n -= length;
    }
    return p;
}

static part trim_right(part p)
{
    while (p.n > 0) {
        uint32_t code;
        size_t start = rk_utf8_previous(p.text, p.n);
        rk_utf8_next(p.text + start, p.n - start, &code);
        if (!rk_utf8_is_space(code))
            break;
        p.n = start;
    }
    return p;
}

static rk_status chatml_open(const rk_model *m, const char *system, const char *head, rk_ids *out,
                             rk_error *err)
{
    if (*system) {
        RK_TRY(add_control(m, "<|im_start|>", out, err));
        RK_TRY(ADD(all_of("system\n"), all_of(system)));
        RK_TRY(add_control(m, "<|im_end|>", out, err));
        RK_TRY(ADD(all_of("\n")));
    }
    RK_TRY(add_control(m, "<|im_start|>", out, err));
    return ADD(all_of("user\n"), all_of(head));
}

/* Qwen3 answers at once, without thinking, behind an empty block of thoughts. */
static rk_status chatml_close(const rk_model *m, const char *tail, rk_ids *out, rk_error *err)
{
    int thinks = m->family && strcmp(m->family, "qwen3") == 0 &&
                 rk_tokenizer_find(m->tokenizer, "<think>") >= 0;
    RK_TRY(ADD(all_of(tail)));
    RK_TRY(add_control(m, "<|im_end|>", out, err));
    RK_TRY(ADD(all_of("\n")));
    RK_TRY(add_control(m, "<|im_start|>", out, err));
    RK_TRY(ADD(all_of("assistant\n")));
    if (!thinks)
        return RK_OK;
    RK_TRY(add_control(m, "<think>", out, err));
    RK_TRY(ADD(all_of("\n\n")));
    RK_TRY(add_control(m, "</think>", out, err));
    return ADD(all_of("\n\n"));
}

static rk_status llama3_header(const rk_model *m, const char *role, rk_ids *out, rk_error *err)
{
    RK_TRY(add_control(m, "<|start_header_id|>", out, err));
    RK_TRY(ADD(all_of(role)));
    return add_control(m, "<|end_header_id|>", out, err);
}

/* The template has a system turn with its two dates also when there is no text. */
static rk_status llama3_open(const rk_model *m, const char *system, const char *head, rk_ids *out,
                             rk_error *err)
{
    /* The dates are the template's own defaults; they do not follow the clock. */
    static const char dates[] = "\n\nCutting Knowledge Date: December 2023\n"
                                "Today Date: 26 Jul 2024\n\n";
    RK_TRY(add_bos(m, out, err));
    RK_TRY(llama3_header(m, "system", out, err));
    RK_TRY(ADD(all_of(dates), trim_left(trim_right(all_of(system)))));
    RK_TRY(add_control(m, "<|eot_id|>", out, err));
    RK_TRY(llama3_header(m, "user", out, err));
    return ADD(all_of("\n\n"), trim_left(all_of(head)));
}

static rk_status llama3_close(const rk_model *m, const char *tail, rk_ids *out, rk_error *err)
{
    RK_TRY(ADD(trim_right(all_of(tail))));
    RK_TRY(add_control(m, "<|eot_id|>", out, err));
    RK_TRY(llama3_header(m, "assistant", out, err));
    return ADD(all_of("\n\n"));
}

/* The blank behind [INST] belongs to the text that follows, which is the tail when
 * nothing else stands in front. */
static rk_status mistral_open(const rk_model *m, const char *system, const char *head, rk_ids *out,
                              rk_error *err)
{
    RK_TRY(add_bos(m, out, err));
    RK_TRY(add_control(m, "[INST]", out, err));
    if (*system)
        return ADD(all_of(" "), all_of(system), all_of("\n\n"), all_of(head));
    return *head ? ADD(all_of(" "), all_of(head)) : RK_OK;
}

static rk_status mistral_close(const rk_model *m, const char *tail, rk_ids *out, rk_error *err)
{
    int starts_turn = out->n && out->id[out->n - 1] == rk_tokenizer_find(m->tokenizer, "[INST]");
    RK_TRY(ADD(all_of(starts_turn ? " " : ""), all_of(tail)));
    return add_control(m, "[/INST]", out, err);
}

static rk_status plain_open(const rk_model *m, const char *system, const char *head, rk_ids *out,
                            rk_error *err)
{
    const part text[] = {all_of(system), all_of(*system && *head ? "\n\n" : ""), all_of(head)};
    RK_TRY(add_bos(m, out, err));
    return add_parts(m, 0, text, 3, out, err);
}

static rk_status check(const rk_model *m, rk_error *err)
{
    if (m->tokenizer)
        return RK_OK;
    return rk_fail(err, RK_E_ARG, "%s: a chat prompt needs a tokenizer, the model has none",
                   m->name ? m->name : "model");
}

rk_status rk_chat_open(const rk_model *m, const char *system, const char *head, rk_ids *out,
                       rk_error *err)
{
    RK_TRY(check(m, err));
    if (!system)
        system = m->default_system ? m->default_system : "";
    switch (m->chat) {
    case RK_CHAT_CHATML:
        return chatml_open(m, system, head, out, err);
    case RK_CHAT_LLAMA3:
        return llama3_open(m, system, head, out, err);
    case RK_CHAT_MISTRAL:
        return mistral_open(m, system, head, out, err);
    case RK_CHAT_NONE:
        break;
    }
    return plain_open(m, system, head, out, err);
}

rk_status rk_chat_close(const rk_model *m, const char *tail, rk_ids *out, rk_error *err)
{
    RK_TRY(check(m, err));
    switch (m->chat) {
    case RK_CHAT_CHATML:
        return chatml_close(m, tail, out, err);
    case RK_CHAT_LLAMA3:
        return llama3_close(m, tail, out, err);
    case RK_CHAT_MISTRAL:
        return mistral_close(m, tail, out, err);
    case RK_CHAT_NONE:
        break;
    }
    return ADD(all_of(tail));
}
