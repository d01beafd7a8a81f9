/* spec_claim.c - see spec_claim.h. */
#include "spec_claim.h"

#include <string.h>

#include "spec_list.h"

static const char form[] = "metric @ axis=value ... = value +- tolerance[%]  ; source";

/* The ';' that begins the source: at the start or behind a blank. */
static const char *source_mark(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == ';' && (c == text || c[-1] == ' ' || c[-1] == '\t'))
            return c;
    return text + strlen(text);
}

static const char *last_of(const char *from, const char *to, char wanted)
{
    for (const char *c = to; c > from; c--)
        if (c[-1] == wanted)
            return c - 1;
    return NULL;
}

static rk_status parse_condition(const char *word, size_t n, rk_arena *arena, rk_pair *out,
                                 rk_error *err)
{
    const char *equals = memchr(word, '=', n);
    if (!equals || equals == word || equals + 1 == word + n)
        return rk_fail(err, RK_E_USAGE, "claim: expected axis=value, got '%.*s'", (int)n, word);
    out->key = rk_arena_text(arena, word, (size_t)(equals - word), err);
    out->value = rk_arena_text(arena, equals + 1, (size_t)(word + n - equals - 1), err);
    return out->key && out->value ? RK_OK : RK_E_MEMORY;
}

static rk_status parse_conditions(const char *from, const char *to, rk_arena *arena,
                                  rk_spec_claim *out, rk_error *err)
{
    rk_pair *pair = rk_arena_take(arena, RK_AXES_MAX, sizeof *pair, err);
    if (!pair)
        return RK_E_MEMORY;
    while (from < to) {
        while (from < to && (*from == ' ' || *from == '\t'))
            from++;
        const char *end = from;
        while (end < to && *end != ' ' && *end != '\t')
            end++;
        if (end == from)
            break;
        if (out->wheres == RK_AXES_MAX)
            return rk_fail(err, RK_E_USAGE, "claim: more than %d conditions", RK_AXES_MAX);
        RK_TRY(parse_condition(from, (size_t)(end - from), arena, &pair[out->wheres], err));
        for (int32_t i = 0; i < out->wheres; i++)
            if (!strcmp(pair[i].key, pair[out->wheres].key))
                return rk_fail(err, RK_E_USAGE, "claim: axis '%s' is given twice", pair[i].key);
        out->wheres++;
        from = end;
    }
    out->where = pair;
    return RK_OK;
}

/* "3.5 +- 10 %" */
static rk_status parse_value(const char *from, const char *to, rk_arena *arena, rk_spec_claim *out,
                             rk_error *err)
{
    char *text = rk_spec_trim(from, (size_t)(to - from), arena, err);
    if (!text)
        return RK_E_MEMORY;
    const char *sign = strstr(text, "+-");
    if (!sign)
        return rk_fail(err, RK_E_USAGE, "claim: expected 'value +- tolerance', got '%s'", text);
    size_t n = strlen(sign + 2);
    out->relative = n && sign[2 + n - 1] == '%';
    char *value = rk_spec_trim(text, (size_t)(sign - text), arena, err);
    char *tolerance = rk_spec_trim(sign + 2, n - (size_t)out->relative, arena, err);
    if (!value || !tolerance)
        return RK_E_MEMORY;
    RK_TRY(rk_parse_float(value, "claim: value", &out->value, err));
    RK_TRY(rk_parse_float(tolerance, "claim: tolerance", &out->tolerance, err));
    if (out->tolerance < 0)
        return rk_fail(err, RK_E_USAGE, "claim: tolerance is %s; at least 0", tolerance);
    if (out->relative)
        out->tolerance /= 100;
    return RK_OK;
}

rk_status rk_spec_claim_parse(const char *text, rk_arena *arena, rk_spec_claim *out, rk_error *err)
{
    *out = (rk_spec_claim){.text = text};
    const char *end = source_mark(text);
    const char *at = memchr(text, '@', (size_t)(end - text));
    const char *equals = at ? last_of(at, end, '=') : NULL;
    if (!at || !equals)
        return rk_fail(err, RK_E_USAGE, "claim: expected '%s', got '%s'", form, text);
    out->metric = rk_spec_trim(text, (size_t)(at - text), arena, err);
    const char *source = *end ? end + 1 : end;
    out->source = rk_spec_trim(source, strlen(source), arena, err);
    if (!out->metric || !out->source)
        return RK_E_MEMORY;
    if (!out->metric[0] || strpbrk(out->metric, " \t="))
        return rk_fail(err, RK_E_USAGE, "claim: expected one metric before '@', got '%s'",
                       out->metric);
    RK_TRY(parse_conditions(at + 1, equals, arena, out, err));
    return parse_value(equals + 1, end, arena, out, err);
}
