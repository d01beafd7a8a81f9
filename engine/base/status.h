/* status.h - the one error convention of the project.
 *
 * Every fallible function returns rk_status (0 = success) and takes a last
 * argument `rk_error *err`. The function that first sees the failure fills it
 * (what was tried, on what, what came back); callers pass it up untouched and
 * only harness/main.c prints it. `err` may be NULL where the text is unwanted. */
#ifndef RK_BASE_STATUS_H
#define RK_BASE_STATUS_H

#include "base/c_linkage.h"

RK_C_BEGIN

/* One list makes the enum and the names; 0 is the only success. */
#define RK_STATUS_MAP(X)                                                                           \
    X(OK, 0, "ok")                                                                                 \
    X(E_ARG, -1, "the caller passed something out of contract")                                    \
    X(E_MEMORY, -2, "host or device memory exhausted")                                             \
    X(E_IO, -3, "a file, socket or database call failed")                                          \
    X(E_FORMAT, -4, "a file or message does not follow its format")                                \
    X(E_DEVICE, -5, "a call to the accelerator failed")                                            \
    X(E_UNSUPPORTED, -6, "valid, but this backend, model or method lacks it")                      \
    X(E_BUDGET, -7, "a configured limit (bytes, pages, tokens) is full")                           \
    X(E_USAGE, -8, "wrong usage of a command, option or experiment file")                          \
    X(E_NUMERIC, -9, "a weight or an activation is not finite")

typedef enum rk_status {
#define RK_STATUS_ENUM(name, value, text) RK_##name = value,
    RK_STATUS_MAP(RK_STATUS_ENUM)
#undef RK_STATUS_ENUM
} rk_status;

/* Filled once, by the function that first saw the failure; passed up as is. */
typedef struct rk_error {
    rk_status status;
    const char *file; /* static storage, from __FILE__ */
    int line;
    char text[488]; /* what was tried, on what, and what came back; one line */
} rk_error;

/* Records a failure and returns its status. `err` may be NULL. */
rk_status rk_fail_at(rk_error *err, const char *file, int line, rk_status status, const char *fmt,
                     ...) __attribute__((format(printf, 5, 6)));
#define rk_fail(err, ...) rk_fail_at((err), __FILE__, __LINE__, __VA_ARGS__)

/* Puts "<prefix>: " in front of an error already recorded (a file name that
 * only the caller knows) and returns its status. */
rk_status rk_error_prefix(rk_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "E_FORMAT" and its sentence; "E_?" for a value not in the list. */
const char *rk_status_name(rk_status status);
const char *rk_status_text(rk_status status);

/* Leaves the current function on failure. Only where the function owns nothing
 * but arena memory; a function that owns a resource uses `goto done`. */
#define RK_TRY(call)                                                                               \
    do {                                                                                           \
        rk_status rk_try_status_ = (call);                                                         \
        if (rk_try_status_ != RK_OK)                                                               \
            return rk_try_status_;                                                                 \
    } while (0)

RK_C_END

#endif
