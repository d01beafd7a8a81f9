/* cmd_logits.c - see cmd_logits.h. */
#include "cmd_logits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/json.h"
#include "engine.h"
#include "method_config.h"

enum { BEST = 10, SETS_MAX = 64 };

static const char usage[] =
    "usage: redknot logits MODEL --ids 1,2,3 --out FILE [options]\n"
    "\n"
    "Prefills token ids and writes the logits of the last position: little-endian f32,\n"
    "one row [vocab]; the ten best tokens go to stdout. Only config.json and weights\n"
    "(or a .gguf) are needed; token text is shown where there is a tokenizer.\n"
    "\n";

typedef struct options {
    const char *model, *ids, *out, *method, *head_map, *chunks, *counters;
    int64_t threads, kv_bytes;
    int32_t all, backend;
    rk_pair set[SETS_MAX];
    int32_t sets;
} options;

static const char *const backends[] = {"cpu", "count"};

static const rk_option table[] = {
    {"ids", RK_OPT_TEXT, offsetof(options, ids), "", 0, 0, "",
     "Token ids of the whole prompt, 1,2,3 (or @FILE: ids separated by commas, blanks or "
     "newlines).",
     NULL},
    {"out", RK_OPT_TEXT, offsetof(options, out), "", 0, 0, "", "Where the logits go.", NULL},
    {"all", RK_OPT_BOOL, offsetof(options, all), "false", 0, 0, "",
     "Every row that was computed: [rows, vocab], by position.", NULL},
    {"method", RK_OPT_TEXT, offsetof(options, method), "dense", 0, 0, "",
     "Method (redknot list methods).", NULL},
    {"head-map", RK_OPT_TEXT, offsetof(options, head_map), "", 0, 0, "",
     "Head map: a JSON file, all_local, all_global or random:SHARE:SEED.", NULL},
    {"chunks", RK_OPT_TEXT, offsetof(options, chunks), "", 0, 0, "",
     "Reusable chunks, 0-99,100-199: inclusive ranges that ascend and touch. Ids before are the "
     "prefix (also the compile prefix; its own K/V are reused as they are), ids after are the "
     "question. None: every id is question.",
     NULL},
    {"counters", RK_OPT_TEXT, offsetof(options, counters), "", 0, 0, "",
     "Where the counters go, as JSON.", NULL},
    {"backend", RK_OPT_CHOICE, offsetof(options, backend), "cpu", 0, 0, "",
     "Where it runs; count executes the plan without arithmetic.", "cpu|count"},
    {"threads", RK_OPT_INT, offsetof(options, threads), "0", 0, 4096, "threads",
     "CPU threads; 0 = all processors.", NULL},
    {"kv-bytes", RK_OPT_INT, offsetof(options, kv_bytes), "0", 0, 1e15, "bytes",
     "KV page pool; 0 = what the prompt needs.", NULL},
    {.name = NULL}};

static const rk_argument_list set_list = {
    "set", "METHOD.KEY=VALUE",
    "An option of the method that runs, by its name or by the word method.", NULL, 0};

typedef struct prompt {
    int32_t *id, n;
    rk_ids_span *chunk;
    int32_t chunks;
    int32_t prefix;   /* ids before the first chunk */
    int32_t question; /* first id of the question */
} prompt;

/* "method.key=value" or "NAME.key=value" to a pair; NAME must be the method run. */
static rk_status add_set(options *o, const char *text, rk_arena *arena, rk_error *err)
{
    const char *dot = strchr(text, '.'), *equals = strchr(text, '=');
    if (!dot || !equals || dot > equals)
        return rk_fail(err, RK_E_USAGE, "--set: expected method.key=value, got '%s'", text);
    if (o->sets == SETS_MAX)
        return rk_fail(err, RK_E_USAGE, "--set: more than %d", SETS_MAX);
    char *key = rk_arena_text(arena, dot + 1, (size_t)(equals - dot - 1), err);
    if (!key)
        return RK_E_MEMORY;
    size_t n = (size_t)(dot - text);
    if (!(n == 6 && !memcmp(text, "method", 6)) &&
        !(strlen(o->method) == n && !memcmp(text, o->method, n)))
        return rk_fail(err, RK_E_USAGE,
                       "--set: expected method.key=value or %s.key=value, got '%s'", o->method,
                       text);
    o->set[o->sets++] = (rk_pair){key, equals + 1, 0};
    return RK_OK;
}

