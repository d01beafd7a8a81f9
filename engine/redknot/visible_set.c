/* visible_set.c - see visible_set.h. */
#include "redknot/visible_set.h"

rk_head_rule rk_visible_rule(const rk_head_map *map, int32_t layer, int32_t head, int32_t window,
                             int32_t sink)
{
    int32_t i = layer * map->kv_heads + head;
    rk_head_rule rule = {.promote_above = 2};
    if (map->cls[i] != RK_HEAD_LOCAL)
        return rule;
    rule.window = map->distance[i] > 0 ? map->distance[i] : window;
    rule.sink = map->sink[i] >= 0 ? map->sink[i] : sink;
    return rule;
}
