/* cmd_data.c - see cmd_data.h. */
#include "cmd_data.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "build_info.h"
#include "manifest.h"
#include "prompt.h"
#include "readers/reader.h"

enum { SETTINGS_MAX = 32 };

/* The command line of every sub-command; each uses its part. */
typedef struct data_args {
    const char *data, *model, *manifest;
    int64_t context, n, first, seed, items;
    const char *setting[SETTINGS_MAX]; /* "key=value" */
    int settings, help;
    const char *word[4]; /* sub-command and its operands */
    int words;
} data_args;

#define COUNT_MAX 9007199254740992.0 /* whole numbers that a double holds exactly */

static const rk_option table[] = {
    {"data", RK_OPT_TEXT, offsetof(data_args, data), "", 0, 0, "",
     "File or directory of the data set; generators need none.", NULL},
    {"model", RK_OPT_TEXT, offsetof(data_args, model), "", 0, 0, "",
     "Model whose tokenizer counts tokens; needed with --context.", NULL},
    {"context", RK_OPT_INT, offsetof(data_args, context), "0", 0, 1 << 24, "tokens",
     "Fill contexts to this length; 0: as they are.", NULL},
    {"n", RK_OPT_INT, offsetof(data_args, n), "1", 1, COUNT_MAX, "contexts",
     "make: how many contexts.", NULL},
    {"first", RK_OPT_INT, offsetof(data_args, first), "0", 0, COUNT_MAX, "",
     "make: index of the first one.", NULL},
    {"seed", RK_OPT_INT, offsetof(data_args, seed), "1", 0, COUNT_MAX, "",
     "Seed of order, distractors and generators.", NULL},
    {"items", RK_OPT_INT, offsetof(data_args, items), "0", 0, 1000, "questions",
     "Generators: questions a context; 0: the reader's default.", NULL},
    {"manifest", RK_OPT_TEXT, offsetof(data_args, manifest), RK_SOURCE_DIR "/data/manifest.csv", 0,
     0, "", "list, verify: the table of known files.", NULL},
    {0}};

static void print_help(void)
{
    puts("usage: redknot data list [--manifest FILE]\n"
         "       redknot data make NAME [options] [--set key=value]...\n"
         "       redknot data show NAME INDEX [options] [--set key=value]...\n"
         "       redknot data verify DIR [--manifest FILE]\n"
         "\n"
         "list    readers with their options, and the files of the manifest\n"
         "make    contexts as JSON lines\n"
         "show    one context as text\n"
         "verify  hashes of the manifest's files under DIR\n");
    rk_options_help(table, "--", stdout);
    puts("  --set key=value\n      An option of the reader, as `list` shows them.");
}

static rk_status take_option(data_args *a, const char *name, const char *value, rk_error *err)
{
    if (strcmp(name, "set"))
        return rk_options_set(table, a, name, value, err);
    if (!strchr(value, '='))
        return rk_fail(err, RK_E_USAGE, "data: --set: expected key=value, got '%s'", value);
    if (a->settings == SETTINGS_MAX)
        return rk_fail(err, RK_E_USAGE, "data: expected at most %d --set", SETTINGS_MAX);
    a->setting[a->settings++] = value;
    return RK_OK;
}

static rk_status parse_args(int argc, char **argv, data_args *a, rk_error *err)
{
    *a = (data_args){0};
    RK_TRY(rk_options_default(table, a, err));
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            a->help = 1;
            return RK_OK;
        }
        if (strncmp(argv[i], "--", 2)) {
            if (a->words == 4)
                return rk_fail(err, RK_E_USAGE, "data: unexpected argument '%s'", argv[i]);
            a->word[a->words++] = argv[i];
            continue;
        }
        const char *equals = strchr(argv[i], '='), *value = equals ? equals + 1 : argv[i + 1];
        char name[32];
        snprintf(name, sizeof name, "%.*s",
                 (int)(equals ? equals - argv[i] - 2 : (ptrdiff_t)strlen(argv[i]) - 2),
                 argv[i] + 2);
        if (!value)
            return rk_fail(err, RK_E_USAGE, "data: %s needs a value", argv[i]);
        RK_TRY(take_option(a, name, value, err));
        i += !equals;
    }
    return RK_OK;
}

static rk_status list(const data_args *a, rk_arena *arena, rk_error *err)
{
    rk_manifest_row *row;
    int32_t rows;
    RK_TRY(rk_manifest_read(a->manifest, arena, &row, &rows, err));
    puts("readers");
    for (int32_t i = 0; i < rk_readers_count; i++) {
        const rk_reader_ops *r = rk_readers[i];
        printf("%s (%s, licence %s)\n  %s: %s\n  scorer %s, at most %d new tokens\n", r->name,
               r->origin, r->licence, r->title, r->source, r->scorer, (int)r->max_new_tokens);
        rk_options_help(r->options, "--set ", stdout);
    }
    puts("\nfiles");
    for (int32_t i = 0; i < rows; i++)
        printf("%s (%s, licence %s)\n  %s\n  %" PRId64 " bytes, sha256 %.16s...\n", row[i].name,
               row[i].kind, row[i].licence, row[i].source, row[i].bytes, row[i].sha256);
    return RK_OK;
}

