/* longbench.c - LongBench's passage tasks (Bai et al., ACL 2024), cut back into
 * the passages their prompts were made of.
 *
 * Two layouts: upstream records {input, context, answers, dataset, _id}, which
 * get our own prompt texts, and finished prompts {prompt, answers, dataset}, from
 * which instruction and question are taken as they stand. The running numbers of
 * "Passage 3:" are dropped (qa_set.h). LongBench does not mark supporting
 * passages, so none is gold, except in triviaqa the passage that the last
 * question belongs to. Prompts longer than a context are refused, not cut. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "jsonl.h"
#include "qa_set.h"

typedef struct longbench_config {
    rk_qa_config qa; /* first: qa_set.h */
    int32_t task;
} longbench_config;

static const char *const task_names[] = {"hotpotqa", "2wikimqa", "musique", "triviaqa"};
enum { TASK_TRIVIAQA = 3 };

static const rk_option options[] = {RK_QA_OPTIONS,
                                    {"task", RK_OPT_CHOICE, offsetof(longbench_config, task),
                                     "hotpotqa", 0, 0, "",
                                     "Which LongBench task to read; a file must be of this task.",
                                     "hotpotqa|2wikimqa|musique|triviaqa"},
                                    {0}};

/* A piece of the prompt, not terminated. */
typedef struct piece {
    const char *at;
    size_t n;
} piece;

/* The next heading at the start of a line, or NULL. `number` 0: "Passage:". */
static const char *find_heading(const char *from, const char *begin, int number, size_t *length)
{
    char heading[32];
    if (number)
        snprintf(heading, sizeof heading, "Passage %d:\n", number);
    else
        snprintf(heading, sizeof heading, "Passage:\n");
    *length = strlen(heading);
    for (const char *at = strstr(from, heading); at; at = strstr(at + 1, heading))
        if (at == begin || at[-1] == '\n')
            return at;
    return NULL;
}

static rk_status add_passage(piece body, int titled, rk_arena *arena, rk_passage *out,
                             rk_error *err)
{
    const char *text = rk_arena_text(arena, body.at, body.n, err), *title = NULL;
    if (!text)
        return RK_E_MEMORY;
    RK_TRY(rk_qa_passage(out, NULL, text, arena, err));
    if (titled)
        title = rk_arena_text(arena, text, strcspn(text, "\n"), err);
    out->title = title;
    return titled && !title ? RK_E_MEMORY : RK_OK;
}

/* Cuts `text` at its headings; *head is what stands before the first one. */
static rk_status cut_passages(const char *text, int numbered, const char *where, rk_arena *arena,
                              rk_qa_record *out, piece *head, rk_error *err)
{
    size_t length, n = 0;
    const char *at = find_heading(text, text, numbered, &length);
    if (!at)
        return rk_fail(err, RK_E_FORMAT, "%s: expected passages headed '%s' in the prompt", where,
                       numbered ? "Passage 1:" : "Passage:");
    *head = (piece){text, (size_t)(at - text)};
    for (const char *c = at; c; n++)
        c = find_heading(c + 1, text, numbered ? (int)n + 2 : 0, &length);
    out->passage = rk_arena_take(arena, n, sizeof *out->passage, err);
    if (!out->passage)
        return RK_E_MEMORY;
    find_heading(at, text, numbered, &length);
    while (at) {
        size_t next_length;
        int number = numbered ? out->passages + 2 : 0;
        const char *body = at + length, *next = find_heading(body, text, number, &next_length);
        piece p = {body, next ? (size_t)(next - body) : strlen(body)};
        RK_TRY(add_passage(p, numbered, arena, &out->passage[out->passages++], err));
        at = next, length = next_length;
    }
    return RK_OK;
}

static const char *find_last(const char *text, const char *wanted)
{
    const char *last = NULL;
    for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted))
        last = at;
    return last;
}

/* Takes the question out of a finished prompt: everything from `tail` on, of which
 * the words between `open` and `close` are the question. */
static rk_status take_question(const char *tail, const char *open, const char *close,
                               const char *where, rk_arena *arena, rk_qa_record *out, rk_error *err)
{
    const char *first = find_last(tail, open), *last = find_last(tail, close);
    first = first ? first + strlen(open) : NULL;
    if (!first || !last || last <= first || strstr(tail, "%s"))
        return rk_fail(err, RK_E_FORMAT, "%s: expected the prompt to end in a question", where);
    out->item.question = rk_arena_text(arena, first, (size_t)(last - first), err);
    out->question_form = rk_arena_printf(arena, err, "%.*s%%s%s", (int)(first - tail), tail, last);
    return out->item.question && out->question_form ? RK_OK : RK_E_MEMORY;
}

/* ..last passage, blank line, instruction again, blank line, Question: .. Answer: */
static rk_status parse_numbered_prompt(char *prompt, const char *where, rk_arena *arena,
                                       rk_qa_record *out, piece *head, rk_error *err)
{
    char *tail = (char *)find_last(prompt, "\n\nQuestion: ");
    if (!tail)
        return rk_fail(err, RK_E_FORMAT, "%s: expected the prompt to end in a question", where);
    char *line = tail; /* start of the line in front: the instruction, behind a blank line */
    while (line > prompt && line[-1] != '\n')
        line--;
    if (line - prompt >= 2 && line[-2] == '\n')
        tail = line - 1;
    RK_TRY(take_question(tail, "\nQuestion: ", "\nAnswer:", where, arena, out, err));
    *tail = '\0';
    return cut_passages(prompt, 1, where, arena, out, head, err);
}

