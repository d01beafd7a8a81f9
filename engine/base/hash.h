/* hash.h - content identities.
 *
 * rk_hash128 (XXH3) keys chunks in memory, where a hit also compares the ids;
 * rk_sha256 names files, specs and database rows. */
#ifndef RK_BASE_HASH_H
#define RK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

RK_C_BEGIN

typedef struct rk_hash128 {
    uint64_t low, high;
} rk_hash128;

rk_hash128 rk_hash_bytes(const void *data, size_t n, uint64_t seed);

enum { RK_SHA256_HEX = 65 }; /* 64 digits and the NUL */

rk_status rk_sha256_bytes(const void *data, size_t n, char hex[RK_SHA256_HEX], rk_error *err);
/* RK_E_IO names the path when it cannot be read. */
rk_status rk_sha256_file(const char *path, char hex[RK_SHA256_HEX], rk_error *err);

RK_C_END

#endif
