/* test_interrupt.c - the first signal sets the flag, the second ends the process. */
#define _GNU_SOURCE
#include "cmocka_all.h"

#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"

static void flag_is_set(void **state)
{
    const volatile sig_atomic_t *flag = NULL;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rk_interrupt_install(&flag, NULL), RK_OK);
        assert_int_equal(*flag, 0);
        raise(i ? SIGTERM : SIGINT);
        assert_int_equal(*flag, 1);
    }
}

static void the_second_one_kills(void **state)
{
    int status;
    (void)state;
    pid_t pid = fork();
    if (!pid) {
        const volatile sig_atomic_t *flag;
        rk_interrupt_install(&flag, NULL);
        raise(SIGINT);
        raise(SIGINT);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flag_is_set),
                                       cmocka_unit_test(the_second_one_kills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
