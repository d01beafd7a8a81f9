/* byte_alphabet.h - the printable alphabet of byte-level vocabularies.
 *
 * Files write each byte as one character: 33-126, 161-172 and 174-255 stand for
 * themselves, the other 68 bytes in increasing order are U+0100, U+0101, ...
 * (GPT-2's bytes_to_unicode). Inside, tokens are the bytes themselves. */
#ifndef RK_MODEL_BYTE_ALPHABET_H
#define RK_MODEL_BYTE_ALPHABET_H

#include <stddef.h>
#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

uint32_t rk_byte_alphabet_code(unsigned char byte);
int32_t rk_byte_alphabet_byte(uint32_t code); /* -1: not in the alphabet */

/* Writes the bytes that `n` bytes of UTF-8 stand for into `out` (room for `n`)
 * and returns their number; -1 when a character is not of the alphabet. */
int64_t rk_byte_alphabet_read(const char *text, size_t n, char *out);

RK_C_END

#endif
