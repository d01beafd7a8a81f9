/* db_check.h - is a results database sound? */
#ifndef RK_HARNESS_DB_CHECK_H
#define RK_HARNESS_DB_CHECK_H

#include <stdio.h>

#include "results_db.h"

RK_C_BEGIN

/* RK_E_FORMAT "<where>: model 3fa9...: ..." for the first static row or cell of an
 * attached schema ("main", "src") whose id is not the hash of its content. */
rk_status rk_db_check_ids(rk_results_db *db, const char *schema, const char *where, rk_error *err);

/* Pages, references, ids, and samples counted against what their attempts say.
 * Prints a line a problem to `out`; *problems counts them. */
rk_status rk_db_check(rk_results_db *db, FILE *out, int64_t *problems, rk_error *err);

RK_C_END

#endif
