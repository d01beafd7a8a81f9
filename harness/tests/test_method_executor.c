/* test_method_executor.c - items through methods on the tiny model: what is timed,
 * what is shared, what is skipped and why, and failures as outcomes. */
#define _GNU_SOURCE
#include "bench_fixture.h"

#include <math.h>
#include <sys/stat.h>

#include "method_config.h"

enum { VALUES_MAX = 128 };

/* What an executor put into its sink. */
typedef struct caught {
    char name[VALUES_MAX][48];
    double value[VALUES_MAX];
    int n, outputs;
    char text[512];
} caught;

static rk_status add(void *self, const char *metric, double value, rk_error *err)
{
    caught *c = self;
    (void)err;
    assert_true(c->n < VALUES_MAX);
    snprintf(c->name[c->n], sizeof c->name[0], "%s", metric);
    c->value[c->n++] = value;
    return RK_OK;
}

static rk_status output(void *self, const char *text, rk_error *err)
{
    caught *c = self;
    (void)err;
    c->outputs++;
    snprintf(c->text, sizeof c->text, "%s", text);
    return RK_OK;
}

static int has(const caught *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->name[i], name))
            return 1;
    return 0;
}

static double of(const caught *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->name[i], name))
            return c->value[i];
    fail_msg("no %s", name);
    return 0;
}

static rk_arena *arena;
static const rk_executor_ops *const ops = &rk_method_executor_ops;

static rk_method_executor *executor(const rk_spec *spec)
{
    rk_error err = {0};
    rk_method_executor *x;
    rk_workbench_config config = {.backend = "cpu",
                                  .threads = 1,
                                  .seed = spec->measure.seed,
                                  .items_per_context = spec->measure.items_per_context};
    BENCH_MUST(rk_method_executor_new(&x, spec, &config, &err));
    return x;
}

static rk_outcome prepare(rk_method_executor *x, const rk_point *p, char reason[256])
{
    rk_error err = {0};
    rk_outcome outcome;
    rk_cell_facts facts = {0};
    reason[0] = '\0';
    BENCH_MUST(ops->prepare(x, p, &outcome, reason, 256, &facts, &err));
    assert_non_null(facts.model_json);
    if (outcome == RK_RAN)
        assert_true(facts.method_json && facts.dataset_json);
    return outcome;
}

static rk_outcome run(rk_method_executor *x, const rk_point *p, int64_t item, caught *c,
                      char reason[256])
{
    rk_error err = {0};
    rk_outcome outcome;
    rk_sink sink = {c, add, output};
    memset(c, 0, sizeof *c);
    reason[0] = '\0';
    BENCH_MUST(ops->run(x, p, item, 0, 0, &sink, &outcome, reason, 256, &err));
    return outcome;
}

static void must_run(rk_method_executor *x, const rk_point *p, int64_t item, caught *c)
{
    char reason[256];
    if (run(x, p, item, c, reason) != RK_RAN)
        fail_msg("%s: item %lld: %s", p->method->name, (long long)item, reason);
    assert_int_equal(c->outputs, 1);
}

#define AXES                                                                                       \
    "[experiment]\ntitle = t\n[axes]\nmodel = tiny\ndataset = reports\ncontext = 192\n"            \
    "method = dense, epic, redknot, prophetkv, cacheblend, tokdrop_redknot, prefix_cache\n"        \
    "[measure]\nitems = 6\nitems_per_context = 3\ndecode_tokens = 3\nseed = 11\n"

static void blocks_and_identities(void **state)
{
    rk_error err = {0};
    rk_spec *spec = bench_spec("executor", AXES, arena);
    rk_method_executor *x = executor(spec);
    rk_point p = bench_point(spec, 0);
    int64_t contexts, first, count;
    rk_item_identity who[4];
    char reason[256];
    (void)state;
    assert_int_equal(prepare(x, &p, reason), RK_RAN);
    BENCH_MUST(ops->layout(x, &p, 6, &contexts, &err));
    assert_int_equal(contexts, 2);
    BENCH_MUST(ops->layout(x, &p, 7, &contexts, &err));
    assert_int_equal(contexts, 3);
    BENCH_MUST(ops->items(x, &p, 5, 1, &first, &count, &err));
    assert_int_equal(first, 3);
    assert_int_equal(count, 2); /* cut at n */
    for (int64_t i = 0; i < 4; i++)
        BENCH_MUST(ops->item_key(x, &p, i, &who[i], &err));
    assert_string_equal(who[0].cluster, who[2].cluster);
    assert_string_not_equal(who[2].cluster, who[3].cluster);
    assert_string_not_equal(who[0].key, who[1].key);
    assert_true(ops->predict(x, &p) > 0);
    rk_method_executor_free(x);
}

