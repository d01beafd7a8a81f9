/* test_prompt.c - segments of ids are the text they were made of, with the tiny
 * model's tokenizer. */
#include "tests/reader_kit.h"

#include "prompt.h"

#define TINY RK_TEST_DATA "/models/tiny"

static rk_model *open_tiny(void)
{
    rk_model *m;
    rk_error err = {0};
    if (rk_model_open(&m, TINY, &err) != RK_OK)
        fail_msg("%s", err.text);
    return m;
}

static void append(const rk_model *m, rk_ids_span span, char *to)
{
    char *text;
    size_t n;
    assert_int_equal(rk_tokenizer_decode(m->tokenizer, span.id, (size_t)span.n, RK_TOKENIZE_SPECIAL,
                                         &text, &n, NULL),
                     RK_OK);
    strcat(to, text);
    free(text);
}

static void segments_are_the_text(void **state)
{
    (void)state;
    static char got[1 << 16], expected[1 << 16];
    rk_model *m = open_tiny();
    rk_arena *arena = kit_arena();
    kit_reader k;
    rk_prompt p;
    assert_int_equal(kit_open(&k, "reports", NULL, 1024, 3, NULL, NULL), RK_OK);
    rk_context c = kit_context(&k, 0, arena);
    assert_int_equal(rk_prompt_build(m, k.reader.ops, &c, arena, &p, NULL), RK_OK);
    assert_int_equal(p.passages, c.passages);
    assert_int_equal(p.questions, c.items);
    assert_int_equal(p.prefix.id[0], 1); /* <|begin|> */
    assert_int_equal(p.prefix.n, 10);
    int64_t tokens = p.prefix.n;
    for (int32_t i = 0; i < p.passages; i++)
        tokens += p.passage[i].n;
    assert_int_equal(p.context_tokens, tokens);
    assert_int_equal(tokens, 10 + kit_tokens(&c)); /* one word, one token */

    got[0] = '\0';
    strcpy(expected, "<|begin|>Read the reports and answer the question.\n");
    append(m, p.prefix, got);
    for (int32_t i = 0; i < p.passages; i++) {
        append(m, p.passage[i], got);
        strcat(expected, c.passage[i].text);
    }
    append(m, p.question[4], got);
    strcat(strcat(strcat(expected, "Question: "), c.item[4].question), "\nAnswer:");
    assert_string_equal(got, expected);

    /* Tokenised in one piece the documents have the same ids: seams cost nothing here. */
    rk_ids whole = {0};
    strcpy(expected, "");
    for (int32_t i = 0; i < c.passages; i++)
        strcat(expected, c.passage[i].text);
    assert_int_equal(rk_tokenizer_encode(m->tokenizer, expected, strlen(expected), 0, &whole, NULL),
                     RK_OK);
    assert_int_equal(whole.n, tokens - 10);
    for (int32_t i = 0, at = 0; i < p.passages; at += p.passage[i++].n)
        assert_memory_equal(p.passage[i].id, whole.id + at,
                            (size_t)p.passage[i].n * sizeof *whole.id);
    rk_ids_free(&whole);
    kit_close(&k);
    rk_arena_free(arena);
    rk_model_close(m);
}

static void the_counter_counts_what_is_built(void **state)
{
    (void)state;
    rk_model *m = open_tiny();
    rk_arena *arena = kit_arena();
    rk_token_counter counter = rk_prompt_counter(m);
    kit_reader k;
    rk_prompt p;
    assert_int_equal(
        kit_open(&k, "hotpotqa", RK_TEST_DATA "/fixtures/readers/hotpotqa.jsonl", 0, 3, NULL, NULL),
        RK_OK);
    k.reader.config.target_tokens = 900;
    k.reader.config.counter = &counter;
    rk_context c = kit_context(&k, 1, arena);
    assert_int_equal(rk_prompt_build(m, k.reader.ops, &c, arena, &p, NULL), RK_OK);
    int64_t all = 0;
    for (int32_t i = 0; i < c.passages; i++) {
        int64_t one;
        assert_int_equal(
            counter.count(counter.self, c.passage[i].text, strlen(c.passage[i].text), &one, NULL),
            RK_OK);
        assert_int_equal(one, p.passage[i].n);
        all += one;
    }
    assert_true(all <= 900 && all >= 810);
    assert_int_equal(p.context_tokens, all + p.prefix.n);
    kit_close(&k);
    rk_arena_free(arena);
    rk_model_close(m);
}

