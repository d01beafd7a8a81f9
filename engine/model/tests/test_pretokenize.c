/* test_pretokenize.c - what each step does to a text; pieces are joined by "|". */
#include "tokenizer_fixture.h"

#include "model/pretokenize.h"

static rk_status collect(void *context, const char *piece, size_t n, rk_error *err)
{
    rk_text *out = context;
    if (out->n)
        RK_TRY(rk_text_add(out, "|", 1, err));
    return rk_text_add(out, piece, n, err);
}

static rk_status stop(void *context, const char *piece, size_t n, rk_error *err)
{
    (void)piece;
    ++*(int *)context;
    return rk_fail(err, RK_E_BUDGET, "stopped at a piece of %zu bytes", n);
}

static void add_regex(rk_pretokenizer *p, const char *pattern, rk_pretokenize_behavior behavior,
                      int invert)
{
    assert_int_equal(rk_pretokenizer_add_regex(p, pattern, strlen(pattern), "test", NULL), RK_OK);
    p->step[p->steps - 1].behavior = behavior;
    p->step[p->steps - 1].invert = invert;
}

static void add_string(rk_pretokenizer *p, const char *text, rk_pretokenize_behavior behavior)
{
    rk_pretokenize_step *s = NULL;
    assert_int_equal(rk_pretokenizer_add(p, &s, "test", NULL), RK_OK);
    s->kind = RK_PRETOKENIZE_STRING;
    s->text = text;
    s->bytes = strlen(text);
    s->behavior = behavior;
}

static void check(const rk_pretokenizer *p, const char *text, int at_start, const char *want)
{
    rk_pretokenize_room *room = NULL;
    rk_text out = {0};
    assert_int_equal(rk_pretokenize_room_new(&room, NULL), RK_OK);
    assert_int_equal(rk_pretokenize(p, room, text, strlen(text), at_start, collect, &out, NULL),
                     RK_OK);
    rk_text_add(&out, "", 1, NULL);
    assert_string_equal(out.bytes, want);
    rk_text_free(&out);
    rk_pretokenize_room_free(room);
}