static rk_status verify(const data_args *a, rk_arena *arena, rk_error *err)
{
    static const char *const words[] = {"absent ", "ok     ", "differs"};
    rk_manifest_row *row;
    int32_t rows, found = 0, differ = 0;
    if (a->words != 2)
        return rk_fail(err, RK_E_USAGE, "data verify: expected one DIR, got %d", a->words - 1);
    RK_TRY(rk_manifest_read(a->manifest, arena, &row, &rows, err));
    for (int32_t i = 0; i < rows; i++) {
        rk_manifest_state state;
        char got[RK_SHA256_HEX];
        RK_TRY(rk_manifest_check(&row[i], a->word[1], arena, &state, got, err));
        printf("%s %s%s%s\n", words[state], row[i].name,
               state == RK_MANIFEST_DIFFERS ? " sha256 " : "",
               state == RK_MANIFEST_DIFFERS ? got : "");
        found += state != RK_MANIFEST_ABSENT;
        differ += state == RK_MANIFEST_DIFFERS;
    }
    if (differ)
        return rk_fail(err, RK_E_FORMAT, "%s: %d of %d files differ from the manifest", a->word[1],
                       (int)differ, (int)found);
    if (!found)
        return rk_fail(err, RK_E_IO, "%s: holds none of the manifest's files", a->word[1]);
    return RK_OK;
}

