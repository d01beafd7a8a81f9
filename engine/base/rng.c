/* rng.c - see rng.h. */
#include "base/rng.h"

#include <math.h>

static uint64_t splitmix64(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void rk_rng_init(rk_rng *r, uint64_t seed, const char *purpose)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a of the purpose */
    for (const char *c = purpose; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    uint64_t x = seed ^ h;
    for (int i = 0; i < 4; i++)
        r->s[i] = splitmix64(&x);
}

uint64_t rk_rng_u64(rk_rng *r)
{
    uint64_t *s = r->s, out = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return out;
}

uint64_t rk_rng_below(rk_rng *r, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;
    do
        x = rk_rng_u64(r);
    while (x >= limit);
    return x % n;
}

double rk_rng_unit(rk_rng *r)
{
    return (double)(rk_rng_u64(r) >> 11) * 0x1p-53;
}

double rk_rng_normal(rk_rng *r)
{
    double u = 1.0 - rk_rng_unit(r), v = rk_rng_unit(r);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void rk_rng_shuffle(rk_rng *r, int32_t *values, int32_t n)
{
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = (int32_t)rk_rng_below(r, (uint64_t)i + 1), t = values[i];
        values[i] = values[j];
        values[j] = t;
    }
}
