/* musique.c - MuSiQue-Ans in its own layout: questions of two to four hops over
 * twenty passages, marked as supporting or not (Trivedi et al., TACL 2022).
 *
 * Task and hops come from the id ("3hop1__..."). Questions marked unanswerable
 * (the -Full set) are refused: they have no answer to score here. */
#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "jsonl.h"
#include "qa_set.h"

static const rk_option options[] = {RK_QA_OPTIONS, {0}};

static rk_status parse_passage(const json_t *entry, const char *where, rk_arena *arena,
                               rk_passage *out, rk_error *err)
{
    const char *title, *text;
    int gold = 0;
    RK_TRY(rk_jsonl_text(entry, "title", where, arena, &title, err));
    RK_TRY(rk_json_text(entry, "paragraph_text", where, 1, &text, err));
    RK_TRY(rk_json_bool(entry, "is_supporting", where, &gold, err));
    RK_TRY(rk_qa_passage(out, title, text, arena, err));
    out->gold = gold;
    return RK_OK;
}

/* "2hop", "3hop1", "4hop3": how the hops hang together. */
static rk_status parse_id(const char *where, rk_arena *arena, rk_qa_record *out, rk_error *err)
{
    const char *id = out->item.id, *end = strstr(id, "__");
    if (!end || !isdigit((unsigned char)id[0]) || strncmp(id + 1, "hop", 3))
        return rk_fail(err, RK_E_FORMAT, "%s: key 'id': expected 2hop__... to 4hop3__..., got '%s'",
                       where, id);
    out->item.hops = id[0] - '0';
    out->item.task = rk_arena_text(arena, id, (size_t)(end - id), err);
    return out->item.task ? RK_OK : RK_E_MEMORY;
}

static rk_status parse(const json_t *record, const char *where, rk_arena *arena, rk_qa_record *out,
                       rk_error *err)
{
    const char *answer;
    const json_t *paragraphs;
    int answerable = 1;
    RK_TRY(rk_jsonl_text(record, "id", where, arena, &out->item.id, err));
    RK_TRY(parse_id(where, arena, out, err));
    RK_TRY(rk_json_bool(record, "answerable", where, &answerable, err));
    if (!answerable)
        return rk_fail(err, RK_E_FORMAT, "%s: expected an answerable question (MuSiQue-Ans)",
                       where);
    RK_TRY(rk_jsonl_text(record, "question", where, arena, &out->item.question, err));
    RK_TRY(rk_jsonl_text(record, "answer", where, arena, &answer, err));
    RK_TRY(rk_qa_answers(answer, json_object_get(record, "answer_aliases"), where, arena,
                         &out->item, err));
    RK_TRY(rk_jsonl_array(record, "paragraphs", where, 1, &paragraphs, err));
    size_t n = json_array_size(paragraphs);
    int32_t gold = 0;
    out->passage = rk_arena_take(arena, n, sizeof *out->passage, err);
    if (!out->passage)
        return RK_E_MEMORY;
    for (; (size_t)out->passages < n; out->passages++) {
        rk_passage *p = &out->passage[out->passages];
        RK_TRY(
            parse_passage(json_array_get(paragraphs, (size_t)out->passages), where, arena, p, err));
        gold += p->gold;
    }
    out->gold_missing = gold < out->item.hops ? out->item.hops - gold : 0;
    return RK_OK;
}

static rk_status open_reader(rk_reader *r, rk_error *err)
{
    static const char *const places[] = {"musique/musique_ans_dev_140.jsonl",
                                         "musique/musique_ans_v1.0_dev.jsonl",
                                         "musique/musique.jsonl", NULL};
    static const rk_qa_format format = {places, parse, 0};
    rk_qa_config defaults;
    RK_TRY(rk_options_default(options, &defaults, err));
    return rk_qa_set_open(r, &format, r->config.options ? r->config.options : &defaults, err);
}

const rk_reader_ops rk_reader_musique = {
    .name = "musique",
    .title = "MuSiQue",
    .source = "github.com/StonyBrookNLP/musique, MuSiQue-Ans dev (Trivedi et al. 2022)",
    .licence = "CC-BY-4.0",
    .origin = "real",
    .scorer = "musique",
    .instruction = "Answer the question at the end from the passages below. Reply with the answer "
                   "only, without any explanation.\n\n",
    .question = "\nAnswer the question from the passages above. Reply with the answer only, "
                "without any explanation.\n\nQuestion: %s\nAnswer:",
    .max_new_tokens = 32,
    .stop = "\n",
    .config_size = sizeof(rk_qa_config),
    .options = options,
    .open = open_reader,
    .file = rk_qa_set_file,
    .close = rk_qa_set_close,
    .contexts = rk_qa_set_contexts,
    .context = rk_qa_set_context,
};