static void a_context_may_bring_its_prompt(void **state)
{
    (void)state;
    char got[512] = "";
    rk_model *m = open_tiny();
    rk_arena *arena = kit_arena();
    rk_passage passage = {.text = "Report 12: Ira lives in Rome.\n"};
    rk_item item = {.question = "100% %s sure?"};
    rk_context c = {.id = "c",
                    .passage = &passage,
                    .passages = 1,
                    .item = &item,
                    .items = 1,
                    .instruction = "Read.\n",
                    .question_form = "5% of %s: %s"};
    rk_prompt p;
    assert_int_equal(rk_prompt_build(m, kit_find("longbench"), &c, arena, &p, NULL), RK_OK);
    append(m, p.prefix, got);
    append(m, p.passage[0], got);
    append(m, p.question[0], got);
    assert_string_equal(got,
                        "<|begin|>Read.\nReport 12: Ira lives in Rome.\n5% of 100% %s sure?: %s");
    rk_arena_free(arena);
    rk_model_close(m);
}

static void refusals(void **state)
{
    (void)state;
    rk_model *m = open_tiny();
    rk_arena *arena = kit_arena();
    rk_passage passage = {.text = ""};
    rk_item item = {.question = "q"};
    rk_context c = {.id = "c", .passage = &passage, .passages = 1, .item = &item, .items = 1};
    rk_prompt p;
    rk_error err;
    int64_t tokens;
    assert_int_equal(rk_prompt_build(m, kit_find("reports"), &c, arena, &p, &err), RK_E_FORMAT);
    assert_string_equal(err.text, "c: passage 0 has no token");
    passage.text = "x";
    c.question_form = "no slot";
    assert_int_equal(rk_prompt_build(m, kit_find("reports"), &c, arena, &p, &err), RK_E_ARG);
    c.question_form = NULL;

    /* Only plain readers pass by the chat style, whose tokens this model lacks. */
    rk_model chat = *m;
    chat.chat = RK_CHAT_CHATML;
    assert_int_equal(rk_prompt_build(&chat, kit_find("reports"), &c, arena, &p, &err), RK_OK);
    assert_int_equal(rk_prompt_build(&chat, kit_find("hotpotqa"), &c, arena, &p, &err),
                     RK_E_FORMAT);

    rk_model mute = *m;
    mute.tokenizer = NULL;
    rk_token_counter counter = rk_prompt_counter(&mute);
    assert_int_equal(rk_prompt_build(&mute, kit_find("reports"), &c, arena, &p, &err),
                     RK_E_UNSUPPORTED);
    assert_int_equal(counter.count(counter.self, "x", 1, &tokens, &err), RK_E_UNSUPPORTED);
    rk_arena_free(arena);
    rk_model_close(m);
}

static void answers_are_cut(void **state)
{
    (void)state;
    static const struct {
        const char *generated, *stop, *expected;
    } cases[] = {
        {" Paris\nQuestion: more", "\n", "Paris"},
        {"\n\n Paris \n", "\n", "Paris"},
        {" rubber crate and Dallas", NULL, "rubber crate and Dallas"},
        {"a\nb ", NULL, "a\nb"},
        {"", "\n", ""},
        {" \n ", "\n", ""},
    };
    rk_arena *arena = kit_arena();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_reader_ops ops = {.stop = cases[i].stop};
        assert_string_equal(rk_prompt_answer(&ops, cases[i].generated, arena, NULL),
                            cases[i].expected);
    }
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_the_text),
        cmocka_unit_test(the_counter_counts_what_is_built),
        cmocka_unit_test(a_context_may_bring_its_prompt),
        cmocka_unit_test(refusals),
        cmocka_unit_test(answers_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
