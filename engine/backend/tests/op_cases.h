/* op_cases.h - the shared case table: what every operation must do on every backend.
 *
 * References are independent: fp64, from the definitions in backend.h. A table ends
 * with run NULL; op_run() takes it. */
#ifndef RK_BACKEND_TESTS_OP_CASES_H
#define RK_BACKEND_TESTS_OP_CASES_H

#include "op_bench.h"

extern const op_case op_cases_matmul[]; /* matmul, embed */
extern const op_case op_cases_norm[];   /* rms_norm, swiglu, add */
extern const op_case op_cases_rope[];   /* rope_table, rope */
extern const op_case op_cases_rows[];   /* gathers, row_norm, argmax, find_nonfinite, fill */
extern const op_case op_cases_pages[];  /* pages_write, relocate, page_copy, kv_drift */
extern const op_case op_cases_attend[]; /* attend, lse_merge */
extern const op_case op_cases_mass[];   /* mass, edge_mass */
extern const op_case op_cases_select[]; /* select */

#endif
