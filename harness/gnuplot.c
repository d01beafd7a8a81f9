/* gnuplot.c - see gnuplot.h. */
#define _POSIX_C_SOURCE 200809L
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { COMPLAINT_BYTES = 4096, EXIT_NOT_FOUND = 127 };

/* Never returns. The child's complaints go to `complaints`. */
static void become(const char *program, const char *setup, const char *script, int complaints)
{
    /* Only what it needs: PATH to be found, HOME for fontconfig's cache. The date
     * keeps cairo from writing today's into a PDF. */
    char locale[] = "LC_ALL=C.UTF-8", date[] = "SOURCE_DATE_EPOCH=0";
    char *keep[5] = {locale, date};
    int n = 2;
    for (char **e = environ; e && *e; e++)
        if ((!strncmp(*e, "PATH=", 5) || !strncmp(*e, "HOME=", 5)) && n < 4)
            keep[n++] = *e;
    environ = keep;
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(complaints, 2) < 0)
        _exit(EXIT_NOT_FOUND - 1);
    execlp(program, program, "-d", "-e", setup, script, (char *)NULL);
    _exit(errno == ENOENT || errno == EACCES ? EXIT_NOT_FOUND : EXIT_NOT_FOUND - 1);
}

static void read_all(int fd, char *text, size_t size)
{
    size_t n = 0;
    char spill[512];
    for (;;) {
        /* What does not fit is drained, or the child would block. */
        int full = n + 1 >= size;
        ssize_t got = read(fd, full ? spill : text + n, full ? sizeof spill : size - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += full ? 0 : (size_t)got;
    }
    text[n] = 0;
}

/* gnuplot's message is the last line that is not empty: the lines above repeat
 * the command and point at a column. */
static const char *complaint_of(char *text)
{
    size_t n = strlen(text);
    while (n && strchr("\n \t", text[n - 1]))
        text[--n] = 0;
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return line + strspn(line, " \t");
}

rk_status rk_gnuplot_run(const char *program, const char *setup, const char *script, rk_error *err)
{
    int pipe_fd[2];
    if (pipe(pipe_fd) != 0)
        return rk_fail(err, RK_E_IO, "cannot make a pipe for %s: %s", program, strerror(errno));
    pid_t child = fork();
    if (child < 0) {
        close(pipe_fd[0]);
        close(pipe_fd[1]);
        return rk_fail(err, RK_E_IO, "cannot start %s: %s", program, strerror(errno));
    }
    if (child == 0) {
        close(pipe_fd[0]);
        become(program, setup, script, pipe_fd[1]);
    }
    close(pipe_fd[1]);
    char text[COMPLAINT_BYTES];
    read_all(pipe_fd[0], text, sizeof text);
    close(pipe_fd[0]);
    int state = 0;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return rk_fail(err, RK_E_IO, "lost the child %s: %s", program, strerror(errno));
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return RK_OK;
    if (WIFEXITED(state) && WEXITSTATUS(state) == EXIT_NOT_FOUND)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s is not installed; the data files are written, to draw them install "
                       "gnuplot-nox (Debian) or gnuplot",
                       program);
    return rk_fail(err, RK_E_IO, "%s failed on %s: %.300s", program, script, complaint_of(text));
}

rk_status rk_gnuplot_undate_pdf(const char *path, rk_error *err)
{
    static const char key[] = "/CreationDate (D:";
    FILE *f = fopen(path, "r+b");
    if (!f)
        return rk_fail(err, RK_E_IO, "cannot open %s: %s", path, strerror(errno));
    int c;
    size_t met = 0;
    while ((c = fgetc(f)) != EOF && key[met])
        met = c == key[met] ? met + 1 : c == key[0];
    /* The byte behind the key is read already: step back onto it. */
    if (!key[met] && c != EOF && fseek(f, -1, SEEK_CUR) == 0) {
        char date[15] = "20000101000000";
        fwrite(date, 1, 14, f);
        /* A zone, "+02'00", follows or not; the same length is kept. */
        long at = ftell(f);
        fseek(f, at, SEEK_SET);
        c = fgetc(f);
        if (c == '+' || c == '-') {
            fseek(f, at, SEEK_SET);
            fputs("+00'00", f);
        }
    }
    int bad = ferror(f);
    if (fclose(f) != 0 || bad)
        return rk_fail(err, RK_E_IO, "cannot rewrite the date of %s", path);
    return RK_OK;
}
