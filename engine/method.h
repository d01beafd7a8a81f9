#ifndef RK_METHOD_H
#define RK_METHOD_H
#include <stdint.h>
#include "base/option.h"
typedef struct rk_method_ops {
    const char *name;
    const rk_option *options;
} rk_method_ops;
extern const rk_method_ops *const rk_methods[];
extern const int32_t rk_methods_count;
#endif
