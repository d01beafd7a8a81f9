/* cmd_profile.c - see cmd_profile.h: probe contexts of a data set, a measured head map. */
#include "cmd_profile.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "head_profile.h"
#include "spec.h"
#include "workbench.h"

typedef struct config {
    const char *dataset, *data, *out;
    int64_t context, contexts, window, sink, rows, seed, threads;
    double share, threshold;
    int32_t by;
} config;

static const rk_option options[] = {
    {"dataset", RK_OPT_TEXT, offsetof(config, dataset), "reports", 0, 0, "",
     "Data set of the probes; choose on another split than you report on.", NULL},
    {"data", RK_OPT_TEXT, offsetof(config, data), "", 0, 0, "",
     "Directory that holds the data sets.", NULL},
    {"out", RK_OPT_TEXT, offsetof(config, out), "", 0, 0, "",
     "Head map to write; none: only the table is printed.", NULL},
    {"context", RK_OPT_INT, offsetof(config, context), "0", 0, 1 << 24, "tokens",
     "Length of the probe contexts; 0 = their natural length.", NULL},
    {"contexts", RK_OPT_INT, offsetof(config, contexts), "8", 1, 10000, "contexts",
     "How many probes.", NULL},
    {"window", RK_OPT_INT, offsetof(config, window), "256", 1, 1 << 24, "tokens",
     "Window of local heads; what lies beyond it counts as far.", NULL},
    {"sink", RK_OPT_INT, offsetof(config, sink), "64", 0, 1 << 24, "tokens", "Sink of local heads.",
     NULL},
    {"rows", RK_OPT_INT, offsetof(config, rows), "16", 1, 4096, "rows",
     "Probe rows a context and a passage.", NULL},
    {"by", RK_OPT_CHOICE, offsetof(config, by), "far", 0, 0, "",
     "Score: attention beyond the window; on the window's far edge; on the evidence; change of "
     "attention by the text before; the largest of far, needle and shift.",
     "far|edge|needle|shift|max"},
    {"share", RK_OPT_FLOAT, offsetof(config, share), "-1", -1, 1, "fraction",
     "Share of heads that becomes global; -1 = by threshold.", NULL},
    {"threshold", RK_OPT_FLOAT, offsetof(config, threshold), "0.1", 0, 1, "fraction",
     "Score above which a head is global, without --share.", NULL},
    {"seed", RK_OPT_INT, offsetof(config, seed), "20261", 0, 1e15, "",
     "Seed of generators and of the order of passages.", NULL},
    {"threads", RK_OPT_INT, offsetof(config, threads), "0", 0, 4096, "threads",
     "CPU threads; 0 = all processors.", NULL},
    {.name = NULL},
};

static const rk_argument_list list_table[] = {
    {"set", "KEY=VALUE", "An option of the data set (redknot list datasets --options).", NULL, 0}};

static void print_help(void)
{
    rk_argument_list list[1] = {list_table[0]};
    rk_arguments a = {.option = options, .list = list, .lists = 1};
    fputs("usage: redknot profile MODEL [options]\n\n"
          "Measures for every (layer, KV head) how much it needs the whole prompt, and writes a\n"
          "head map with its evidence. Scores are means over dense prefills of probe contexts.\n\n",
          stdout);
    rk_arguments_help(&a, stdout);
}

/* The data set as a point of an experiment with one axis value. */
static rk_status make_point(const config *c, const rk_argument_list *set, rk_arena *arena,
                            rk_point *out, rk_error *err)
{
    rk_variant *v = rk_arena_take(arena, 1, sizeof *v, err);
    rk_pair *pair = rk_arena_take(arena, (size_t)set->n, sizeof *pair, err);
    rk_spec *spec = rk_arena_take(arena, 1, sizeof *spec, err);
    if (!v || !pair || !spec)
        return RK_E_MEMORY;
    for (int32_t i = 0; i < set->n; i++) {
        const char *equals = strchr(set->value[i], '=');
        if (!equals)
            return rk_fail(err, RK_E_USAGE, "profile: --set: expected KEY=VALUE, got '%s'",
                           set->value[i]);
        pair[i].key = rk_arena_text(arena, set->value[i], (size_t)(equals - set->value[i]), err);
        pair[i].value = equals + 1;
        if (!pair[i].key)
            return RK_E_MEMORY;
    }
    *v = (rk_variant){.name = c->dataset, .base = c->dataset, .option = pair, .options = set->n};
    *out = (rk_point){.spec = spec, .reader = v};
    return RK_OK;
}

static rk_status add_context(rk_workbench *w, rk_profile *p, int64_t index, int *ended,
                             rk_error *err)
{
    int64_t first, count;
    const rk_context *context;
    const rk_prompt *prompt;
    const rk_request *r;
    uint8_t gold[4096] = {0};
    RK_TRY(rk_workbench_items(w, index, &first, &count, err));
    *ended = count == 0;
    if (*ended)
        return RK_OK;
    RK_TRY(rk_workbench_context(w, index, &context, &prompt, err));
    if (context->passages > (int32_t)sizeof gold)
        return rk_fail(err, RK_E_UNSUPPORTED, "profile: more than %zu passages", sizeof gold);
    for (int32_t i = 0; i < context->passages; i++)
        gold[i] = context->passage[i].gold != 0;
    RK_TRY(rk_workbench_request(w, 0, -1, &r, err));
    return rk_profile_add(p, rk_workbench_engine(w), r, gold, err);
}

