/* progress.h - how far a sweep is: a bar on a terminal, plain lines elsewhere. */
#ifndef RK_HARNESS_PROGRESS_H
#define RK_HARNESS_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "base/c_linkage.h"

RK_C_BEGIN

typedef struct rk_progress {
    FILE *out;       /* NULL: silent */
    int terminal;    /* 1: redraw one line; 0: a line every few seconds */
    int drawn;       /* a bar stands on the last line */
    int64_t last_ns; /* when something was shown */
} rk_progress;

/* `out` is borrowed; a terminal is recognised by itself. */
void rk_progress_open(rk_progress *p, FILE *out);

/* done of total, failed among them, seconds to go (< 0 unknown), what runs now.
 * Draws at most ten times a second (every ten seconds when not a terminal). */
void rk_progress_show(rk_progress *p, int64_t done, int64_t total, int64_t failed, double to_go_s,
                      const char *now);

/* A line that stays: a cell skipped, an item failed. */
void rk_progress_note(rk_progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void rk_progress_close(rk_progress *p); /* ends the bar's line */

/* "2:05", "1:02:05", "?" for a negative time. */
const char *rk_progress_time(double seconds, char *buffer, size_t size);

RK_C_END

#endif
