/* fuzz_readers.c - any bytes as the file of any question-answering reader.
 *
 * The first byte chooses the reader and its task, the rest is the file. Whatever
 * opens must give its first contexts, filled and as they are, or a clear error. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rk_status count_bytes(void *self, const char *text, size_t n, int64_t *tokens, rk_error *err)
{
    (void)self, (void)text, (void)err;
    *tokens = (int64_t)n / 4 + 1;
    return RK_OK;
}

static const struct {
    const char *reader, *task;
} targets[] = {{"hotpotqa", NULL},        {"two_wiki", NULL},        {"musique", NULL},
               {"longbench", "hotpotqa"}, {"longbench", "2wikimqa"}, {"longbench", "musique"},
               {"longbench", "triviaqa"}};

static void read_all(const rk_reader_ops *ops, const char *path, const void *options,
                     int64_t tokens, rk_arena *arena)
{
    static const rk_token_counter counter = {NULL, count_bytes};
    rk_error err = {0};
    rk_reader r = {.ops = ops,
                   .config = {.path = path,
                              .seed = 1,
                              .target_tokens = tokens,
                              .counter = &counter,
                              .options = options}};
    if (ops->open(&r, &err) == RK_OK) {
        int64_t n = ops->contexts(&r);
        for (int64_t i = 0; i < n && i < 4; i++) {
            rk_context c;
            if (ops->context(&r, i, arena, &c, &err) != RK_OK && !err.text[0])
                abort(); /* an error without words */
        }
    } else if (!err.text[0] || strchr(err.text, '\n')) {
        abort();
    }
    ops->close(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t t = data[0] % (sizeof targets / sizeof *targets);
    const rk_reader_ops *ops = NULL;
    for (int32_t i = 0; i < rk_readers_count; i++)
        if (!strcmp(rk_readers[i]->name, targets[t].reader))
            ops = rk_readers[i];
    char path[64];
    rk_arena *arena = NULL;
    int file = memfd_create("records", 0);
    void *options = calloc(1, ops->config_size);
    if (file < 0 || !options || rk_arena_new(&arena, NULL) != RK_OK ||
        write(file, data + 1, size - 1) != (ssize_t)(size - 1))
        goto done;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    rk_options_default(ops->options, options, NULL);
    rk_options_set(ops->options, options, "require_gold", "false", NULL);
    if (targets[t].task)
        rk_options_set(ops->options, options, "task", targets[t].task, NULL);
    read_all(ops, path, options, 0, arena);
    read_all(ops, path, options, 200, arena);
done:
    rk_arena_free(arena);
    free(options);
    if (file >= 0)
        close(file);
    return 0;
}
