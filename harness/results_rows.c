/* results_rows.c - see results_rows.h. */
#include "results_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* A copy with booleans as 0/1, objects as text and NULLs left out. */
static rk_status canonical(const json_t *row, const char *table, json_t **out, rk_error *err)
{
    const char *key;
    json_t *value;
    if (!json_is_object(row))
        return rk_fail(err, RK_E_ARG, "%s row: expected an object", table);
    *out = json_object();
    json_object_foreach((json_t *)row, key, value)
    {
        json_t *plain;
        if (json_is_null(value))
            continue;
        if (json_is_boolean(value)) {
            plain = json_integer(json_is_true(value));
        } else if (json_is_object(value) || json_is_array(value)) {
            char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
            plain = text ? json_string(text) : NULL;
            free(text);
        } else if (json_is_integer(value) || json_is_string(value)) {
            plain = json_copy(value);
        } else {
            json_decref(*out);
            return rk_fail(err, RK_E_ARG, "%s row: column '%s' has a fraction", table, key);
        }
        if (!*out || !plain || json_object_set_new(*out, key, plain)) {
            json_decref(*out);
            return rk_fail(err, RK_E_MEMORY, "out of memory: a %s row", table);
        }
    }
    /* The one static column with a default: the stored row would have it. */
    if (!strcmp(table, "method") && !json_object_get(*out, "is_reference"))
        json_object_set_new(*out, "is_reference", json_integer(0));
    return RK_OK;
}

