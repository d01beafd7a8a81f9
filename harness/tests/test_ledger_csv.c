/* test_ledger_csv.c - reading with lines, writing what reads back. */
#define _GNU_SOURCE
#include "cmocka_all.h"

#include "ledger_csv.h"

typedef struct csv_case {
    const char *text, *expected; /* "line:field|field;" with ~ for NULL, or the message */
    rk_status status;
} csv_case;

static const csv_case cases[] = {
    {"a,b\n1,2\n", "1:a|b;2:1|2;", RK_OK},
    {"a,,\"\"\n", "1:a|~|;", RK_OK},
    {" a , b\t,\" c \"\n", "1:a|b| c ;", RK_OK},
    {"\"x\ny\",1\nz,2\n", "1:x\ny|1;3:z|2;", RK_OK},
    {"\"a\"\"b\",\"c,d\"\n", "1:a\"b|c,d;", RK_OK},
    {"a\r\nb\r\n", "1:a;2:b;", RK_OK},
    {"a\n\n\nb\n", "1:a;4:b;", RK_OK},
    {"\"p\n\nq\"\nr\n", "1:p\n\nq;4:r;", RK_OK},
    {"", "f:1: the file is empty", RK_E_FORMAT},
    {"a\nb", "f:2: the last line has no end", RK_E_FORMAT},
    {"a\n\"b\nc\n", "f:2: a quoted field has no end", RK_E_FORMAT},
    {"a\nb\"c\n", "f:2:", RK_E_FORMAT},
    {"a\n\"b\"c\n", "f:2:", RK_E_FORMAT},
};

static rk_status collect(void *self, int32_t line, const rk_csv_field *f, int32_t n, rk_error *err)
{
    char *to = self;
    (void)err;
    sprintf(to + strlen(to), "%d:", line);
    for (int32_t i = 0; i < n; i++)
        sprintf(to + strlen(to), "%s%s", i ? "|" : "", f[i].text ? f[i].text : "~");
    strcat(to, ";");
    return RK_OK;
}

static void reading(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[512] = "";
        rk_error err = {0};
        rk_status st = rk_csv_read(cases[i].text, strlen(cases[i].text), "f", collect, got, &err);
        assert_int_equal(st, cases[i].status);
        if (st == RK_OK)
            assert_string_equal(got, cases[i].expected);
        else if (strncmp(err.text, cases[i].expected, strlen(cases[i].expected)))
            fail_msg("case %zu: '%s' lacks '%s'", i, err.text, cases[i].expected);
    }
}

static rk_status refuse(void *self, int32_t line, const rk_csv_field *f, int32_t n, rk_error *err)
{
    (void)f, (void)n;
    ++*(int *)self;
    return line == 2 ? rk_fail(err, RK_E_ARG, "no more") : RK_OK;
}

static void failures_of_the_caller_end_it(void **state)
{
    int calls = 0;
    rk_error err;
    (void)state;
    assert_int_equal(rk_csv_read("a\nb\nc\n", 6, "f", refuse, &calls, &err), RK_E_ARG);
    assert_int_equal(calls, 2);
    assert_string_equal(err.text, "no more");
    assert_int_equal(rk_csv_read("a\0b\n", 4, "f", refuse, &calls, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "f:1: a NUL byte"));
}

static void too_many_fields(void **state)
{
    static char text[RK_CSV_FIELDS_MAX + 8];
    char got[8];
    rk_error err;
    (void)state;
    memset(text, ',', RK_CSV_FIELDS_MAX + 1);
    text[RK_CSV_FIELDS_MAX + 1] = '\n';
    assert_int_equal(rk_csv_read(text, RK_CSV_FIELDS_MAX + 2, "f", collect, got, &err), RK_E_FORMAT);
    assert_non_null(strstr(err.text, "f:1: more than"));
}

/* Every text comes back as it was. */
static void writing(void **state)
{
    static const char *const texts[] = {"a", "", " a", "a ", "\ta", "a\t", "a,b", "\"", "\"\"", "\n",
                                        "a\r\nb", "it's; fine", "\xc3\xa9"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *bytes = NULL, got[64] = "", expected[64];
        size_t n = 0;
        FILE *f = open_memstream(&bytes, &n);
        fputs("x,", f);
        rk_csv_write_text(f, texts[i], strlen(texts[i]));
        fputs(",", f);
        rk_csv_write_text(f, NULL, 0);
        fputs("\n", f);
        fclose(f);
        assert_int_equal(rk_csv_read(bytes, n, "f", collect, got, NULL), RK_OK);
        snprintf(expected, sizeof expected, "1:x|%s|~;", texts[i]);
        assert_string_equal(got, expected);
        free(bytes);
    }
}

static void reals_are_short_and_exact(void **state)
{
    static const double values[] = {0,      0.1,     1.0 / 3, 1e300,  -5e-324, 123456789012345678.0,
                                    1e-300, 2.5e-17, 0.3,     1 << 30, -0.0};
    char text[40];
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double back = strtod(rk_csv_real(values[i], text, sizeof text), NULL);
        assert_memory_equal(&back, &values[i], sizeof back);
    }
    assert_string_equal(rk_csv_real(0.1, text, sizeof text), "0.1");
    assert_string_equal(rk_csv_real(0.1 + 0.2, text, sizeof text), "0.30000000000000004");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reading),
                                       cmocka_unit_test(failures_of_the_caller_end_it),
                                       cmocka_unit_test(too_many_fields), cmocka_unit_test(writing),
                                       cmocka_unit_test(reals_are_short_and_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
