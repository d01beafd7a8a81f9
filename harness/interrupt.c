/* interrupt.c - the one writable global of the harness: a signal handler is given
 * nothing but the signal's number. Blocking the signals and reading them from a
 * descriptor would not do, as BLAS starts threads before main() that do not
 * block them. */
#define _GNU_SOURCE
#include "interrupt.h"

#include <errno.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

rk_status rk_interrupt_install(const volatile sig_atomic_t **flag, rk_error *err)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&act.sa_mask);
    interrupted = 0;
    if (sigaction(SIGINT, &act, NULL) || sigaction(SIGTERM, &act, NULL))
        return rk_fail(err, RK_E_IO, "sigaction: %s", strerror(errno));
    *flag = &interrupted;
    return RK_OK;
}
