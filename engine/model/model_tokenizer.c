/* model_tokenizer.c - the tokenizer of a model and what follows from its tokens:
 * chat style, default system text, BOS and stop ids. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "model/loading.h"

/* Names as in each template's own control tokens. Mistral's last: a ChatML
 * vocabulary may also know the word. */
static rk_chat_style find_style(const rk_tokenizer *t)
{
    static const struct {
        const char *token;
        rk_chat_style style;
    } styles[] = {
        {"<|im_start|>", RK_CHAT_CHATML},
        {"<|start_header_id|>", RK_CHAT_LLAMA3},
        {"[INST]", RK_CHAT_MISTRAL},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (rk_tokenizer_find(t, styles[i].token) >= 0)
            return styles[i].style;
    return RK_CHAT_NONE;
}

/* Tokens that end a turn in any file that has them. GGUF names one end of text
 * only, where generation_config.json has a list. `</s>` is not among them: Qwen
 * vocabularies hold it as an ordinary token. */
static rk_status add_stops(rk_model *m, rk_error *err)
{
    static const char *const ends[] = {"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>",
                                       "<|end_of_text|>"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        int32_t id = rk_tokenizer_find(m->tokenizer, ends[i]);
        if (id >= 0)
            RK_TRY(rk_config_add_stop(m->stop_id, &m->stop_ids, id, m->name, err));
    }
    return RK_OK;
}

static rk_status apply(rk_model *m, const rk_family_ops *family, const char *where, rk_error *err)
{
    int32_t size = rk_tokenizer_size(m->tokenizer);
    if (size > m->shape.vocab)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: the tokenizer has ids up to %d, the embedding has %d rows", where,
                       size - 1, m->shape.vocab);
    m->chat = find_style(m->tokenizer);
    m->default_system = family->default_system;
    /* SmolLM2 is a Llama with ChatML; the text is its template's. */
    if (m->chat == RK_CHAT_CHATML && !strcmp(family->name, "llama"))
        m->default_system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";
    /* ChatML prompts start with the turn, though configs of Qwen and SmolLM2 name
     * a BOS. */
    if (m->chat == RK_CHAT_CHATML)
        m->bos_id = -1;
    else if (m->bos_id < 0)
        m->bos_id = rk_tokenizer_bos(m->tokenizer);
    int32_t eos = rk_tokenizer_eos(m->tokenizer);
    if (!m->stop_ids && eos >= 0)
        RK_TRY(rk_config_add_stop(m->stop_id, &m->stop_ids, eos, where, err));
    return RK_OK;
}

rk_status rk_load_tokenizer_json(rk_model *m, const rk_family_ops *family, const char *dir,
                                 rk_error *err)
{
    rk_model_files *files = m->impl;
    char *path = rk_arena_printf(files->arena, err, "%s/tokenizer.json", dir);
    if (!path)
        return RK_E_MEMORY;
    if (access(path, F_OK))
        return RK_OK;
    RK_TRY(rk_tokenizer_open_json(&m->tokenizer, path, err));
    return apply(m, family, path, err);
}

rk_status rk_load_tokenizer_gguf(rk_model *m, const rk_family_ops *family, const rk_gguf *g,
                                 rk_error *err)
{
    if (!rk_gguf_has(g, "tokenizer.ggml.model"))
        return RK_OK;
    RK_TRY(rk_tokenizer_open_gguf(&m->tokenizer, g, err));
    RK_TRY(apply(m, family, rk_gguf_path(g), err));
    int add_bos = 1;
    RK_TRY(rk_gguf_bool(g, "tokenizer.ggml.add_bos_token", 0, &add_bos, err));
    if (!add_bos)
        m->bos_id = -1;
    return add_stops(m, err);
}

void rk_load_tokenizer_close(rk_model *m)
{
    rk_tokenizer_close(m->tokenizer);
    m->tokenizer = NULL;
}
