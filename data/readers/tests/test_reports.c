/* test_reports.c - generated documents against an independent reader of them, and
 * against the counts of the Python generator that trained the tiny model. */
#include "tests/reader_kit.h"

#include <math.h>

#include "base/json.h"
#include "tests/reports_parser.h"

static parsed_reports *parse(const rk_context *c)
{
    parsed_reports *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (int32_t i = 0; i < c->passages; i++)
        if (!parser_add(p, c->passage[i].text))
            fail_msg("not understood: %s", c->passage[i].text);
    assert_int_equal(p->documents, c->passages);
    return p;
}

static void check_context(const rk_context *c)
{
    parsed_reports *p = parse(c);
    for (int32_t i = 0; i < c->items; i++) {
        const rk_item *item = &c->item[i];
        char answer[128];
        int hops;
        if (!parser_answer(p, item->question, answer, sizeof answer, &hops))
            fail_msg("%s: not answered: %s", item->id, item->question);
        assert_string_equal(answer, item->answer[0]);
        if (!strcmp(item->task, "T3"))
            assert_int_equal(hops, item->hops);
        for (int32_t k = 0; k < i; k++)
            assert_string_not_equal(item->question, c->item[k].question);
    }
    free(p);
}

static void a_reader_agrees_on_every_answer(void **state)
{
    (void)state;
    static const struct {
        int64_t tokens;
        int contexts;
    } runs[] = {{256, 30}, {700, 30}, {1024, 60}, {2048, 40}, {3000, 10}, {4096, 30}, {8192, 20}};
    const char *settings[] = {"per_task", "1000", NULL};
    rk_arena *arena = kit_arena();
    int64_t questions = 0;
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        kit_reader k;
        assert_int_equal(kit_open(&k, "reports", NULL, runs[r].tokens, 11, settings, NULL), RK_OK);
        for (int i = 0; i < runs[r].contexts; i++) {
            rk_context c = kit_context(&k, i, arena);
            assert_true(kit_tokens(&c) <= runs[r].tokens - 34);
            check_context(&c);
            questions += c.items;
            rk_arena_reset(arena);
        }
        kit_close(&k);
    }
    assert_true(questions > 10000);
    rk_arena_free(arena);
}

/* Numbers of a context, as dump_reports.py names them. */
enum { NUMBERS = 64 };
typedef struct numbers {
    char name[NUMBERS][48];
    double value[NUMBERS], sum[NUMBERS], squares[NUMBERS];
    int n;
} numbers;

static void add(numbers *all, const char *name, double value)
{
    for (int i = 0; i < all->n; i++)
        if (!strcmp(all->name[i], name)) {
            all->value[i] += value;
            return;
        }
    assert_true(all->n < NUMBERS);
    snprintf(all->name[all->n], sizeof all->name[0], "%s", name);
    all->value[all->n++] = value;
}

static void observe(numbers *all, const rk_context *c)
{
    static const char *const forms[] = {"lives", "code", "owns", "works", "based",
                                        "box",   "link", "mean", "door",  "f1",
                                        "f2",    "f3",   "f4",   "f5",    "f6"};
    parsed_reports *p = parse(c);
    char name[48];
    int length[256] = {0};
    for (int i = 0; i < all->n; i++)
        all->value[i] = 0;
    add(all, "tokens", (double)kit_tokens(c));
    add(all, "sentences", p->n);
    add(all, "documents", p->documents);
    for (int i = 0; i < p->n; i++) {
        snprintf(name, sizeof name, "form %s", forms[p->sentence[i].form]);
        add(all, name, 1);
        length[p->sentence[i].document]++;
    }
    for (int d = 0; d < p->documents; d++) {
        snprintf(name, sizeof name, "length %d-%d", length[d] / 10 * 10, length[d] / 10 * 10 + 9);
        add(all, name, 1);
    }
    for (int32_t i = 0; i < c->items; i++) {
        if (!strcmp(c->item[i].task, "T3"))
            snprintf(name, sizeof name, "ask T3 hop%d", (int)c->item[i].hops);
        else
            snprintf(name, sizeof name, "ask %s", c->item[i].task);
        add(all, name, 1);
    }
    for (int i = 0; i < all->n; i++) {
        all->sum[i] += all->value[i];
        all->squares[i] += all->value[i] * all->value[i];
    }
    free(p);
}

