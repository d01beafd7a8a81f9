/* test_workbench.c - what stays open between attempts, and what is refused. */
#include "bench_fixture.h"

#include "workbench.h"

static const char text[] = "[experiment]\ntitle = t\n[axes]\nmodel = tiny\ndataset = reports, "
                           "reports:T1, hotpotqa\ncontext = 256\nmethod = dense\n"
                           "[reader.reports:T1]\ntasks = T1\n";
static rk_arena *arena;
static rk_spec *spec;
static rk_workbench *w;

static void open_bench(int64_t items)
{
    rk_error err = {0};
    rk_workbench_config config = {
        .backend = "cpu", .threads = 1, .seed = 5, .items_per_context = items};
    BENCH_MUST(rk_workbench_new(&w, &config, &err));
}

static void models(void **state)
{
    rk_error err = {0};
    const char *sha, *again;
    (void)state;
    open_bench(3);
    assert_null(rk_workbench_opened(w));
    assert_int_equal(rk_workbench_model(w, "no_such_model", &err), RK_E_IO);
    assert_non_null(strstr(err.text, "data/models/no_such_model"));
    assert_null(rk_workbench_opened(w));
    BENCH_MUST(rk_workbench_model(w, "tiny", &err)); /* by name, wherever the process runs */
    const rk_model *first = rk_workbench_opened(w);
    assert_non_null(first);
    BENCH_MUST(rk_workbench_model_sha256(w, &sha, &err));
    BENCH_MUST(rk_workbench_model_sha256(w, &again, &err));
    assert_ptr_equal(sha, again);
    assert_int_equal(strlen(sha), 64);
    assert_non_null(strstr(rk_workbench_head_map(w, &err), "data/head_maps/tiny.json"));
    BENCH_MUST(rk_workbench_model(w, "tiny", &err));
    assert_ptr_equal(rk_workbench_opened(w), first); /* not opened twice */
    char tiny[65];
    snprintf(tiny, sizeof tiny, "%s", sha);
    BENCH_MUST(rk_workbench_model(w, BENCH_RANDOM, &err));
    BENCH_MUST(rk_workbench_model_sha256(w, &sha, &err));
    assert_string_not_equal(tiny, sha);
    assert_null(rk_workbench_head_map(w, &err)); /* nobody profiled that one */
    rk_workbench_free(w);
    rk_workbench_free(NULL);
}

static void items_and_contexts(void **state)
{
    rk_error err = {0};
    rk_point p = bench_point(spec, 0);
    const rk_context *context;
    const rk_prompt *prompt;
    int64_t first, count, index;
    (void)state;
    open_bench(3);
    BENCH_MUST(rk_workbench_model(w, BENCH_MODEL, &err));
    BENCH_MUST(rk_workbench_dataset(w, &p, 256, &err));
    assert_string_equal(rk_workbench_reader(w)->ops->name, "reports");
    BENCH_MUST(rk_workbench_items(w, 2, &first, &count, &err));
    assert_int_equal(first, 6);
    assert_int_equal(count, 3);
    BENCH_MUST(rk_workbench_find(w, 5, &index, &err));
    assert_int_equal(index, 1);
    BENCH_MUST(rk_workbench_context(w, 1, &context, &prompt, &err));
    assert_int_equal(context->items, 3);
    assert_int_equal(prompt->questions, 3);
    assert_true(prompt->context_tokens > 100 && prompt->context_tokens < 400);
    char id[128];
    snprintf(id, sizeof id, "%s", context->id);
    BENCH_MUST(rk_workbench_context(w, 0, &context, &prompt, &err));
    assert_string_not_equal(id, context->id);
    BENCH_MUST(rk_workbench_context(w, 1, &context, &prompt, &err));
    assert_string_equal(id, context->id); /* the same context at every visit */
    rk_workbench_free(w);
}

