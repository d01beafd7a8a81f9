/* reader_kit.h - what the tests of data readers share: a counter of tokens
 * without a model, and a reader opened from option texts. Static functions, so
 * that every test stays one source file. */
#ifndef RK_DATA_TESTS_READER_KIT_H
#define RK_DATA_TESTS_READER_KIT_H

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/reader.h"

/* As the tiny model's tokenizer cuts its own world: a word with its leading blank
 * is one token, digits and other characters are one each. */
static inline rk_status kit_count(void *self, const char *text, size_t n, int64_t *tokens,
                                  rk_error *err)
{
    (void)err;
    int64_t *calls = self;
    if (calls)
        ++*calls;
    *tokens = 0;
    for (size_t i = 0; i < n; ++*tokens) {
        if (text[i] == ' ' && i + 1 < n && isalpha((unsigned char)text[i + 1]))
            i++;
        if (isalpha((unsigned char)text[i]))
            while (i < n && isalpha((unsigned char)text[i]))
                i++;
        else
            i++;
    }
    return RK_OK;
}

static const rk_token_counter kit_counter = {NULL, kit_count};

static inline const rk_reader_ops *kit_find(const char *name)
{
    for (int32_t i = 0; i < rk_readers_count; i++)
        if (!strcmp(rk_readers[i]->name, name))
            return rk_readers[i];
    fail_msg("no reader %s", name);
    return NULL;
}

/* A reader with its options; `settings` is {"key", "value", .., NULL}. */
typedef struct kit_reader {
    rk_reader reader;
    void *options;
} kit_reader;

static inline rk_status kit_open(kit_reader *k, const char *name, const char *path, int64_t tokens,
                                 uint64_t seed, const char *const *settings, rk_error *err)
{
    const rk_reader_ops *ops = kit_find(name);
    *k = (kit_reader){.reader = {.ops = ops,
                                 .config = {.path = path,
                                            .seed = seed,
                                            .target_tokens = tokens,
                                            .counter = tokens ? &kit_counter : NULL}}};
    if (ops->options) {
        k->options = calloc(1, ops->config_size);
        assert_non_null(k->options);
        assert_int_equal(rk_options_default(ops->options, k->options, err), RK_OK);
        for (int i = 0; settings && settings[i]; i += 2)
            assert_int_equal(
                rk_options_set(ops->options, k->options, settings[i], settings[i + 1], err), RK_OK);
        k->reader.config.options = k->options;
    }
    return ops->open(&k->reader, err);
}

static inline void kit_close(kit_reader *k)
{
    k->reader.ops->close(&k->reader);
    free(k->options);
    k->options = NULL;
}

static inline rk_context kit_context(kit_reader *k, int64_t index, rk_arena *arena)
{
    rk_context c;
    rk_error err = {0};
    if (k->reader.ops->context(&k->reader, index, arena, &c, &err) != RK_OK)
        fail_msg("context %lld: %s", (long long)index, err.text);
    return c;
}

static inline rk_arena *kit_arena(void)
{
    rk_arena *arena;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    return arena;
}

static inline int64_t kit_tokens(const rk_context *c)
{
    int64_t all = 0, one;
    for (int32_t i = 0; i < c->passages; i++) {
        kit_count(NULL, c->passage[i].text, strlen(c->passage[i].text), &one, NULL);
        all += one;
    }
    return all;
}

static inline int kit_same(const rk_context *a, const rk_context *b)
{
    if (a->passages != b->passages || a->items != b->items)
        return 0;
    for (int32_t i = 0; i < a->passages; i++)
        if (strcmp(a->passage[i].text, b->passage[i].text))
            return 0;
    for (int32_t i = 0; i < a->items; i++)
        if (strcmp(a->item[i].question, b->item[i].question) ||
            strcmp(a->item[i].answer[0], b->item[i].answer[0]))
            return 0;
    return 1;
}

/* A temporary file with `n` bytes; the path is the caller's to unlink and free. */
static inline char *kit_file(const void *bytes, size_t n)
{
    char *path = calloc(1, 64);
    assert_non_null(path);
    static int serial;
    snprintf(path, 64, "rk_kit_%p_%d.jsonl", (void *)path, serial++);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return path;
}

#endif
