/* hotpotqa.c - HotpotQA in its own layout: two-hop questions over Wikipedia
 * openings, ten passages each (Yang et al., EMNLP 2018).
 *
 * The distractor file holds both supporting passages of every question; the
 * fullwiki file holds what a retriever found and often lacks one, which
 * `require_gold` leaves out. Prompt texts are ours; the scorer is the official. */
#include "jsonl.h"
#include "qa_set.h"

static const rk_option options[] = {RK_QA_OPTIONS, {0}};

static rk_status parse(const json_t *record, const char *where, rk_arena *arena, rk_qa_record *out,
                       rk_error *err)
{
    const char *answer;
    RK_TRY(rk_jsonl_text(record, "_id", where, arena, &out->item.id, err));
    RK_TRY(rk_jsonl_text(record, "question", where, arena, &out->item.question, err));
    RK_TRY(rk_jsonl_text(record, "answer", where, arena, &answer, err));
    RK_TRY(rk_jsonl_text(record, "type", where, arena, &out->item.task, err));
    RK_TRY(rk_qa_answers(answer, NULL, where, arena, &out->item, err));
    out->item.hops = 2; /* every question of the set is over two passages */
    return rk_qa_titled_sentences(record, where, arena, out, err);
}

static rk_status open_reader(rk_reader *r, rk_error *err)
{
    static const char *const places[] = {
        "hotpotqa/hotpot_dev_distractor_400.jsonl", "hotpotqa/hotpot_dev_distractor_v1.json",
        "hotpotqa/hotpot_dev_distractor.jsonl", "hotpotqa/hotpotqa.jsonl", NULL};
    static const rk_qa_format format = {places, parse, 0};
    rk_qa_config defaults;
    RK_TRY(rk_options_default(options, &defaults, err));
    return rk_qa_set_open(r, &format, r->config.options ? r->config.options : &defaults, err);
}

const rk_reader_ops rk_reader_hotpotqa = {
    .name = "hotpotqa",
    .title = "HotpotQA",
    .source = "hotpotqa.github.io, dev (Yang et al. 2018)",
    .licence = "CC-BY-SA-4.0",
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