rk_status rk_results_row_id(const json_t *row, const char *table, char id[RK_SHA256_HEX],
                            char **text, rk_error *err)
{
    json_t *plain;
    RK_TRY(canonical(row, table, &plain, err));
    char *dump = json_dumps(plain, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(plain);
    rk_status st = dump ? rk_sha256_bytes(dump, strlen(dump), id, err)
                        : rk_fail(err, RK_E_MEMORY, "out of memory: a %s row", table);
    if (st == RK_OK && text)
        *text = dump;
    else
        free(dump);
    return st;
}

/* INSERT INTO table(<table>_id, key...) VALUES(?, ?...) with values bound in order. */
static rk_status insert_object(rk_results_db *db, const char *table, const char *id, json_t *row,
                               rk_error *err)
{
    sqlite3 *handle = rk_results_handle(db);
    sqlite3_str *names = sqlite3_str_new(handle), *marks = sqlite3_str_new(handle);
    sqlite3_stmt *s = NULL;
    const char *key;
    json_t *value;
    json_object_foreach(row, key, value)
    {
        sqlite3_str_appendf(names, ",\"%w\"", key);
        sqlite3_str_appendf(marks, ",?");
    }
    char *name_text = sqlite3_str_finish(names), *mark_text = sqlite3_str_finish(marks);
    char *sql =
        sqlite3_mprintf("INSERT INTO \"%w\"(%s_id%s) VALUES(?%s) ON CONFLICT DO NOTHING", table,
                        table, name_text ? name_text : "", mark_text ? mark_text : "");
    char doing[64];
    snprintf(doing, sizeof doing, "adding a row of '%.40s'", table);
    rk_status st = RK_OK;
    if (!sql || sqlite3_prepare_v2(handle, sql, -1, &s, NULL) != SQLITE_OK) {
        st = rk_results_fail(db, doing, err);
        goto done;
    }
    int i = 1;
    sqlite3_bind_text(s, i++, id, -1, SQLITE_STATIC);
    json_object_foreach(row, key, value)
    {
        if (json_is_integer(value))
            sqlite3_bind_int64(s, i++, json_integer_value(value));
        else
            sqlite3_bind_text(s, i++, json_string_value(value), -1, SQLITE_STATIC);
    }
    if (sqlite3_step(s) != SQLITE_DONE)
        st = rk_results_fail(db, doing, err);
done:
    sqlite3_finalize(s);
    sqlite3_free(sql);
    sqlite3_free(name_text);
    sqlite3_free(mark_text);
    return st;
}

rk_status rk_results_static_id(const char *table, const char *json, char id[RK_SHA256_HEX],
                               rk_error *err)
{
    json_error_t e;
    json_t *row = json_loads(json, JSON_REJECT_DUPLICATES, &e);
    if (!row)
        return rk_fail(err, RK_E_ARG, "%s row is no JSON: %s", table, e.text);
    rk_status st = rk_results_row_id(row, table, id, NULL, err);
    json_decref(row);
    return st;
}

rk_status rk_results_static(rk_results_db *db, const char *table, const char *json,
                            char id[RK_SHA256_HEX], rk_error *err)
{
    json_error_t e;
    json_t *row = json_loads(json, JSON_REJECT_DUPLICATES, &e), *plain = NULL;
    if (!row)
        return rk_fail(err, RK_E_ARG, "%s row is no JSON: %s", table, e.text);
    rk_status st = rk_results_row_id(row, table, id, NULL, err);
    if (st == RK_OK)
        st = canonical(row, table, &plain, err);
    if (st == RK_OK)
        st = insert_object(db, table, id, plain, err);
    if (plain)
        json_decref(plain);
    json_decref(row);
    return st;
}

/* Sessions with running attempts whose process is gone. A session without a boot
 * id came from elsewhere and cannot be running here. */
static rk_status abort_session(rk_results_db *db, const char *session, int64_t *n, rk_error *err)
{
    int64_t now = rk_clock_utc_ns();
    RK_TRY(rk_results_run(db,
                          "UPDATE attempt SET state='aborted', ended_utc_ns=?, fail_code='CRASH', "
                          "fail_text='the process ended before the attempt did' "
                          "WHERE session_id=? AND state='running'",
                          "recovering", err, "it", now, session));
    *n += sqlite3_changes(rk_results_handle(db));
    return rk_results_run(db,
                          "UPDATE session SET ended_utc_ns=?, exit_reason='crash' "
                          "WHERE session_id=? AND ended_utc_ns IS NULL",
                          "recovering", err, "it", now, session);
}

typedef struct session_list {
    char (*id)[RK_UUID_TEXT];
    size_t n, room;
} session_list;

static rk_status dead_sessions(rk_results_db *db, session_list *dead, rk_error *err)
{
    char boot[64];
    sqlite3_stmt *s;
    int rc;
    rk_provenance_boot_id(boot, sizeof boot);
    RK_TRY(rk_results_prepare(db,
                              "SELECT session_id, boot_id, pid, pid_start_ticks FROM session s "
                              "WHERE (ended_utc_ns IS NULL AND boot_id IS NOT NULL) OR EXISTS("
                              "SELECT 1 FROM attempt a WHERE a.session_id=s.session_id AND "
                              "a.state='running')",
                              &s, err));
    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        const char *there = (const char *)sqlite3_column_text(s, 1);
        int same_boot = there && boot[0] && !strcmp(there, boot);
        if (same_boot &&
            rk_provenance_start_ticks(sqlite3_column_int64(s, 2)) == sqlite3_column_int64(s, 3))
            continue;
        RK_TRY(rk_heap_grow((void **)&dead->id, &dead->room, dead->n + 1, sizeof *dead->id, err));
        snprintf(dead->id[dead->n++], RK_UUID_TEXT, "%s", (const char *)sqlite3_column_text(s, 0));
    }
    sqlite3_reset(s);
    return rc == SQLITE_DONE ? RK_OK : rk_results_fail(db, "recovering", err);
}

rk_status rk_results_recover(rk_results_db *db, int64_t *recovered, rk_error *err)
{
    session_list dead = {0};
    *recovered = 0;
    RK_TRY(rk_results_begin(db, err));
    rk_status st = dead_sessions(db, &dead, err);
    for (size_t i = 0; st == RK_OK && i < dead.n; i++)
        st = abort_session(db, dead.id[i], recovered, err);
    free(dead.id);
    return rk_results_end(db, st, err);
}

static rk_status session_rows(rk_results_db *db, const rk_provenance *p, rk_session_ids *out,
                              rk_error *err)
{
    RK_TRY(rk_results_static(db, "host", p->host_json, out->host, err));
    RK_TRY(rk_results_static(db, "build", p->build_json, out->build, err));
    RK_TRY(rk_results_static(db, "env", p->env_json, out->env, err));
    RK_TRY(rk_results_uuid(out->session, err));
    return rk_results_run(db,
                          "INSERT INTO session(session_id,host_id,build_id,env_id,argv_json,"
                          "boot_id,pid,pid_start_ticks,begun_utc_ns) VALUES(?,?,?,?,?,?,?,?,?)",
                          "beginning a session", err, "ttttttiii", out->session, out->host,
                          out->build, out->env, p->argv_json, p->boot_id, p->pid,
                          p->pid_start_ticks, rk_clock_utc_ns());
}

