/* ledger_tables.c - see ledger_tables.h. */
#include "ledger_tables.h"

#include <string.h>

#define OF_SESSIONS(id) id " IN (SELECT " id " FROM main.session WHERE session_id IN sel_session)"
#define OF_CELLS(id) id " IN (SELECT " id " FROM main.cell WHERE cell_id IN sel_cell)"
#define OF_ATTEMPTS "attempt_id IN sel_attempt"

/* boot_id and pid tell a dead owner from a live one; elsewhere they mean nothing. */
const rk_ledger_table rk_ledger_tables[] = {
    {"host", RK_LEDGER_STATIC, OF_SESSIONS("host_id"), "host_id", "", ""},
    {"gpu", RK_LEDGER_STATIC, OF_SESSIONS("host_id"), "gpu_uuid", "", ""},
    {"env", RK_LEDGER_STATIC, OF_SESSIONS("env_id"), "env_id", "", ""},
    {"build", RK_LEDGER_STATIC, OF_SESSIONS("build_id"), "build_id", "", ""},
    {"model", RK_LEDGER_STATIC, OF_CELLS("model_id"), "model_id", "", ""},
    {"dataset", RK_LEDGER_STATIC, OF_CELLS("dataset_id"), "dataset_id", "", ""},
    {"item", RK_LEDGER_STATIC,
     "(dataset_id,item_no) IN (SELECT c.dataset_id, a.item_no FROM main.attempt a JOIN main.cell c "
     "ON c.cell_id=a.cell_id WHERE a.attempt_id IN sel_attempt)",
     "dataset_id,item_no", "", ""},
    {"method", RK_LEDGER_STATIC, OF_CELLS("method_id"), "method_id", "", ""},
    {"experiment", RK_LEDGER_STATIC,
     "(exp_id,spec_sha256) IN (SELECT exp_id, spec_sha256 FROM main.cell WHERE cell_id IN "
     "sel_cell)",
     "exp_id,spec_sha256", "", ""},
    {"claim", RK_LEDGER_STATIC, OF_CELLS("exp_id"), "claim_id", "", ""},
    {"protocol", RK_LEDGER_STATIC, OF_CELLS("protocol_id"), "protocol_id", "", ""},
    {"cell", RK_LEDGER_CELL, "cell_id IN sel_cell", "cell_id", "",
     " spec_sha256 want_reps want_items "},
    {"session", RK_LEDGER_SESSION, "session_id IN sel_session", "begun_utc_ns,session_id",
     " boot_id pid pid_start_ticks ", " ended_utc_ns exit_reason "},
    {"cell_state", RK_LEDGER_STATIC, "cell_id IN sel_cell AND session_id IN sel_session",
     "cell_id,session_id", "", ""},
    {"metric", RK_LEDGER_STATIC,
     "metric IN (SELECT metric FROM main.sample WHERE attempt_id IN sel_attempt)", "metric", "",
     " better kind doc "},
    {"attempt", RK_LEDGER_ATTEMPT, OF_ATTEMPTS, "cell_id,item_no,rep,attempt_id", "", ""},
    {"request", RK_LEDGER_CHILD, OF_ATTEMPTS, "attempt_id,req", "", ""},
    {"telemetry", RK_LEDGER_CHILD, OF_ATTEMPTS, "attempt_id,gpu_uuid,t_ns", "", ""},
    {"kernel_stat", RK_LEDGER_CHILD, OF_ATTEMPTS, "attempt_id,kernel", "", ""},
    {"kernel_event", RK_LEDGER_CHILD, OF_ATTEMPTS,
     "attempt_id,start_ns,phase,layer,kernel,graph_node,dur_ns", "", ""},
    {"output", RK_LEDGER_CHILD, OF_ATTEMPTS, "attempt_id,item_no", "", ""},
    {"artifact", RK_LEDGER_STATIC,
     "sha256 IN (SELECT sha256 FROM main.attempt_artifact WHERE attempt_id IN sel_attempt)",
     "sha256", "", ""},
    {"attempt_artifact", RK_LEDGER_CHILD, OF_ATTEMPTS, "attempt_id,role,sha256", "", ""},
    {"exclusion", RK_LEDGER_STATIC, OF_ATTEMPTS, "attempt_id,reason", "", ""},
    {.name = NULL}};

int rk_ledger_lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if (at > list && at[-1] == ' ' && at[n] == ' ')
            return 1;
    return 0;
}

static char type_of(const char *declared)
{
    return !strcmp(declared, "INTEGER") ? 'i'
           : !strcmp(declared, "REAL")  ? 'r'
           : !strcmp(declared, "BLOB")  ? 'b'
                                        : 't';
}

rk_status rk_ledger_columns_read(rk_results_db *db, const rk_ledger_table *t, rk_arena *arena,
                                 rk_ledger_columns *out, rk_error *err)
{
    sqlite3_stmt *s;
    int rc;
    out->n = 0;
    RK_TRY(
        rk_results_prepare(db, "SELECT name, type, pk FROM pragma_table_info(?1,'main')", &s, err));
    RK_TRY(rk_results_bind(db, s, err, "t", t->name));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        if (rk_ledger_lists(t->dropped, name))
            continue;
        if (out->n == RK_LEDGER_COLUMNS_MAX)
            return rk_fail(err, RK_E_ARG, "table %s has more than %d columns", t->name,
                           RK_LEDGER_COLUMNS_MAX);
        rk_ledger_column *c = &out->c[out->n++];
        c->name = rk_arena_text(arena, name, strlen(name), err);
        c->type = type_of((const char *)sqlite3_column_text(s, 1));
        c->key = sqlite3_column_int(s, 2) > 0;
        if (!c->name)
            return RK_E_MEMORY;
    }
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? RK_OK : rk_results_fail(db, "reading the schema", err);
}
