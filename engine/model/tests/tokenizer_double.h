/* tokenizer_double.h - a tokenizer that is a list of words, in place of the real
 * one: tests of loading choose what the vocabulary holds. */
#ifndef RK_TEST_TOKENIZER_DOUBLE_H
#define RK_TEST_TOKENIZER_DOUBLE_H

#include <stdlib.h>
#include <string.h>

#include "model/tokenizer.h"

struct rk_tokenizer {
    const char *words[8]; /* ids in order; NULL ends the list */
    int32_t bos, eos;
};

static struct rk_tokenizer double_source = {.bos = -1, .eos = -1}; /* what opening gives */
static rk_status double_status = RK_OK;                            /* or its failure */
static int double_open = 0;                                        /* tokenizers not closed */

static rk_status double_copy(rk_tokenizer **out, const char *what, rk_error *err)
{
    *out = NULL;
    if (double_status != RK_OK)
        return rk_fail(err, double_status, "%s: broken tokenizer", what);
    *out = malloc(sizeof **out);
    **out = double_source;
    double_open++;
    return RK_OK;
}

rk_status rk_tokenizer_open_json(rk_tokenizer **out, const char *path, rk_error *err)
{
    return double_copy(out, path, err);
}

rk_status rk_tokenizer_open_gguf(rk_tokenizer **out, const rk_gguf *file, rk_error *err)
{
    return double_copy(out, file ? "gguf" : "no file", err);
}

void rk_tokenizer_close(rk_tokenizer *t)
{
    double_open -= t != NULL;
    free(t);
}

int32_t rk_tokenizer_size(const rk_tokenizer *t)
{
    int32_t n = 0;
    while (n < 8 && t->words[n])
        n++;
    return n;
}

int32_t rk_tokenizer_find(const rk_tokenizer *t, const char *text)
{
    for (int32_t i = 0; i < rk_tokenizer_size(t); i++)
        if (!strcmp(t->words[i], text))
            return i;
    return -1;
}

int32_t rk_tokenizer_bos(const rk_tokenizer *t)
{
    return t->bos;
}

int32_t rk_tokenizer_eos(const rk_tokenizer *t)
{
    return t->eos;
}

#endif