static const rk_reader_ops *find_reader(const char *name, rk_error *err)
{
    const char *names[64];
    size_t n = 0;
    for (int32_t i = 0; i < rk_readers_count; i++) {
        if (!strcmp(rk_readers[i]->name, name))
            return rk_readers[i];
        if (n < 64)
            names[n++] = rk_readers[i]->name;
    }
    const char *near = rk_nearest_name(name, names, n);
    rk_fail(err, RK_E_USAGE, "no reader '%s'%s%s%s (redknot data list)", name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

/* What `make` and `show` hold open. */
typedef struct session {
    rk_model *model;
    rk_token_counter counter;
    rk_reader reader;
} session;

static rk_status set_options(const data_args *a, const rk_reader_ops *ops, rk_arena *arena,
                             const void **out, rk_error *err)
{
    void *config = rk_arena_take(arena, 1, ops->config_size, err);
    if (!config)
        return RK_E_MEMORY;
    RK_TRY(rk_options_default(ops->options, config, err));
    for (int i = 0; i < a->settings; i++) {
        const char *equals = strchr(a->setting[i], '=');
        const char *key =
            rk_arena_text(arena, a->setting[i], (size_t)(equals - a->setting[i]), err);
        if (!key)
            return RK_E_MEMORY;
        RK_TRY(rk_options_set(ops->options, config, key, equals + 1, err));
    }
    *out = config;
    return RK_OK;
}

static rk_status open_session(const data_args *a, rk_arena *arena, session *s, rk_error *err)
{
    const rk_reader_ops *ops = find_reader(a->word[1], err);
    if (!ops)
        return RK_E_USAGE;
    if (a->context && !*a->model)
        return rk_fail(err, RK_E_USAGE, "data: --context needs --model, whose tokens are counted");
    s->reader.ops = ops;
    s->reader.config = (rk_reader_config){.path = *a->data ? a->data : NULL,
                                          .seed = (uint64_t)a->seed,
                                          .target_tokens = a->context,
                                          .items_per_context = (int32_t)a->items};
    RK_TRY(set_options(a, ops, arena, &s->reader.config.options, err));
    if (*a->model) {
        RK_TRY(rk_model_open(&s->model, a->model, err));
        s->counter = rk_prompt_counter(s->model);
        s->reader.config.counter = &s->counter;
    }
    return ops->open(&s->reader, err);
}

static void close_session(session *s)
{
    if (s->reader.ops)
        s->reader.ops->close(&s->reader);
    rk_model_close(s->model);
}

static rk_status count_context(const session *s, const rk_context *c, int64_t *tokens,
                               rk_error *err)
{
    *tokens = -1;
    if (!s->model)
        return RK_OK;
    *tokens = 0;
    for (int32_t i = 0; i < c->passages; i++) {
        int64_t one;
        RK_TRY(s->counter.count(s->counter.self, c->passage[i].text, strlen(c->passage[i].text),
                                &one, err));
        *tokens += one;
    }
    return RK_OK;
}

static json_t *context_json(const rk_context *c, int64_t tokens)
{
    json_t *passages = json_array(), *items = json_array();
    for (int32_t i = 0; i < c->passages; i++)
        json_array_append_new(passages,
                              json_pack("{s:s?, s:s, s:b}", "title", c->passage[i].title, "text",
                                        c->passage[i].text, "gold", c->passage[i].gold));
    for (int32_t i = 0; i < c->items; i++) {
        const rk_item *item = &c->item[i];
        json_t *answers = json_array();
        for (int32_t k = 0; k < item->answers; k++)
            json_array_append_new(answers, json_string(item->answer[k]));
        json_array_append_new(items, json_pack("{s:s, s:s, s:o, s:s, s:i, s:i}", "id", item->id,
                                               "question", item->question, "answers", answers,
                                               "task", item->task, "hops", (int)item->hops,
                                               "distance", (int)item->distance));
    }
    json_t *all = json_pack("{s:s, s:o, s:o}", "id", c->id, "passages", passages, "items", items);
    if (all && tokens >= 0)
        json_object_set_new(all, "tokens", json_integer(tokens));
    return all;
}

static rk_status make(const data_args *a, session *s, rk_error *err)
{
    rk_arena *arena;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = RK_OK;
    for (int64_t i = 0; i < a->n && st == RK_OK; i++) {
        rk_context c;
        int64_t tokens = -1;
        st = s->reader.ops->context(&s->reader, a->first + i, arena, &c, err);
        if (st == RK_OK)
            st = count_context(s, &c, &tokens, err);
        json_t *json = st == RK_OK ? context_json(&c, tokens) : NULL;
        if (st == RK_OK &&
            (!json || json_dumpf(json, stdout, JSON_COMPACT) || putchar('\n') == EOF))
            st = rk_fail(err, RK_E_IO, "cannot write context %" PRId64 " as JSON", a->first + i);
        json_decref(json);
        rk_arena_reset(arena);
    }
    rk_arena_free(arena);
    return st;
}

static rk_status show(const data_args *a, session *s, rk_arena *arena, rk_error *err)
{
    rk_context c;
    int64_t index, tokens, gold = 0;
    RK_TRY(rk_parse_int(a->word[2], "INDEX", &index, err));
    RK_TRY(s->reader.ops->context(&s->reader, index, arena, &c, err));
    RK_TRY(count_context(s, &c, &tokens, err));
    for (int32_t i = 0; i < c.passages; i++)
        gold += c.passage[i].gold;
    printf("== context %s: %d passages, %" PRId64 " gold", c.id, (int)c.passages, gold);
    if (tokens >= 0)
        printf(", %" PRId64 " tokens", tokens);
    printf("\n\n%s", c.instruction ? c.instruction : s->reader.ops->instruction);
    for (int32_t i = 0; i < c.passages; i++)
        printf("-- passage %d%s\n%s", (int)i, c.passage[i].gold ? " (gold)" : "",
               c.passage[i].text);
    for (int32_t i = 0; i < c.items; i++) {
        const rk_item *item = &c.item[i];
        printf("-- item %d: %s, %d hops, distance %d\n%s\n", (int)i, item->task, (int)item->hops,
               (int)item->distance, item->question);
        for (int32_t k = 0; k < item->answers; k++)
            printf("   %s\n", item->answer[k]);
    }
    return RK_OK;
}

static rk_status with_reader(const data_args *a, rk_arena *arena, rk_error *err)
{
    int shows = !strcmp(a->word[0], "show");
    session s = {0};
    if (a->words != 2 + shows)
        return rk_fail(err, RK_E_USAGE, "data %s: expected %s, got %d words", a->word[0],
                       shows ? "NAME INDEX" : "NAME", a->words - 1);
    rk_status st = open_session(a, arena, &s, err);
    if (st == RK_OK)
        st = shows ? show(a, &s, arena, err) : make(a, &s, err);
    close_session(&s);
    return st;
}

rk_status rk_cmd_data(int argc, char **argv, rk_error *err)
{
    data_args a;
    rk_arena *arena;
    RK_TRY(parse_args(argc, argv, &a, err));
    if (a.help) {
        print_help();
        return RK_OK;
    }
    if (!a.words)
        return rk_fail(err, RK_E_USAGE, "data: expected list, make, show or verify (--help)");
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st;
    if (!strcmp(a.word[0], "list"))
        st = list(&a, arena, err);
    else if (!strcmp(a.word[0], "verify"))
        st = verify(&a, arena, err);
    else if (!strcmp(a.word[0], "make") || !strcmp(a.word[0], "show"))
        st = with_reader(&a, arena, err);
    else
        st = rk_fail(err, RK_E_USAGE, "data: expected list, make, show or verify, got '%s'",
                     a.word[0]);
    if (st == RK_OK && fflush(stdout))
        st = rk_fail(err, RK_E_IO, "data: cannot write to standard output");
    rk_arena_free(arena);
    return st;
}