/* The first question of a context is timed and unforked; the others are neither, but
 * are scored alike. A method that looks at the question always runs whole. */
static void only_first_questions_are_timed(void **state)
{
    rk_spec *spec = bench_spec("executor", AXES, arena);
    rk_method_executor *x = executor(spec);
    (void)state;
    for (int64_t m = 0; m < 7; m++) {
        rk_point p = bench_point(spec, m);
        char reason[256];
        caught c;
        assert_int_equal(prepare(x, &p, reason), RK_RAN);
        for (int64_t item = 0; item < 2; item++) {
            must_run(x, &p, item, &c);
            int first = item == 0;
            static const char *const timed[] = {"ttft_ms",        "flops",
                                                "kv_bytes",       "reused_tokens",
                                                "ttft_attend_ms", "prefill_tokens_per_s"};
            for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
                if (has(&c, timed[i]) != first)
                    fail_msg("%s: item %lld: %s", p.method->name, (long long)item, timed[i]);
            static const char *const always[] = {"em",           "f1",       "top1_agreement",
                                                 "logit_cosine", "logit_kl", "output_tokens"};
            for (size_t i = 0; i < sizeof always / sizeof *always; i++)
                assert_true(has(&c, always[i]));
            assert_int_equal(has(&c, "offline_ms"),
                             first && (p.method->name[0] == 'e' || p.method->name[0] == 'r' ||
                                       p.method->name[0] == 'c' || p.method->name[0] == 'p'));
            assert_true(of(&c, "output_tokens") <= 3);
        }
    }
    rk_method_executor_free(x);
}

/* Exact methods agree with dense on every question, and count what they reused. */
static void exact_methods_and_counters(void **state)
{
    rk_spec *spec = bench_spec("executor", AXES, arena);
    rk_method_executor *x = executor(spec);
    caught c;
    (void)state;
    rk_point dense = bench_point(spec, 0), redknot = bench_point(spec, 2),
             cached = bench_point(spec, 6);
    for (int64_t item = 0; item < 2; item++) {
        must_run(x, &dense, item, &c);
        assert_true(of(&c, "logit_kl") < 1e-6 && of(&c, "top1_agreement") == 1);
        must_run(x, &cached, item, &c);
        assert_true(of(&c, "logit_kl") < 1e-6 && of(&c, "top1_agreement") == 1);
    }
    must_run(x, &dense, 0, &c);
    assert_true(of(&c, "reused_tokens") == 0 && fabs(of(&c, "recompute_fraction") - 1) < 1e-9);
    must_run(x, &cached, 0, &c);
    assert_true(of(&c, "reused_tokens") > 0 && of(&c, "recompute_fraction") < 1);
    must_run(x, &redknot, 0, &c);
    assert_true(of(&c, "reused_tokens") > 0);
    assert_true(of(&c, "projected_local_kv_rows_reused") == 0);
    assert_true(of(&c, "fallbacks") == 0);
    rk_method_executor_free(x);
}

/* A question gives the same answer whatever ran before it. */
static void order_of_questions_changes_nothing(void **state)
{
    rk_spec *spec = bench_spec("executor", AXES, arena);
    rk_spec *alone = bench_spec("executor", AXES, arena);
    (void)state;
    static const int64_t methods[] = {1, 2, 3}; /* epic, redknot; prophetkv runs whole */
    for (size_t k = 0; k < 3; k++) {
        int64_t m = methods[k];
        rk_method_executor *x = executor(spec), *y;
        rk_point p = bench_point(spec, m), q;
        caught shared, whole;
        double kl[2];
        char text[2][512];
        for (int64_t item = 0; item < 2; item++) {
            must_run(x, &p, item, &shared);
            kl[item] = of(&shared, "logit_kl");
            snprintf(text[item], sizeof text[item], "%s", shared.text);
        }
        rk_method_executor_free(x);
        /* The other way round: whatever ran before, the same values. */
        y = executor(alone);
        q = bench_point(alone, m);
        for (int64_t item = 1; item >= 0; item--) {
            must_run(y, &q, item, &whole);
            if (strcmp(text[item], whole.text) || fabs(kl[item] - of(&whole, "logit_kl")) > 1e-5)
                fail_msg("%s: item %lld: '%s' and '%s'", p.method->name, (long long)item,
                         text[item], whole.text);
        }
        rk_method_executor_free(y);
    }
}

