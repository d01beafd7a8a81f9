/* dense.c - full causal prefill of the assembled prompt: nothing reused, nothing skipped.
 *
 * Every default of the method interface. The same token ids, kernels and decode as
 * every other method. */
#include "method.h"

const rk_method_ops rk_method_dense = {
    .name = "dense",
    .title = "Dense",
    .source = "full causal prefill",
    .flags = RK_METHOD_EXACT,
};
