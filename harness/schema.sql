-- schema.sql - the results database (SQLite >= 3.37), application id 'RKBH'.
--
-- Identity is content: static rows (host, build, model, dataset, method, cell ...)
-- are keyed by the SHA-256 of their canonical JSON, events (session, attempt) by
-- UUID, so merging two databases is a set union. Finished attempts and samples are
-- frozen by triggers; bad data is excluded with a reason, never deleted. Every
-- aggregate is a view over raw samples. Units are in the names.

CREATE TABLE meta(
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE migration(
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sql_sha256 TEXT NOT NULL,
    applied_utc_ns INTEGER NOT NULL,
    app_build TEXT NOT NULL) STRICT;

CREATE TABLE host(
    host_id TEXT PRIMARY KEY,
    cpu_model TEXT,
    n_sockets INTEGER,
    n_cores INTEGER,
    n_threads INTEGER,
    ram_bytes INTEGER,
    numa_json TEXT) WITHOUT ROWID, STRICT;

CREATE TABLE gpu(
    gpu_uuid TEXT PRIMARY KEY,
    host_id TEXT REFERENCES host,
    name TEXT NOT NULL,
    pci_bus TEXT,
    sm_count INTEGER,
    cc_major INTEGER,
    cc_minor INTEGER,
    hbm_bytes INTEGER,
    mem_bus_bits INTEGER,
    max_sm_mhz INTEGER,
    max_mem_mhz INTEGER,
    vbios TEXT,
    mig INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID, STRICT;

CREATE TABLE env(
    env_id TEXT PRIMARY KEY,
    driver TEXT,
    cuda_driver INTEGER,
    cuda_runtime INTEGER,
    cupti INTEGER,
    nccl TEXT,
    kernel TEXT,
    os TEXT,
    libc TEXT,
    cpu_governor TEXT,
    aslr INTEGER,
    envvars_json TEXT NOT NULL,
    libraries_json TEXT,
    nvidia_smi_q TEXT) WITHOUT ROWID, STRICT;

CREATE TABLE build(
    build_id TEXT PRIMARY KEY,
    git_commit TEXT,
    git_dirty INTEGER NOT NULL,
    diff_sha256 TEXT,
    compiler TEXT,
    nvcc TEXT,
    cflags TEXT,
    cuda_archs TEXT,
    bin_sha256 TEXT NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE model(
    model_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    arch TEXT NOT NULL,
    n_layers INTEGER,
    n_q_heads INTEGER,
    n_kv_heads INTEGER,
    head_dim INTEGER,
    dtype TEXT,
    weights_bytes INTEGER,
    weights_sha256 TEXT,
    tokenizer_sha256 TEXT,
    chat_template_sha256 TEXT,
    weights_kind TEXT NOT NULL CHECK(weights_kind IN('trained','random','none'))) WITHOUT ROWID, STRICT;

CREATE TABLE dataset(
    dataset_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    split TEXT,
    upstream TEXT,
    licence TEXT NOT NULL,
    origin TEXT NOT NULL CHECK(origin IN('real','real-subset','derived','synthetic')),
    n_items INTEGER NOT NULL,
    manifest_sha256 TEXT NOT NULL,
    generator_json TEXT) WITHOUT ROWID, STRICT;

CREATE TABLE item(
    dataset_id TEXT NOT NULL REFERENCES dataset,
    item_no INTEGER NOT NULL,
    item_key TEXT NOT NULL,
    content_sha256 TEXT NOT NULL,
    cluster_key TEXT,
    n_bytes INTEGER,
    n_words INTEGER,
    PRIMARY KEY(dataset_id,item_no)) WITHOUT ROWID, STRICT;

CREATE TABLE method(
    method_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    params_json TEXT NOT NULL,
    plugin_sha256 TEXT,
    exact INTEGER NOT NULL,
    cross_query_cache INTEGER NOT NULL,
    offline_phase INTEGER NOT NULL,
    is_reference INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID, STRICT;

CREATE TABLE experiment(
    exp_id TEXT NOT NULL,
    spec_sha256 TEXT NOT NULL,
    paper_ref TEXT,
    title TEXT,
    spec_text TEXT NOT NULL,
    PRIMARY KEY(exp_id,spec_sha256)) WITHOUT ROWID, STRICT;

CREATE TABLE protocol(
    protocol_id TEXT PRIMARY KEY,
    params_json TEXT NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE cell(
    cell_id TEXT PRIMARY KEY,
    exp_id TEXT NOT NULL,
    spec_sha256 TEXT NOT NULL,
    model_id TEXT REFERENCES model,
    dataset_id TEXT REFERENCES dataset,
    method_id TEXT NOT NULL REFERENCES method,
    protocol_id TEXT NOT NULL REFERENCES protocol,
    ctx_tokens INTEGER,
    batch INTEGER,
    n_gpu INTEGER,
    concurrency INTEGER,
    rate_uqps INTEGER,
    kv_budget_bytes INTEGER,
    seed INTEGER NOT NULL,
    axes_json TEXT NOT NULL,
    want_reps INTEGER NOT NULL,
    want_items INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY(exp_id,spec_sha256) REFERENCES experiment) WITHOUT ROWID, STRICT;
CREATE INDEX cell_exp ON cell(exp_id,method_id,ctx_tokens);

CREATE TABLE session(
    session_id TEXT PRIMARY KEY,
    host_id TEXT NOT NULL REFERENCES host,
    build_id TEXT NOT NULL REFERENCES build,
    env_id TEXT NOT NULL REFERENCES env,
    argv_json TEXT NOT NULL,
    boot_id TEXT,
    pid INTEGER,
    pid_start_ticks INTEGER,
    begun_utc_ns INTEGER NOT NULL,
    ended_utc_ns INTEGER,
    exit_reason TEXT) WITHOUT ROWID, STRICT;

CREATE TABLE attempt(
    attempt_id TEXT PRIMARY KEY,
    cell_id TEXT NOT NULL REFERENCES cell,
    session_id TEXT NOT NULL REFERENCES session,
    item_no INTEGER NOT NULL,
    rep INTEGER NOT NULL,
    block INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    state TEXT NOT NULL CHECK(state IN('running','ok','failed','invalid','aborted')),
    begun_utc_ns INTEGER NOT NULL,
    ended_utc_ns INTEGER,
    dur_ns INTEGER,
    fail_code TEXT,
    fail_text TEXT,
    invalid_mask INTEGER NOT NULL DEFAULT 0,
    cache_state TEXT CHECK(cache_state IN('cold','warm','flushed','unknown')),
    n_warmup INTEGER,
    n_samples INTEGER,
    peak_dev_bytes INTEGER,
    peak_host_bytes INTEGER,
    CHECK((state='running')=(ended_utc_ns IS NULL))) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX attempt_one_ok ON attempt(cell_id,item_no,rep,session_id) WHERE state='ok';
CREATE INDEX attempt_item ON attempt(cell_id,item_no,rep,state);
CREATE INDEX attempt_cell ON attempt(cell_id,rep,state);
CREATE INDEX attempt_running ON attempt(session_id) WHERE state='running';

-- What became of a cell in a session: a skipped or failed cell keeps its reason.
CREATE TABLE cell_state(
    cell_id TEXT NOT NULL REFERENCES cell,
    session_id TEXT NOT NULL REFERENCES session,
    outcome TEXT NOT NULL CHECK(outcome IN('ran','skipped','failed')),
    reason TEXT,
    utc_ns INTEGER NOT NULL,
    PRIMARY KEY(cell_id,session_id)) WITHOUT ROWID, STRICT;

CREATE TABLE metric(
    metric TEXT PRIMARY KEY,
    unit TEXT NOT NULL,
    better TEXT NOT NULL CHECK(better IN('lower','higher','none')),
    kind TEXT NOT NULL CHECK(kind IN('time','rate','size','count','quality','ratio')),
    doc TEXT NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE sample(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    metric TEXT NOT NULL REFERENCES metric,
    idx INTEGER NOT NULL,
    item_no INTEGER,
    value REAL NOT NULL,
    PRIMARY KEY(attempt_id,metric,idx)) WITHOUT ROWID, STRICT;

CREATE TABLE request(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    req INTEGER NOT NULL,
    item_no INTEGER,
    sched_ns INTEGER,
    sent_ns INTEGER,
    first_ns INTEGER,
    last_ns INTEGER,
    n_in INTEGER,
    n_out INTEGER,
    n_hit INTEGER,
    n_recomputed INTEGER,
    status TEXT NOT NULL,
    out_sha256 TEXT,
    itl_ns_blob BLOB,
    PRIMARY KEY(attempt_id,req)) WITHOUT ROWID, STRICT;

CREATE TABLE telemetry(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    gpu_uuid TEXT NOT NULL,
    t_ns INTEGER NOT NULL,
    sm_mhz INTEGER,
    mem_mhz INTEGER,
    power_mw INTEGER,
    temp_c INTEGER,
    mem_temp_c INTEGER,
    util_pct INTEGER,
    mem_used_bytes INTEGER,
    clk_reasons INTEGER,
    PRIMARY KEY(attempt_id,gpu_uuid,t_ns)) WITHOUT ROWID, STRICT;

CREATE TABLE kernel_stat(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    kernel TEXT NOT NULL,
    n INTEGER NOT NULL,
    sum_ns INTEGER NOT NULL,
    min_ns INTEGER NOT NULL,
    max_ns INTEGER NOT NULL,
    dram_rd_bytes INTEGER,
    dram_wr_bytes INTEGER,
    PRIMARY KEY(attempt_id,kernel)) WITHOUT ROWID, STRICT;

CREATE TABLE kernel_event(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    phase TEXT NOT NULL,
    layer INTEGER,
    kernel TEXT NOT NULL,
    graph_node INTEGER,
    start_ns INTEGER NOT NULL,
    dur_ns INTEGER NOT NULL) STRICT;
CREATE INDEX kernel_event_attempt ON kernel_event(attempt_id);

CREATE TABLE output(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    item_no INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY(attempt_id,item_no)) WITHOUT ROWID, STRICT;

CREATE TABLE artifact(
    sha256 TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    n_bytes INTEGER NOT NULL,
    store TEXT NOT NULL,
    body BLOB) WITHOUT ROWID, STRICT;

CREATE TABLE attempt_artifact(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    role TEXT NOT NULL,
    sha256 TEXT NOT NULL REFERENCES artifact,
    PRIMARY KEY(attempt_id,role,sha256)) WITHOUT ROWID, STRICT;

CREATE TABLE exclusion(
    attempt_id TEXT NOT NULL REFERENCES attempt,
    reason TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    utc_ns INTEGER NOT NULL,
    PRIMARY KEY(attempt_id,reason)) WITHOUT ROWID, STRICT;

CREATE TABLE published(
    exp_id TEXT NOT NULL,
    series TEXT NOT NULL,
    x TEXT NOT NULL,
    metric TEXT NOT NULL,
    value REAL,
    value_hi REAL,
    unit TEXT NOT NULL,
    origin TEXT NOT NULL CHECK(origin IN('paper-text','paper-figure','blog','repo-json')),
    locator TEXT NOT NULL,
    hw TEXT,
    tol_rel REAL,
    tol_abs REAL,
    PRIMARY KEY(exp_id,series,x,metric,origin)) WITHOUT ROWID, STRICT;

CREATE TABLE claim(
    claim_id TEXT PRIMARY KEY,
    exp_id TEXT NOT NULL,
    statement TEXT NOT NULL,
    predicate TEXT NOT NULL,
    needs_json TEXT NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE verdict(
    report_id TEXT NOT NULL,
    claim_id TEXT NOT NULL REFERENCES claim,
    status TEXT NOT NULL CHECK(status IN('reproduced','direction-only','not-reproduced','contradicted','untestable')),
    est REAL,
    ci_lo REAL,
    ci_hi REAL,
    p REAL,
    n INTEGER,
    why TEXT,
    PRIMARY KEY(report_id,claim_id)) WITHOUT ROWID, STRICT;

CREATE TABLE merge_log(
    merge_id TEXT PRIMARY KEY,
    src_db_id TEXT NOT NULL,
    src_sha256 TEXT NOT NULL,
    utc_ns INTEGER NOT NULL,
    added_json TEXT NOT NULL,
    conflicts_json TEXT NOT NULL) WITHOUT ROWID, STRICT;
CREATE VIEW v_ok AS SELECT a.* FROM attempt a WHERE a.state='ok' AND NOT EXISTS(SELECT 1 FROM exclusion e WHERE e.attempt_id=a.attempt_id);
CREATE VIEW v_todo AS SELECT c.cell_id, c.want_reps, c.want_items, c.want_reps*c.want_items AS want, (SELECT count(*) FROM (SELECT DISTINCT item_no, rep FROM v_ok a WHERE a.cell_id=c.cell_id)) AS have FROM cell c;
CREATE VIEW v_ttft AS SELECT attempt_id, req, item_no, first_ns-sent_ns AS ttft_ns, CASE WHEN n_out>1 THEN (last_ns-first_ns)/(n_out-1) END AS tpot_ns, last_ns-sent_ns AS e2e_ns, first_ns-sched_ns AS ttft_open_ns FROM request WHERE status='ok';
CREATE TRIGGER attempt_frozen BEFORE UPDATE ON attempt WHEN OLD.state<>'running' BEGIN SELECT RAISE(ABORT,'attempt is final'); END;
CREATE TRIGGER attempt_nodelete BEFORE DELETE ON attempt BEGIN SELECT RAISE(ABORT,'attempts are kept; exclude them with a reason'); END;
CREATE TRIGGER session_frozen BEFORE UPDATE ON session WHEN OLD.ended_utc_ns IS NOT NULL BEGIN SELECT RAISE(ABORT,'session is over'); END;
CREATE TRIGGER output_frozen BEFORE UPDATE ON output BEGIN SELECT RAISE(ABORT,'outputs are immutable'); END;
CREATE TRIGGER output_nodelete BEFORE DELETE ON output BEGIN SELECT RAISE(ABORT,'outputs are immutable'); END;
CREATE TRIGGER sample_frozen BEFORE UPDATE ON sample BEGIN SELECT RAISE(ABORT,'samples are immutable'); END;
CREATE TRIGGER sample_nodelete BEFORE DELETE ON sample BEGIN SELECT RAISE(ABORT,'samples are immutable'); END;
PRAGMA user_version=1;
PRAGMA application_id=0x524b4248;
