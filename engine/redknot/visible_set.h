/* visible_set.h - what a head of a map may see: W(i) = sink + the last `window` keys.
 *
 * Paper 4.2: the paper's w ([i-w, i]) is window = w + 1; the published files' W is
 * window = W, as their code runs it. A head map's own distances and sinks decide;
 * the defaults only fill what it leaves out. Sink and window keys count once. */
#ifndef RK_REDKNOT_VISIBLE_SET_H
#define RK_REDKNOT_VISIBLE_SET_H

#include "method.h"

RK_C_BEGIN

/* The rule of (layer, head): global for classes that see everything. */
rk_head_rule rk_visible_rule(const rk_head_map *map, int32_t layer, int32_t head, int32_t window,
                             int32_t sink);

RK_C_END

#endif
