/* provenance.c - see provenance.h. */
#define _GNU_SOURCE
#include "provenance.h"

#include <cblas.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "axes.h"
#include "base/hash.h"
#include "build_info.h"

/* Memory is told a little differently by every kernel; the machine is the same. */
#define RAM_STEP ((int64_t)256 << 20)

/* A small file of /proc or /sys without its last newline; "" when unreadable. */
static void read_small(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *f = fopen(path, "r");
    if (!f)
        return;
    size_t n = fread(text, 1, size - 1, f);
    fclose(f);
    while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    text[n] = '\0';
}

void rk_provenance_boot_id(char *text, size_t size)
{
    read_small("/proc/sys/kernel/random/boot_id", text, size);
}

int64_t rk_provenance_start_ticks(int64_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_small(path, text, sizeof text);
    /* Field 22; the name in parentheses (field 2) may hold blanks itself. */
    char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] == 'Z') /* a zombie does nothing any more */
        return -1;
    for (int field = 2; field < 22 && at; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : -1;
}

/* The value of a "key : value" line of /proc/cpuinfo and the like. */
static int line_value(const char *line, const char *key, char *value, size_t size)
{
    size_t n = strlen(key);
    const char *colon = strchr(line, ':');
    if (strncmp(line, key, n) || !colon || line[n + strspn(line + n, " \t")] != ':')
        return 0;
    colon += 1 + strspn(colon + 1, " \t");
    snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    return 1;
}

typedef struct cpu {
    char model[128];
    int sockets, cores; /* physical; 0 when the system does not say */
} cpu;

static cpu read_cpu(void)
{
    cpu c = {.model = ""};
    char line[4096], value[128];
    char seen_socket[1024] = {0}; /* physical ids below 1024 */
    int cores_here = 0;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (!c.model[0] && line_value(line, "model name", value, sizeof value))
            snprintf(c.model, sizeof c.model, "%s", value);
        if (line_value(line, "cpu cores", value, sizeof value))
            cores_here = atoi(value);
        if (line_value(line, "physical id", value, sizeof value)) {
            int id = atoi(value);
            if (id >= 0 && id < (int)sizeof seen_socket && !seen_socket[id])
                seen_socket[id] = 1, c.sockets++;
        }
    }
    if (f)
        fclose(f);
    c.cores = c.sockets * cores_here;
    return c;
}

static json_t *count_or_null(int64_t n)
{
    return n > 0 ? json_integer(n) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? json_string(text) : json_null();
}

static json_t *host_row(void)
{
    cpu c = read_cpu();
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t ram = pages > 0 ? (pages * page + RAM_STEP - 1) / RAM_STEP * RAM_STEP : 0;
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "cpu_model", text_or_null(c.model), "n_sockets",
                     count_or_null(c.sockets), "n_cores", count_or_null(c.cores), "n_threads",
                     count_or_null(sysconf(_SC_NPROCESSORS_ONLN)), "ram_bytes", count_or_null(ram));
}

static json_t *build_row(const char *binary_sha256)
{
    return json_pack("{s:o,s:i,s:s,s:s,s:s}", "git_commit", text_or_null(RK_BUILD_COMMIT),
                     "git_dirty", RK_BUILD_DIRTY, "compiler", RK_BUILD_COMPILER, "cflags",
                     RK_BUILD_TYPE, "bin_sha256", binary_sha256);
}