static rk_status read_options(int argc, char **argv, options *o, int *help, rk_arena *arena,
                              rk_error *err)
{
    rk_argument_list list[1] = {set_list};
    rk_arguments a = {.command = "logits", .option = table, .config = o, .list = list, .lists = 1};
    *o = (options){0};
    RK_TRY(rk_arguments_parse(&a, argc, argv, arena, err));
    *help = a.help;
    if (a.help) {
        fputs(usage, stdout);
        rk_arguments_help(&a, stdout);
        return RK_OK;
    }
    if (a.words > 1)
        return rk_fail(err, RK_E_USAGE, "logits: expected one MODEL, got '%s' and '%s'", a.word[0],
                       a.word[1]);
    if (!a.words || !o->ids[0] || !o->out[0])
        return rk_fail(err, RK_E_USAGE, "logits: %s is missing; see redknot logits --help",
                       !a.words     ? "MODEL"
                       : !o->ids[0] ? "--ids"
                                    : "--out");
    o->model = a.word[0];
    if (o->head_map[0])
        o->set[o->sets++] = (rk_pair){"head_map", o->head_map, 0};
    for (int32_t i = 0; i < list[0].n; i++)
        RK_TRY(add_set(o, list[0].value[i], arena, err));
    return RK_OK;
}

static rk_status read_ids(const char *text, rk_arena *arena, prompt *p, rk_error *err)
{
    size_t bytes = strlen(text);
    if (text[0] == '@') {
        char *file;
        RK_TRY(rk_file_read(text + 1, 64u << 20, arena, &file, &bytes, err));
        text = file;
    }
    p->id = rk_arena_take(arena, bytes / 2 + 1, sizeof *p->id, err);
    if (!p->id)
        return RK_E_MEMORY;
    static const char blanks[] = " \t\r\n";
    for (const char *c = text + strspn(text, blanks); *c;) {
        char *end;
        long v = strtol(c, &end, 10);
        const char *next = end + strspn(end, blanks);
        int comma = *next == ',';
        next += comma;
        next += strspn(next, blanks);
        if (end == c || v < 0 || v > INT32_MAX || (comma && !*next) || (*next && next == end))
            return rk_fail(err, RK_E_USAGE,
                           "--ids: expected token ids separated by commas, got '%.20s'", c);
        p->id[p->n++] = (int32_t)v;
        c = next;
    }
    if (p->n == 0)
        return rk_fail(err, RK_E_USAGE, "--ids: expected at least one token id");
    return RK_OK;
}

static rk_status read_chunks(const char *text, rk_arena *arena, prompt *p, rk_error *err)
{
    p->question = p->prefix = 0;
    if (!text[0])
        return RK_OK;
    p->chunk = rk_arena_take(arena, strlen(text) / 2 + 1, sizeof *p->chunk, err);
    if (!p->chunk)
        return RK_E_MEMORY;
    long next = -1;
    for (const char *c = text; *c;) {
        char *dash, *end = NULL;
        long first = strtol(c, &dash, 10), last = -1;
        if (dash != c && *dash == '-')
            last = strtol(dash + 1, &end, 10);
        if (!end || end == dash + 1 || (*end && *end != ',') || first < 0 || last < first ||
            (next >= 0 && first != next) || last >= p->n)
            return rk_fail(err, RK_E_USAGE,
                           "--chunks: expected ascending, touching ranges first-last below %d, got "
                           "'%.40s'",
                           p->n, c);
        if (next < 0)
            p->prefix = (int32_t)first;
        p->chunk[p->chunks++] = (rk_ids_span){p->id + first, (int32_t)(last - first + 1)};
        next = last + 1;
        c = *end == ',' ? end + 1 : end;
        if (*end == ',' && !end[1])
            return rk_fail(err, RK_E_USAGE, "--chunks: a range is missing behind the last comma");
    }
    p->question = (int32_t)next;
    if (p->chunks == 0 || p->question >= p->n)
        return rk_fail(err, RK_E_USAGE, "--chunks: %s",
                       p->chunks ? "no id is left for the question"
                                 : "expected a range first-last");
    return RK_OK;
}

static rk_status check_ids(const prompt *p, const rk_model *m, rk_error *err)
{
    for (int32_t i = 0; i < p->n; i++)
        if (p->id[i] >= m->shape.vocab)
            return rk_fail(err, RK_E_USAGE,
                           "--ids: expected ids below %d (vocabulary of %s), got %d",
                           m->shape.vocab, m->name, p->id[i]);
    return RK_OK;
}

/* Sessions, states and a fork of the compile prefix: three times the prompt, rounded. */
static size_t enough_kv(const rk_model_shape *m, int32_t tokens)
{
    size_t pages = (size_t)tokens / RK_PAGE_TOKENS + 4;
    return 4 * pages * (size_t)m->layers * (size_t)m->kv_heads * 2 * RK_PAGE_TOKENS *
           (size_t)m->head_dim * sizeof(float);
}

static rk_status write_rows(const options *o, const rk_session *s, const rk_prefill_out *out,
                            size_t vocab, rk_error *err)
{
    const float *rows = o->all ? out->row_logits : rk_session_logits(s);
    size_t n = o->all ? (size_t)out->rows : 1;
    FILE *f = fopen(o->out, "wb");
    if (!f)
        return rk_fail(err, RK_E_IO, "%s: cannot open for writing: %s", o->out, strerror(errno));
    int ok = !rows || fwrite(rows, sizeof *rows * vocab, n, f) == n;
    if (fclose(f) || !ok)
        return rk_fail(err, RK_E_IO, "%s: cannot write: %s", o->out, strerror(errno));
    return RK_OK;
}

