/* data_path.c - see data_path.h. */
#define _POSIX_C_SOURCE 200809L
#include "data_path.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int is_file(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISREG(info.st_mode);
}

static const char *listing(const char *const *places, rk_arena *arena, rk_error *err)
{
    const char *text = "";
    for (int i = 0; places[i] && text; i++)
        text = rk_arena_printf(arena, err, "%s%s%s", text, i ? ", " : "", places[i]);
    return text;
}

rk_status rk_data_path_find(const char *path, const char *const *places, const char *reader,
                            rk_arena *arena, const char **out, rk_error *err)
{
    struct stat info;
    const char *names = listing(places, arena, err);
    if (!names)
        return RK_E_MEMORY;
    if (!path || !*path)
        return rk_fail(err, RK_E_USAGE, "%s: needs the data: a file, or a directory with %s",
                       reader, names);
    if (stat(path, &info))
        return rk_fail(err, RK_E_IO, "%s: cannot read %s: %s", reader, path, strerror(errno));
    if (S_ISREG(info.st_mode)) {
        *out = rk_arena_text(arena, path, strlen(path), err);
        return *out ? RK_OK : RK_E_MEMORY;
    }
    for (int i = 0; places[i]; i++) {
        const char *slash = strrchr(places[i], '/');
        const char *parts[] = {places[i], slash ? slash + 1 : NULL};
        for (int k = 0; k < 2 && parts[k]; k++) {
            *out = rk_arena_printf(arena, err, "%s/%s", path, parts[k]);
            if (!*out)
                return RK_E_MEMORY;
            if (is_file(*out))
                return RK_OK;
        }
    }
    return rk_fail(err, RK_E_IO, "%s: %s holds none of %s", reader, path, names);
}
