/* gnuplot.h - runs gnuplot as a child process: no shell, a fixed environment. */
#ifndef RK_HARNESS_GNUPLOT_H
#define RK_HARNESS_GNUPLOT_H

#include "base/status.h"

RK_C_BEGIN

/* Runs `program` (found on PATH) with the commands of `setup` and then the script
 * file. RK_E_UNSUPPORTED: the program is not installed; the message says what to
 * install. RK_E_IO: it ran and failed; the message holds its first complaint. */
rk_status rk_gnuplot_run(const char *program, const char *setup, const char *script, rk_error *err);

/* Overwrites the date that a PDF says it was made on, so that equal rows give
 * equal bytes. */
rk_status rk_gnuplot_undate_pdf(const char *path, rk_error *err);

RK_C_END

#endif