rk_status rk_results_session_begin(rk_results_db *db, const rk_provenance *p, rk_session_ids *out,
                                   rk_error *err)
{
    RK_TRY(rk_results_begin(db, err));
    return rk_results_end(db, session_rows(db, p, out, err), err);
}

rk_status rk_results_session_end(rk_results_db *db, const char *session, const char *reason,
                                 rk_error *err)
{
    return rk_results_run(db, "UPDATE session SET ended_utc_ns=?, exit_reason=? WHERE session_id=?",
                          "ending the session", err, "itt", rk_clock_utc_ns(), reason, session);
}

/* {"metric":..,"tolerance":..,"where":{..}}; numbers as the file has them. */
static char *claim_needs(const rk_spec_claim *c)
{
    json_t *where = json_object(), *needs;
    for (int32_t w = 0; where && w < c->wheres; w++)
        json_object_set_new(where, c->where[w].key, json_string(c->where[w].value));
    needs = json_pack("{s:s,s:f,s:f,s:b,s:o}", "metric", c->metric, "value", c->value, "tolerance",
                      c->tolerance, "relative", c->relative, "where", where);
    char *text = needs ? json_dumps(needs, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(needs);
    return text;
}

static rk_status add_claim(rk_results_db *db, const rk_spec *spec, const rk_spec_claim *c,
                           rk_error *err)
{
    char key[RK_SHA256_HEX], id[160];
    char *needs = claim_needs(c);
    if (!needs)
        return rk_fail(err, RK_E_MEMORY, "out of memory: a claim");
    rk_status st = rk_sha256_bytes(needs, strlen(needs), key, err);
    snprintf(id, sizeof id, "%.80s:%.16s", spec->id, key);
    if (st == RK_OK)
        st =
            rk_results_run(db,
                           "INSERT INTO claim(claim_id,exp_id,statement,predicate,needs_json) "
                           "VALUES(?,?,?,?,?) ON CONFLICT(claim_id) DO NOTHING",
                           "adding a claim", err, "ttttt", id, spec->id, c->source, c->text, needs);
    free(needs);
    return st;
}

rk_status rk_results_experiment(rk_results_db *db, const rk_spec *spec, rk_error *err)
{
    RK_TRY(rk_results_run(db,
                          "INSERT INTO experiment(exp_id,spec_sha256,paper_ref,title,spec_text) "
                          "VALUES(?,?,?,?,?) ON CONFLICT DO NOTHING",
                          "adding the experiment", err, "ttttt", spec->id, spec->text_sha256,
                          spec->source, spec->title, spec->text));
    for (int32_t c = 0; c < spec->claims; c++)
        RK_TRY(add_claim(db, spec, &spec->claim[c], err));
    return RK_OK;
}

static rk_status check_unit(rk_results_db *db, const rk_metric *m, rk_error *err)
{
    int64_t one;
    int found;
    RK_TRY(rk_results_int(db, "SELECT 1 FROM metric WHERE metric=? AND unit<>?", &one, &found, err,
                          "tt", m->name, m->unit));
    if (found)
        return rk_fail(err, RK_E_ARG,
                       "%s: metric '%s' is stored in another unit than '%s'; a metric never "
                       "changes its meaning, use a new name",
                       rk_results_path(db), m->name, m->unit);
    return RK_OK;
}

rk_status rk_results_metrics(rk_results_db *db, const rk_metric *const *metric, int32_t n,
                             rk_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        const rk_metric *m = metric[i];
        RK_TRY(check_unit(db, m, err));
        RK_TRY(rk_results_run(db,
                              "INSERT INTO metric(metric,unit,better,kind,doc) VALUES(?,?,?,?,?) "
                              "ON CONFLICT(metric) DO UPDATE SET better=excluded.better, "
                              "kind=excluded.kind, doc=excluded.doc",
                              "adding a metric", err, "ttttt", m->name, m->unit, m->better, m->kind,
                              m->doc));
    }
    return RK_OK;
}

