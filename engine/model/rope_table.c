/* rope_table.c - see rope_table.h. */
#include "model/rope_table.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

rk_rope_spec rk_rope_spec_default(int32_t dim)
{
    return (rk_rope_spec){.kind = RK_ROPE_DEFAULT,
                          .dim = dim,
                          .theta = 10000, /* the default of all families' configs */
                          .factor = 1,
                          .beta_fast = 32,
                          .beta_slow = 1,
                          .truncate = 1};
}

/* Llama 3.1: long wavelengths are divided, short ones kept, a blend between. */
static double llama3(const rk_rope_spec *s, double freq)
{
    double wavelength = 2 * pi / freq;
    if (wavelength < s->original / s->high_freq)
        return freq;
    if (wavelength > s->original / s->low_freq)
        return freq / s->factor;
    double smooth = (s->original / wavelength - s->low_freq) / (s->high_freq - s->low_freq);
    return (1 - smooth) * freq / s->factor + smooth * freq;
}

/* The dim whose frequency turns `turns` times over the trained positions. */
static double yarn_dim(const rk_rope_spec *s, double turns)
{
    return s->dim * log(s->original / (turns * 2 * pi)) / (2 * log(s->theta));
}

static double yarn(const rk_rope_spec *s, double freq, int32_t i)
{
    double low = yarn_dim(s, s->beta_fast), high = yarn_dim(s, s->beta_slow);
    if (s->truncate) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, s->dim - 1);
    if (low == high)
        high += 0.001; /* transformers' guard of the division */
    double ramp = fmin(fmax((i - low) / (high - low), 0), 1);
    return freq / s->factor * ramp + freq * (1 - ramp);
}

static rk_status positive(double value, const char *name, const char *where, rk_error *err)
{
    if (!(value > 0) || !isfinite(value))
        return rk_fail(err, RK_E_FORMAT, "%s: rope %s: expected a finite number above 0, got %g",
                       where, name, value);
    return RK_OK;
}

static rk_status check(const rk_rope_spec *s, const char *where, rk_error *err)
{
    if (s->dim < 2 || s->dim % 2)
        return rk_fail(err, RK_E_FORMAT, "%s: rope dim: expected an even number, got %d", where,
                       s->dim);
    RK_TRY(positive(s->theta, "theta", where, err));
    if (s->kind == RK_ROPE_DEFAULT)
        return RK_OK;
    RK_TRY(positive(s->factor, "factor", where, err));
    if (s->kind == RK_ROPE_LINEAR)
        return RK_OK;
    RK_TRY(positive(s->original, "original_max_position_embeddings", where, err));
    if (s->kind == RK_ROPE_LLAMA3) {
        RK_TRY(positive(s->low_freq, "low_freq_factor", where, err));
        RK_TRY(
            positive(s->high_freq - s->low_freq, "high_freq_factor - low_freq_factor", where, err));
        return RK_OK;
    }
    RK_TRY(positive(s->theta - 1, "theta - 1", where, err)); /* its logarithm divides */
    RK_TRY(positive(s->beta_slow, "beta_slow", where, err));
    return positive(s->beta_fast, "beta_fast", where, err);
}

static double scaled(const rk_rope_spec *s, double freq, int32_t i)
{
    switch (s->kind) {
    case RK_ROPE_DEFAULT:
        return freq;
    case RK_ROPE_LINEAR:
        return freq / s->factor;
    case RK_ROPE_LLAMA3:
        return llama3(s, freq);
    case RK_ROPE_YARN:
        return yarn(s, freq, i);
    }
    return freq;
}

rk_status rk_rope_build(const rk_rope_spec *s, const char *where, rk_arena *arena, rk_rope *out,
                        rk_error *err)
{
    RK_TRY(check(s, where, err));
    float *table = rk_arena_take(arena, (size_t)s->dim / 2, sizeof *table, err);
    if (!table)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < s->dim / 2; i++) {
        double freq = scaled(s, pow(s->theta, -2.0 * i / s->dim), i);
        if (s->divisor)
            freq /= (double)s->divisor[i];
        RK_TRY(positive(freq, "frequency", where, err));
        table[i] = (float)freq;
    }
    double attention = 1;
    if (s->kind == RK_ROPE_YARN)
        attention = s->attention_factor > 0 ? s->attention_factor
                    : s->factor > 1         ? 0.1 * log(s->factor) + 1
                                            : 1;
    RK_TRY(positive(attention, "attention factor", where, err));
    *out = (rk_rope){.inv_freq = table, .rotary_dim = s->dim, .attention_factor = (float)attention};
    return RK_OK;
}
