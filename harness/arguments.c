/* arguments.c - see arguments.h. */
#include "arguments.h"

#include <string.h>

static rk_argument_list *list_find(rk_arguments *a, const char *name)
{
    for (int32_t i = 0; i < a->lists; i++)
        if (!strcmp(a->list[i].name, name))
            return &a->list[i];
    return NULL;
}

static rk_status unknown(const rk_arguments *a, const char *name, rk_error *err)
{
    const char *names[64];
    size_t n = 0;
    for (const rk_option *row = a->option; row->name && n < 32; row++)
        names[n++] = row->name;
    for (int32_t i = 0; i < a->lists && n < 63; i++)
        names[n++] = a->list[i].name;
    names[n++] = "help";
    const char *near = rk_nearest_name(name, names, n);
    if (near)
        return rk_fail(err, RK_E_USAGE, "%s: unknown option --%s; did you mean --%s?", a->command,
                       name, near);
    return rk_fail(err, RK_E_USAGE, "%s: unknown option --%s; see redknot %s --help", a->command,
                   name, a->command);
}

/* One option; *i moves over a value that stands apart. */
static rk_status take_option(rk_arguments *a, int argc, char *const *argv, int *i, rk_arena *arena,
                             rk_error *err)
{
    const char *text = argv[*i] + 2, *equals = strchr(text, '=');
    const char *value = equals ? equals + 1 : NULL;
    char *name = rk_arena_text(arena, text, equals ? (size_t)(equals - text) : strlen(text), err);
    if (!name)
        return RK_E_MEMORY;
    rk_argument_list *list = list_find(a, name);
    const rk_option *row = list ? NULL : rk_option_find(a->option, name);
    if (!list && !row)
        return unknown(a, name, err);
    if (!value && row && row->kind == RK_OPT_BOOL)
        value = "true";
    if (!value && *i + 1 >= argc)
        return rk_fail(err, RK_E_USAGE, "%s: --%s needs a value", a->command, name);
    if (!value)
        value = argv[++*i];
    if (row) {
        rk_status st = rk_options_set(a->option, a->config, name, value, err);
        return st == RK_OK ? RK_OK : rk_error_prefix(err, "%s", a->command), st;
    }
    if (list->n == RK_ARGUMENTS_MAX)
        return rk_fail(err, RK_E_USAGE, "%s: --%s is given more than %d times", a->command, name,
                       RK_ARGUMENTS_MAX);
    list->value[list->n++] = value;
    return RK_OK;
}

rk_status rk_arguments_parse(rk_arguments *a, int argc, char *const *argv, rk_arena *arena,
                             rk_error *err)
{
    int only_words = 0;
    a->words = a->help = 0;
    RK_TRY(rk_options_default(a->option, a->config, err));
    a->word = rk_arena_take(arena, RK_ARGUMENTS_MAX, sizeof *a->word, err);
    if (!a->word)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < a->lists; i++) {
        a->list[i].n = 0;
        a->list[i].value = rk_arena_take(arena, RK_ARGUMENTS_MAX, sizeof *a->list[i].value, err);
        if (!a->list[i].value)
            return RK_E_MEMORY;
    }
    for (int i = 1; i < argc && !a->help; i++) {
        if (!only_words && !strcmp(argv[i], "--")) {
            only_words = 1;
        } else if (!only_words && (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))) {
            a->help = 1;
        } else if (!only_words && !strncmp(argv[i], "--", 2)) {
            RK_TRY(take_option(a, argc, argv, &i, arena, err));
        } else if (!only_words && argv[i][0] == '-' && argv[i][1]) {
            return rk_fail(err, RK_E_USAGE, "%s: unknown option %s; options begin with --",
                           a->command, argv[i]);
        } else if (a->words == RK_ARGUMENTS_MAX) {
            return rk_fail(err, RK_E_USAGE, "%s: more than %d arguments", a->command,
                           RK_ARGUMENTS_MAX);
        } else {
            a->word[a->words++] = argv[i];
        }
    }
    return RK_OK;
}

void rk_arguments_help(const rk_arguments *a, FILE *out)
{
    rk_options_help(a->option, "--", out);
    for (int32_t i = 0; i < a->lists; i++)
        fprintf(out, "  --%s %s  (repeatable)\n      %s\n", a->list[i].name, a->list[i].unit,
                a->list[i].help);
}

static void command_help(const rk_command *cmd, const rk_arguments *a)
{
    printf("usage: redknot %s %s [options]\n\n%s\n\noptions:\n", cmd->name, cmd->words, cmd->about);
    rk_arguments_help(a, stdout);
}

rk_status rk_command_parse(const rk_command *cmd, int argc, char *const *argv, void *config,
                           const char **words, int32_t *n, int *help, rk_error *err)
{
    rk_arguments a = {.command = cmd->name, .option = cmd->option, .config = config};
    rk_arena *arena;
    *n = 0;
    *help = 0;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_arguments_parse(&a, argc, argv, arena, err);
    if (st == RK_OK && a.help)
        command_help(cmd, &a);
    else if (st == RK_OK && a.words > cmd->most)
        st = rk_fail(err, RK_E_USAGE, "%s: unexpected '%s'; usage: redknot %s %s", cmd->name,
                     a.word[cmd->most], cmd->name, cmd->words);
    else if (st == RK_OK && a.words < cmd->least)
        st = rk_fail(err, RK_E_USAGE, "%s: expected %s; usage: redknot %s %s", cmd->name,
                     cmd->words, cmd->name, cmd->words);
    for (int32_t i = 0; st == RK_OK && !a.help && i < a.words; i++)
        words[(*n)++] = a.word[i];
    *help = a.help;
    rk_arena_free(arena);
    return st;
}
