/* ledger_tables.h - the tables that travel between databases, parents first. */
#ifndef RK_HARNESS_LEDGER_TABLES_H
#define RK_HARNESS_LEDGER_TABLES_H

#include <stdint.h>

#include "base/arena.h"
#include "results_db.h"

RK_C_BEGIN

typedef enum rk_ledger_kind {
    RK_LEDGER_STATIC,  /* by content or by name: same key, same row */
    RK_LEDGER_CELL,    /* static but for the wanted counts, which grow */
    RK_LEDGER_SESSION, /* static but for its end, which may come later */
    RK_LEDGER_ATTEMPT, /* finished ones only; samples travel in its row */
    RK_LEDGER_CHILD    /* rows of an attempt; come and stay with it */
} rk_ledger_kind;

typedef struct rk_ledger_table {
    const char *name;
    rk_ledger_kind kind;
    const char *where;   /* rows of an export, over the sel_* tables of ledger.c */
    const char *order;   /* of an export */
    const char *dropped; /* " a b ": columns that stay at home */
    const char *free;    /* " a b ": columns that may differ without a conflict */
} rk_ledger_table;

/* Ends with a row whose name is NULL. `sample` is not in it: see RK_LEDGER_ATTEMPT. */
extern const rk_ledger_table rk_ledger_tables[];

typedef struct rk_ledger_column {
    const char *name;
    char type; /* 'i' INTEGER, 'r' REAL, 't' TEXT, 'b' BLOB */
    int key;   /* part of the primary key */
} rk_ledger_column;

enum { RK_LEDGER_COLUMNS_MAX = 40 };

typedef struct rk_ledger_columns {
    rk_ledger_column c[RK_LEDGER_COLUMNS_MAX];
    int32_t n;
} rk_ledger_columns;

/* Columns of a table in the order of the schema, without the dropped ones. Names
 * are in `arena`. */
rk_status rk_ledger_columns_read(rk_results_db *db, const rk_ledger_table *t, rk_arena *arena,
                                 rk_ledger_columns *out, rk_error *err);

/* 1 when `list`, " a b ", holds the word. */
int rk_ledger_lists(const char *list, const char *word);

RK_C_END

#endif
