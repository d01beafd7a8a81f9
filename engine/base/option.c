/* option.c - see option.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/option.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LETTERS = 64 };

rk_status rk_parse_int(const char *text, const char *what, int64_t *out, rk_error *err)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || errno == ERANGE)
        goto bad;
    int64_t scale = 1;
    if (*end == 'K' || *end == 'k')
        scale = 1024, end++;
    else if (*end == 'M' || *end == 'm')
        scale = 1024 * 1024, end++;
    int64_t scaled;
    if (*end || __builtin_mul_overflow((int64_t)v, scale, &scaled))
        goto bad;
    *out = scaled;
    return RK_OK;
bad:
    return rk_fail(err, RK_E_USAGE, "%s: expected a whole number (K and M allowed), got '%s'", what,
                   text);
}

rk_status rk_parse_float(const char *text, const char *what, double *out, rk_error *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v))
        return rk_fail(err, RK_E_USAGE, "%s: expected a number, got '%s'", what, text);
    *out = v;
    return RK_OK;
}

static rk_status parse_bool(const char *text, const char *what, int32_t *out, rk_error *err)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < 4; i++) {
        if (!strcmp(text, yes[i]))
            return *out = 1, RK_OK;
        if (!strcmp(text, no[i]))
            return *out = 0, RK_OK;
    }
    return rk_fail(err, RK_E_USAGE, "%s: expected true or false, got '%s'", what, text);
}

static rk_status parse_choice(const rk_option *row, const char *text, int32_t *out, rk_error *err)
{
    size_t n = strlen(text);
    int32_t index = 0;
    for (const char *c = row->choices; c; index++) {
        const char *bar = strchr(c, '|');
        size_t length = bar ? (size_t)(bar - c) : strlen(c);
        if (length == n && !memcmp(c, text, n))
            return *out = index, RK_OK;
        c = bar ? bar + 1 : NULL;
    }
    return rk_fail(err, RK_E_USAGE, "%s: expected one of %s, got '%s'", row->name, row->choices,
                   text);
}

static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[NAME_MAX_LETTERS + 1];
    if (n > NAME_MAX_LETTERS || m > NAME_MAX_LETTERS)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

const char *rk_nearest_name(const char *name, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t limit = strlen(name) / 3 + 1, best_distance = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t d = edit_distance(name, names[i]);
        if (d < best_distance && d <= limit)
            best = names[i], best_distance = d;
    }
    return best;
}

const rk_option *rk_option_find(const rk_option *table, const char *name)
{
    for (const rk_option *row = table; row && row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}

static rk_status unknown_option(const rk_option *table, const char *name, rk_error *err)
{
    const char *names[64];
    size_t n = 0;
    for (const rk_option *row = table; row && row->name && n < 64; row++)
        names[n++] = row->name;
    const char *near = rk_nearest_name(name, names, n);
    return rk_fail(err, RK_E_USAGE, "unknown option '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

rk_status rk_options_set(const rk_option *table, void *config, const char *name, const char *value,
                         rk_error *err)
{
    const rk_option *row = rk_option_find(table, name);
    if (!row)
        return unknown_option(table, name, err);
    void *field = (char *)config + row->offset;
    int64_t i = 0;
    double f = 0;
    switch (row->kind) {
    case RK_OPT_BOOL:
        return parse_bool(value, name, field, err);
    case RK_OPT_CHOICE:
        return parse_choice(row, value, field, err);
    case RK_OPT_TEXT:
        *(const char **)field = value;
        return RK_OK;
    case RK_OPT_INT:
        RK_TRY(rk_parse_int(value, name, &i, err));
        f = (double)i;
        break;
    case RK_OPT_FLOAT:
        RK_TRY(rk_parse_float(value, name, &f, err));
        break;
    }
    if (f < row->low || f > row->high)
        return rk_fail(err, RK_E_USAGE, "%s: expected %.15g to %.15g %s, got '%s'", name, row->low,
                       row->high, row->unit, value);
    if (row->kind == RK_OPT_INT)
        *(int64_t *)field = i;
    else
        *(double *)field = f;
    return RK_OK;
}

rk_status rk_options_default(const rk_option *table, void *config, rk_error *err)
{
    for (const rk_option *row = table; row && row->name; row++)
        RK_TRY(rk_options_set(table, config, row->name, row->fallback, err));
    return RK_OK;
}

/* The shorter of 15 and 17 digits that reads back as the same number. */
static char *float_text(double value, rk_arena *arena, rk_error *err)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    return rk_arena_printf(arena, err, "%s", text);
}

char *rk_option_text(const rk_option *row, const void *config, rk_arena *arena, rk_error *err)
{
    const void *field = (const char *)config + row->offset;
    const char *choice = row->choices;
    switch (row->kind) {
    case RK_OPT_BOOL:
        return rk_arena_printf(arena, err, "%s", *(const int32_t *)field ? "true" : "false");
    case RK_OPT_INT:
        return rk_arena_printf(arena, err, "%" PRId64, *(const int64_t *)field);
    case RK_OPT_FLOAT:
        return float_text(*(const double *)field, arena, err);
    case RK_OPT_TEXT:
        return rk_arena_printf(arena, err, "%s", *(const char *const *)field);
    case RK_OPT_CHOICE:
        for (int32_t i = *(const int32_t *)field; i > 0; i--)
            choice = strchr(choice, '|') + 1;
        return rk_arena_text(arena, choice, strcspn(choice, "|"), err);
    }
    return NULL;
}

void rk_options_help(const rk_option *table, const char *prefix, FILE *out)
{
    for (const rk_option *row = table; row && row->name; row++) {
        char range[160] = "";
        if (row->kind == RK_OPT_CHOICE)
            snprintf(range, sizeof range, " %s", row->choices);
        else if (row->kind == RK_OPT_INT || row->kind == RK_OPT_FLOAT)
            snprintf(range, sizeof range, " %.9g..%.9g", row->low, row->high);
        fprintf(out, "  %s%s =%s%s%s  (default: %s)\n      %s\n", prefix, row->name, range,
                row->unit[0] ? " " : "", row->unit, row->fallback[0] ? row->fallback : "none",
                row->help);
    }
}
