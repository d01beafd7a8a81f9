/* arguments.h - the command line of a verb, from its option table.
 *
 * Two entry points over one parser: rk_arguments_parse for verbs with repeated
 * options, rk_command_parse for those with a fixed number of words. */
#ifndef RK_HARNESS_ARGUMENTS_H
#define RK_HARNESS_ARGUMENTS_H

#include "base/arena.h"
#include "base/option.h"

RK_C_BEGIN

enum { RK_ARGUMENTS_MAX = 256 };

/* An option that may be given several times: --only, --set. */
typedef struct rk_argument_list {
    const char *name, *unit, *help; /* unit: what it takes, "AXIS=VALUE" */
    const char **value;             /* [RK_ARGUMENTS_MAX], in the arena */
    int32_t n;
} rk_argument_list;

typedef struct rk_arguments {
    const char *command;     /* "run", for messages */
    const rk_option *option; /* table over `config` */
    void *config;
    rk_argument_list *list; /* [lists]; may be NULL */
    int32_t lists;
    const char **word; /* [RK_ARGUMENTS_MAX] what is no option */
    int32_t words;
    int help; /* -h or --help was given; the rest is not read */
} rk_arguments;

/* argv[0] is the command's own name. `--name value`, `--name=value`, `--name` for
 * a switch; `--` ends the options. Defaults first. RK_E_USAGE names the option
 * and the nearest known one. Values are borrowed from argv. */
rk_status rk_arguments_parse(rk_arguments *a, int argc, char *const *argv, rk_arena *arena,
                             rk_error *err);

/* Help lines of table and lists. */
void rk_arguments_help(const rk_arguments *a, FILE *out);

/* A verb without repeated options: what it is called, takes and does. */
typedef struct rk_command {
    const char *name;        /* "report" */
    const char *words;       /* "EXPERIMENT", for the usage line */
    const char *about;       /* what it does, one sentence or more */
    const rk_option *option; /* table over the `config` given to rk_command_parse */
    int32_t least, most;     /* how many words it takes */
} rk_command;

/* rk_arguments_parse, and the number of words checked: words[0, *n), room for `most`.
 * *help: help was printed on stdout and nothing is left to do. */
rk_status rk_command_parse(const rk_command *cmd, int argc, char *const *argv, void *config,
                           const char **words, int32_t *n, int *help, rk_error *err);

#define RK_COMMAND_DB_DEFAULT "results/redknot.sqlite"
#define RK_COMMAND_DB_HELP "Results database; it is only read."

RK_C_END

#endif