/* The engine itself: question q of a context, whole and on a fork, gives one answer. */
static void fork_equals_whole(void **state)
{
    rk_error err = {0};
    rk_spec *spec = bench_spec("executor", AXES, arena);
    rk_point p = bench_point(spec, 0);
    rk_workbench *w;
    rk_workbench_config config = {
        .backend = "cpu", .threads = 1, .seed = 2, .items_per_context = 2};
    const rk_context *context;
    const rk_prompt *prompt;
    const rk_request *r;
    (void)state;
    static const char *const names[] = {"dense", "epic", "full_reuse", "cacheblend"};
    BENCH_MUST(rk_workbench_new(&w, &config, &err));
    BENCH_MUST(rk_workbench_model(w, BENCH_MODEL, &err));
    BENCH_MUST(rk_workbench_dataset(w, &p, 192, &err));
    BENCH_MUST(rk_workbench_context(w, 0, &context, &prompt, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rk_method m;
        rk_session *whole, *fork, *shared;
        double ms;
        int64_t built;
        rk_engine *e = rk_workbench_engine(w);
        const rk_model_shape *shape = &rk_workbench_opened(w)->shape;
        BENCH_MUST(rk_method_configure(names[i], NULL, 0, shape, arena, &m, &err));
        BENCH_MUST(rk_workbench_request(w, 1, -1, &r, &err));
        BENCH_MUST(rk_engine_build_states(e, &m, r, &ms, &built, &err));
        BENCH_MUST(rk_session_open(&whole, e, &m, &err));
        BENCH_MUST(rk_session_prefill(whole, r, RK_PART_WHOLE, NULL, &err));
        BENCH_MUST(rk_session_open(&shared, e, &m, &err));
        BENCH_MUST(rk_session_prefill(shared, r, RK_PART_CONTEXT, NULL, &err));
        BENCH_MUST(rk_session_fork(&fork, shared, &err));
        BENCH_MUST(rk_session_prefill(fork, r, RK_PART_QUESTION, NULL, &err));
        const float *a = rk_session_logits(whole), *b = rk_session_logits(fork);
        for (int32_t v = 0; v < shape->vocab; v++)
            if (fabsf(a[v] - b[v]) > 2e-3f)
                fail_msg("%s: token %d: %g and %g", names[i], v, (double)a[v], (double)b[v]);
        rk_session_close(fork);
        rk_session_close(shared);
        rk_session_close(whole);
    }
    rk_workbench_free(w);
}

static void cells_that_cannot_run_say_why(void **state)
{
    static const struct {
        const char *name, *axes, *says;
    } cases[] = {
        {"no map", "model = " BENCH_RANDOM "\ndataset = reports\nmethod = redknot\n",
         "no head map for"},
        {"map of another shape",
         "model = " BENCH_RANDOM "\ndataset = reports\nmethod = redknot\n[method.redknot]\n"
         "head_map = " RK_TEST_DATA "/head_maps/tiny.json\n",
         "head map tiny.json has"},
        {"no model", "model = none/of/those\ndataset = reports\nmethod = dense\n",
         "no such file or directory"},
        {"no data", "model = tiny\ndataset = hotpotqa\nmethod = dense\n", "hotpot"},
        {"too shallow",
         "model = tiny\ndataset = reports\nmethod = cacheblend\n[method.cacheblend]\ncheck_layer = "
         "400\n",
         "check_layer: expected 1 to"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024], reason[256];
        snprintf(text, sizeof text, "[experiment]\ntitle = t\n[axes]\ncontext = 256\n%s",
                 cases[i].axes);
        rk_spec *spec = bench_spec("skipped", text, arena);
        rk_method_executor *x = executor(spec);
        rk_point p = bench_point(spec, 0);
        assert_int_equal(prepare(x, &p, reason), RK_SKIPPED);
        if (!strstr(reason, cases[i].says))
            fail_msg("%s: %s", cases[i].name, reason);
        rk_method_executor_free(x);
    }
}

static void an_experiment_needs_methods(void **state)
{
    rk_error err = {0};
    rk_spec *spec =
        bench_spec("executor", "[experiment]\ntitle = t\n[axes]\nmodel = tiny\n", arena);
    rk_method_executor *x = executor(spec);
    rk_point p = bench_point(spec, 0);
    rk_outcome outcome;
    char reason[64];
    rk_cell_facts facts = {0};
    (void)state;
    assert_int_equal(ops->prepare(x, &p, &outcome, reason, sizeof reason, &facts, &err),
                     RK_E_USAGE);
    assert_non_null(strstr(err.text, "method and dataset"));
    rk_method_executor_free(x);
}

/* Copies the tiny model with the last `bytes` of its weights set to 0xff: NaN. */
static void copy_broken_model(const char *to)
{
    static const char *const files[] = {"config.json", "generation_config.json", "tokenizer.json",
                                        "tokenizer_config.json", "model.safetensors"};
    mkdir(to, 0777);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", BENCH_MODEL, files[i]);
        FILE *from = fopen(path, "rb");
        assert_non_null(from);
        fseek(from, 0, SEEK_END);
        size_t n = (size_t)ftell(from);
        rewind(from);
        char *bytes = malloc(n);
        assert_int_equal(fread(bytes, 1, n, from), n);
        fclose(from);
        if (i == 4)
            memset(bytes + n / 2, 0xff, n / 2);
        snprintf(path, sizeof path, "%s/%s", to, files[i]);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(bytes, 1, n, out), n);
        fclose(out);
        free(bytes);
    }
}

