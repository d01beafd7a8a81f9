/* cmd_tokenize.h - `redknot tokenize MODEL [--special] < text`. */
#ifndef RK_CMD_TOKENIZE_H
#define RK_CMD_TOKENIZE_H

#include "base/status.h"

RK_C_BEGIN

/* Reads standard input byte by byte to its end and prints the ids on one line.
 * Opens the tokenizer only, not the weights. argv[0] is the word "tokenize".
 * RK_E_USAGE for wrong arguments; --help prints the usage and is success. */
rk_status rk_cmd_tokenize(int argc, char **argv, rk_error *err);

RK_C_END

#endif
