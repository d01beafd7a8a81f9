/* cmd_args.c - see cmd_args.h. */
#include "cmd_args.h"

#include <stdio.h>
#include <string.h>

static void print_help(const rk_cmd *cmd)
{
    printf("usage: redknot %s %s [options]\n\n%s\n\noptions:\n", cmd->name, cmd->words, cmd->about);
    rk_options_help(cmd->option, "--", stdout);
}

/* One option; *i moves past its value when that is a word of its own. */
static rk_status parse_option(const rk_cmd *cmd, int argc, char **argv, int *i, void *config,
                              rk_error *err)
{
    char name[64];
    const char *text = argv[*i] + 2, *eq = strchr(text, '=');
    size_t n = eq ? (size_t)(eq - text) : strlen(text);
    if (n >= sizeof name)
        return rk_fail(err, RK_E_USAGE, "%s: unknown option '%.40s...'", cmd->name, argv[*i]);
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    const rk_option *row = rk_option_find(cmd->option, name);
    const char *value = eq ? eq + 1 : NULL;
    if (!value && row && row->kind == RK_OPT_BOOL)
        value = "true";
    if (!value && row && *i + 1 >= argc)
        return rk_fail(err, RK_E_USAGE, "%s: --%s needs a value", cmd->name, name);
    if (!value && row)
        value = argv[++*i];
    if (rk_options_set(cmd->option, config, name, value ? value : "", err) != RK_OK)
        return rk_error_prefix(err, "%s", cmd->name);
    return RK_OK;
}

rk_status rk_cmd_parse(const rk_cmd *cmd, int argc, char **argv, void *config, const char **words,
                       int32_t *n, int *help, rk_error *err)
{
    *n = 0;
    *help = 0;
    RK_TRY(rk_options_default(cmd->option, config, err));
    int only_words = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_words && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
            print_help(cmd);
            *help = 1;
            return RK_OK;
        }
        if (!only_words && !strcmp(word, "--")) {
            only_words = 1;
        } else if (!only_words && !strncmp(word, "--", 2)) {
            RK_TRY(parse_option(cmd, argc, argv, &i, config, err));
        } else if (*n == cmd->most) {
            return rk_fail(err, RK_E_USAGE, "%s: unexpected '%s'; usage: redknot %s %s", cmd->name,
                           word, cmd->name, cmd->words);
        } else {
            words[(*n)++] = word;
        }
    }
    if (*n < cmd->least)
        return rk_fail(err, RK_E_USAGE, "%s: expected %s; usage: redknot %s %s", cmd->name,
                       cmd->words, cmd->name, cmd->words);
    return RK_OK;
}