static const char *const score_names[] = {"far", "edge", "needle", "shift", "max"};

/* One line a layer: scores of its heads, globals marked. */
static void print_table(const rk_profile *p, const config *c, const rk_head_map *map)
{
    printf("score (%s) by layer and KV head; * = global\n", score_names[c->by]);
    for (int32_t l = 0; l < map->layers; l++) {
        printf("%3d ", l);
        for (int32_t h = 0; h < map->kv_heads; h++)
            printf(" %.3f%c", rk_profile_value(p, (rk_profile_score)c->by, l, h),
                   rk_head_map_is_global(map, l, h) ? '*' : ' ');
        putchar('\n');
    }
    printf("%d of %d heads are global\n", rk_head_map_globals(map), map->layers * map->kv_heads);
}

/* Every option of the data set, as it was read. */
static rk_status put_options(json_t *root, const rk_reader *r, rk_arena *arena, rk_error *err)
{
    json_t *object = json_object();
    json_object_set_new(root, "dataset_options", object);
    for (const rk_option *row = r->ops->options; row && row->name; row++) {
        char *text = rk_option_text(row, r->config.options, arena, err);
        if (!text)
            return RK_E_MEMORY;
        json_object_set_new(object, row->name, json_string(text));
    }
    return RK_OK;
}

/* The probe set and the choice, so that a map says where it came from. */
static rk_status evidence(rk_workbench *w, rk_profile *p, const config *c, rk_arena *arena,
                          const char **out, rk_error *err)
{
    char *measured;
    const char *sha256;
    RK_TRY(rk_profile_evidence(p, arena, &measured, err));
    RK_TRY(rk_workbench_model_sha256(w, &sha256, err));
    json_t *root = json_loads(measured, 0, NULL);
    rk_status st = put_options(root, rk_workbench_reader(w), arena, err);
    if (st != RK_OK) {
        json_decref(root);
        return st;
    }
    json_object_set_new(root, "model", json_string(rk_workbench_opened(w)->name));
    json_object_set_new(root, "weights_sha256", json_string(sha256));
    json_object_set_new(root, "dataset", json_string(c->dataset));
    json_object_set_new(root, "context", json_integer(c->context));
    json_object_set_new(root, "seed", json_integer(c->seed));
    json_object_set_new(root, "by", json_string(score_names[c->by]));
    json_object_set_new(root, c->share >= 0 ? "share" : "threshold",
                        json_real(c->share >= 0 ? c->share : c->threshold));
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(root);
    *out = text ? rk_arena_text(arena, text, strlen(text), err) : NULL;
    free(text);
    return *out ? RK_OK : rk_fail(err, RK_E_MEMORY, "out of memory: profile evidence");
}

static rk_status finish(rk_workbench *w, rk_profile *p, const config *c, rk_arena *arena,
                        rk_error *err)
{
    rk_head_map *map;
    const char *text;
    RK_TRY(rk_profile_map(p, (rk_profile_score)c->by, c->share, c->threshold, arena, &map, err));
    print_table(p, c, map);
    if (!c->out[0])
        return RK_OK;
    RK_TRY(evidence(w, p, c, arena, &text, err));
    return rk_head_map_write(map, text, c->out, err);
}

static rk_status profile(const char *model, const config *c, const rk_argument_list *set,
                         rk_arena *arena, rk_error *err)
{
    rk_workbench_config bench = {.backend = "cpu",
                                 .threads = (int32_t)c->threads,
                                 .data = c->data[0] ? c->data : NULL,
                                 .seed = c->seed};
    rk_workbench *w;
    rk_profile *p = NULL;
    rk_point point;
    int ended = 0;
    RK_TRY(make_point(c, set, arena, &point, err));
    RK_TRY(rk_workbench_new(&w, &bench, err));
    rk_status st = rk_workbench_model(w, model, err);
    if (st == RK_OK)
        st = rk_workbench_dataset(w, &point, c->context, err);
    rk_profile_config how = {(int32_t)c->window, (int32_t)c->sink, (int32_t)c->rows};
    if (st == RK_OK)
        st = rk_profile_new(&p, &rk_workbench_opened(w)->shape, &how, err);
    for (int64_t i = 0; i < c->contexts && st == RK_OK && !ended; i++) {
        st = add_context(w, p, i, &ended, err);
        if (st == RK_OK && !ended)
            fprintf(stderr, "profile: context %lld of %lld\n", (long long)i + 1,
                    (long long)c->contexts);
    }
    if (st == RK_OK)
        st = finish(w, p, c, arena, err);
    rk_profile_free(p);
    rk_workbench_free(w);
    return st;
}

rk_status rk_cmd_profile(int argc, char **argv, rk_error *err)
{
    config c;
    rk_arena *arena;
    rk_argument_list list[1] = {list_table[0]};
    rk_arguments a = {
        .command = "profile", .option = options, .config = &c, .list = list, .lists = 1};
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = rk_arguments_parse(&a, argc, argv, arena, err);
    if (st == RK_OK && a.help)
        print_help();
    else if (st == RK_OK && a.words != 1)
        st = rk_fail(err, RK_E_USAGE,
                     "profile: expected one MODEL, got %d words; see redknot "
                     "profile --help",
                     a.words);
    else if (st == RK_OK)
        st = profile(a.word[0], &c, &list[0], arena, err);
    rk_arena_free(arena);
    return st;
}
