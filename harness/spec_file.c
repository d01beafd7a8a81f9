/* spec_file.c - inih fed line by line from memory; see spec_file.h.
 *
 * The reader callback hands out one line a call, so that it knows line numbers
 * (the packaged inih passes none) and sees what inih would drop: the source
 * behind ';' in a claim, and names longer than inih keeps. */
#include "spec_file.h"

#include <ini.h>
#include <string.h>

/* inih keeps 49 bytes of a section name; longer ones would be cut silently. */
enum { SECTION_MAX = 48 };

typedef struct parser {
    const char *at, *end, *path;
    int32_t line;
    char raw[256]; /* the current line, without its newline */
    int continues; /* it begins with a blank */
    int in_claims; /* inside [claim], where ';' begins the source */
    rk_arena *arena;
    rk_spec_entries *out;
    rk_status status; /* the first failure; nothing is taken after it */
    rk_error *err;
} parser;

#define REFUSE(p, ...) ((p)->status = rk_fail((p)->err, RK_E_USAGE, __VA_ARGS__))

/* A comment begins at one of `marks` at the start of the line or behind a blank. */
static void cut_comment(char *line, const char *marks)
{
    for (char *c = line; *c; c++)
        if (strchr(marks, *c) && (c == line || c[-1] == ' ' || c[-1] == '\t')) {
            *c = '\0';
            return;
        }
}

static int check_line(parser *p, size_t n, size_t room)
{
    if (n + 3 > room || n >= sizeof p->raw)
        return REFUSE(p,
                      "%s:%d: line of %zu bytes; at most %zu (continue it on a line that "
                      "begins with a blank)",
                      p->path, p->line, n, room - 3);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p->raw[i] < ' ' && p->raw[i] != '\t')
            return REFUSE(p, "%s:%d: control byte 0x%02x", p->path, p->line,
                          (unsigned char)p->raw[i]);
    const char *close = strchr(p->raw, ']');
    if (p->raw[0] == '[' && close && close - p->raw - 1 > SECTION_MAX)
        return REFUSE(p, "%s:%d: section name of %d bytes; at most %d", p->path, p->line,
                      (int)(close - p->raw - 1), SECTION_MAX);
    return RK_OK;
}

static rk_status append(parser *p, const char *section, const char *key, const char *value)
{
    if (p->out->n == RK_SPEC_ENTRIES_MAX)
        return REFUSE(p, "%s:%d: more than %d settings", p->path, p->line, RK_SPEC_ENTRIES_MAX);
    rk_spec_entry *e = &p->out->entry[p->out->n];
    e->section = rk_arena_text(p->arena, section, strlen(section), p->err);
    e->key = rk_arena_text(p->arena, key, strlen(key), p->err);
    e->value = rk_arena_text(p->arena, value, strlen(value), p->err);
    e->line = p->line;
    if (!e->section || !e->key || !e->value)
        return p->status = RK_E_MEMORY;
    p->out->n++;
    return RK_OK;
}

/* A section counts even when nothing stands in it. */
static void open_section(parser *p)
{
    char name[SECTION_MAX + 1];
    size_t n = strcspn(p->raw + 1, "]");
    if (p->raw[1 + n] != ']' || n > SECTION_MAX) {
        REFUSE(p, "%s:%d: section without ']'", p->path, p->line);
        return;
    }
    memcpy(name, p->raw + 1, n);
    name[n] = '\0';
    p->in_claims = !strcmp(name, "claim");
    append(p, name, "", "");
}

/* ini_reader: one line, without its newline. */
static char *next_line(char *to, int room, void *self)
{
    parser *p = self;
    if (p->at >= p->end || p->status != RK_OK)
        return NULL;
    const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
    size_t n = (size_t)((newline ? newline : p->end) - p->at);
    size_t kept = n && p->at[n - 1] == '\r' ? n - 1 : n;
    p->line++;
    if (kept < sizeof p->raw) {
        memcpy(p->raw, p->at, kept);
        p->raw[kept] = '\0';
    }
    p->at += newline ? n + 1 : n;
    if (check_line(p, kept, (size_t)room) != RK_OK)
        return NULL;
    if (p->raw[0] == '[')
        open_section(p);
    cut_comment(p->raw, p->in_claims ? "#" : "#;");
    p->continues = p->raw[0] == ' ' || p->raw[0] == '\t';
    return strcpy(to, p->raw);
}

