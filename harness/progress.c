/* progress.c - see progress.h. */
#define _DEFAULT_SOURCE
#include "progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

enum { BAR = 24, COLUMNS_MAX = 400 };
static const int64_t terminal_ns = 100000000, lines_ns = 10000000000;

void rk_progress_open(rk_progress *p, FILE *out)
{
    *p = (rk_progress){.out = out};
    if (out)
        p->terminal = isatty(fileno(out)) == 1;
}

const char *rk_progress_time(double seconds, char *buffer, size_t size)
{
    if (!(seconds >= 0) || seconds > 1e9) {
        snprintf(buffer, size, "?");
        return buffer;
    }
    int64_t s = (int64_t)(seconds + 0.5);
    if (s >= 3600)
        snprintf(buffer, size, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
                 (int)(s % 60));
    else
        snprintf(buffer, size, "%d:%02d", (int)(s / 60), (int)(s % 60));
    return buffer;
}

static int columns(FILE *out)
{
    struct winsize w;
    int n = ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
    return n < COLUMNS_MAX ? n : COLUMNS_MAX;
}

void rk_progress_show(rk_progress *p, int64_t done, int64_t total, int64_t failed, double to_go_s,
                      const char *now)
{
    char eta[32], failures[40] = "", text[COLUMNS_MAX + 1], bar[BAR + 1];
    int64_t at = rk_clock_ns();
    if (!p->out)
        return;
    if (p->last_ns && done < total && at - p->last_ns < (p->terminal ? terminal_ns : lines_ns))
        return;
    p->last_ns = at;
    double share = total > 0 ? (double)done / (double)total : 1;
    int full = (int)(share * BAR);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(full < 0 ? 0 : full > BAR ? BAR : full));
    bar[BAR] = '\0';
    if (failed)
        snprintf(failures, sizeof failures, " (%" PRId64 " failed)", failed);
    rk_progress_time(to_go_s, eta, sizeof eta);
    snprintf(text, sizeof text, "%s%s%s %3d%% %" PRId64 "/%" PRId64 "%s, %s to go  %s",
             p->terminal ? "[" : "", p->terminal ? bar : "", p->terminal ? "]" : "",
             (int)(share * 100), done, total, failures, eta, now);
    if (p->terminal)
        fprintf(p->out, "\r%.*s\x1b[K", columns(p->out) - 1, text);
    else
        fprintf(p->out, "%s\n", text);
    p->drawn = p->terminal;
    fflush(p->out);
}

void rk_progress_note(rk_progress *p, const char *fmt, ...)
{
    if (!p->out)
        return;
    if (p->drawn)
        fputs("\r\x1b[K", p->out);
    p->drawn = 0;
    va_list ap;
    va_start(ap, fmt);
    vfprintf(p->out, fmt, ap);
    va_end(ap);
    fputc('\n', p->out);
    fflush(p->out);
    p->last_ns = 0; /* a terminal's bar comes back at once */
    if (!p->terminal)
        p->last_ns = rk_clock_ns();
}

void rk_progress_close(rk_progress *p)
{
    if (p->out && p->drawn)
        fputc('\n', p->out);
    p->drawn = 0;
}
