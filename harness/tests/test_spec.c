/* test_spec.c - experiment files: what is read, and every refusal with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec_cases.h"

static const char good[] = "# a figure\n"
                           "[experiment]\n"
                           "title  = End to end\n"
                           "source = arXiv:2606.06256v2, Fig. 8 # a remark\n"
                           "[axes]   # in this order\n"
                           "model   = tiny\n"
                           "dataset = hotpotqa, ruler:deep\n"
                           "context = 8K..64K*2, 100K\n"
                           "method  = dense, redknot,\n"
                           "          cacheblend:layer3 ; listed last\n"
                           "[method.redknot]\n"
                           "window = 1K\n"
                           "ffn_mass = 0.9\n"
                           "[method.cacheblend:layer3]\n"
                           "mode = paper\n"
                           "[reader.ruler:deep]\n"
                           "hops = 4\n"
                           "[measure]\n"
                           "metrics = ttft_ms, f1\n"
                           "items = 40\n"
                           "timeout = 120 s\n"
                           "[profile.smoke]\n"
                           "context = 1K\n"
                           "items = 2\n"
                           "method.redknot.window = 64\n"
                           "[claim]\n"
                           "ttft_speedup @ model=tiny context=64K method=redknot = 3.5 +- 10 %  ; "
                           "Fig. 8a, see #2\n"
                           "f1 @ method=redknot vs=cacheblend:layer3 context=1K = 0.5 +- 0.05\n";

typedef struct fixture {
    rk_arena *arena;
    rk_spec spec;
    rk_error err;
} fixture;

static rk_status parse(fixture *f, const char *text, const rk_spec_request *request)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(rk_arena_new(&f->arena, NULL), RK_OK);
    return rk_spec_parse(text, strlen(text), "dir/fig08.exp", request, &case_registry, f->arena,
                         &f->spec, &f->err);
}

static void reads_everything(void **state)
{
    fixture f;
    (void)state;
    assert_int_equal(parse(&f, good, NULL), RK_OK);
    const rk_spec *s = &f.spec;
    assert_string_equal(s->id, "fig08");
    assert_string_equal(s->title, "End to end");
    assert_string_equal(s->source, "arXiv:2606.06256v2, Fig. 8");
    assert_int_equal(s->axes, 4);
    assert_string_equal(s->axis[2].name, "context");
    static const char *const context[] = {"8192", "16384", "32768", "65536", "102400"};
    assert_int_equal(s->axis[2].n, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(s->axis[2].value[i], context[i]);
    assert_int_equal(s->axis[3].n, 3);
    assert_string_equal(s->axis[3].value[2], "cacheblend:layer3");
    assert_int_equal(s->measure.items, 40);
    assert_int_equal(s->measure.reps, 1);
    assert_true(s->measure.timeout == 120);
    assert_int_equal(s->measure.metrics, 2);
    assert_string_equal(s->measure.metric[1], "f1");
    assert_int_equal(s->claims, 2);
    assert_string_equal(s->claim[0].metric, "ttft_speedup");
    assert_string_equal(s->claim[0].source, "Fig. 8a, see");
    assert_string_equal(s->claim[0].where[1].value, "65536");
    assert_true(s->claim[0].relative);
    assert_true(s->claim[0].tolerance > 0.0999 && s->claim[0].tolerance < 0.1001);
    assert_false(s->claim[1].relative);
    assert_string_equal(s->claim[1].where_text, "method=redknot vs=cacheblend:layer3 context=1024");
    assert_int_equal(strlen(s->text_sha256), 64);
    rk_arena_free(f.arena);
}

static void variants_have_their_options(void **state)
{
    fixture f;
    (void)state;
    assert_int_equal(parse(&f, good, NULL), RK_OK);
    rk_point p;
    assert_true(rk_axes_point(&f.spec, 29, &p)); /* the last one */
    assert_string_equal(p.method->base, "cacheblend");
    assert_string_equal(p.method->label, "layer3");
    assert_int_equal(p.method->options, 1);
    assert_string_equal(p.method->option[0].key, "mode");
    assert_string_equal(p.reader->base, "ruler");
    assert_string_equal(p.reader->option[0].value, "4");
    assert_true(rk_axes_point(&f.spec, 0, &p));
    assert_string_equal(p.method->name, "dense");
    assert_int_equal(p.method->options, 0);
    rk_arena_free(f.arena);
}

