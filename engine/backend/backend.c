/* backend.c - what all backends share: finding one, and windows on operands. */
#include "backend/backend.h"

#include <string.h>

const rk_backend_ops *rk_backend_find(const char *name)
{
    static const rk_backend_ops *const all[] = {&rk_backend_cpu, &rk_backend_count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}

rk_weight rk_weight_rows(const rk_weight *w, int64_t first, int64_t n)
{
    rk_weight part = *w;
    part.rows = n;
    if (w->data)
        part.data = (const char *)w->data + (size_t)first * rk_dtype_bytes(w->dtype, w->cols);
    return part;
}

rk_tensor rk_tensor_rows(rk_tensor x, int64_t first, int64_t n)
{
    return (rk_tensor){x.data ? x.data + first * x.cols : NULL, n, x.cols};
}
