/* test_progress.c - lines in a file, a bar on a terminal, nothing when silent. */
#define _GNU_SOURCE
#include "cmocka_all.h"

#include <fcntl.h>
#include <unistd.h>

#include "progress.h"

static void times(void **state)
{
    static const struct {
        double s;
        const char *text;
    } cases[] = {{0, "0:00"}, {59.6, "1:00"}, {125, "2:05"},   {3725, "1:02:05"},
                 {-1, "?"},   {1e12, "?"},    {0.0 / 0.0, "?"}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(rk_progress_time(cases[i].s, text, sizeof text), cases[i].text);
}

static void lines_in_a_file(void **state)
{
    rk_progress p;
    char *text = NULL;
    size_t n = 0;
    (void)state;
    FILE *f = tmpfile();
    rk_progress_open(&p, f);
    assert_false(p.terminal);
    rk_progress_show(&p, 1, 4, 0, 65, "a");
    rk_progress_show(&p, 2, 4, 0, 65, "b"); /* too soon for another line */
    rk_progress_note(&p, "skipped: %d", 7);
    rk_progress_show(&p, 4, 4, 1, 0, "c"); /* the end is always shown */
    rk_progress_close(&p);
    rewind(f);
    assert_true(getdelim(&text, &n, '\0', f) > 0);
    assert_string_equal(text, " 25% 1/4, 1:05 to go  a\nskipped: 7\n"
                              "100% 4/4 (1 failed), 0:00 to go  c\n");
    free(text);
    fclose(f);
}

static void a_bar_on_a_terminal(void **state)
{
    rk_progress p;
    char text[1024];
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    (void)state;
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
        skip();
    FILE *f = fopen(ptsname(terminal), "w");
    assert_non_null(f);
    rk_progress_open(&p, f);
    assert_true(p.terminal);
    rk_progress_show(&p, 1, 2, 0, -1, "now");
    rk_progress_note(&p, "a line");
    rk_progress_show(&p, 2, 2, 0, 0, "now");
    rk_progress_close(&p);
    fflush(f);
    ssize_t got = read(terminal, text, sizeof text - 1);
    assert_true(got > 0);
    text[got] = '\0';
    assert_non_null(strstr(text, "\r[############............]  50% 1/2, ? to go  now"));
    assert_non_null(strstr(text, "a line\r\n"));
    assert_non_null(strstr(text, "100% 2/2"));
    fclose(f);
    close(terminal);
}

static void silent(void **state)
{
    rk_progress p;
    (void)state;
    rk_progress_open(&p, NULL);
    rk_progress_show(&p, 1, 2, 0, 1, "x");
    rk_progress_note(&p, "x");
    rk_progress_close(&p);
    assert_int_equal(p.last_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(times), cmocka_unit_test(lines_in_a_file),
                                       cmocka_unit_test(a_bar_on_a_terminal),
                                       cmocka_unit_test(silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
