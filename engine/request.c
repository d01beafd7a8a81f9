/* request.c - see request.h. */
#include "request.h"

static rk_status place(rk_segment *s, rk_ids_span ids, int64_t *start, const char *what,
                       rk_error *err)
{
    if (*start + ids.n > INT32_MAX)
        return rk_fail(err, RK_E_ARG, "request: more than %d tokens", INT32_MAX);
    if (ids.n < 0)
        return rk_fail(err, RK_E_ARG, "request: %s of %d tokens", what, ids.n);
    *s = (rk_segment){.id = ids.id, .n = ids.n, .start = (int32_t)*start};
    *start += ids.n;
    return RK_OK;
}

rk_status rk_request_build(rk_request *r, rk_ids_span prefix, const rk_ids_span *chunks,
                           int32_t chunk_count, rk_ids_span question, rk_arena *arena,
                           rk_error *err)
{
    int64_t start = 0;
    *r = (rk_request){.chunks = chunk_count};
    r->chunk = rk_arena_take(arena, (size_t)chunk_count, sizeof *r->chunk, err);
    if (!r->chunk)
        return RK_E_MEMORY;
    RK_TRY(place(&r->prefix, prefix, &start, "a prefix", err));
    for (int32_t c = 0; c < chunk_count; c++) {
        if (chunks[c].n == 0)
            return rk_fail(err, RK_E_ARG, "request: chunk %d is empty", c);
        RK_TRY(place(&r->chunk[c], chunks[c], &start, "a chunk", err));
    }
    if (question.n == 0)
        return rk_fail(err, RK_E_ARG, "request: the question is empty");
    RK_TRY(place(&r->question, question, &start, "a question", err));
    r->tokens = (int32_t)start;
    return RK_OK;
}