/* Solved examples, each with a passage, then the passage and the question asked. */
static rk_status parse_examples_prompt(char *prompt, const char *where, rk_arena *arena,
                                       rk_qa_record *out, piece *head, rk_error *err)
{
    char *tail = (char *)find_last(prompt, "\nQuestion:\n");
    if (!tail)
        return rk_fail(err, RK_E_FORMAT, "%s: expected the prompt to end in a question", where);
    RK_TRY(take_question(tail + 1, "Question:\n", "\nAnswer:", where, arena, out, err));
    *tail = '\0';
    RK_TRY(cut_passages(prompt, 0, where, arena, out, head, err));
    out->passage[out->passages - 1].gold = 1;
    return RK_OK;
}

static rk_status parse_prompt(const json_t *record, int task, const char *where, rk_arena *arena,
                              rk_qa_record *out, rk_error *err)
{
    const char *prompt;
    piece head;
    RK_TRY(rk_jsonl_text(record, "prompt", where, arena, &prompt, err));
    size_t n = strlen(prompt);
    rk_hash128 hash = rk_hash_bytes(prompt, n, 0);
    out->item.id = rk_arena_printf(arena, err, "%s-%08" PRIx32, task_names[task],
                                   (uint32_t)(hash.low & UINT32_MAX));
    char *copy = rk_arena_text(arena, prompt, n, err);
    if (!copy || !out->item.id)
        return RK_E_MEMORY;
    RK_TRY((task == TASK_TRIVIAQA ? parse_examples_prompt
                                  : parse_numbered_prompt)(copy, where, arena, out, &head, err));
    out->instruction = rk_arena_text(arena, head.at, head.n, err);
    return out->instruction ? RK_OK : RK_E_MEMORY;
}

static rk_status parse_upstream(const json_t *record, int task, const char *where, rk_arena *arena,
                                rk_qa_record *out, rk_error *err)
{
    const char *context;
    piece head;
    if (task == TASK_TRIVIAQA)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: triviaqa is read from finished prompts (key 'prompt')", where);
    RK_TRY(rk_jsonl_text(record, "_id", where, arena, &out->item.id, err));
    RK_TRY(rk_jsonl_text(record, "input", where, arena, &out->item.question, err));
    RK_TRY(rk_jsonl_text(record, "context", where, arena, &context, err));
    return cut_passages(context, 1, where, arena, out, &head, err);
}

static rk_status parse_task(const json_t *record, int task, const char *where, rk_arena *arena,
                            rk_qa_record *out, rk_error *err)
{
    const char *dataset;
    const json_t *answers;
    RK_TRY(rk_json_text(record, "dataset", where, 1, &dataset, err));
    if (strcmp(dataset, task_names[task]))
        return rk_fail(err, RK_E_FORMAT, "%s: key 'dataset': expected '%s' (option task), got '%s'",
                       where, task_names[task], dataset);
    RK_TRY(rk_jsonl_array(record, "answers", where, 1, &answers, err));
    RK_TRY(rk_qa_answers(NULL, answers, where, arena, &out->item, err));
    out->item.task = task_names[task];
    return (json_object_get(record, "prompt") ? parse_prompt : parse_upstream)(record, task, where,
                                                                               arena, out, err);
}

static rk_status parse_hotpotqa(const json_t *record, const char *where, rk_arena *arena,
                                rk_qa_record *out, rk_error *err)
{
    return parse_task(record, 0, where, arena, out, err);
}

static rk_status parse_2wikimqa(const json_t *record, const char *where, rk_arena *arena,
                                rk_qa_record *out, rk_error *err)
{
    return parse_task(record, 1, where, arena, out, err);
}

static rk_status parse_musique(const json_t *record, const char *where, rk_arena *arena,
                               rk_qa_record *out, rk_error *err)
{
    return parse_task(record, 2, where, arena, out, err);
}

static rk_status parse_triviaqa(const json_t *record, const char *where, rk_arena *arena,
                                rk_qa_record *out, rk_error *err)
{
    return parse_task(record, TASK_TRIVIAQA, where, arena, out, err);
}

static rk_status open_reader(rk_reader *r, rk_error *err)
{
    static const char *const places[][3] = {
        {"longbench_mini/hotpotqa.jsonl", "longbench/hotpotqa.jsonl", NULL},
        {"longbench_mini/2wikimqa.jsonl", "longbench/2wikimqa.jsonl", NULL},
        {"longbench_mini/musique.jsonl", "longbench/musique.jsonl", NULL},
        {"longbench_mini/triviaqa.jsonl", "longbench/triviaqa.jsonl", NULL}};
    static const rk_qa_format formats[] = {{places[0], parse_hotpotqa, 1},
                                           {places[1], parse_2wikimqa, 1},
                                           {places[2], parse_musique, 1},
                                           {places[3], parse_triviaqa, 1}};
    longbench_config defaults;
    RK_TRY(rk_options_default(options, &defaults, err));
    const longbench_config *config = r->config.options ? r->config.options : &defaults;
    return rk_qa_set_open(r, &formats[config->task], &config->qa, err);
}

const rk_reader_ops rk_reader_longbench = {
    .name = "longbench",
    .title = "LongBench",
    .source = "github.com/THUDM/LongBench (Bai et al. 2024)",
    .licence = "as each task's source",
    .origin = "real",
    .scorer = "longbench_qa",
    .instruction = "Answer the question at the end from the passages below. Reply with the answer "
                   "only, without any explanation.\n\n",
    .question = "\nAnswer the question from the passages above. Reply with the answer only, "
                "without any explanation.\n\nQuestion: %s\nAnswer:",
    .max_new_tokens = 32,
    .stop = "\n",
    .config_size = sizeof(longbench_config),
    .options = options,
    .open = open_reader,
    .file = rk_qa_set_file,
    .close = rk_qa_set_close,
    .contexts = rk_qa_set_contexts,
    .context = rk_qa_set_context,
};