static void profiles_and_command_line_override(void **state)
{
    fixture f;
    (void)state;
    const char *only[] = {"method=redknot,cacheblend:*", "dataset=ruler:deep"};
    const char *set[] = {"measure.reps=3", "method.redknot.ffn_mass=0.5", "axes.context=2K..4K*2"};
    rk_spec_request r = {.profile = "smoke",
                         .only = only,
                         .onlys = 2,
                         .set = set,
                         .sets = 3,
                         .model = "/big/disk/other.gguf/"};
    assert_int_equal(parse(&f, good, &r), RK_OK);
    assert_string_equal(f.spec.profile, "smoke");
    assert_int_equal(f.spec.measure.items, 2);
    assert_int_equal(f.spec.measure.reps, 3);
    assert_int_equal(f.spec.axis[2].n, 2);
    assert_string_equal(f.spec.axis[2].value[1], "4096");
    assert_string_equal(f.spec.axis[0].value[0], "other.gguf");
    assert_string_equal(f.spec.model_path, "/big/disk/other.gguf");
    assert_int_equal(f.spec.axis[1].n, 1);
    assert_int_equal(f.spec.axis[3].n, 2);
    assert_string_equal(f.spec.axis[3].value[1], "cacheblend:layer3");
    rk_point p;
    rk_axes_point(&f.spec, 0, &p);
    assert_string_equal(p.method->option[0].value, "64");
    assert_string_equal(p.method->option[1].value, "0.5");
    rk_arena_free(f.arena);
}

typedef struct refusal {
    const char *text, *message;
} refusal;