/* The same rows as tokenizers.pre_tokenizers.Split gives them. */
static void behaviors_of_a_split(void **state)
{
    (void)state;
    static const struct {
        const char *pattern; /* NULL: the string "ab" */
        rk_pretokenize_behavior behavior;
        int invert;
        const char *text, *want;
    } rows[] = {
        {"-", RK_BEHAVIOR_ISOLATED, 0, "the-final--countdown", "the|-|final|-|-|countdown"},
        {"-", RK_BEHAVIOR_REMOVED, 0, "the-final--countdown", "the|final|countdown"},
        {"-", RK_BEHAVIOR_MERGED_WITH_PREVIOUS, 0, "the-final--countdown",
         "the-|final-|-|countdown"},
        {"-", RK_BEHAVIOR_MERGED_WITH_NEXT, 0, "the-final--countdown", "the|-final|-|-countdown"},
        {"-", RK_BEHAVIOR_CONTIGUOUS, 0, "the-final--countdown", "the|-|final|--|countdown"},
        {"-", RK_BEHAVIOR_ISOLATED, 0, "-a-", "-|a|-"},
        {"-", RK_BEHAVIOR_MERGED_WITH_PREVIOUS, 0, "-a", "-|a"},
        {"-", RK_BEHAVIOR_MERGED_WITH_NEXT, 0, "a-", "a|-"},
        {"-", RK_BEHAVIOR_REMOVED, 0, "---", ""},
        {"[a-z]+", RK_BEHAVIOR_REMOVED, 1, "ab12cd", "ab|cd"},
        {"[a-z]+", RK_BEHAVIOR_ISOLATED, 1, "ab12cd", "ab|12|cd"},
        {NULL, RK_BEHAVIOR_MERGED_WITH_PREVIOUS, 0, "xababyab", "xab|ab|yab"},
        {NULL, RK_BEHAVIOR_MERGED_WITH_NEXT, 0, "xababyab", "x|ab|aby|ab"},
        {NULL, RK_BEHAVIOR_REMOVED, 0, "xababyab", "x|y"},
        {"x*", RK_BEHAVIOR_ISOLATED, 0, "abxc", "a|b|x|c"},
        {"x*", RK_BEHAVIOR_REMOVED, 0,
         "a\xe2\x82\xac"
         "b",
         "a|\xe2\x82\xac|b"},
        {"x", RK_BEHAVIOR_ISOLATED, 0, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_pretokenizer p = {0};
        if (rows[i].pattern)
            add_regex(&p, rows[i].pattern, rows[i].behavior, rows[i].invert);
        else
            add_string(&p, "ab", rows[i].behavior);
        check(&p, rows[i].text, 1, rows[i].want);
        rk_pretokenizer_free(&p);
    }
}

static void metaspace_marks_blanks(void **state)
{
    (void)state;
    static const struct {
        rk_prefix prefix;
        int at_start;
        const char *text, *want;
    } rows[] = {
        {RK_PREFIX_ALWAYS, 1, "a b", "_a_b"},    {RK_PREFIX_ALWAYS, 0, "a b", "_a_b"},
        {RK_PREFIX_FIRST, 1, "a  b", "_a__b"},   {RK_PREFIX_FIRST, 0, "a b", "a_b"},
        {RK_PREFIX_NEVER, 1, "a b", "a_b"},      {RK_PREFIX_ALWAYS, 1, " a", "_a"},
        {RK_PREFIX_ALWAYS, 1, "_a", "_a"},       {RK_PREFIX_FIRST, 1, " ", "_"},
        {RK_PREFIX_FIRST, 1, "\na\t", "_\na\t"}, {RK_PREFIX_ALWAYS, 1, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rk_pretokenizer p = {0};
        rk_pretokenize_step *s = NULL;
        assert_int_equal(rk_pretokenizer_add(&p, &s, "test", NULL), RK_OK);
        *s = (rk_pretokenize_step){
            .kind = RK_PRETOKENIZE_METASPACE, .prefix = rows[i].prefix, .text = "_", .bytes = 1};
        check(&p, rows[i].text, rows[i].at_start, rows[i].want);
        rk_pretokenizer_free(&p);
    }
}

static void steps_work_on_pieces(void **state)
{
    (void)state;
    rk_pretokenizer p = {0};
    rk_pretokenize_step *s = NULL;
    add_regex(&p, "\\p{N}", RK_BEHAVIOR_ISOLATED, 0);
    assert_int_equal(rk_pretokenizer_add(&p, &s, "test", NULL), RK_OK);
    *s = (rk_pretokenize_step){
        .kind = RK_PRETOKENIZE_METASPACE, .prefix = RK_PREFIX_FIRST, .text = "_", .bytes = 1};
    add_string(&p, "_", RK_BEHAVIOR_MERGED_WITH_NEXT);
    check(&p, "ab 1c d", 1, "_ab|_|1|c|_d");
    check(&p, "ab 1c d", 0, "ab|_|1|c|_d");
    rk_pretokenizer_free(&p);

    assert_int_equal(rk_pretokenizer_add(&p, &s, "test", NULL), RK_OK);
    s->kind = RK_PRETOKENIZE_BLANK;
    check(&p, "a", 0, " a");
    check(&p, " a", 0, " a");
    check(&p, "\ta", 0, " \ta");
    rk_pretokenizer_free(&p);
    check(&p, "all of it", 1, "all of it");
}

static void a_failing_reader_stops_the_run(void **state)
{
    (void)state;
    rk_pretokenizer p = {0};
    rk_pretokenize_room *room = NULL;
    rk_error err = {0};
    int calls = 0;
    add_regex(&p, " ", RK_BEHAVIOR_REMOVED, 0);
    assert_int_equal(rk_pretokenize_room_new(&room, NULL), RK_OK);
    assert_int_equal(rk_pretokenize(&p, room, "ab c d", 6, 1, stop, &calls, &err), RK_E_BUDGET);
    assert_string_equal(err.text, "stopped at a piece of 2 bytes");
    assert_int_equal(calls, 1);
    rk_pretokenize_room_free(room);
    rk_pretokenize_room_free(NULL);
    rk_pretokenizer_free(&p);
}

static void there_is_room_for_so_many_steps(void **state)
{
    (void)state;
    rk_pretokenizer p = {0};
    rk_pretokenize_step *s = NULL;
    rk_error err = {0};
    for (int i = 0; i < RK_PRETOKENIZE_STEPS; i++)
        add_string(&p, "x", RK_BEHAVIOR_REMOVED);
    check(&p, "axb", 1, "a|b");
    assert_int_equal(rk_pretokenizer_add(&p, &s, "f", &err), RK_E_UNSUPPORTED);
    assert_string_equal(err.text, "f: expected at most 16 pre-tokenizer steps");
    rk_pretokenizer_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behaviors_of_a_split),
        cmocka_unit_test(metaspace_marks_blanks),
        cmocka_unit_test(steps_work_on_pieces),
        cmocka_unit_test(a_failing_reader_stops_the_run),
        cmocka_unit_test(there_is_room_for_so_many_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
