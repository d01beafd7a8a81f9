/* arguments.h - a command line from an option table, repeated options included. */
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

RK_C_END

#endif