static const refusal refusals[] = {
    {"", "fig08.exp: no [axes]"},
    {"key = 1\n", "fig08.exp:1: 'key' stands before the first [section]"},
    {"[axes]\nmodell = a\n", "fig08.exp:2: unknown axis 'modell'; did you mean 'model'?"},
    {"[axis]\nmodel = a\n", "fig08.exp:1: unknown section 'axis'; did you mean 'axes'?"},
    {"[axes]\nmodel =\n", "fig08.exp:2: model: the list is empty"},
    {"[axes]\nmodel = a,,b\n", "fig08.exp:2: model: entry 2 of the list is empty"},
    {"[axes]\nmodel = a\nmodel = b\n", "fig08.exp:3: 'model' in [axes] is given twice"},
    {"[axes]\ncontext = 8K, 8192\n", "fig08.exp:2: context: '8192' is listed twice"},
    {"[axes]\ncontext = 8K..64K*1\n", "does not grow"},
    {"[axes]\ncontext = 0..64K*2\n", "does not grow"},
    {"[axes]\ncontext = 8..4\n", "does not grow"},
    {"[axes]\ncontext = 1..100000\n", "context: more than 256 values"},
    {"[axes]\ncontext = 99999M\n", "context: expected 0 to"},
    {"[axes]\ncontext = 8Q\n", "expected a whole number"},
    {"[axes]\nrate = 1..2\n", "ranges are for whole numbers"},
    {"[axes]\nbackend = gpu\n", "expected one of cpu|cuda|count, got 'gpu'"},
    {"[axes]\nmethod = redknott\n", "unknown method 'redknott'; did you mean 'redknot'?"},
    {"[axes]\nmethod = redknot:x\n", "unknown method 'redknot:x'"},
    {"[axes]\ndataset = hotpot\n", "unknown data set 'hotpot'; did you mean 'hotpotqa'?"},
    {"[axes]\nredknot.windw = 1\n", "unknown axis 'redknot.windw'"},
    {"[axes]\nredknot.window = 0\n", "window: expected 1 to 65536 tokens, got '0'"},
    {"[axes]\nmodel = a\n[method.redknot]\nwindoww = 3\n",
     "fig08.exp:4: unknown option of method redknot 'windoww'; did you mean 'window'?"},
    {"[axes]\nmodel = a\n[method.redknot]\nwindow = x\n", "fig08.exp:4: window: expected a whole"},
    {"[axes]\nmodel = a\n[method.redknot:]\n", "fig08.exp:3: no label behind ':'"},
    {"[axes]\nmodel = a\n[method.nope]\n", "fig08.exp:3: unknown method 'nope'"},
    {"[axes]\nmodel = a\n[reader.ruler]\nhop = 3\n", "option of reader ruler 'hop'; did you mean"},
    {"[axes]\nmodel = a\n[measure]\nitms = 3\n", "fig08.exp:4: unknown option 'itms'"},
    {"[axes]\nmodel = a\n[measure]\nitems = 0\n", "fig08.exp:4: items: expected 1 to"},
    {"[axes]\nmodel = a\n[measure]\nmetrics = f2\n", "fig08.exp:4: unknown metric 'f2'"},
    {"[axes]\nmodel = a\n[measure]\nmetrics = \n", "fig08.exp:4: metrics: the list is empty"},
    {"[axes]\nmodel = a\n[experiment]\ntitel = x\n", "did you mean 'title'?"},
    {"[axes]\nmodel = a\n[profile.smoke]\ncontext = 1K\n",
     "fig08.exp:4: unknown axis of this experiment or [measure] key 'context'"},
    {"[axes]\nmodel = a\n[profile.smok]\nitems = 1\n", "unknown section 'profile.smok'; did you"},
    {"[axes]\nmodel = a\n[profile.gpu]\nitems = x\n", "fig08.exp:4: items: expected a whole"},
    {"[axes]\nmodel = a\n[profile.gpu]\nmethod.redknot.windw = 1\n", "fig08.exp:4: unknown option"},
    {"[axes]\nmodel = a\n[claim]\nno claim\n", "fig08.exp:4: expected [section], key = value"},
    {"[axes]\nmodel = a\n[claim]\nf1 = 3\n", "fig08.exp:4: claim: expected 'metric @"},
    {"[axes]\nmodel = a\n[claim]\nf1 @ model=a = 3\n", "expected 'value +- tolerance'"},
    {"[axes]\nmodel = a\n[claim]\nf1 @ model=a = 3 +- -1\n", "at least 0"},
    {"[axes]\nmodel = a\n[claim]\nf1 @ mode=a = 3 +- 1\n", "unknown axis in a claim 'mode'; did"},
    {"[axes]\nmodel = a\n[claim]\nf1 @ model=b = 3 +- 1\n", "unknown value of this axis"},
    {"[axes]\nmodel = a\n[claim]\nf1 @ model=a model=a = 3 +- 1\n", "given twice"},
    {"[axes]\nmodel = a\x01\n", "fig08.exp:2: control byte 0x01"},
    {"[section name that is much longer than inih would ever keep of it]\n", "section name of"},
    {"[axes\nmodel = a\n", "fig08.exp:1: section without"},
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        fixture f;
        rk_status st = parse(&f, refusals[i].text, NULL);
        if (st != RK_E_USAGE || !strstr(f.err.text, refusals[i].message))
            fail_msg("case %zu: status %d, '%s' lacks '%s'", i, st, f.err.text,
                     refusals[i].message);
        rk_arena_free(f.arena);
    }
}

typedef struct bad_request {
    rk_spec_request request;
    const char *message;
} bad_request;

static const char *const only_bad[] = {"metod=dense", "method=dens", "method",
                                       "method=", "context=6K"};