/* Means of 200 contexts here and 200 there differ by less than three standard
 * errors, number by number; numbers without spread are equal. */
static void compare(const numbers *all, int64_t tokens, int contexts)
{
    FILE *f = fopen(RK_TEST_DATA "/fixtures/reports_counts.csv", "r");
    char line[128], name[32];
    int rows = 0, here = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        long long target, n;
        double sum, squares;
        if (sscanf(line, "%lld,%31[^,],%lld,%lf,%lf", &target, name, &n, &sum, &squares) != 5 ||
            target != tokens)
            continue;
        double mine = 0, mine2 = 0;
        for (int i = 0; i < all->n; i++)
            if (!strcmp(all->name[i], name))
                mine = all->sum[i], mine2 = all->squares[i], here++;
        double m = mine / contexts, t = sum / (double)n;
        double spread =
            (mine2 / contexts - m * m) / contexts + (squares / (double)n - t * t) / (double)n;
        if (fabs(m - t) > 3 * sqrt(spread > 0 ? spread : 0) + 1e-9)
            fail_msg("%lld tokens, %s: %.4f here, %.4f from Python, 3 sigma %.4f", target, name, m,
                     t, 3 * sqrt(spread));
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 36);
    assert_true(here == all->n); /* nothing here that Python has not */
}

static void frequencies_are_pythons(void **state)
{
    (void)state;
    enum { CONTEXTS = 200 };
    static const int64_t lengths[] = {1024, 4096};
    const char *settings[] = {"per_task", "1000", NULL};
    rk_arena *arena = kit_arena();
    for (int l = 0; l < 2; l++) {
        numbers all = {.n = 0};
        kit_reader k;
        assert_int_equal(kit_open(&k, "reports", NULL, lengths[l], 1, settings, NULL), RK_OK);
        for (int i = 0; i < CONTEXTS; i++) {
            rk_context c = kit_context(&k, i, arena);
            observe(&all, &c);
            rk_arena_reset(arena);
        }
        compare(&all, lengths[l], CONTEXTS);
        kit_close(&k);
    }
    rk_arena_free(arena);
}

static void questions_are_spread_over_tasks(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    assert_int_equal(kit_open(&k, "reports", NULL, 4096, 1, NULL, NULL), RK_OK);
    rk_context c = kit_context(&k, 0, arena);
    assert_true(c.items >= 15 && c.items <= 25);
    int32_t seen = 0;
    for (int32_t i = 0; i < 11; i++)
        for (int32_t j = 0; j < i; j++)
            seen += !strcmp(c.item[i].task, c.item[j].task) && c.item[i].hops == c.item[j].hops;
    assert_int_equal(seen, 0); /* the first eleven are of eleven kinds */
    kit_close(&k);

    const char *links[] = {"tasks", "T3 hop2, T5 alias", "per_task", "3", NULL};
    assert_int_equal(kit_open(&k, "reports", NULL, 4096, 1, links, NULL), RK_OK);
    c = kit_context(&k, 0, arena);
    assert_int_equal(c.items, 6);
    for (int32_t i = 0; i < c.items; i++) {
        assert_true(!strcmp(c.item[i].task, "T5 alias") || c.item[i].hops == 2);
        assert_true(c.item[i].distance >= 1); /* the source is in an earlier document */
    }
    k.reader.config.items_per_context = 4;
    assert_int_equal(kit_context(&k, 0, arena).items, 4);
    k.reader.config.items_per_context = 1000;
    assert_true(kit_context(&k, 0, arena).items > 6);
    kit_close(&k);

    const char *deep[] = {"tasks", "T3 hop4", NULL};
    assert_int_equal(kit_open(&k, "reports", NULL, 1024, 1, deep, NULL), RK_OK);
    assert_true(kit_context(&k, 0, arena).items >= 1); /* rare here: worlds are drawn again */
    kit_close(&k);
    rk_arena_free(arena);
}

static void evidence_is_marked(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    const char *settings[] = {"tasks", "T1 city", "per_task", "1", NULL};
    assert_int_equal(kit_open(&k, "reports", NULL, 4096, 3, settings, NULL), RK_OK);
    rk_context c = kit_context(&k, 0, arena);
    char fact[64];
    int gold = 0;
    assert_int_equal(sscanf(c.item[0].question, "Where does %47s", fact), 1);
    strcat(fact, " lives in ");
    for (int32_t i = 0; i < c.passages; i++) {
        gold += c.passage[i].gold;
        assert_int_equal(c.passage[i].gold, strstr(c.passage[i].text, fact) != NULL);
    }
    assert_int_equal(gold, 1);
    kit_close(&k);
    rk_arena_free(arena);
}

