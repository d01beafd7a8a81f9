/* spec_claims.c - see spec_claims.h. */
#include "spec_claims.h"

#include <glob.h>
#include <stdlib.h>

#include "build_info.h"
#include "run_options.h"
#include "spec.h"

typedef struct list {
    rk_claim_input *claim;
    size_t n, room;
} list;

/* "axis=value axis=value" of a claim. */
static const char *where_text(const rk_spec_claim *c, rk_arena *arena, rk_error *err)
{
    const char *text = "";
    for (int32_t i = 0; i < c->wheres && text; i++)
        text = rk_arena_printf(arena, err, "%s%s%s=%s", text, i ? " " : "", c->where[i].key,
                               c->where[i].value);
    return text;
}

static rk_status add_file(const char *path, rk_arena *arena, list *l, rk_error *err)
{
    rk_spec spec;
    RK_TRY(rk_spec_read(path, NULL, NULL, arena, &spec, err));
    for (int32_t i = 0; i < spec.claims; i++) {
        const rk_spec_claim *c = &spec.claim[i];
        const char *where = where_text(c, arena, err);
        if (!where)
            return RK_E_MEMORY;
        RK_TRY(rk_heap_grow((void **)&l->claim, &l->room, l->n + 1, sizeof *l->claim, err));
        l->claim[l->n++] = (rk_claim_input){.experiment = spec.id,
                                            .metric = c->metric,
                                            .where = where,
                                            .value = c->value,
                                            .tolerance = c->tolerance,
                                            .relative = c->relative,
                                            .source = c->source};
    }
    return RK_OK;
}

static rk_status add_every_file(rk_arena *arena, list *l, rk_error *err)
{
    glob_t found;
    rk_status st = RK_OK;
    if (glob("experiments/*.exp", 0, NULL, &found) != 0 &&
        glob(RK_SOURCE_DIR "/experiments/*.exp", 0, NULL, &found) != 0)
        return rk_fail(err, RK_E_USAGE, "check: no experiments/*.exp here");
    for (size_t i = 0; i < found.gl_pathc && st == RK_OK; i++)
        st = add_file(found.gl_pathv[i], arena, l, err);
    globfree(&found);
    return st;
}

static rk_status claims(void *self, const char *experiment, rk_arena *arena,
                        const rk_claim_input **out, int64_t *n, rk_error *err)
{
    list l = {0};
    const char *path;
    (void)self;
    rk_status st = experiment ? rk_experiment_find(experiment, arena, &path, err) : RK_OK;
    if (st == RK_OK)
        st = experiment ? add_file(path, arena, &l, err) : add_every_file(arena, &l, err);
    rk_claim_input *kept = NULL;
    if (st == RK_OK) {
        kept = rk_arena_take(arena, l.n, sizeof *kept, err);
        st = kept ? RK_OK : RK_E_MEMORY;
    }
    for (size_t i = 0; kept && i < l.n; i++)
        kept[i] = l.claim[i];
    free(l.claim);
    *out = kept;
    *n = (int64_t)l.n;
    return st;
}

rk_claim_source rk_spec_claim_source(void)
{
    return (rk_claim_source){NULL, claims};
}