static const char *const only_message[] = {
    "command line: unknown axis in --only 'metod'; did you mean 'method'?",
    "command line: unknown value of the axis in --only 'dens'; did you mean 'dense'?",
    "--only: expected axis=value, got 'method'", "--only: expected axis=value",
    "unknown value of the axis in --only '6K'"};
static const char *const set_bad[] = {"items=3",       "measure.itms=3",        "measure.items",
                                      "claim.x=1",     "profile.cpu.x=1",       "measure.items=0",
                                      "axes.contxt=1", "methd.redknot.window=3"};
static const char *const set_message[] = {"expected section.key, got 'items'",
                                          "command line: unknown option 'itms'",
                                          "--set: expected section.key=value",
                                          "[claim] cannot be set",
                                          "cannot be set here",
                                          "command line: items: expected 1 to",
                                          "unknown axis 'contxt'; did you mean 'context'?",
                                          "command line: unknown section 'methd.redknot'"};

static void expect_refused(const rk_spec_request *r, const char *message)
{
    fixture f;
    rk_status st = parse(&f, good, r);
    if (st != RK_E_USAGE || !strstr(f.err.text, message))
        fail_msg("status %d, '%s' lacks '%s'", st, f.err.text, message);
    rk_arena_free(f.arena);
}

static void refuses_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof only_bad / sizeof *only_bad; i++)
        expect_refused(&(rk_spec_request){.only = &only_bad[i], .onlys = 1}, only_message[i]);
    for (size_t i = 0; i < sizeof set_bad / sizeof *set_bad; i++)
        expect_refused(&(rk_spec_request){.set = &set_bad[i], .sets = 1}, set_message[i]);
    expect_refused(&(rk_spec_request){.profile = "smok"}, "unknown profile 'smok'; did you mean");
    expect_refused(&(rk_spec_request){.profile = "gpu"}, "has no [profile.gpu]");
}

static void limits_hold(void **state)
{
    (void)state;
    fixture f;
    char *text = malloc(RK_SPEC_BYTES_MAX + 2);
    memset(text, '#', RK_SPEC_BYTES_MAX + 1);
    text[RK_SPEC_BYTES_MAX + 1] = '\0';
    assert_int_equal(parse(&f, text, NULL), RK_E_USAGE);
    assert_non_null(strstr(f.err.text, "at most 1048576"));
    rk_arena_free(f.arena);
    size_t n =
        (size_t)sprintf(text, "[axes]\nmodel = a\nbatch=1..200\ngpus=1..200\nchunks=1..200\n");
    assert_int_equal(parse(&f, text, NULL), RK_E_USAGE);
    assert_non_null(strstr(f.err.text, "fig08.exp:5: the axes make more than 100000 points"));
    rk_arena_free(f.arena);
    memset(text + n, 'x', 300);
    text[n + 300] = '\0';
    assert_int_equal(parse(&f, text, NULL), RK_E_USAGE);
    assert_non_null(strstr(f.err.text, "fig08.exp:6: line of 300 bytes"));
    rk_arena_free(f.arena);
    n = (size_t)sprintf(text, "[axes]\nmodel=a\n[measure]\n");
    for (int i = 0; i < 2100; i++)
        n += (size_t)sprintf(text + n, "k%d = 1\n", i);
    assert_int_equal(parse(&f, text, NULL), RK_E_USAGE);
    assert_non_null(strstr(f.err.text, "more than 2048 settings"));
    rk_arena_free(f.arena);
    free(text);
}

static void file_that_is_not_there(void **state)
{
    (void)state;
    rk_arena *arena;
    rk_spec spec;
    rk_error err;
    assert_int_equal(rk_arena_new(&arena, NULL), RK_OK);
    assert_int_equal(rk_spec_read("/nonexistent/a.exp", NULL, &case_registry, arena, &spec, &err),
                     RK_E_IO);
    assert_non_null(strstr(err.text, "/nonexistent/a.exp"));
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_everything),
        cmocka_unit_test(variants_have_their_options),
        cmocka_unit_test(profiles_and_command_line_override),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_requests),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(file_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