static rk_spec_entry *find(rk_spec_entries *e, const char *section, const char *key)
{
    for (int32_t i = 0; i < e->n; i++)
        if (!strcmp(e->entry[i].section, section) && !strcmp(e->entry[i].key, key))
            return &e->entry[i];
    return NULL;
}

/* The line goes on with the value of the entry before it. */
static rk_status continue_value(parser *p, const char *value, const char *separator)
{
    rk_spec_entry *last = &p->out->entry[p->out->n - 1];
    size_t n = strlen(last->value);
    const char *glue = n && last->value[n - 1] == ',' ? " " : separator;
    last->value = rk_arena_printf(p->arena, p->err, "%s%s%s", last->value, glue, value);
    if (!last->value)
        p->status = RK_E_MEMORY;
    else if (strlen(last->value) > 64 * 1024)
        REFUSE(p, "%s:%d: value longer than 64 KiB", p->path, p->line);
    return p->status;
}

static rk_status take(parser *p, const char *section, const char *key, const char *value)
{
    const rk_spec_entry *last = p->out->n ? &p->out->entry[p->out->n - 1] : NULL;
    int continues = p->continues && last && !rk_spec_entry_is_marker(last);
    if (!section[0])
        return REFUSE(p, "%s:%d: '%s' stands before the first [section]", p->path, p->line, key);
    if (!strcmp(section, "claim")) {
        const char *text = p->raw + strspn(p->raw, " \t");
        return continues ? continue_value(p, text, " ") : append(p, section, "", text);
    }
    if (continues)
        return continue_value(p, value, ", ");
    if (!key[0])
        return REFUSE(p, "%s:%d: no name before '='", p->path, p->line);
    const rk_spec_entry *twice = find(p->out, section, key);
    if (twice)
        return REFUSE(p, "%s:%d: '%s' in [%s] is given twice (first on line %d)", p->path, p->line,
                      key, section, twice->line);
    return append(p, section, key, value);
}

static int on_entry(void *self, const char *section, const char *key, const char *value)
{
    parser *p = self;
    if (p->status == RK_OK)
        take(p, section, key, value ? value : "");
    return p->status == RK_OK;
}

rk_status rk_spec_file_parse(const char *text, size_t n, const char *path, rk_arena *arena,
                             rk_spec_entries *out, rk_error *err)
{
    parser p = {.at = text, .end = text + n, .path = path, .arena = arena, .out = out, .err = err};
    out->n = 0;
    /* Room for what the command line may add. */
    out->entry = rk_arena_take(arena, RK_SPEC_ENTRIES_MAX + 256, sizeof *out->entry, err);
    if (!out->entry)
        return RK_E_MEMORY;
    int bad = ini_parse_stream(next_line, &p, on_entry, &p);
    if (p.status != RK_OK)
        return p.status;
    if (bad != 0)
        return rk_fail(err, RK_E_USAGE, "%s:%d: expected [section], key = value or a comment", path,
                       bad);
    return RK_OK;
}

int rk_spec_entry_is_marker(const rk_spec_entry *e)
{
    return !e->key[0] && !e->value[0];
}

rk_status rk_spec_entries_set(rk_spec_entries *e, const char *section, const char *key,
                              const char *value, int32_t line, rk_error *err)
{
    rk_spec_entry *old = find(e, section, key);
    if (!old && e->n >= RK_SPEC_ENTRIES_MAX + 256)
        return rk_fail(err, RK_E_USAGE, "more than %d settings", RK_SPEC_ENTRIES_MAX + 256);
    if (!old)
        old = &e->entry[e->n++];
    *old = (rk_spec_entry){.section = section, .key = key, .value = value, .line = line};
    return RK_OK;
}
