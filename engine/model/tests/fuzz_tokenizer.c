/* fuzz_tokenizer.c - libFuzzer entry of the tokenizer. The first byte of an input
 * says what the rest is: a tokenizer.json, a GGUF file, or text that one of the
 * committed tokenizers encodes and decodes.
 *
 * Seeds: the files of data/fixtures/tokenizers, each with its byte in front. */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_info.h"
#include "model/gguf.h"
#include "model/tokenizer_parts.h"

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { FILES = 8 };
static const char *const files[FILES] = {"smollm",     "qwen2",         "llama3",    "mistral",
                                         "spm_always", "spm_unk_fused", "odd_marks", "odd_empty"};

static rk_tokenizer *committed(size_t i)
{
    static rk_tokenizer *opened[FILES]; /* a fuzz target lives as long as its process */
    char path[1024];
    rk_error err = {0};
    if (opened[i])
        return opened[i];
    snprintf(path, sizeof path, RK_SOURCE_DIR "/data/fixtures/tokenizers/%s.json", files[i]);
    if (rk_tokenizer_open_json(&opened[i], path, &err) != RK_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return opened[i];
}

/* Ids are in range; every way to decode them works; growing prefixes agree. */
static void encode_and_decode(const rk_tokenizer *t, const char *text, size_t n, uint32_t flags)
{
    rk_ids ids = {0};
    rk_error err = {0};
    char *out = NULL, *part = NULL;
    size_t bytes, part_bytes;
    rk_status st = rk_tokenizer_encode(t, text, n, flags, &ids, &err);
    /* A splitting expression of a fuzzed file may backtrack beyond the limit. */
    MUST(st == RK_OK || st == RK_E_BUDGET);
    for (size_t i = 0; i < ids.n; i++)
        MUST(ids.id[i] >= 0 && ids.id[i] < rk_tokenizer_size(t));
    if (st == RK_OK) {
        MUST(rk_tokenizer_decode(t, ids.id, ids.n, flags, &out, &bytes, &err) == RK_OK);
        MUST(rk_tokenizer_decode(t, ids.id, ids.n / 2, flags, &part, &part_bytes, &err) == RK_OK);
        MUST(part_bytes <= bytes && memcmp(part, out, part_bytes) == 0);
    }
    free(out);
    free(part);
    rk_ids_free(&ids);
}

/* llama3's file has a token for every byte and changes no text. */
static void text_comes_back(const char *text, size_t n)
{
    const rk_tokenizer *t = committed(2);
    rk_ids ids = {0};
    rk_text room = {0};
    rk_error err = {0};
    char *out = NULL;
    size_t bytes;
    MUST(rk_utf8_repair(&text, &n, &room, &err) == RK_OK);
    MUST(rk_tokenizer_encode(t, text, n, 0, &ids, &err) == RK_OK);
    MUST(rk_tokenizer_decode(t, ids.id, ids.n, 0, &out, &bytes, &err) == RK_OK);
    MUST(bytes == n && (n == 0 || memcmp(out, text, n) == 0));
    free(out);
    rk_ids_free(&ids);
    rk_text_free(&room);
}

static void use(rk_tokenizer *t, rk_status st, const rk_error *err)
{
    static const char text[] =
        "The river's 12 \xe6\xa1\xa5 e\xcc\x81\n\n  <s>[INST] x<|im_end|>\xff";
    MUST((st == RK_OK) == (t != NULL));
    MUST(st == RK_OK || err->text[0]);
    if (t) {
        encode_and_decode(t, text, sizeof text - 1, 0);
        encode_and_decode(t, text, sizeof text - 1, RK_TOKENIZE_SPECIAL | RK_TOKENIZE_INNER);
        MUST(rk_tokenizer_find(t, "<s>") < rk_tokenizer_size(t));
    }
    rk_tokenizer_close(t);
}

static void read_json(const char *text, size_t n)
{
    rk_tokenizer *t = NULL;
    rk_error err = {0};
    rk_status st = rk_tokenizer_parse_json(&t, text, n, "fuzz", &err);
    use(t, st, &err);
}

static void read_gguf(const char *bytes, size_t n)
{
    char path[64];
    rk_tokenizer *t = NULL;
    rk_gguf *file = NULL;
    rk_error err = {0};
    int fd = memfd_create("fuzz", 0);
    MUST(fd >= 0);
    MUST(write(fd, bytes, n) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    rk_status st = rk_gguf_open(&file, path, &err);
    if (st == RK_OK)
        st = rk_tokenizer_open_gguf(&t, file, &err);
    use(t, st, &err);
    rk_gguf_close(file);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *rest = (const char *)data + 1;
    if (n == 0)
        return 0;
    if (data[0] == 'j') {
        read_json(rest, n - 1);
    } else if (data[0] == 'g') {
        read_gguf(rest, n - 1);
    } else {
        encode_and_decode(committed(data[0] % FILES), rest, n - 1, data[0] / FILES % 4);
        text_comes_back(rest, n - 1);
    }
    return 0;
}