static void remove_model(const char *at)
{
    char command[700];
    snprintf(command, sizeof command, "rm -r '%s'", at);
    assert_int_equal(system(command), 0);
}

/* A failure is the item's outcome with its reason, and the next cell runs. */
static void failures_are_outcomes(void **state)
{
    char path[512], text[1400], reason[256];
    (void)state;
    snprintf(path, sizeof path, "%s/broken_model_%ld", RK_TEST_BUILD, (long)getpid());
    copy_broken_model(path);
    snprintf(text, sizeof text,
             "[experiment]\ntitle = t\n[axes]\nmodel = %s, tiny\ndataset = reports\n"
             "context = 256\nmethod = dense, epic\n[measure]\nitems_per_context = 2\n"
             "decode_tokens = 2\n",
             path);
    rk_spec *spec = bench_spec("failing", text, arena);
    rk_method_executor *x = executor(spec);
    caught c;
    for (int64_t m = 0; m < 2; m++) { /* weights that are not finite end the run */
        rk_point p = bench_point(spec, m);
        rk_error err = {0};
        rk_outcome outcome;
        rk_cell_facts facts = {0};
        assert_int_equal(ops->prepare(x, &p, &outcome, reason, sizeof reason, &facts, &err),
                         RK_E_NUMERIC);
        if (!strstr(err.text, "layer") || !strstr(err.text, "not finite"))
            fail_msg("%s", err.text);
    }
    rk_point good = bench_point(spec, 2);
    must_run(x, &good, 1, &c);
    assert_int_equal(run(x, &good, -1, &c, reason), RK_FAILED);
    rk_method_executor_free(x);
    remove_model(path);
}

static int setup(void **state)
{
    (void)state;
    return rk_arena_new(&arena, NULL) == RK_OK ? 0 : -1;
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
        cmocka_unit_test(blocks_and_identities),
        cmocka_unit_test(only_first_questions_are_timed),
        cmocka_unit_test(exact_methods_and_counters),
        cmocka_unit_test(order_of_questions_changes_nothing),
        cmocka_unit_test(fork_equals_whole),
        cmocka_unit_test(cells_that_cannot_run_say_why),
        cmocka_unit_test(an_experiment_needs_methods),
        cmocka_unit_test(failures_are_outcomes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
