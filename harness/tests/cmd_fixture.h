/* cmd_fixture.h - runs a command with its standard output in a file. */
#ifndef RK_TESTS_CMD_FIXTURE_H
#define RK_TESTS_CMD_FIXTURE_H

#include <stdio.h>
#include <unistd.h>

#include "results_fixture.h"

/* Experiment "e": dense and redknot, 40 items of ten contexts, at 2K. */
static inline void cmd_fill(fixture *f, const char *name)
{
    static const fixture_method dense = {"dense", 100, 0, 0, 1};
    static const fixture_method redknot = {"redknot", 40, 24, 0, 0.3};
    fixture_open(f, name);
    fixture_session(f, "s1", "b1", 100, 200);
    fixture_session(f, "s2", "b2", 300, 400);
    fixture_run(f, "e", "tiny", "2K", 2048, &dense, 40, "s1");
    fixture_run(f, "e", "tiny", "2K", 2048, &redknot, 40, "s1");
    fixture_run(f, "e", "tiny", "2K", 2048, &dense, 8, "s2");
    fixture_close(f);
}

/* What `run(self)` writes to stdout; free() it. */
static inline char *cmd_output(void (*run)(void *self), void *self)
{
    fflush(stdout);
    int saved = dup(1);
    FILE *file = tmpfile();
    if (saved < 0 || !file || dup2(fileno(file), 1) < 0)
        abort();
    run(self);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    fseek(file, 0, SEEK_END);
    char *text = fixture_slurp(file);
    fclose(file);
    return text;
}

#endif
