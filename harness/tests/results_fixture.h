/* results_fixture.h - small results databases for the tests of the readers.
 *
 * A fixture is a file made from the schema and filled by SQL; values are plain
 * formulas of item and method, so expected numbers can be worked out by hand. */
#ifndef RK_TESTS_RESULTS_FIXTURE_H
#define RK_TESTS_RESULTS_FIXTURE_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char rk_schema_sql[];

typedef struct fixture {
    sqlite3 *db;
    char path[512];
} fixture;

static inline void fixture_sql(fixture *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static inline void fixture_sql(fixture *f, const char *fmt, ...)
{
    char sql[2048], *message = NULL;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(sql, sizeof sql, fmt, ap);
    va_end(ap);
    if (sqlite3_exec(f->db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "fixture: %s in: %s\n", message, sql);
        abort();
    }
}

/* Host h1, builds b1 (commit aaaa...) and b2 (bbbb..., dirty), trained model
 * "tiny", random model "rand", data sets "reports" and "other" of 40 items, four
 * an context. */
static inline void fixture_open(fixture *f, const char *name)
{
    char *message = NULL;
    snprintf(f->path, sizeof f->path, "%s/%s_%ld.sqlite", RK_TEST_BUILD, name, (long)getpid());
    unlink(f->path);
    if (sqlite3_open(f->path, &f->db) != SQLITE_OK ||
        sqlite3_exec(f->db, rk_schema_sql, NULL, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "fixture: %s\n", message ? message : "cannot open");
        abort();
    }
    fixture_sql(f, "PRAGMA synchronous=OFF; BEGIN;"
                   "INSERT INTO host(host_id, cpu_model, n_threads) VALUES('h1', 'CPU X', 8);"
                   "INSERT INTO env(env_id, envvars_json) VALUES('e1', '{}');"
                   "INSERT INTO build(build_id, git_commit, git_dirty, bin_sha256) VALUES"
                   "('b1', 'aaaa1111', 0, 'x'), ('b2', 'bbbb2222', 1, 'y');");
    fixture_sql(f,
                "INSERT INTO model(model_id, name, arch, weights_kind) VALUES"
                "('tiny', 'tiny', 'llama', 'trained'), ('rand', 'rand', 'llama', 'random');"
                "INSERT INTO dataset(dataset_id, name, licence, origin, n_items, manifest_sha256)"
                " VALUES('reports', 'reports', 'CC0', 'synthetic', 40, 'm'),"
                "('other', 'other', 'CC0', 'real', 40, 'n');"
                "INSERT INTO protocol(protocol_id, params_json) VALUES('p1', '{}');");
    fixture_sql(f, "WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 39)"
                   "INSERT INTO item(dataset_id, item_no, item_key, content_sha256, cluster_key)"
                   " SELECT d.dataset_id, i, 'q' || i, 'h' || i, 'c' || (i / 4)"
                   " FROM k, dataset d;");
}

static inline void fixture_close(fixture *f)
{
    if (!sqlite3_get_autocommit(f->db))
        fixture_sql(f, "COMMIT;");
    sqlite3_close(f->db);
    f->db = NULL;
}

static inline void fixture_remove(fixture *f)
{
    if (f->db)
        fixture_close(f);
    unlink(f->path);
}

/* `begun` in seconds; ended = 0: still running. */
static inline void fixture_session(fixture *f, const char *id, const char *build, long begun,
                                   long ended)
{
    char end[40] = "NULL";
    if (ended)
        snprintf(end, sizeof end, "%ld000000000", ended);
    fixture_sql(f,
                "INSERT INTO session(session_id, host_id, build_id, env_id, argv_json,"
                " begun_utc_ns, ended_utc_ns) VALUES('%s', 'h1', '%s', 'e1', '[]',"
                " %ld000000000, %s);",
                id, build, begun, end);
}

/* A cell named EXP/MODEL/DATASET/CONTEXT/METHOD. */
static inline void fixture_cell(fixture *f, const char *exp, const char *model, const char *dataset,
                                const char *context, long tokens, const char *method)
{
    fixture_sql(f,
                "INSERT OR IGNORE INTO experiment(exp_id, spec_sha256, spec_text)"
                " VALUES('%s', 's', '');"
                "INSERT OR IGNORE INTO method(method_id, name, version, params_json, exact,"
                " cross_query_cache, offline_phase, is_reference) VALUES('%s', '%s', '1', '{}',"
                " %d, %d, %d, %d);",
                exp, method, method, !strcmp(method, "dense"), !!strcmp(method, "dense"),
                !!strcmp(method, "dense"), !strcmp(method, "dense"));
    fixture_sql(f,
                "INSERT INTO cell(cell_id, exp_id, spec_sha256, model_id, dataset_id, method_id,"
                " protocol_id, ctx_tokens, seed, axes_json, want_reps) VALUES"
                "('%s/%s/%s/%s/%s', '%s', 's', '%s', '%s', '%s', 'p1', %ld, 1,"
                " json_object('model', '%s', 'dataset', '%s', 'context', '%s', 'method', '%s'),"
                " 1);",
                exp, model, dataset, context, method, exp, model, dataset, method, tokens, model,
                dataset, context, method);
}

/* Attempt id: CELL#item.rep@session */
static inline void fixture_attempt(fixture *f, const char *cell, const char *session, int item,
                                   int rep, const char *state)
{
    fixture_sql(f,
                "INSERT INTO attempt(attempt_id, cell_id, session_id, item_no, rep, block, slot,"
                " state, begun_utc_ns, ended_utc_ns, fail_text) VALUES('%s#%d.%d@%s', '%s', '%s',"
                " %d, %d, %d, 0, '%s', 1000, 2000, %s);",
                cell, item, rep, session, cell, session, item, rep, item / 4, state,
                strcmp(state, "ok") ? "'it broke'" : "NULL");
}

static inline void fixture_sample(fixture *f, const char *cell, const char *session, int item,
                                  int rep, const char *metric, double value)
{
    fixture_sql(f,
                "INSERT INTO sample(attempt_id, metric, idx, item_no, value) VALUES"
                "('%s#%d.%d@%s', '%s', 0, %d, %.17g);",
                cell, item, rep, session, metric, item, value);
}

/* What a method does, as formulas of the item. */
typedef struct fixture_method {
    const char *name;
    double ttft;       /* ms at item 0; item i takes ttft + i / 10 */
    int wrong_first;   /* items 0 .. wrong_first-1 are wrong */
    int wrong_last;    /* so are the last ones */
    double recomputed; /* share of 1000 tokens */
} fixture_method;

/* One method on items 0 .. n-1 in one session; TTFT at the first of four. */
static inline void fixture_run(fixture *f, const char *exp, const char *model, const char *context,
                               long tokens, const fixture_method *m, int n, const char *session)
{
    char cell[160];
    snprintf(cell, sizeof cell, "%s/%s/reports/%s/%s", exp, model, context, m->name);
    sqlite3_stmt *s = NULL;
    int known = 0;
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT 1 FROM cell WHERE cell_id = '%s'", cell);
    if (sqlite3_prepare_v2(f->db, sql, -1, &s, NULL) == SQLITE_OK)
        known = sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    if (!known)
        fixture_cell(f, exp, model, "reports", context, tokens, m->name);
    for (int i = 0; i < n; i++) {
        int right = i >= m->wrong_first && i < n - m->wrong_last;
        fixture_attempt(f, cell, session, i, 0, "ok");
        if (i % 4 == 0)
            fixture_sample(f, cell, session, i, 0, "ttft_ms", m->ttft + i / 10.0);
        fixture_sample(f, cell, session, i, 0, "em", right);
        fixture_sample(f, cell, session, i, 0, "f1", right ? 1 : (i % 2) * 0.5);
        fixture_sample(f, cell, session, i, 0, "top1_agreement", right);
        fixture_sample(f, cell, session, i, 0, "top10_agreement", right ? 0.9 : 0.5);
        fixture_sample(f, cell, session, i, 0, "logit_kl", right ? 0.001 : 0.5);
        fixture_sample(f, cell, session, i, 0, "recomputed_tokens", 1000 * m->recomputed);
        fixture_sample(f, cell, session, i, 0, "reused_tokens", 1000 * (1 - m->recomputed));
        fixture_sample(f, cell, session, i, 0, "flops", 1e9 * m->recomputed);
        fixture_sample(f, cell, session, i, 0, "kv_bytes", 1024.0 * tokens);
    }
}

/* The whole of a stream written by a test; free() it. */
static inline char *fixture_slurp(FILE *file)
{
    long n = ftell(file);
    char *text = calloc(1, (size_t)n + 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)n, file) != (size_t)n)
        abort();
    return text;
}

#endif
