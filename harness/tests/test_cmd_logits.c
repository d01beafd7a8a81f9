/* test_cmd_logits.c - the verb as a function: logits and counters in files, refusals. */
#define _POSIX_C_SOURCE 200809L
#include "cmocka_all.h"

#include "cmd_fixture.h"
#include "cmd_logits.h"

#define SMALL RK_TEST_DATA "/fixtures/golden/smol"
enum { VOCAB = 320, IDS = 12 };

typedef struct call {
    char *argv[24];
    int argc;
    rk_status status;
    rk_error err;
} call;

static char out[512], counters[520];

static void invoke(void *self)
{
    call *c = self;
    c->status = rk_cmd_logits(c->argc, c->argv, &c->err);
}

/* Words as a call; the text it printed, to be freed. */
static char *run(call *c, const char *const *words)
{
    *c = (call){.argv = {"logits"}, .argc = 1};
    for (; *words; words++)
        c->argv[c->argc++] = (char *)*words;
    return cmd_output(invoke, c);
}

static float *read_floats(size_t *n)
{
    FILE *f = fopen(out, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f) / sizeof(float);
    rewind(f);
    float *x = malloc(*n * sizeof *x + 1);
    assert_int_equal(fread(x, sizeof *x, *n, f), *n);
    fclose(f);
    return x;
}

#define PROMPT SMALL, "--ids", "5,9,2,77,31,8,6,44,3,100,7,1", "--threads=1", "--out", out

static void last_row_of_all_rows(void **state)
{
    call c;
    size_t n;
    (void)state;
    char *text = run(&c, (const char *[]){PROMPT, NULL});
    assert_int_equal(c.status, RK_OK);
    float *last = read_floats(&n);
    assert_int_equal(n, VOCAB);
    int32_t best = 0, id;
    for (int32_t i = 1; i < VOCAB; i++)
        best = last[i] > last[best] ? i : best;
    assert_int_equal(sscanf(text, "%d", &id), 1);
    assert_int_equal(id, best);
    free(text);
    text = run(&c, (const char *[]){PROMPT, "--all", NULL});
    assert_int_equal(c.status, RK_OK);
    float *all = read_floats(&n);
    assert_int_equal(n, VOCAB * IDS);
    for (int32_t i = 0; i < VOCAB; i++)
        assert_true(all[VOCAB * (IDS - 1) + i] - last[i] < 1e-4f &&
                    last[i] - all[VOCAB * (IDS - 1) + i] < 1e-4f);
    free(text);
    /* only computed rows with a method that skips some: 3 of the question, 1 a chunk */
    text = run(&c, (const char *[]){PROMPT, "--all", "--chunks=2-4,5-8", "--method=epic", "--set",
                                    "epic.k=1", NULL});
    assert_int_equal(c.status, RK_OK);
    free(all);
    all = read_floats(&n);
    assert_int_equal(n, VOCAB * 5);
    free(text);
    free(all);
    free(last);
}

static void prefix_and_chunks_do_not_change_dense(void **state)
{
    call c;
    size_t n;
    (void)state;
    free(run(&c, (const char *[]){PROMPT, NULL}));
    float *plain = read_floats(&n);
    free(run(&c, (const char *[]){PROMPT, "--chunks", "3-5,6-9", NULL}));
    assert_int_equal(c.status, RK_OK);
    float *split = read_floats(&n);
    for (int32_t i = 0; i < VOCAB; i++)
        assert_true(split[i] - plain[i] < 1e-4f && plain[i] - split[i] < 1e-4f);
    free(plain);
    free(split);
}

static void ids_from_a_file(void **state)
{
    call c;
    size_t n;
    char path[520], at[522];
    (void)state;
    snprintf(path, sizeof path, "%s.ids", out);
    snprintf(at, sizeof at, "@%s", path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("5 9\n2 ,77\t31\n8,6 44,3 100\n7 1\n", f);
    fclose(f);
    free(run(&c, (const char *[]){PROMPT, NULL}));
    float *plain = read_floats(&n);
    free(run(&c, (const char *[]){SMALL, "--ids", at, "--threads=1", "--out", out, NULL}));
    if (c.status != RK_OK)
        fail_msg("%s", c.err.text);
    float *same = read_floats(&n);
    assert_memory_equal(plain, same, VOCAB * sizeof *plain);
    unlink(path);
    free(plain);
    free(same);
}

static void counters_as_json(void **state)
{
    call c;
    char text[4096];
    (void)state;
    free(run(&c,
             (const char *[]){PROMPT, "--chunks=2-4,5-8", "--method", "redknot", "--head-map",
                              "all_local", "--set=method.window=4", "--counters", counters, NULL}));
    if (c.status != RK_OK)
        fail_msg("%s", c.err.text);
    FILE *f = fopen(counters, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    assert_non_null(strstr(text, "\"reused_tokens\": 9"));
    assert_non_null(strstr(text, "\"projected_local_kv_rows_reused\": 0"));
    assert_non_null(strstr(text, "\"flops_ffn\": "));
}

static void refusals(void **state)
{
    static const struct {
        const char *words[8];
        rk_status status;
        const char *says;
    } cases[] = {
        {{SMALL, "--out", "x"}, RK_E_USAGE, "--ids is missing"},
        {{SMALL, "--ids", "1"}, RK_E_USAGE, "--out is missing"},
        {{"--ids", "1", "--out", "x"}, RK_E_USAGE, "MODEL is missing"},
        {{SMALL, SMALL, "--ids", "1", "--out", "x"}, RK_E_USAGE, "expected one MODEL"},
        {{SMALL, "--ids", "1", "--out", "/no/such/file"}, RK_E_IO, "/no/such/file"},
        {{SMALL, "--ids", "1", "--out", out, "--counters", "/no/such"}, RK_E_IO, "/no/such"},
        {{SMALL, "--ids", " ", "--out", "x"}, RK_E_USAGE, "at least one token id"},
        {{SMALL, "--ids", "1", "--out", "x", "--chunks", "0-0"}, RK_E_USAGE, "for the question"},
        {{SMALL, "--ids", "1,2,3", "--out", "x", "--chunks", "1-1,"}, RK_E_USAGE, "last comma"},
        {{SMALL, "--ids", "320", "--out", "x"}, RK_E_USAGE, "expected ids below 320"},
        {{SMALL, "--ids", "1", "--out", "x", "--kv-bytes", "1"}, RK_E_USAGE, "kv_bytes: expected"},
        {{"/no/model", "--ids", "1", "--out", "x"}, RK_E_IO, "/no/model"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call c;
        char *text = run(&c, cases[i].words);
        if (c.status != cases[i].status || !strstr(c.err.text, cases[i].says) || text[0])
            fail_msg("case %zu: %s: %s", i, rk_status_name(c.status), c.err.text);
        free(text);
    }
}

static int setup(void **state)
{
    (void)state;
    snprintf(out, sizeof out, "%s/cmd_logits_%ld.f32", RK_TEST_BUILD, (long)getpid());
    snprintf(counters, sizeof counters, "%s.json", out);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(out);
    unlink(counters);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_row_of_all_rows),
        cmocka_unit_test(prefix_and_chunks_do_not_change_dense), cmocka_unit_test(ids_from_a_file),
        cmocka_unit_test(counters_as_json), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
