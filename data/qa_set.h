/* qa_set.h - what the readers of question-answering files share.
 *
 * A file is read once at open: every record becomes a question with its own
 * passages, all passages together are the pool that fills contexts (fill.h). One
 * context holds one question. A reader adds how its records are laid out. */
#ifndef RK_DATA_QA_SET_H
#define RK_DATA_QA_SET_H

#include <jansson.h>

#include "readers/reader.h"

RK_C_BEGIN

typedef struct rk_qa_record {
    rk_item item;
    rk_passage *passage; /* [passages] in file order */
    int32_t passages;
    int32_t gold_missing;      /* supporting passages that the record does not hold */
    const char *instruction;   /* as in rk_context; NULL where the reader's own serves */
    const char *question_form; /* as in rk_context */
} rk_qa_record;

typedef struct rk_qa_format {
    const char *const *places; /* where the file lies under a directory; ends with NULL */
    /* Fills `out` (zeroed) from one record, memory in `arena`. `where` is for messages. */
    rk_status (*parse)(const json_t *record, const char *where, rk_arena *arena, rk_qa_record *out,
                       rk_error *err);
    int keep_order; /* 1: a context to which nothing is added keeps the file's order */
} rk_qa_format;

/* First member of the config of every reader that uses this. */
typedef struct rk_qa_config {
    const char *items;    /* "all", "17" or "200-399": places in the file, from 0 */
    int32_t require_gold; /* 1: only questions with all their supporting passages */
} rk_qa_config;

/* Rows of the option table for these two; the struct that holds them begins with
 * rk_qa_config. */
#define RK_QA_OPTIONS                                                                              \
    {"items",                                                                                      \
     RK_OPT_TEXT,                                                                                  \
     offsetof(rk_qa_config, items),                                                                \
     "all",                                                                                        \
     0,                                                                                            \
     0,                                                                                            \
     "",                                                                                           \
     "Questions to use by their place in the file: all, 17 or 200-399.",                           \
     NULL},                                                                                        \
    {                                                                                              \
        "require_gold", RK_OPT_BOOL, offsetof(rk_qa_config, require_gold), "true", 0, 1, "",       \
            "Leave out questions whose supporting passages are not all in the file; "              \
            "those are not answerable from the context.",                                          \
            NULL                                                                                   \
    }

/* Path of the file that was read. */
const char *rk_qa_set_file(const rk_reader *r);

/* Reads the file into r->state. RK_E_USAGE: no path, or `items` outside the file;
 * RK_E_IO; RK_E_FORMAT naming file and line. */
rk_status rk_qa_set_open(rk_reader *r, const rk_qa_format *format, const rk_qa_config *config,
                         rk_error *err);
void rk_qa_set_close(rk_reader *r);
int64_t rk_qa_set_contexts(const rk_reader *r);
rk_status rk_qa_set_context(rk_reader *r, int64_t index, rk_arena *arena, rk_context *out,
                            rk_error *err);

/* Title and text as every reader lays out a passage. LongBench's "Passage 3:" is
 * kept without its running number: a reusable passage must read the same
 * wherever it stands, or its stored state could never be found again. */
rk_status rk_qa_passage(rk_passage *p, const char *title, const char *text, rk_arena *arena,
                        rk_error *err);

/* The `context` layout of HotpotQA and 2WikiMultihopQA, [[title, [sentence..]]..],
 * with gold marks from `supporting_facts`, [[title, sentence number]..]. Sentences
 * are joined by a blank where the file has none between them. */
rk_status rk_qa_titled_sentences(const json_t *record, const char *where, rk_arena *arena,
                                 rk_qa_record *out, rk_error *err);

/* One answer and its aliases (may be NULL) as the item's answers. */
rk_status rk_qa_answers(const char *answer, const json_t *aliases, const char *where,
                        rk_arena *arena, rk_item *out, rk_error *err);

RK_C_END

#endif
