/* cell_facts.h - model, data set and method of a cell as canonical JSON rows. */
#ifndef RK_HARNESS_CELL_FACTS_H
#define RK_HARNESS_CELL_FACTS_H

#include "axes.h"
#include "executor.h"
#include "method.h"
#include "readers/reader.h"

RK_C_BEGIN

/* All texts in `arena`; columns of the tables `model`, `method` and `dataset`. */
rk_status rk_cell_facts_model(const rk_model *m, const char *sha256, rk_arena *arena,
                              const char **out, rk_error *err);
rk_status rk_cell_facts_method(const rk_method *m, const rk_point *p, rk_arena *arena,
                               const char **out, rk_error *err);
/* The identity of a data set is its file's bytes (for generators the code that is the
 * build), every effective option, seed and length. */
rk_status rk_cell_facts_dataset(const rk_reader *reader, const rk_point *p, int64_t seed,
                                rk_arena *arena, const char **out, rk_error *err);
/* SHA-256 over the texts of one question: passages, question, answers. */
rk_status rk_cell_facts_item(const rk_context *c, const rk_item *item, rk_arena *arena,
                             char hex[RK_SHA256_HEX], rk_error *err);
/* For a cell whose model or data set is not here: names only. */
rk_status rk_cell_facts_without_model(const rk_point *p, const char *model, rk_arena *arena,
                                      rk_cell_facts *facts, rk_error *err);

RK_C_END

#endif
