/* two_wiki.c - 2WikiMultihopQA in its own layout: HotpotQA's passages and a list
 * of evidence triples a question (Ho et al., COLING 2020).
 *
 * Prompt texts are ours; the official scorer applies HotpotQA's rules. */
#include "jsonl.h"
#include "qa_set.h"

static const rk_option options[] = {RK_QA_OPTIONS, {0}};

static rk_status parse(const json_t *record, const char *where, rk_arena *arena, rk_qa_record *out,
                       rk_error *err)
{
    const char *answer;
    const json_t *evidence;
    RK_TRY(rk_jsonl_text(record, "_id", where, arena, &out->item.id, err));
    RK_TRY(rk_jsonl_text(record, "question", where, arena, &out->item.question, err));
    RK_TRY(rk_jsonl_text(record, "answer", where, arena, &answer, err));
    RK_TRY(rk_jsonl_text(record, "type", where, arena, &out->item.task, err));
    RK_TRY(rk_qa_answers(answer, json_object_get(record, "answer_aliases"), where, arena,
                         &out->item, err));
    RK_TRY(rk_jsonl_array(record, "evidences", where, 0, &evidence, err));
    size_t triples = json_array_size(evidence);
    out->item.hops = triples ? (int32_t)triples : -1;
    return rk_qa_titled_sentences(record, where, arena, out, err);
}

static rk_status open_reader(rk_reader *r, rk_error *err)
{
    static const char *const places[] = {"2wikimqa/2wiki_dev_300.jsonl", "2wikimqa/dev.json",
                                         "2wikimultihopqa/dev.json", "2wikimqa/2wiki.jsonl", NULL};
    static const rk_qa_format format = {places, parse, 0};
    rk_qa_config defaults;
    RK_TRY(rk_options_default(options, &defaults, err));
    return rk_qa_set_open(r, &format, r->config.options ? r->config.options : &defaults, err);
}

const rk_reader_ops rk_reader_two_wiki = {
    .name = "two_wiki",
    .title = "2WikiMultihopQA",
    .source = "github.com/Alab-NII/2wikimultihop, dev (Ho et al. 2020)",
    .licence = "Apache-2.0",
    .origin = "real",
    .scorer = "hotpotqa",
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
