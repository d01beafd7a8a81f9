/* cmd_args.h - the command line of a sub-command, from its option table.
 *
 * `--name value`, `--name=value`, a bare `--name` for a switch, -h and --help, and
 * `--` before words that begin with a dash. */
#ifndef RK_HARNESS_CMD_ARGS_H
#define RK_HARNESS_CMD_ARGS_H

#include "base/option.h"

RK_C_BEGIN

typedef struct rk_cmd {
    const char *name;        /* "report" */
    const char *words;       /* "EXPERIMENT", for the usage line */
    const char *about;       /* what it does, one sentence or more */
    const rk_option *option; /* table */
    int32_t least, most;     /* how many words it takes */
} rk_cmd;

/* argv[0] is the command's own name. Fills `config` (defaults first) and words
 * [0, *n). *help: help was printed on stdout and nothing is left to do. RK_E_USAGE
 * names what was given and what is allowed. */
rk_status rk_cmd_parse(const rk_cmd *cmd, int argc, char **argv, void *config, const char **words,
                       int32_t *n, int *help, rk_error *err);

#define RK_CMD_DB_DEFAULT "results/redknot.sqlite"
#define RK_CMD_DB_HELP "Results database; it is only read."

RK_C_END

#endif