static void requests_and_reference(void **state)
{
    rk_error err = {0};
    rk_point p = bench_point(spec, 0);
    const rk_context *context;
    const rk_prompt *prompt;
    const rk_request *r, *with_bos;
    const float *reference, *again;
    (void)state;
    open_bench(2);
    BENCH_MUST(rk_workbench_model(w, BENCH_MODEL, &err));
    BENCH_MUST(rk_workbench_dataset(w, &p, 256, &err));
    BENCH_MUST(rk_workbench_context(w, 0, &context, &prompt, &err));
    BENCH_MUST(rk_workbench_request(w, 1, -1, &r, &err));
    assert_int_equal(r->chunks, prompt->passages);
    assert_int_equal(r->question.start, prompt->context_tokens);
    BENCH_MUST(rk_workbench_request(w, 1, 7, &with_bos, &err));
    assert_int_equal(with_bos->tokens, r->tokens + r->chunks);
    for (int32_t c = 0; c < r->chunks; c++) {
        assert_int_equal(with_bos->chunk[c].id[0], 7);
        assert_int_equal(with_bos->chunk[c].id[1], r->chunk[c].id[0]);
    }
    /* The reference is what a dense prefill of the whole request gives. */
    BENCH_MUST(rk_workbench_reference(w, 1, &reference, &err));
    BENCH_MUST(rk_workbench_reference(w, 1, &again, &err));
    assert_ptr_equal(reference, again);
    rk_method dense = {.ops = rk_method_find("dense"), .shape = &rk_workbench_opened(w)->shape};
    rk_session *s;
    BENCH_MUST(rk_session_open(&s, rk_workbench_engine(w), &dense, &err));
    BENCH_MUST(rk_session_prefill(s, r, RK_PART_WHOLE, NULL, &err));
    const float *own = rk_session_logits(s);
    for (int32_t v = 0; v < rk_workbench_opened(w)->shape.vocab; v++)
        if (own[v] - reference[v] > 1e-3f || reference[v] - own[v] > 1e-3f)
            fail_msg("token %d: %g, reference %g", v, (double)own[v], (double)reference[v]);
    rk_session_close(s);
    rk_workbench_free(w);
}

static void datasets(void **state)
{
    rk_error err = {0};
    rk_point reports = bench_point(spec, 0), variant = bench_point(spec, 1),
             missing = bench_point(spec, 2);
    const rk_context *context;
    const rk_prompt *prompt;
    (void)state;
    open_bench(2);
    BENCH_MUST(rk_workbench_model(w, BENCH_MODEL, &err));
    BENCH_MUST(rk_workbench_dataset(w, &reports, 256, &err));
    BENCH_MUST(rk_workbench_context(w, 0, &context, &prompt, &err));
    /* options of a variant reach its reader: only tasks T1 */
    BENCH_MUST(rk_workbench_dataset(w, &variant, 256, &err));
    BENCH_MUST(rk_workbench_context(w, 0, &context, &prompt, &err));
    for (int32_t i = 0; i < context->items; i++)
        assert_memory_equal(context->item[i].task, "T1", 2);
    /* files that are not here are said so, and the bench goes on */
    assert_int_not_equal(rk_workbench_dataset(w, &missing, 256, &err), RK_OK);
    assert_int_not_equal(err.text[0], '\0');
    BENCH_MUST(rk_workbench_dataset(w, &reports, 512, &err));
    BENCH_MUST(rk_workbench_context(w, 0, &context, &prompt, &err));
    assert_true(prompt->context_tokens > 300);
    rk_variant unknown = {.name = "nothing", .base = "nothing"};
    rk_point p = {.spec = spec, .reader = &unknown};
    assert_int_equal(rk_workbench_dataset(w, &p, 0, &err), RK_E_USAGE);
    assert_non_null(strstr(err.text, "unknown data set 'nothing'"));
    rk_workbench_free(w);
}

static int setup(void **state)
{
    (void)state;
    if (rk_arena_new(&arena, NULL) != RK_OK)
        return -1;
    spec = bench_spec("workbench", text, arena);
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
        cmocka_unit_test(models), cmocka_unit_test(items_and_contexts),
        cmocka_unit_test(requests_and_reference), cmocka_unit_test(datasets)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
