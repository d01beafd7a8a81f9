/* cmocka_all.h - cmocka with the headers it wants first. */
#ifndef RK_TEST_CMOCKA_ALL_H
#define RK_TEST_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif
