/* interrupt.h - SIGINT and SIGTERM as a flag that the runner reads between items. */
#ifndef RK_HARNESS_INTERRUPT_H
#define RK_HARNESS_INTERRUPT_H

#include <signal.h>

#include "base/status.h"

RK_C_BEGIN

/* Installs the handlers and returns the flag. The first signal sets it; the
 * default action is restored, so a second one ends the process at once (which
 * loses nothing that was finished). */
rk_status rk_interrupt_install(const volatile sig_atomic_t **flag, rk_error *err);

RK_C_END

#endif
