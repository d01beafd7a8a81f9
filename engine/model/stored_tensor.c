/* stored_tensor.c - what both containers say of a tensor's shape. */
#include "model/safetensors.h"

#include <inttypes.h>
#include <stdio.h>

/* "[2, 64]"; -1 is written as "any". */
static void shape_text(int32_t rank, const int64_t *shape, char *out, size_t bytes)
{
    size_t at = (size_t)snprintf(out, bytes, "[");
    for (int32_t i = 0; i < rank && at < bytes; i++) {
        const char *comma = i ? ", " : "";
        int n = shape[i] < 0 ? snprintf(out + at, bytes - at, "%sany", comma)
                             : snprintf(out + at, bytes - at, "%s%" PRId64, comma, shape[i]);
        at += (size_t)n;
    }
    if (at < bytes)
        snprintf(out + at, bytes - at, "]");
}

rk_status rk_stored_tensor_check(const rk_stored_tensor *t, const char *where, int32_t rank,
                                 const int64_t *shape, rk_error *err)
{
    int equal = t->rank == rank;
    for (int32_t i = 0; equal && i < rank; i++)
        equal = shape[i] < 0 || shape[i] == t->shape[i];
    if (equal)
        return RK_OK;
    char expected[100], got[100];
    shape_text(rank, shape, expected, sizeof expected);
    shape_text(t->rank, t->shape, got, sizeof got);
    return rk_fail(err, RK_E_FORMAT, "%s: tensor '%.100s': expected shape %s, got %s", where,
                   t->name, expected, got);
}
