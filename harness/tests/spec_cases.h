/* spec_cases.h - small registries for the tests of experiment files. */
#ifndef RK_TEST_SPEC_CASES_H
#define RK_TEST_SPEC_CASES_H

#include "spec.h"

typedef struct case_config {
    int64_t window;
    double mass;
    int32_t mode;
    const char *map;
} case_config;

static const rk_option case_options[] = {
    {"window", RK_OPT_INT, offsetof(case_config, window), "256", 1, 65536, "tokens", "Window.",
     NULL},
    {"ffn_mass", RK_OPT_FLOAT, offsetof(case_config, mass), "1", 0, 1, "fraction", "Mass.", NULL},
    {"mode", RK_OPT_CHOICE, offsetof(case_config, mode), "fixed", 0, 0, "", "Mode.", "fixed|paper"},
    {"head_map", RK_OPT_TEXT, offsetof(case_config, map), "", 0, 0, "", "Map.", NULL},
    {.name = NULL}};

static const rk_method_ops case_dense = {.name = "dense"};
static const rk_method_ops case_redknot = {.name = "redknot", .options = case_options};
static const rk_method_ops case_blend = {.name = "cacheblend", .options = case_options};
static const rk_method_ops *const case_methods[] = {&case_blend, &case_dense, &case_redknot};

static const rk_option case_reader_options[] = {
    {"hops", RK_OPT_INT, 0, "2", 1, 8, "links", "Hops.", NULL}, {.name = NULL}};
static const rk_reader_ops case_hotpot = {.name = "hotpotqa"};
static const rk_reader_ops case_ruler = {.name = "ruler", .options = case_reader_options};
static const rk_reader_ops *const case_readers[] = {&case_hotpot, &case_ruler};

static const rk_metric case_ttft = {"ttft_ms", "ms", "lower", "time", "Time to first token.", NULL};
static const rk_metric case_f1 = {"f1", "fraction", "higher", "quality", "Token F1.", NULL};
static const rk_metric *const case_metrics[] = {&case_f1, &case_ttft};

static const rk_spec_registry case_registry = {case_methods, 3, case_readers, 2, case_metrics, 2};

#endif
