/* quality.c - see quality.h. */
#include "quality.h"

#include <string.h>

int rk_quality_metric(const char *metric)
{
    static const char *const names[] = {"f1", "em", "top1_agreement", "top10_agreement"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(metric, names[i]))
            return 1;
    return !strncmp(metric, "logit_", 6);
}

int rk_quality_known(const rk_query_point *p)
{
    return !strcmp(p->weights_kind, "trained");
}

rk_flips rk_quality_flips(const rk_pairs *right)
{
    rk_flips f = {0};
    for (int64_t i = 0; i < right->n; i++) {
        int now = right->a[i] >= 0.5, before = right->b[i] >= 0.5;
        if (now && before)
            f.both++;
        else if (now)
            f.gained++;
        else if (before)
            f.lost++;
        else
            f.neither++;
    }
    f.p = rk_stats_mcnemar(f.gained, f.lost);
    return f;
}

rk_status rk_quality_answered(const rk_series *from, const rk_series *reference, rk_arena *arena,
                              rk_series *out, rk_error *err)
{
    size_t most = (size_t)from->n;
    int64_t *item = rk_arena_take(arena, most, sizeof *item, err);
    int64_t *cluster = rk_arena_take(arena, most, sizeof *cluster, err);
    double *value = rk_arena_take(arena, most, sizeof *value, err);
    if (!item || !cluster || !value)
        return RK_E_MEMORY;
    int64_t n = 0;
    for (int64_t i = 0, j = 0; i < from->n && j < reference->n;) {
        if (from->item[i] < reference->item[j]) {
            i++;
        } else if (from->item[i] > reference->item[j]) {
            j++;
        } else {
            if (reference->value[j] > 0) {
                item[n] = from->item[i];
                cluster[n] = from->cluster[i];
                value[n++] = from->value[i];
            }
            i++, j++;
        }
    }
    *out = (rk_series){item, cluster, value, n};
    return RK_OK;
}
