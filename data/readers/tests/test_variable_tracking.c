/* test_variable_tracking.c - the text itself, read as assignments, gives the answers. */
#include "tests/reader_kit.h"

enum { VARIABLES = 512 };

/* What the passages say, in reading order. */
typedef struct reading {
    char name[VARIABLES][8];
    long value[VARIABLES];
    int passage[VARIABLES], refers[VARIABLES], n;
} reading;

static void read_passages(const rk_context *c, reading *r)
{
    r->n = 0;
    for (int32_t p = 0; p < c->passages; p++) {
        int found = 0;
        for (const char *at = c->passage[p].text; (at = strstr(at, "Variable ")); at++) {
            char name[8], other[8];
            long value;
            int i = r->n++;
            found++;
            r->passage[i] = p;
            r->refers[i] = -1;
            if (sscanf(at, "Variable %5[A-Z] is set to %ld.", name, &value) == 2) {
                r->value[i] = value;
            } else {
                assert_int_equal(sscanf(at,
                                        "Variable %5[A-Z] is set to the value of variable %5[A-Z].",
                                        name, other),
                                 2);
                for (int k = 0; k < i; k++)
                    if (!strcmp(r->name[k], other))
                        r->refers[i] = k;
                assert_true(r->refers[i] >= 0); /* told earlier */
                assert_true(r->passage[r->refers[i]] < p);
                r->value[i] = r->value[r->refers[i]];
            }
            strcpy(r->name[i], name);
        }
        assert_int_equal(c->passage[p].gold, found > 0);
    }
}

static void check_items(const rk_context *c, int hops)
{
    reading r;
    read_passages(c, &r);
    for (int32_t i = 0; i < c->items; i++) {
        long value;
        int count, holders = 0;
        assert_int_equal(sscanf(c->item[i].question,
                                "Which variables have the value %ld? There are %d of them.", &value,
                                &count),
                         2);
        assert_int_equal(count, hops + 1);
        assert_int_equal(c->item[i].answers, hops + 1);
        assert_int_equal(c->item[i].hops, hops);
        assert_true(c->item[i].distance >= hops);
        for (int k = 0; k < r.n; k++) {
            if (r.value[k] != value)
                continue;
            int named = 0;
            for (int32_t a = 0; a < c->item[i].answers; a++)
                named += !strcmp(c->item[i].answer[a], r.name[k]);
            assert_int_equal(named, 1);
            holders++;
        }
        assert_int_equal(holders, hops + 1);
    }
}

static void chains_hold(void **state)
{
    (void)state;
    static const struct {
        const char *hops, *chains;
        int32_t items, statements;
    } cases[] = {{"4", "1", 0, 5}, {"1", "3", 0, 6}, {"7", "2", 4, 32}};
    rk_arena *arena = kit_arena();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[] = {"hops", cases[i].hops, "chains", cases[i].chains, NULL};
        kit_reader k;
        assert_int_equal(kit_open(&k, "variable_tracking", NULL, 4096, 6, settings, NULL), RK_OK);
        k.reader.config.items_per_context = cases[i].items;
        for (int index = 0; index < 40; index++) {
            rk_context c = kit_context(&k, index, arena);
            reading r;
            assert_int_equal(c.items, cases[i].items ? cases[i].items : 1);
            assert_in_range(kit_tokens(&c), 4076, 4096);
            read_passages(&c, &r);
            assert_int_equal(r.n, cases[i].statements);
            check_items(&c, atoi(cases[i].hops));
            rk_arena_reset(arena);
        }
        kit_close(&k);
    }
    rk_arena_free(arena);
}

static void contexts_are_reproducible(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader a, b;
    assert_int_equal(kit_open(&a, "variable_tracking", NULL, 2000, 4, NULL, NULL), RK_OK);
    assert_int_equal(kit_open(&b, "variable_tracking", NULL, 2000, 5, NULL, NULL), RK_OK);
    rk_context x = kit_context(&a, 3, arena), y = kit_context(&a, 3, arena);
    rk_context other = kit_context(&b, 3, arena);
    assert_true(kit_same(&x, &y));
    assert_false(kit_same(&x, &other));
    kit_close(&a);
    kit_close(&b);
    rk_arena_free(arena);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    rk_arena *arena = kit_arena();
    kit_reader k;
    rk_context c;
    rk_error err;
    assert_int_equal(kit_open(&k, "variable_tracking", NULL, 0, 4, NULL, &err), RK_E_USAGE);
    kit_close(&k);
    assert_int_equal(kit_open(&k, "variable_tracking", NULL, 1000, 4, NULL, &err), RK_OK);
    assert_int_equal(k.reader.ops->context(&k.reader, 0, arena, &c, &err), RK_E_BUDGET);
    assert_string_equal(err.text, "variable_tracking: 4 links need 5 passages, the context has 4");
    assert_int_equal(k.reader.ops->context(&k.reader, -1, arena, &c, &err), RK_E_ARG);
    kit_close(&k);
    rk_reader plain = {.ops = kit_find("variable_tracking"),
                       .config = {.target_tokens = 2000, .counter = &kit_counter}};
    assert_int_equal(plain.ops->open(&plain, NULL), RK_OK);
    assert_int_equal(plain.ops->context(&plain, 0, arena, &c, NULL), RK_OK);
    plain.ops->close(&plain);
    rk_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_hold),
        cmocka_unit_test(contexts_are_reproducible),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