/* The variables that steer libraries we use; nothing else of the environment. */
static int is_telling(const char *variable)
{
    static const char *const prefixes[] = {"OMP_", "OPENBLAS_", "GOTO_",
                                           "CUDA_VISIBLE_DEVICES=", "NCCL_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
            return 1;
    return 0;
}

static json_t *environment(void)
{
    json_t *object = json_object();
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen("/proc/self/environ", "r");
    while (f && getdelim(&line, &room, '\0', f) > 0) {
        char *equals = strchr(line, '=');
        if (!equals || !is_telling(line) || strchr(equals, '/'))
            continue; /* a path would tell where this machine keeps things */
        *equals = '\0';
        json_object_set_new(object, line, json_string(equals + 1));
    }
    free(line);
    if (f)
        fclose(f);
    return object;
}

static json_t *libraries(void)
{
    return json_pack("{s:s,s:s,s:i,s:s}", "blas", openblas_get_config(), "blas_core",
                     openblas_get_corename(), "blas_threads", openblas_get_num_threads(), "sqlite",
                     sqlite3_libversion());
}

static void os_name(char *text, size_t size)
{
    char line[256];
    text[0] = '\0';
    FILE *f = fopen("/etc/os-release", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "PRETTY_NAME=\"", 13))
            snprintf(text, size, "%.*s", (int)strcspn(line + 13, "\""), line + 13);
    if (f)
        fclose(f);
}

static json_t *env_row(void)
{
    struct utsname u;
    char os[128], governor[64], aslr[16], libc[64], kernel[200] = "";
    if (!uname(&u)) /* its nodename stays out */
        snprintf(kernel, sizeof kernel, "%s %s %s", u.sysname, u.release, u.machine);
    os_name(os, sizeof os);
    read_small("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor);
    read_small("/proc/sys/kernel/randomize_va_space", aslr, sizeof aslr);
    snprintf(libc, sizeof libc, "glibc %s", gnu_get_libc_version());
    return json_pack("{s:o,s:o,s:s,s:o,s:o,s:o,s:o}", "kernel", text_or_null(kernel), "os",
                     text_or_null(os), "libc", libc, "cpu_governor", text_or_null(governor), "aslr",
                     aslr[0] ? json_integer(atoi(aslr)) : json_null(), "envvars_json",
                     environment(), "libraries_json", libraries());
}

/* "--db=/a/b.sqlite" and "/a/b.sqlite" keep only b.sqlite. */
static json_t *argument(const char *text)
{
    const char *equals = strchr(text, '=');
    const char *value = equals ? equals + 1 : text;
    if (value[0] != '/')
        return json_string(text);
    return json_sprintf("%.*s%s", (int)(value - text), text, rk_base_name(value));
}

static json_t *arguments(int argc, char *const *argv)
{
    json_t *array = json_array();
    for (int i = 0; i < argc; i++) {
        json_t *text = i ? argument(argv[i]) : json_string(rk_base_name(argv[i]));
        /* An argument that is no UTF-8 is still an argument. */
        json_array_append_new(array, text ? text : json_string("?"));
    }
    return array;
}

/* Dumps and drops `value`. */
static rk_status keep(json_t *value, const char *what, rk_arena *arena, const char **out,
                      rk_error *err)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(value);
    if (!text)
        return rk_fail(err, RK_E_MEMORY, "out of memory: facts of the %s", what);
    *out = rk_arena_text(arena, text, strlen(text), err);
    free(text);
    return *out ? RK_OK : RK_E_MEMORY;
}

rk_status rk_provenance_collect(int argc, char *const *argv, rk_arena *arena, rk_provenance *out,
                                rk_error *err)
{
    char binary[RK_SHA256_HEX], boot[64];
    *out = (rk_provenance){.pid = getpid()};
    RK_TRY(rk_sha256_file("/proc/self/exe", binary, err));
    RK_TRY(keep(host_row(), "host", arena, &out->host_json, err));
    RK_TRY(keep(build_row(binary), "build", arena, &out->build_json, err));
    RK_TRY(keep(env_row(), "system", arena, &out->env_json, err));
    RK_TRY(keep(arguments(argc, argv), "command line", arena, &out->argv_json, err));
    rk_provenance_boot_id(boot, sizeof boot);
    if (boot[0]) {
        out->boot_id = rk_arena_text(arena, boot, strlen(boot), err);
        if (!out->boot_id)
            return RK_E_MEMORY;
    }
    out->pid_start_ticks = rk_provenance_start_ticks(out->pid);
    return RK_OK;
}
