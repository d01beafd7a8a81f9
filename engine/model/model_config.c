/* model_config.c - checks and lists that both kinds of configuration share. */
#include "model/model_config.h"

#include <inttypes.h>

rk_status rk_config_add_stop(int32_t *stop_id, int32_t *stop_ids, int64_t id, const char *where,
                             rk_error *err)
{
    if (id < 0 || id > INT32_MAX)
        return rk_fail(err, RK_E_FORMAT, "%s: eos token id: expected 0 to %d, got %" PRId64, where,
                       INT32_MAX, id);
    for (int32_t i = 0; i < *stop_ids; i++)
        if (stop_id[i] == id)
            return RK_OK;
    if (*stop_ids == RK_STOP_IDS_MAX)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: eos token id: expected at most %d of them",
                       where, RK_STOP_IDS_MAX);
    stop_id[(*stop_ids)++] = (int32_t)id;
    return RK_OK;
}

rk_status rk_config_check_shape(const rk_model_shape *s, const char *where, rk_error *err)
{
    if (s->heads % s->kv_heads)
        return rk_fail(err, RK_E_UNSUPPORTED,
                       "%s: expected a number of heads that is a multiple of the KV heads, got %d "
                       "and %d",
                       where, s->heads, s->kv_heads);
    if (s->head_dim % 2)
        return rk_fail(err, RK_E_UNSUPPORTED, "%s: expected an even head dim, got %d", where,
                       s->head_dim);
    if (!(s->norm_eps > 0) || !(s->norm_eps < 1))
        return rk_fail(err, RK_E_FORMAT, "%s: expected a norm epsilon between 0 and 1, got %g",
                       where, (double)s->norm_eps);
    int32_t product;
    if (__builtin_mul_overflow(s->heads, s->head_dim, &product))
        return rk_fail(err, RK_E_FORMAT, "%s: %d heads of %d dims overflow", where, s->heads,
                       s->head_dim);
    return RK_OK;
}