static void contexts_are_reproducible(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader a, b;
    assert_int_equal(kit_open(&a, "reports", NULL, 1024, 9, NULL, NULL), RK_OK);
    assert_int_equal(kit_open(&b, "reports", NULL, 1024, 9, NULL, NULL), RK_OK);
    rk_context first = kit_context(&a, 5, arena);
    kit_context(&b, 2, arena);
    rk_context second = kit_context(&b, 5, arena), other = kit_context(&b, 6, arena);
    assert_true(kit_same(&first, &second));
    assert_false(kit_same(&first, &other));
    b.reader.config.seed = 10;
    rk_context reseeded = kit_context(&b, 5, arena);
    assert_false(kit_same(&first, &reseeded));
    kit_close(&a);
    kit_close(&b);
    rk_arena_free(arena);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *tasks;
        const char *expected;
    } cases[] = {
        {"T6", "got 'T6'"}, {"", "got ''"}, {"T3,", "got ''"}, {"T3 hop5", "got 'T3 hop5'"}};
    rk_arena *arena = kit_arena();
    kit_reader k;
    rk_context c;
    rk_error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[] = {"tasks", cases[i].tasks, NULL};
        assert_int_equal(kit_open(&k, "reports", NULL, 1024, 1, settings, &err), RK_E_USAGE);
        assert_non_null(strstr(err.text, cases[i].expected));
        kit_close(&k);
    }
    assert_int_equal(kit_open(&k, "reports", NULL, 0, 1, NULL, &err), RK_E_USAGE);
    kit_close(&k);
    assert_int_equal(kit_open(&k, "reports", NULL, 60, 1, NULL, &err), RK_OK);
    assert_int_equal(k.reader.ops->context(&k.reader, 0, arena, &c, &err), RK_E_BUDGET);
    assert_non_null(strstr(err.text, "the context has room for 26"));
    assert_int_equal(k.reader.ops->context(&k.reader, -1, arena, &c, &err), RK_E_ARG);
    kit_close(&k);
    rk_arena_free(arena);
}

/* The documents that the model was checked on, where they are committed. */
static void the_parser_reads_the_models_own_samples(void **state)
{
    (void)state;
    static parsed_reports p;
    static const char *const documents[] = {
        "Report 14: Cara works for Borcor. Borcor is based in Havana. The door of Cara is razbo. "
        "From now on razbo means teal. Box mango holds the compass.\n",
        "Report 37: The door of Max is razbo. From now on razbo means grey. The code of Max is "
        "238. "
        "Box pear holds the same thing as box mango. Max lives in Dallas. Max owns a rubber "
        "crate.\n"};
    static const struct {
        const char *question, *answer;
    } cases[] = {
        {"What colour is the door of Max?", " teal"},
        {"What does razbo mean?", " grey"},
        {"What is the code of Max?", " 238"},
        {"What does box pear hold?", " compass"},
        {"In which city is the employer of Cara based?", " Havana"},
        {"What does Max own and where does Max live?", " rubber crate and Dallas"},
    };
    char answer[64];
    int hops;
    for (int i = 0; i < 2; i++)
        assert_int_equal(parser_add(&p, documents[i]), 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parser_answer(&p, cases[i].question, answer, sizeof answer, &hops), 1);
        assert_string_equal(answer, cases[i].answer);
    }
    /* no definition stood before Cara's door */
    assert_int_equal(
        parser_answer(&p, "What colour is the door of Cara?", answer, sizeof answer, &hops), 0);
    assert_int_equal(parser_answer(&p, "Who is Max?", answer, sizeof answer, &hops), 0);
    assert_int_equal(parser_add(&p, "Report 12: Max likes tea.\n"), 0);
    assert_int_equal(parser_add(&p, "Report 1: Max lives in Rome.\n"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parser_reads_the_models_own_samples),
        cmocka_unit_test(a_reader_agrees_on_every_answer),
        cmocka_unit_test(frequencies_are_pythons),
        cmocka_unit_test(questions_are_spread_over_tasks),
        cmocka_unit_test(evidence_is_marked),
        cmocka_unit_test(contexts_are_reproducible),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
