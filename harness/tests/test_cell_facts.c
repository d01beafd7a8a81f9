/* test_cell_facts.c - rows of model, method and data set as canonical JSON. */
#include "bench_fixture.h"

#include "cell_facts.h"
#include "method_config.h"

static rk_arena *arena;
static rk_spec *spec;
static char value[128];

static void has(const char *json, const char *key, const char *expected)
{
    const char *got = bench_value(json, key, value);
    if (!got || strcmp(got, expected))
        fail_msg("%s: %s, expected %s in %s", key, got ? got : "nothing", expected, json);
}

static void model_row(void **state)
{
    rk_error err = {0};
    rk_model *m;
    const char *text, *again;
    (void)state;
    BENCH_MUST(rk_model_open(&m, BENCH_MODEL, &err));
    BENCH_MUST(rk_cell_facts_model(m, "abc", arena, &text, &err));
    BENCH_MUST(rk_cell_facts_model(m, "abc", arena, &again, &err));
    assert_string_equal(text, again);
    has(text, "name", "\"tiny\"");
    has(text, "weights_kind", "\"trained\"");
    has(text, "weights_sha256", "\"abc\"");
    assert_non_null(bench_value(text, "tokenizer_sha256", value));
    assert_null(strchr(text, '/')); /* no path enters results */
    snprintf(value, sizeof value, "\"n_layers\":%d", m->shape.layers);
    assert_non_null(strstr(text, value));
    snprintf(value, sizeof value, "\"n_kv_heads\":%d", m->shape.kv_heads);
    assert_non_null(strstr(text, value));
    rk_model_close(m);
}

static void method_rows(void **state)
{
    static const struct {
        int64_t point;
        const char *name, *version, *exact, *offline, *reference, *cross;
    } rows[] = {{0, "\"dense\"", "\"dense\"", "1", "0", "1", "0"},
                {1, "\"epic:four\"", "\"epic\"", "0", "1", "0", "1"},
                {2, "\"prefix_cache\"", "\"prefix_cache\"", "1", "1", "0", "1"},
                {3, "\"tokdrop_redknot\"", "\"tokdrop_redknot\"", "0", "0", "0", "0"}};
    rk_model_shape shape = {.layers = 2, .kv_heads = 2, .heads = 2};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_error err = {0};
        rk_point p = bench_point(spec, rows[i].point);
        const rk_pair *option;
        const char *text;
        int32_t n;
        rk_method m;
        BENCH_MUST(rk_point_method_options(&p, arena, &option, &n, &err));
        BENCH_MUST(rk_method_configure(p.method->base, option, n, &shape, arena, &m, &err));
        BENCH_MUST(rk_cell_facts_method(&m, &p, arena, &text, &err));
        has(text, "name", rows[i].name);
        has(text, "version", rows[i].version);
        has(text, "exact", rows[i].exact);
        has(text, "offline_phase", rows[i].offline);
        has(text, "is_reference", rows[i].reference);
        has(text, "cross_query_cache", rows[i].cross);
        if (i == 1)
            has(text, "k", "\"4\"");
    }
}

static void dataset_rows(void **state)
{
    rk_error err = {0};
    rk_point p = bench_point(spec, 0), longer = bench_point(spec, 4);
    rk_reader reader = {0};
    const char *a, *b, *other_seed;
    char hash[128];
    (void)state;
    for (int32_t i = 0; i < rk_readers_count; i++)
        if (!strcmp(rk_readers[i]->name, "reports"))
            reader.ops = rk_readers[i];
    assert_non_null(reader.ops);
    void *config = rk_arena_take(arena, 1, reader.ops->config_size, &err);
    BENCH_MUST(rk_options_default(reader.ops->options, config, &err));
    BENCH_MUST(rk_options_set(reader.ops->options, config, "tasks", "T1", &err));
    reader.config.options = config;
    BENCH_MUST(rk_cell_facts_dataset(&reader, &p, 3, arena, &a, &err));
    BENCH_MUST(rk_cell_facts_dataset(&reader, &longer, 3, arena, &b, &err));
    BENCH_MUST(rk_cell_facts_dataset(&reader, &p, 4, arena, &other_seed, &err));
    has(a, "name", "\"reports:few\"");
    has(a, "origin", "\"synthetic\"");
    has(a, "seed", "3");
    has(a, "context", "256");
    has(a, "tasks", "\"T1\"");
    snprintf(hash, sizeof hash, "%s", bench_value(a, "manifest_sha256", value));
    assert_string_not_equal(hash, bench_value(b, "manifest_sha256", value)); /* another length */
    assert_string_not_equal(hash, bench_value(other_seed, "manifest_sha256", value));
}

static void items_differ_by_their_texts(void **state)
{
    rk_error err = {0};
    rk_passage passage[] = {{.text = "one"}, {.text = "two"}};
    const char *answers[] = {"yes"};
    rk_item item = {.question = "why?", .answer = answers, .answers = 1};
    rk_context c = {.passage = passage, .passages = 2, .item = &item, .items = 1};
    char first[RK_SHA256_HEX], again[RK_SHA256_HEX], moved[RK_SHA256_HEX];
    (void)state;
    BENCH_MUST(rk_cell_facts_item(&c, &item, arena, first, &err));
    BENCH_MUST(rk_cell_facts_item(&c, &item, arena, again, &err));
    assert_string_equal(first, again);
    passage[0].text = "onet"; /* the seam moves, the bytes in a row do not */
    passage[1].text = "wo";
    BENCH_MUST(rk_cell_facts_item(&c, &item, arena, moved, &err));
    assert_string_not_equal(first, moved);
}

static void row_without_a_model(void **state)
{
    rk_error err = {0};
    rk_point p = bench_point(spec, 0);
    rk_cell_facts facts = {0};
    (void)state;
    BENCH_MUST(rk_cell_facts_without_model(&p, "/far/away/huge", arena, &facts, &err));
    assert_string_equal(facts.model_json,
                        "{\"arch\":\"unknown\",\"name\":\"huge\",\"weights_kind\":\"none\"}");
    assert_int_equal(facts.context_tokens, 256);
}

static int setup(void **state)
{
    (void)state;
    if (rk_arena_new(&arena, NULL) != RK_OK)
        return -1;
    spec = bench_spec("cell_facts",
                      "[experiment]\ntitle = t\n[axes]\nmodel = tiny\ndataset = reports:few\n"
                      "context = 256, 512\nmethod = dense, epic:four, prefix_cache, "
                      "tokdrop_redknot\n[reader.reports:few]\ntasks = T1\n[method.epic:four]\nk = "
                      "4\n",
                      arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rk_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_row), cmocka_unit_test(method_rows), cmocka_unit_test(dataset_rows),
        cmocka_unit_test(items_differ_by_their_texts), cmocka_unit_test(row_without_a_model)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
