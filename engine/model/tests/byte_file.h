/* byte_file.h - small files built byte by byte, for tests of what reads them. */
#ifndef RK_TEST_BYTE_FILE_H
#define RK_TEST_BYTE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BYTE_FILE_MAX = 1 << 16 };

typedef struct bytes {
    uint8_t data[BYTE_FILE_MAX];
    size_t n;
} bytes;

static inline void put(bytes *b, const void *data, size_t n)
{
    assert_true(n <= sizeof b->data - b->n);
    memcpy(b->data + b->n, data, n);
    b->n += n;
}

/* `size` little-endian bytes of `v`. */
static inline void put_number(bytes *b, uint64_t v, int size)
{
    for (int i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)(v >> (8 * i));
        put(b, &byte, 1);
    }
}

static inline void put_float(bytes *b, float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    put_number(b, bits, 4);
}

/* GGUF's string: length, bytes. */
static inline void put_text(bytes *b, const char *text)
{
    put_number(b, strlen(text), 8);
    put(b, text, strlen(text));
}

static inline void write_bytes(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

#endif
