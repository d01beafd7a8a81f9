/* spec_list.c - see spec_list.h. */
#include "spec_list.h"

#include <inttypes.h>
#include <string.h>

char *rk_spec_trim(const char *text, size_t n, rk_arena *arena, rk_error *err)
{
    while (n && (*text == ' ' || *text == '\t'))
        text++, n--;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    return rk_arena_text(arena, text, n, err);
}

rk_status rk_spec_value(const rk_option *row, const char *text, rk_arena *arena,
                        const char **canonical, rk_error *err)
{
    rk_option table[2] = {*row, {.name = NULL}};
    union {
        int64_t i;
        double f;
        const char *text;
        int32_t choice;
    } field = {0};
    table[0].offset = 0;
    RK_TRY(rk_options_set(table, &field, row->name, text, err));
    if (!canonical)
        return RK_OK;
    *canonical = rk_option_text(&table[0], &field, arena, err);
    return *canonical ? RK_OK : RK_E_MEMORY;
}

typedef struct list {
    const rk_option *row;
    rk_arena *arena;
    const char **value;
    int32_t n, most;
} list;

static rk_status add(list *l, const char *text, rk_error *err)
{
    const char *value;
    RK_TRY(rk_spec_value(l->row, text, l->arena, &value, err));
    for (int32_t i = 0; i < l->n; i++)
        if (!strcmp(l->value[i], value))
            return rk_fail(err, RK_E_USAGE, "%s: '%s' is listed twice", l->row->name, text);
    if (l->n == l->most)
        return rk_fail(err, RK_E_USAGE, "%s: more than %d values", l->row->name, l->most);
    l->value[l->n++] = value;
    return RK_OK;
}

/* "last*factor", "last+step" or "last" behind the two dots. */
static rk_status parse_range(const list *l, const char *first_text, const char *rest,
                             int64_t *first, int64_t *last, int64_t *by, char *how, rk_error *err)
{
    size_t n = strcspn(rest, "*+");
    char *last_text = rk_spec_trim(rest, n, l->arena, err);
    if (!last_text)
        return RK_E_MEMORY;
    *how = rest[n] ? rest[n] : '+';
    *by = 1;
    RK_TRY(rk_parse_int(first_text, l->row->name, first, err));
    RK_TRY(rk_parse_int(last_text, l->row->name, last, err));
    if (rest[n]) {
        char *by_text = rk_spec_trim(rest + n + 1, strlen(rest + n + 1), l->arena, err);
        if (!by_text)
            return RK_E_MEMORY;
        RK_TRY(rk_parse_int(by_text, l->row->name, by, err));
    }
    int grows = *how == '+' ? *by >= 1 : *by >= 2 && *first >= 1;
    if (!grows || *first > *last)
        return rk_fail(err, RK_E_USAGE, "%s: range '%s..%s' does not grow to its end", l->row->name,
                       first_text, rest);
    return RK_OK;
}

static rk_status add_range(list *l, const char *first_text, const char *rest, rk_error *err)
{
    int64_t v, last, by;
    char how;
    if (l->row->kind != RK_OPT_INT)
        return rk_fail(err, RK_E_USAGE, "%s: ranges are for whole numbers, got '%s..%s'",
                       l->row->name, first_text, rest);
    RK_TRY(parse_range(l, first_text, rest, &v, &last, &by, &how, err));
    while (v <= last) {
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, v);
        RK_TRY(add(l, text, err));
        int64_t next;
        if (how == '+' ? __builtin_add_overflow(v, by, &next)
                       : __builtin_mul_overflow(v, by, &next))
            break;
        v = next;
    }
    return RK_OK;
}

rk_status rk_spec_words(const char *text, const char *what, int32_t most, rk_arena *arena,
                        const char *const **out, int32_t *n, rk_error *err)
{
    *n = 0;
    *out = NULL;
    if (!text[strspn(text, " \t")])
        return RK_OK;
    const char **word = rk_arena_take(arena, (size_t)most, sizeof *word, err);
    if (!word)
        return RK_E_MEMORY;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (*n == most)
            return rk_fail(err, RK_E_USAGE, "%s: more than %d entries", what, most);
        word[*n] = rk_spec_trim(at, length, arena, err);
        if (!word[*n])
            return RK_E_MEMORY;
        if (!word[*n][0])
            return rk_fail(err, RK_E_USAGE, "%s: entry %d of the list is empty", what, *n + 1);
        ++*n;
        at += length;
        if (!*at)
            break;
    }
    *out = word;
    return RK_OK;
}

rk_status rk_spec_list(const rk_option *row, const char *text, int32_t most, rk_arena *arena,
                       const char *const **out, int32_t *n, rk_error *err)
{
    const char *const *word;
    int32_t words;
    list l = {.row = row, .arena = arena, .most = most};
    RK_TRY(rk_spec_words(text, row->name, most, arena, &word, &words, err));
    if (!words)
        return rk_fail(err, RK_E_USAGE, "%s: the list is empty", row->name);
    l.value = rk_arena_take(arena, (size_t)most, sizeof *l.value, err);
    if (!l.value)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < words; i++) {
        const char *dots = row->kind == RK_OPT_TEXT ? NULL : strstr(word[i], "..");
        if (!dots) {
            RK_TRY(add(&l, word[i], err));
            continue;
        }
        char *first = rk_spec_trim(word[i], (size_t)(dots - word[i]), arena, err);
        if (!first)
            return RK_E_MEMORY;
        RK_TRY(add_range(&l, first, dots + 2, err));
    }
    *out = l.value;
    *n = l.n;
    return RK_OK;
}
