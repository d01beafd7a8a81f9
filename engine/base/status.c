/* status.c - error records; see status.h for the convention. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One line, so that every message prints as one: control bytes become '?'. */
static void keep_one_line(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

rk_status rk_fail_at(rk_error *err, const char *file, int line, rk_status status, const char *fmt,
                     ...)
{
    if (!err)
        return status;
    err->status = status;
    err->file = file;
    err->line = line;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    keep_one_line(err->text);
    return status;
}

rk_status rk_error_prefix(rk_error *err, const char *fmt, ...)
{
    if (!err)
        return RK_E_FORMAT;
    char old[sizeof err->text], prefix[256];
    memcpy(old, err->text, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(prefix, sizeof prefix, fmt, ap);
    va_end(ap);
    snprintf(err->text, sizeof err->text, "%.200s: %.280s", prefix, old);
    keep_one_line(err->text);
    return err->status;
}

const char *rk_status_name(rk_status status)
{
    switch (status) {
#define RK_STATUS_NAME(name, value, text)                                                          \
    case RK_##name:                                                                                \
        return #name;
        RK_STATUS_MAP(RK_STATUS_NAME)
#undef RK_STATUS_NAME
    }
    return "E_?";
}

const char *rk_status_text(rk_status status)
{
    switch (status) {
#define RK_STATUS_TEXT(name, value, text)                                                          \
    case RK_##name:                                                                                \
        return text;
        RK_STATUS_MAP(RK_STATUS_TEXT)
#undef RK_STATUS_TEXT
    }
    return "unknown status";
}
