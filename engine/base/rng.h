/* rng.h - a seeded generator with one independent stream a purpose.
 *
 * xoshiro256** (Blackman, Vigna, "Scrambled linear pseudorandom number
 * generators", 2018), seeded by splitmix64. The same (seed, purpose) gives the
 * same numbers on every machine, so data sets and shuffles are reproducible. */
#ifndef RK_BASE_RNG_H
#define RK_BASE_RNG_H

#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

typedef struct rk_rng {
    uint64_t s[4];
} rk_rng;

/* `purpose` names the stream ("order", "gold"); changing one leaves others. */
void rk_rng_init(rk_rng *r, uint64_t seed, const char *purpose);
uint64_t rk_rng_u64(rk_rng *r);
uint64_t rk_rng_below(rk_rng *r, uint64_t n); /* uniform in [0, n), n >= 1, unbiased */
double rk_rng_unit(rk_rng *r);                /* uniform in [0, 1) */
double rk_rng_normal(rk_rng *r);              /* mean 0, variance 1 */
void rk_rng_shuffle(rk_rng *r, int32_t *values, int32_t n);

RK_C_END

#endif
