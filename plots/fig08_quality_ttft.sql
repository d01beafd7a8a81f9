-- fig08_quality_ttft.sql - TTFT, EM, F1 and agreement of every method that was run,
-- and the published values of the figure's panels a to d.
--
-- Tables and functions: harness/query.h, harness/sql_stats.h. One row a (model,
-- data set, context, method); n beside every number; intervals are 95 %,
-- bootstrapped over contexts.

CREATE TEMP VIEW fig_point AS
SELECT p.*,
  dense_rank() OVER (ORDER BY model, dataset, ctx_tokens, context, rest) AS group_no,
  -- Only what differs between groups is written.
  CASE WHEN (SELECT count(DISTINCT model || '/' || dataset) FROM temp.point
             WHERE exp_id = 'fig08_quality_ttft') > 1
       THEN model || ' ' || dataset || ' ' ELSE '' END AS of_label,
  CASE method WHEN 'dense' THEN 0 WHEN 'dense_masked' THEN 1 WHEN 'prefix_cache' THEN 2
    WHEN 'full_reuse' THEN 3 ELSE CASE WHEN method LIKE 'redknot%' THEN 6 ELSE 5 END END AS rank
FROM temp.point p WHERE exp_id = 'fig08_quality_ttft';

-- Every method of the experiment has one place in every group, run or not.
CREATE TEMP VIEW fig_cell AS
SELECT coalesce(json_extract(c.axes_json, '$.method'), m.name) AS method, c.axes_json,
  coalesce((SELECT coalesce(a.fail_text, a.fail_code, a.state) FROM main.attempt a
      WHERE a.cell_id = c.cell_id AND a.state <> 'ok' ORDER BY a.begun_utc_ns DESC LIMIT 1),
    (SELECT s.reason FROM main.cell_state s WHERE s.cell_id = c.cell_id
      ORDER BY s.utc_ns DESC LIMIT 1)) AS reason
FROM main.cell c JOIN main.method m USING(method_id) WHERE c.exp_id = 'fig08_quality_ttft';

CREATE TEMP VIEW fig_method AS
SELECT method, row_number() OVER (ORDER BY rank, method) AS slot, count(*) OVER () AS slots
FROM (SELECT DISTINCT method,
        CASE method WHEN 'dense' THEN 0 WHEN 'dense_masked' THEN 1 WHEN 'prefix_cache' THEN 2
          WHEN 'full_reuse' THEN 3 ELSE CASE WHEN method LIKE 'redknot%' THEN 6 ELSE 5 END END AS rank
      FROM fig_cell);

CREATE TEMP VIEW fig_group AS
SELECT group_no, min(of_label) AS of_label, min(model) AS model, min(dataset) AS dataset,
  min(context) AS context, min(rest) AS rest, min(machine) AS machine,
  min(weights_kind) AS weights_kind, min(origin) AS origin,
  max(CASE WHEN is_reference THEN point_id END) AS dense_id,
  min(axes_json) AS axes_json
FROM fig_point GROUP BY group_no;

-- One value an item, with that of dense on the same item.
CREATE TEMP VIEW fig_value AS
SELECT p.group_no, p.method, v.metric, v.item_no, v.cluster, v.value, d.value AS dense
FROM fig_point p JOIN fig_group g USING(group_no) JOIN temp.value v USING(point_id)
LEFT JOIN temp.value d ON d.point_id = g.dense_id AND d.metric = v.metric
  AND d.item_no = v.item_no
WHERE v.metric = 'ttft_ms' OR (p.weights_kind = 'trained'
  AND v.metric IN ('em', 'f1', 'top1_agreement', 'top10_agreement'));

-- The published columns, in our names.
CREATE TEMP TABLE fig_column(column_no INTEGER, x TEXT, model TEXT, dataset TEXT, context TEXT,
  label TEXT, below TEXT);
INSERT INTO fig_column VALUES
  (1, 'M-TQA-16K', 'mistral-7b', 'longbench:triviaqa', '16K', 'Mistral-7B', 'TriviaQA'),
  (2, 'Q-MFQA-24K', 'qwen3-32b', 'multifieldqa', '24K', 'Qwen3-32B', 'MFQA'),
  (3, 'L70-HQA-32K', 'llama-3.3-70b', 'hotpotqa', '32K', 'Llama-70B', 'HotpotQA'),
  (4, 'L70-HQA-64K', 'llama-3.3-70b', 'hotpotqa', '64K', 'Llama-70B', 'HotpotQA'),
  (1, 'all', '', '', '', 'all models', '');

-- csv: measured
SELECT v.group_no, g.of_label || g.context AS group_label, v.method,
  round(v.group_no + (m.slot - (m.slots + 1) / 2.0) * 0.86 / m.slots, 4) AS x,
  v.metric, count(v.value) AS n, count(DISTINCT v.cluster) AS contexts,
  CASE WHEN v.metric = 'ttft_ms' THEN rk_ratio(v.dense, v.value) ELSE avg(v.value) END AS value,
  CASE WHEN v.metric = 'ttft_ms' THEN rk_ratio_lo(v.dense, v.value, v.cluster)
       ELSE rk_mean_lo(v.value, v.cluster) END AS lo,
  CASE WHEN v.metric = 'ttft_ms' THEN rk_ratio_hi(v.dense, v.value, v.cluster)
       ELSE rk_mean_hi(v.value, v.cluster) END AS hi
