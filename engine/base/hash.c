/* hash.c - XXH3 from xxHash, SHA-256 from libcrypto; see hash.h. */
#include "base/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

rk_hash128 rk_hash_bytes(const void *data, size_t n, uint64_t seed)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(data, n, seed);
    return (rk_hash128){.low = h.low64, .high = h.high64};
}

static void to_hex(const unsigned char digest[32], char hex[RK_SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[64] = '\0';
}

rk_status rk_sha256_bytes(const void *data, size_t n, char hex[RK_SHA256_HEX], rk_error *err)
{
    unsigned char digest[32];
    if (EVP_Digest(data, n, digest, NULL, EVP_sha256(), NULL) != 1)
        return rk_fail(err, RK_E_MEMORY, "SHA-256 of %zu bytes failed in libcrypto", n);
    to_hex(digest, hex);
    return RK_OK;
}

rk_status rk_sha256_file(const char *path, char hex[RK_SHA256_HEX], rk_error *err)
{
    rk_status st = RK_OK;
    FILE *f = fopen(path, "rb");
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned char buffer[1 << 16], digest[32];
    if (!f) {
        st = rk_fail(err, RK_E_IO, "%s: cannot open: %s", path, strerror(errno));
        goto done;
    }
    if (!ctx || EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) != 1) {
        st = rk_fail(err, RK_E_MEMORY, "%s: SHA-256 context failed in libcrypto", path);
        goto done;
    }
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        EVP_DigestUpdate(ctx, buffer, n);
    if (ferror(f)) {
        st = rk_fail(err, RK_E_IO, "%s: read failed: %s", path, strerror(errno));
        goto done;
    }
    EVP_DigestFinal_ex(ctx, digest, NULL);
    to_hex(digest, hex);
done:
    EVP_MD_CTX_free(ctx);
    if (f)
        fclose(f);
    return st;
}
