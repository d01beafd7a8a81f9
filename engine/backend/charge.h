/* charge.h - what each operation costs, counted in one place for every backend. */
#ifndef RK_BACKEND_CHARGE_H
#define RK_BACKEND_CHARGE_H

#include "backend/backend.h"

RK_C_BEGIN

/* `bytes` is that of one activation value. */
void rk_charge_attend(rk_counters *c, const rk_attend *a, int64_t bytes);
void rk_charge_mass(rk_counters *c, const rk_mass *m, int64_t bytes);
void rk_charge_edge_mass(rk_counters *c, const rk_attend *a, int32_t seq, int32_t first,
                         int32_t count, int64_t bytes);
void rk_charge_embed(rk_counters *c, int64_t rows, const rk_weight *table, int64_t bytes);
void rk_charge_rows(rk_counters *c, int64_t rows, int64_t cols, int touches, int64_t bytes);
void rk_charge_relocate(rk_counters *c, const rk_relocate *r, int64_t bytes);

RK_C_END

#endif
