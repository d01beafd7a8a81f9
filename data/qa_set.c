/* qa_set.c - see qa_set.h. */
#include "qa_set.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "data_path.h"
#include "fill.h"
#include "jsonl.h"

/* Everything of an open file; r->state. Pointers live in `arena`. */
typedef struct qa_set {
    rk_arena *arena;
    const rk_qa_format *format;
    const char *path;
    rk_qa_record *record; /* [records] on the heap */
    size_t records, capacity;
    int64_t *pool_first; /* [records] first pool entry of a record's passages */
    int64_t *used;       /* [contexts] records that the options leave */
    int64_t contexts;
    rk_fill_pool pool;
} qa_set;

static rk_status add_record(void *self, const json_t *record, const char *where, rk_error *err)
{
    qa_set *s = self;
    RK_TRY(rk_heap_grow((void **)&s->record, &s->capacity, s->records + 1, sizeof *s->record, err));
    rk_qa_record *out = &s->record[s->records];
    *out = (rk_qa_record){.item = {.hops = -1, .distance = -1}};
    RK_TRY(s->format->parse(record, where, s->arena, out, err));
    s->records++;
    return RK_OK;
}

static rk_status build_pool(qa_set *s, rk_error *err)
{
    int64_t n = 0;
    s->pool_first = rk_arena_take(s->arena, s->records, sizeof *s->pool_first, err);
    if (!s->pool_first)
        return RK_E_MEMORY;
    for (size_t i = 0; i < s->records; i++) {
        s->pool_first[i] = n;
        n += s->record[i].passages;
    }
    rk_passage *all = rk_arena_take(s->arena, (size_t)n, sizeof *all, err);
    if (!all)
        return RK_E_MEMORY;
    for (size_t i = 0; i < s->records; i++)
        if (s->record[i].passages)
            memcpy(all + s->pool_first[i], s->record[i].passage,
                   (size_t)s->record[i].passages * sizeof *all);
    return rk_fill_pool_init(&s->pool, all, n, s->arena, err);
}

/* "all", "17", "200-399" to an inclusive range. */
static rk_status parse_items(const char *text, int64_t records, const char *path, int64_t *first,
                             int64_t *last, rk_error *err)
{
    *first = 0, *last = records - 1;
    if (!strcmp(text, "all"))
        return RK_OK;
    char *end = NULL;
    int ok = isdigit((unsigned char)text[0]);
    *first = *last = ok ? strtoll(text, &end, 10) : -1;
    if (ok && *end == '-') {
        ok = isdigit((unsigned char)end[1]);
        *last = ok ? strtoll(end + 1, &end, 10) : -1;
    }
    if (!ok || *end || *first > *last)
        return rk_fail(err, RK_E_USAGE, "items: expected all, 17 or 200-399, got '%s'", text);
    if (*last >= records)
        return rk_fail(err, RK_E_USAGE, "items: %s asked for, but %s has 0-%" PRId64, text, path,
                       records - 1);
    return RK_OK;
}

static rk_status select_records(qa_set *s, const rk_qa_config *config, rk_error *err)
{
    int64_t first, last;
    RK_TRY(parse_items(config->items, (int64_t)s->records, s->path, &first, &last, err));
    s->used = rk_arena_take(s->arena, (size_t)(last - first + 1), sizeof *s->used, err);
    if (!s->used)
        return RK_E_MEMORY;
    for (int64_t i = first; i <= last; i++)
        if (!config->require_gold || !s->record[i].gold_missing)
            s->used[s->contexts++] = i;
    if (!s->contexts)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: items %" PRId64 "-%" PRId64 " hold no question with all its supporting "
                       "passages (require_gold = true)",
                       s->path, first, last);
    return RK_OK;
}

static rk_status read_file(rk_reader *r, qa_set *s, const rk_qa_config *config, rk_error *err)
{
    RK_TRY(rk_data_path_find(r->config.path, s->format->places, r->ops->name, s->arena, &s->path,
                             err));
    RK_TRY(rk_jsonl_read(s->path, add_record, s, err));
    RK_TRY(build_pool(s, err));
    return select_records(s, config, err);
}

rk_status rk_qa_set_open(rk_reader *r, const rk_qa_format *format, const rk_qa_config *config,
                         rk_error *err)
{
    qa_set *s = rk_heap_take(1, sizeof *s, err);
    r->state = s;
    if (!s)
        return RK_E_MEMORY;
    s->format = format;
    rk_status st = rk_arena_new(&s->arena, err);
    if (st == RK_OK)
        st = read_file(r, s, config, err);
    if (st != RK_OK)
        rk_qa_set_close(r);
    return st;
}

void rk_qa_set_close(rk_reader *r)
{
    qa_set *s = r->state;
    if (!s)
        return;
    free(s->record);
    rk_arena_free(s->arena);
    free(s);
    r->state = NULL;
}

const char *rk_qa_set_file(const rk_reader *r)
{
    return ((const qa_set *)r->state)->path;
}

int64_t rk_qa_set_contexts(const rk_reader *r)
{
    return ((const qa_set *)r->state)->contexts;
}

