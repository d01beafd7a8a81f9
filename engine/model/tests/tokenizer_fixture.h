/* tokenizer_fixture.h - the committed tokenizers and texts, for tests. */
#ifndef RK_TOKENIZER_FIXTURE_H
#define RK_TOKENIZER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/json.h"
#include "model/gguf.h"
#include "model/tokenizer.h"
#include "model/utf8.h"

#define FIXTURES RK_TEST_DATA "/fixtures/tokenizers/"

static inline json_t *fixture_json(const char *name)
{
    char path[512];
    json_t *out = NULL;
    rk_error err = {0};
    snprintf(path, sizeof path, FIXTURES "%s", name);
    if (rk_json_load(path, 16 << 20, &out, &err) != RK_OK)
        fail_msg("%s", err.text);
    return out;
}

/* NAME.json or NAME.gguf */
static inline rk_tokenizer *fixture_open(const char *name)
{
    char path[512];
    rk_tokenizer *t = NULL;
    rk_gguf *file = NULL;
    rk_error err = {0};
    rk_status st;
    snprintf(path, sizeof path, FIXTURES "%s", name);
    if (strstr(name, ".gguf")) {
        st = rk_gguf_open(&file, path, &err);
        if (st == RK_OK)
            st = rk_tokenizer_open_gguf(&t, file, &err);
        rk_gguf_close(file);
    } else {
        st = rk_tokenizer_open_json(&t, path, &err);
    }
    if (st != RK_OK)
        fail_msg("%s: %s", name, err.text);
    return t;
}

/* The bytes of a corpus entry: text or hex, repeated. */
static inline void fixture_text(const json_t *entry, rk_text *out)
{
    const json_t *text = json_object_get(entry, "text"), *hex = json_object_get(entry, "hex");
    json_int_t repeat = json_integer_value(json_object_get(entry, "repeat"));
    rk_text one = {0};
    assert_true(text || hex);
    if (text) {
        rk_text_add(&one, json_string_value(text), json_string_length(text), NULL);
    } else {
        for (size_t i = 0; i + 1 < json_string_length(hex); i += 2) {
            unsigned byte;
            assert_int_equal(sscanf(json_string_value(hex) + i, "%2x", &byte), 1);
            rk_text_add(&one, (const char[]){(char)byte}, 1, NULL);
        }
    }
    out->n = 0;
    for (json_int_t i = 0; i < (repeat ? repeat : 1); i++)
        assert_int_equal(rk_text_add(out, one.n ? one.bytes : "", one.n, NULL), RK_OK);
    rk_text_free(&one);
}

/* An array of ids, or {"n", "sha256"} of them as little-endian int32. */
static inline int fixture_same(const json_t *want, const rk_ids *got)
{
    char hex[RK_SHA256_HEX];
    if (json_is_object(want)) {
        rk_sha256_bytes(got->id, got->n * sizeof *got->id, hex, NULL);
        return (size_t)json_integer_value(json_object_get(want, "n")) == got->n &&
               strcmp(hex, json_string_value(json_object_get(want, "sha256"))) == 0;
    }
    if (json_array_size(want) != got->n)
        return 0;
    for (size_t i = 0; i < got->n; i++) {
        if (json_integer_value(json_array_get(want, i)) != got->id[i])
            return 0;
    }
    return 1;
}

#endif
