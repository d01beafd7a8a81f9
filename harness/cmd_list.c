/* cmd_list.c - see cmd_list.h. */
#include "cmd_list.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "build_info.h"
#include "measure.h"
#include "method.h"
#include "readers/reader.h"

static const char usage[] =
    "usage: redknot list [methods|metrics|datasets|models|experiments|backends] [--options]\n"
    "\n"
    "  WHAT       one of these (default: all)\n"
    "  --options  with methods and datasets: every option, its range and its default\n"
    "  --help     prints this text\n";

static rk_status list_methods(int options, rk_error *err)
{
    (void)err;
    for (int32_t i = 0; i < rk_methods_count; i++) {
        const rk_method_ops *m = rk_methods[i];
        printf("%-16s %s; %s%s%s\n", m->name, m->title, m->source,
               m->flags & RK_METHOD_EXACT ? "; exact" : "",
               m->flags & RK_METHOD_NEEDS_HEAD_MAP ? "; needs a head map" : "");
        if (options)
            rk_options_help(m->options, "    ", stdout);
    }
    return RK_OK;
}

static rk_status list_datasets(int options, rk_error *err)
{
    (void)err;
    for (int32_t i = 0; i < rk_readers_count; i++) {
        const rk_reader_ops *r = rk_readers[i];
        printf("%-18s %s; %s; %s; %s\n", r->name, r->title, r->origin, r->licence, r->source);
        if (options)
            rk_options_help(r->options, "    ", stdout);
    }
    return RK_OK;
}

static rk_status list_metrics(int options, rk_error *err)
{
    (void)options;
    rk_arena *arena;
    const rk_metric *const *metric;
    int32_t n;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_measure_metrics(arena, &metric, &n, err);
    for (int32_t i = 0; st == RK_OK && i < n; i++)
        printf("%-32s %-9s %-6s is better  %s\n", metric[i]->name, metric[i]->unit,
               metric[i]->better, metric[i]->doc);
    rk_arena_free(arena);
    return st;
}

/* Files of a pattern under the working directory or, when none, the source tree. */
static void list_files(const char *pattern)
{
    glob_t found;
    char from_source[1024];
    snprintf(from_source, sizeof from_source, "%s/%s", RK_SOURCE_DIR, pattern);
    if (glob(pattern, 0, NULL, &found) != 0 && glob(from_source, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *base = strrchr(found.gl_pathv[i], '/');
        printf("%s\n", base ? base + 1 : found.gl_pathv[i]);
    }
    globfree(&found);
}

static rk_status list_models(int options, rk_error *err)
{
    (void)options, (void)err;
    list_files("data/models/*");
    list_files("models/*");
    return RK_OK;
}

static rk_status list_experiments(int options, rk_error *err)
{
    (void)options, (void)err;
    list_files("experiments/*.exp");
    return RK_OK;
}

static rk_status list_backends(int options, rk_error *err)
{
    (void)options, (void)err;
    printf("%s\n%s (counters only, for redknot logits)\n", rk_backend_cpu.name,
           rk_backend_count.name);
    return RK_OK;
}

static const struct {
    const char *name;
    rk_status (*list)(int options, rk_error *err);
} lists[] = {
    {"methods", list_methods}, {"metrics", list_metrics},         {"datasets", list_datasets},
    {"models", list_models},   {"experiments", list_experiments}, {"backends", list_backends},
};

rk_status rk_cmd_list(int argc, char **argv, rk_error *err)
{
    const char *what = NULL;
    int options = 0, shown = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(usage, stdout);
            return RK_OK;
        }
        if (!strcmp(argv[i], "--options"))
            options = 1;
        else if (argv[i][0] != '-' && !what)
            what = argv[i];
        else
            return rk_fail(err, RK_E_USAGE, "list: unexpected '%s' (redknot list --help)", argv[i]);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (what && strcmp(what, lists[i].name))
            continue;
        if (!what)
            printf("%s%s:\n", shown ? "\n" : "", lists[i].name);
        shown = 1;
        RK_TRY(lists[i].list(options, err));
    }
    if (!shown)
        return rk_fail(err, RK_E_USAGE,
                       "list: expected methods, metrics, datasets, models, experiments or "
                       "backends, got '%s'",
                       what);
    return RK_OK;
}