rk_status rk_qa_set_context(rk_reader *r, int64_t index, rk_arena *arena, rk_context *out,
                            rk_error *err)
{
    qa_set *s = r->state;
    if (index < 0 || index >= s->contexts)
        return rk_fail(err, RK_E_ARG, "%s: context %" PRId64 " of %" PRId64, r->ops->name, index,
                       s->contexts);
    int64_t row = s->used[index];
    const rk_qa_record *record = &s->record[row];
    /* The stream is named by the place in the file, so that a split of the items
     * sees the same contexts as the whole. */
    const char *stream = rk_arena_printf(arena, err, "%s/%" PRId64, r->ops->name, row);
    const char *what = rk_arena_printf(arena, err, "%s: item %s", s->path, record->item.id);
    if (!stream || !what)
        return RK_E_MEMORY;
    rk_fill_request request = {.first = s->pool_first[row],
                               .own = record->passages,
                               .target_tokens = r->config.target_tokens,
                               .counter = r->config.counter,
                               .seed = r->config.seed,
                               .stream = stream,
                               .keep_order = s->format->keep_order,
                               .what = what};
    *out = (rk_context){.id = record->item.id,
                        .items = 1,
                        .instruction = record->instruction,
                        .question_form = record->question_form};
    out->item = rk_arena_take(arena, 1, sizeof *out->item, err);
    if (!out->item)
        return RK_E_MEMORY;
    *out->item = record->item;
    return rk_fill_context(&s->pool, &request, arena, &out->passage, &out->passages, err);
}

rk_status rk_qa_passage(rk_passage *p, const char *title, const char *text, rk_arena *arena,
                        rk_error *err)
{
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    p->title = title;
    p->text = n > INT32_MAX ? NULL
                            : rk_arena_printf(arena, err, "Passage:\n%s%s%.*s\n",
                                              title ? title : "", title ? "\n" : "", (int)n, text);
    return p->text ? RK_OK : RK_E_MEMORY;
}

static const char *join_sentences(const json_t *sentences, rk_arena *arena, rk_error *err)
{
    size_t total = 1, used = 0, i;
    json_t *sentence;
    json_array_foreach(sentences, i, sentence) total += json_string_length(sentence) + 1;
    char *text = rk_arena_take(arena, total, 1, err);
    if (!text)
        return NULL;
    json_array_foreach(sentences, i, sentence)
    {
        const char *s = json_string_value(sentence);
        if (used && s[0] && s[0] != ' ' && text[used - 1] != ' ')
            text[used++] = ' ';
        memcpy(text + used, s, strlen(s));
        used += strlen(s);
    }
    return text;
}

static rk_status titled_entry(const json_t *entry, size_t i, const char *where, rk_arena *arena,
                              rk_passage *out, rk_error *err)
{
    const json_t *title = json_array_get(entry, 0), *sentences = json_array_get(entry, 1), *one;
    int ok = json_is_string(title) && json_is_array(sentences);
    for (size_t k = 0; ok && k < json_array_size(sentences); k++) {
        one = json_array_get(sentences, k);
        ok = json_is_string(one);
    }
    if (!ok)
        return rk_fail(err, RK_E_FORMAT,
                       "%s: key 'context': expected [title, [sentences]] in entry %zu", where,
                       i + 1);
    const char *name =
        rk_arena_text(arena, json_string_value(title), json_string_length(title), err);
    const char *text = join_sentences(sentences, arena, err);
    if (!name || !text)
        return RK_E_MEMORY;
    return rk_qa_passage(out, name, text, arena, err);
}

/* Marks the passages that a supporting fact names; counts the titles not there. */
static rk_status mark_gold(const json_t *facts, const char *where, rk_qa_record *out, rk_error *err)
{
    for (size_t i = 0; i < json_array_size(facts); i++) {
        const char *title = json_string_value(json_array_get(json_array_get(facts, i), 0));
        int found = 0;
        if (!title)
            return rk_fail(err, RK_E_FORMAT,
                           "%s: key 'supporting_facts': expected [title, number] in entry %zu",
                           where, i + 1);
        for (int32_t p = 0; p < out->passages; p++)
            if (!strcmp(out->passage[p].title, title))
                found = out->passage[p].gold = 1;
        out->gold_missing += !found;
    }
    return RK_OK;
}

rk_status rk_qa_titled_sentences(const json_t *record, const char *where, rk_arena *arena,
                                 rk_qa_record *out, rk_error *err)
{
    const json_t *context, *facts;
    RK_TRY(rk_jsonl_array(record, "context", where, 0, &context, err));
    RK_TRY(rk_jsonl_array(record, "supporting_facts", where, 1, &facts, err));
    size_t n = json_array_size(context);
    out->passage = rk_arena_take(arena, n, sizeof *out->passage, err);
    if (!out->passage)
        return RK_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        RK_TRY(titled_entry(json_array_get(context, i), i, where, arena, &out->passage[i], err));
    out->passages = (int32_t)n;
    return mark_gold(facts, where, out, err);
}

rk_status rk_qa_answers(const char *answer, const json_t *aliases, const char *where,
                        rk_arena *arena, rk_item *out, rk_error *err)
{
    size_t n = json_array_size(aliases);
    const char **list = rk_arena_take(arena, n + 1, sizeof *list, err);
    if (!list)
        return RK_E_MEMORY;
    out->answer = list;
    if (answer)
        list[out->answers++] = answer;
    for (size_t i = 0; i < n; i++) {
        const json_t *alias = json_array_get(aliases, i);
        if (!json_is_string(alias))
            return rk_fail(err, RK_E_FORMAT, "%s: answers: expected texts, got %s in entry %zu",
                           where, rk_json_kind(alias), i + 1);
        list[out->answers] =
            rk_arena_text(arena, json_string_value(alias), json_string_length(alias), err);
        if (!list[out->answers++])
            return RK_E_MEMORY;
    }
    return RK_OK;
}