static void print_token(const rk_model *m, int32_t id)
{
    char *text;
    size_t n;
    if (!m->tokenizer ||
        rk_tokenizer_decode(m->tokenizer, &id, 1, RK_TOKENIZE_SPECIAL, &text, &n, NULL) != RK_OK)
        return;
    printf(" \"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
            printf("\\x%02x", c);
        else
            putchar(c);
    }
    putchar('"');
    free(text);
}

static void print_best(const rk_model *m, const float *logits)
{
    int32_t best[BEST], n = 0;
    for (int32_t id = 0; logits && id < m->shape.vocab; id++) {
        int32_t at = n < BEST ? n : BEST;
        while (at > 0 && logits[id] > logits[best[at - 1]]) {
            if (at < BEST)
                best[at] = best[at - 1];
            at--;
        }
        if (at < BEST) {
            best[at] = id;
            n += n < BEST;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        printf("%d %.6f", best[i], (double)logits[best[i]]);
        print_token(m, best[i]);
        putchar('\n');
    }
}

static rk_status write_counters(const char *path, const rk_counters *c, rk_error *err)
{
    json_t *root = json_object();
    json_object_set_new(root, "flops", json_integer((json_int_t)rk_counters_flops(c)));
    for (int i = 0; i < RK_PHASES; i++) {
        char name[64];
        snprintf(name, sizeof name, "flops_%s", rk_phase_name((rk_phase)i));
        json_object_set_new(root, name, json_integer((json_int_t)c->flops[i]));
    }
    for (const rk_counter_field *f = rk_counter_fields; f->name; f++)
        json_object_set_new(
            root, f->name,
            json_integer((json_int_t) * (const uint64_t *)((const char *)c + f->offset)));
    int failed = json_dump_file(root, path, JSON_INDENT(1));
    json_decref(root);
    return failed ? rk_fail(err, RK_E_IO, "%s: cannot write: %s", path, strerror(errno)) : RK_OK;
}

static rk_status run(const options *o, const prompt *p, const rk_model *m, rk_engine *e,
                     rk_arena *arena, rk_error *err)
{
    rk_method method;
    rk_request r;
    rk_session *s = NULL;
    rk_report report;
    rk_prefill_out out = {.report = &report, .all_rows = o->all};
    double ms;
    int64_t built;
    RK_TRY(rk_method_configure(o->method, o->set, o->sets, &m->shape, arena, &method, err));
    RK_TRY(rk_request_build(&r, (rk_ids_span){p->id, p->prefix}, p->chunk, p->chunks,
                            (rk_ids_span){p->id + p->question, p->n - p->question}, arena, err));
    RK_TRY(rk_session_open(&s, e, &method, err));
    rk_status st = rk_engine_build_states(e, &method, &r, &ms, &built, err);
    if (st == RK_OK)
        st = rk_session_prefill(s, &r, RK_PART_WHOLE, &out, err);
    if (st == RK_OK)
        st = write_rows(o, s, &out, (size_t)m->shape.vocab, err);
    if (st == RK_OK && o->counters[0])
        st = write_counters(o->counters, &report.counters, err);
    if (st == RK_OK)
        print_best(m, rk_session_logits(s));
    free(out.row_pos);
    free(out.row_logits);
    rk_session_close(s);
    return st;
}

static rk_status open_and_run(const options *o, rk_arena *arena, rk_error *err)
{
    prompt p = {0};
    rk_model *m = NULL;
    rk_engine *e = NULL;
    RK_TRY(read_ids(o->ids, arena, &p, err));
    RK_TRY(read_chunks(o->chunks, arena, &p, err));
    rk_status st = rk_model_open(&m, o->model, err);
    if (st == RK_OK)
        st = check_ids(&p, m, err);
    if (st == RK_OK) {
        rk_engine_config config = {.backend = backends[o->backend],
                                   .device = {.threads = (int32_t)o->threads},
                                   .kv_bytes = (size_t)o->kv_bytes};
        if (!config.kv_bytes)
            config.kv_bytes = enough_kv(&m->shape, p.n + 64 * (p.chunks + 1));
        st = rk_engine_open(&e, m, &config, err);
    }
    if (st == RK_OK)
        st = run(o, &p, m, e, arena, err);
    rk_engine_close(e);
    rk_model_close(m);
    return st;
}

rk_status rk_cmd_logits(int argc, char **argv, rk_error *err)
{
    options o;
    rk_arena *arena;
    int help = 0;
    RK_TRY(rk_arena_new(&arena, err));
    rk_status st = read_options(argc, argv, &o, &help, arena, err);
    if (st == RK_OK && !help)
        st = open_and_run(&o, arena, err);
    rk_arena_free(arena);
    return st;
}