FROM fig_value v JOIN fig_group g USING(group_no) JOIN fig_method m USING(method)
GROUP BY v.group_no, v.method, v.metric ORDER BY v.group_no, m.slot, v.metric;

-- csv: groups
SELECT group_no, context AS label, of_label AS below, (SELECT slots FROM fig_method LIMIT 1) AS slots
FROM fig_group ORDER BY group_no;

-- csv: methods
SELECT slot, method FROM fig_method ORDER BY slot;

-- csv: missing
SELECT g.group_no, m.method,
  round(g.group_no + (m.slot - (m.slots + 1) / 2.0) * 0.86 / m.slots, 4) AS x,
  m.method || ': not run' AS label
FROM fig_group g, fig_method m
WHERE NOT EXISTS(SELECT 1 FROM fig_point p WHERE p.group_no = g.group_no AND p.method = m.method)
ORDER BY 1, m.slot;

-- csv: published
SELECT d.column_no, d.label, d.below, p.series AS method,
  round(d.column_no + CASE p.series WHEN 'dense' THEN -0.36 WHEN 'cacheblend' THEN -0.18
    WHEN 'prophetkv' THEN 0 ELSE 0.18 END, 4) AS x, p.metric, p.value, p.locator
FROM temp.published p JOIN fig_column d ON d.x = p.x
WHERE p.exp_id = 'fig08_quality_ttft' ORDER BY p.metric, d.column_no, 5;

-- csv: columns
SELECT column_no, label, below, context FROM fig_column WHERE x <> 'all' AND
  EXISTS(SELECT 1 FROM temp.published WHERE exp_id = 'fig08_quality_ttft') ORDER BY 1;

-- csv: unrun
-- The figure's own cells, where this machine has no result of them.
SELECT d.column_no, d.column_no + 0.36 AS x FROM fig_column d
WHERE d.x <> 'all' AND NOT EXISTS(SELECT 1 FROM fig_point p WHERE p.model = d.model
  AND p.dataset = d.dataset AND p.context = d.context AND p.method LIKE 'redknot%') ORDER BY 1;

-- csv: caption
SELECT 10 AS line, 'Left: measured here. Model ' || group_concat(DISTINCT model)
  || CASE WHEN min(weights_kind) = 'random' OR max(weights_kind) = 'random'
     THEN ' (random weights: times only)' ELSE '' END
  || ', data set ' || group_concat(DISTINCT dataset)
  || CASE WHEN min(origin) = 'synthetic' THEN ' (synthetic)' ELSE '' END
  || ', on ' || group_concat(DISTINCT machine) || '.' AS text FROM fig_group
UNION ALL SELECT 11 + g.group_no / 1000.0, 'n at ' || g.of_label || g.context || ': '
    || coalesce(max(CASE WHEN v.metric <> 'ttft_ms' THEN n END) || ' questions in '
      || max(CASE WHEN v.metric <> 'ttft_ms' THEN contexts END) || ' contexts a method; ', '')
    || 'TTFT of ' || max(CASE WHEN v.metric = 'ttft_ms' THEN n END)
    || ', the first question of a context.'
  FROM (SELECT group_no, method, metric, count(*) AS n, count(DISTINCT cluster) AS contexts
        FROM fig_value GROUP BY 1, 2, 3) v JOIN fig_group g USING(group_no) GROUP BY g.group_no
UNION ALL SELECT 12, 'Bars: 95 % bootstrap intervals over contexts, for TTFT paired with dense; no bar: too few contexts for one. Dashed: dense.'
UNION ALL SELECT 13, 'Not run: ' || group_concat(text, '; ') || '.' FROM (
    SELECT m.method || ' at ' || g.of_label || g.context || coalesce(' (' || (
      SELECT substr(c.reason, 1, 40) FROM fig_cell c WHERE c.reason <> ''
        AND json(c.axes_json) = json_set(g.axes_json, '$.method', m.method) LIMIT 1) || ')', '') AS text
    FROM fig_group g, fig_method m WHERE NOT EXISTS(SELECT 1 FROM fig_point p
      WHERE p.group_no = g.group_no AND p.method = m.method) ORDER BY g.group_no, m.slot)
  HAVING count(*) > 0
UNION ALL SELECT 20, 'Quality on the embedded model is a controlled test bed: it shows how the methods differ on one small trained model, not how large models would answer.'
  FROM fig_group WHERE model = 'tiny' GROUP BY 1
UNION ALL SELECT 30, 'cacheblend:layer3 stands beside the default because at layer 1, the default check layer, this model''s values show nothing of what a chunk has missed:'
  || ' its layers 0 and 1 are local by construction (model card).'
  FROM fig_method WHERE method = 'cacheblend:layer3' GROUP BY 1
UNION ALL SELECT 40, 'Right: published, typed in the authors'' plot script (make_eva_1.py). Other hardware: '
  || min(hw) || '; n not stated, so no intervals. The two sides share no axis.'
  FROM temp.published WHERE exp_id = 'fig08_quality_ttft' HAVING count(*) > 0
ORDER BY 1;