rk_status rk_results_protocol_json(const rk_measure *m, rk_arena *arena, const char **out,
                                   rk_error *err)
{
    static const char *const orders[] = {"abba", "file", "random"};
    *out = rk_arena_printf(arena, err,
                           "{\"params_json\":{\"backend\":\"%s\",\"decode_tokens\":%" PRId64
                           ",\"items_per_context\":%" PRId64 ",\"order\":\"%s\",\"seed\":%" PRId64
                           ",\"threads\":%" PRId64 ",\"warmup\":%" PRId64 "}}",
                           m->backend ? m->backend : "", m->decode_tokens, m->items_per_context,
                           orders[m->order], m->seed, m->threads, m->warmup);
    return *out ? RK_OK : RK_E_MEMORY;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

rk_status rk_results_cell_id(const rk_cell_row *row, char id[RK_SHA256_HEX], rk_error *err)
{
    json_t *axes = rk_point_json(row->point);
    json_t *cell = axes ? json_pack("{s:s,s:o,s:o,s:o,s:s,s:s}", "exp_id", row->spec->id, "axes",
                                    axes, "model_id", text_or_null(row->model_id), "dataset_id",
                                    text_or_null(row->dataset_id), "method_id", row->method_id,
                                    "protocol_id", row->protocol_id)
                        : NULL;
    if (!cell)
        return rk_fail(err, RK_E_MEMORY, "out of memory: a cell of %s", row->spec->id);
    rk_status st = rk_results_row_id(cell, "cell", id, NULL, err);
    json_decref(cell);
    return st;
}

/* Columns that repeat an axis, so that SQL need not take JSON apart. */
static rk_status insert_cell(rk_results_db *db, const rk_cell_row *row, const char *id,
                             const char *axes, rk_error *err)
{
    static const char sql[] =
        "INSERT INTO cell(cell_id,exp_id,spec_sha256,model_id,dataset_id,method_id,protocol_id,"
        "ctx_tokens,batch,n_gpu,concurrency,rate_uqps,kv_budget_bytes,seed,axes_json,want_reps,"
        "want_items) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,nullif(?9,-1),nullif(?10,-1),nullif(?11,-1),"
        "nullif(?12,-1),nullif(?13,-1),?14,?15,?16,?17) ON CONFLICT(cell_id) DO UPDATE SET "
        "want_reps=max(want_reps,excluded.want_reps), "
        "want_items=max(want_items,excluded.want_items)";
    const rk_measure *m = &row->spec->measure;
    const rk_point *p = row->point;
    const char *rate = rk_point_value(p, "rate");
    double qps = 0;
    int64_t uqps = -1;
    if (rate && rk_parse_float(rate, "rate", &qps, NULL) == RK_OK)
        uqps = (int64_t)(qps * 1e6 + 0.5);
    return rk_results_run(db, sql, "adding a cell", err, "tttttttiiiiiiitii", id, row->spec->id,
                          row->spec->text_sha256, row->model_id, row->dataset_id, row->method_id,
                          row->protocol_id, row->context_tokens, rk_point_int(p, "batch", -1),
                          rk_point_int(p, "gpus", -1), rk_point_int(p, "concurrency", -1), uqps,
                          rk_point_int(p, "kv_budget", -1), m->seed, axes, m->reps,
                          rk_measure_items(m, p));
}

rk_status rk_results_cell(rk_results_db *db, const rk_cell_row *row, char id[RK_SHA256_HEX],
                          rk_error *err)
{
    RK_TRY(rk_results_cell_id(row, id, err));
    json_t *axes = rk_point_json(row->point);
    char *text = axes ? json_dumps(axes, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    rk_status st = text ? insert_cell(db, row, id, text, err)
                        : rk_fail(err, RK_E_MEMORY, "out of memory: a cell of %s", row->spec->id);
    free(text);
    json_decref(axes);
    return st;
}

rk_status rk_results_cell_state(rk_results_db *db, const char *cell, const char *session,
                                const char *outcome, const char *reason, rk_error *err)
{
    return rk_results_run(db,
                          "INSERT INTO cell_state(cell_id,session_id,outcome,reason,utc_ns) "
                          "VALUES(?,?,?,?,?) ON CONFLICT DO UPDATE SET outcome=excluded.outcome, "
                          "reason=excluded.reason, utc_ns=excluded.utc_ns",
                          "recording a cell", err, "tttti", cell, session, outcome, reason,
                          rk_clock_utc_ns());
}

rk_status rk_results_item(rk_results_db *db, const char *dataset_id, int64_t item,
                          const rk_item_identity *id, rk_error *err)
{
    char hash[RK_SHA256_HEX];
    if (id->sha256[0])
        memcpy(hash, id->sha256, sizeof hash);
    else
        RK_TRY(rk_sha256_bytes(id->key, strlen(id->key), hash, err));
    return rk_results_run(
        db,
        "INSERT INTO item(dataset_id,item_no,item_key,content_sha256,cluster_key) "
        "VALUES(?,?,?,?,?) ON CONFLICT DO NOTHING",
        "adding an item", err, "tittt", dataset_id, item, id->key, hash,
        id->cluster[0] ? id->cluster : NULL);
}

rk_status rk_results_done(rk_results_db *db, const char *cell, int64_t item, int64_t rep,
                          const char *host, const char *build, int *done, rk_error *err)
{
    int64_t one;
    return rk_results_int(db,
                          "SELECT 1 FROM v_ok a JOIN session s ON s.session_id=a.session_id WHERE "
                          "a.cell_id=?1 AND a.item_no=?2 AND a.rep=?3 AND (?4 IS NULL OR "
                          "(s.host_id=?4 AND s.build_id=?5)) LIMIT 1",
                          &one, done, err, "tiitt", cell, item, rep, host, build);
}

rk_status rk_results_done_count(rk_results_db *db, const char *cell, int64_t items, int64_t reps,
                                const char *host, const char *build, int64_t *n, rk_error *err)
{
    int found;
    return rk_results_int(db,
                          "SELECT count(*) FROM (SELECT DISTINCT a.item_no, a.rep FROM v_ok a JOIN "
                          "session s ON s.session_id=a.session_id WHERE a.cell_id=?1 AND "
                          "a.item_no<?2 AND a.rep<?3 AND (?4 IS NULL OR (s.host_id=?4 AND "
                          "s.build_id=?5)))",
                          n, &found, err, "tiitt", cell, items, reps, host, build);
}

rk_status rk_results_attempt_begin(rk_results_db *db, const rk_attempt_start *a,
                                   char attempt[RK_UUID_TEXT], rk_error *err)
{
    RK_TRY(rk_results_uuid(attempt, err));
    return rk_results_run(db,
                          "INSERT INTO attempt(attempt_id,cell_id,session_id,item_no,rep,block,"
                          "slot,state,begun_utc_ns,n_warmup) VALUES(?,?,?,?,?,?,?,'running',?,?)",
                          "beginning an attempt", err, "tttiiiiii", attempt, a->cell, a->session,
                          a->item, a->rep, a->block, a->slot, rk_clock_utc_ns(), a->warmups);
}

static rk_status end_rows(rk_results_db *db, const char *attempt, int64_t item,
                          const rk_attempt_end *e, rk_error *err)
{
    for (int64_t i = 0; i < e->samples; i++)
        RK_TRY(rk_results_run(db,
                              "INSERT INTO sample(attempt_id,metric,idx,item_no,value) "
                              "VALUES(?,?,?,?,?)",
                              "storing samples", err, "ttiid", attempt, e->sample[i].metric,
                              e->sample[i].idx, item, e->sample[i].value));
    if (e->output)
        RK_TRY(rk_results_run(db, "INSERT INTO output(attempt_id,item_no,text) VALUES(?,?,?)",
                              "storing the output", err, "tit", attempt, item, e->output));
    return rk_results_run(db,
                          "UPDATE attempt SET state=?, ended_utc_ns=?, dur_ns=?, fail_code=?, "
                          "fail_text=?, n_samples=? WHERE attempt_id=?",
                          "ending an attempt", err, "tiittit", e->state, rk_clock_utc_ns(),
                          e->dur_ns, e->fail_code, e->fail_text, e->samples, attempt);
}

rk_status rk_results_attempt_end(rk_results_db *db, const char *attempt, int64_t item,
                                 const rk_attempt_end *end, rk_error *err)
{
    RK_TRY(rk_results_begin(db, err));
    return rk_results_end(db, end_rows(db, attempt, item, end, err), err);
}
