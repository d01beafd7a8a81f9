/* cmd_tokenize.c - see cmd_tokenize.h. */
#include "cmd_tokenize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "model/gguf.h"
#include "model/tokenizer.h"

static const char usage[] =
    "usage: redknot tokenize MODEL [--special] < text\n"
    "\n"
    "Prints the token ids of standard input on one line, separated by single spaces.\n"
    "Every byte counts, a final newline and NULs included; BOS and EOS are not added.\n"
    "\n"
    "  MODEL      a model directory (its tokenizer.json), a tokenizer.json or a .gguf;\n"
    "             the weights are not read\n"
    "  --special  control tokens written out in the text become their ids\n"
    "             (default: they are plain text)\n"
    "  --help     prints this text\n";

typedef struct options {
    const char *model; /* borrowed from argv */
    int special, help;
} options;

static rk_status read_options(int argc, char **argv, options *out, rk_error *err)
{
    int only_names = 0; /* behind "--" */
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (only_names || word[0] != '-' || !word[1]) {
            if (out->model)
                return rk_fail(err, RK_E_USAGE, "tokenize: expected one MODEL, got '%s' and '%s'",
                               out->model, word);
            out->model = word;
        } else if (strcmp(word, "--") == 0) {
            only_names = 1;
        } else if (strcmp(word, "--special") == 0) {
            out->special = 1;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            out->help = 1;
        } else {
            return rk_fail(err, RK_E_USAGE,
                           "tokenize: unknown option '%s'; known are --special and --help", word);
        }
    }
    if (!out->model && !out->help)
        return rk_fail(err, RK_E_USAGE, "tokenize: MODEL is missing (redknot tokenize --help)");
    return RK_OK;
}

/* Whether the file starts with GGUF's magic, whatever it is called. */
static rk_status is_gguf(const char *path, int *yes, rk_error *err)
{
    char magic[4];
    FILE *f = fopen(path, "rb");
    if (!f)
        return rk_fail(err, RK_E_IO, "%s: cannot open: %s", path, strerror(errno));
    *yes = fread(magic, 1, sizeof magic, f) == sizeof magic && memcmp(magic, "GGUF", 4) == 0;
    fclose(f);
    return RK_OK;
}

static rk_status open_tokenizer(const char *model, rk_arena *arena, rk_tokenizer **out,
                                rk_error *err)
{
    struct stat info;
    int gguf = 0;
    if (stat(model, &info) != 0)
        return rk_fail(err, RK_E_IO, "%s: cannot open: %s", model, strerror(errno));
    if (S_ISDIR(info.st_mode)) {
        const char *path = rk_arena_printf(arena, err, "%s/tokenizer.json", model);
        return path ? rk_tokenizer_open_json(out, path, err) : RK_E_MEMORY;
    }
    RK_TRY(is_gguf(model, &gguf, err));
    if (!gguf)
        return rk_tokenizer_open_json(out, model, err);
    rk_gguf *file = NULL;
    RK_TRY(rk_gguf_open(&file, model, err));
    rk_status st = rk_tokenizer_open_gguf(out, file, err);
    rk_gguf_close(file);
    return st;
}

static rk_status read_all(FILE *in, char **text, size_t *n, rk_error *err)
{
    size_t capacity = 0;
    do {
        RK_TRY(rk_heap_grow((void **)text, &capacity, *n + 65536, 1, err));
        *n += fread(*text + *n, 1, 65536, in);
    } while (!feof(in) && !ferror(in));
    return ferror(in)
               ? rk_fail(err, RK_E_IO, "tokenize: cannot read standard input: %s", strerror(errno))
               : RK_OK;
}

static rk_status print_ids(const rk_ids *ids, rk_error *err)
{
    for (size_t i = 0; i < ids->n; i++)
        printf(i ? " %d" : "%d", ids->id[i]);
    putchar('\n');
    return fflush(stdout) || ferror(stdout)
               ? rk_fail(err, RK_E_IO, "tokenize: cannot write standard output: %s",
                         strerror(errno))
               : RK_OK;
}

static rk_status tokenize(const options *o, rk_error *err)
{
    rk_arena *arena = NULL;
    rk_tokenizer *t = NULL;
    rk_ids ids = {0};
    char *text = NULL;
    size_t n = 0;
    rk_status st = rk_arena_new(&arena, err);
    if (st == RK_OK)
        st = open_tokenizer(o->model, arena, &t, err);
    if (st == RK_OK)
        st = read_all(stdin, &text, &n, err);
    if (st == RK_OK)
        st = rk_tokenizer_encode(t, text, n, o->special ? RK_TOKENIZE_SPECIAL : 0, &ids, err);
    if (st == RK_OK)
        st = print_ids(&ids, err);
    free(text);
    rk_ids_free(&ids);
    rk_tokenizer_close(t);
    rk_arena_free(arena);
    return st;
}

rk_status rk_cmd_tokenize(int argc, char **argv, rk_error *err)
{
    options o = {0};
    RK_TRY(read_options(argc, argv, &o, err));
    if (!o.help)
        return tokenize(&o, err);
    fputs(usage, stdout);
    return RK_OK;
}
