-- Exact match of tiny_heads by task and hop (the item's key names them), over all contexts.
--   gunzip -kf results/ledger/RUN/*.gz
--   redknot db import results/ledger/RUN --db /tmp/run.sqlite
--   sqlite3 -box /tmp/run.sqlite < results/tiny_heads_by_task.sql
WITH scored AS (
    SELECT json_extract(c.axes_json, '$.method') AS method,
           substr(i.item_key, instr(i.item_key, 'T')) AS tail, s.value AS em
      FROM v_ok a
      JOIN cell c USING (cell_id)
      JOIN item i ON i.dataset_id = c.dataset_id AND i.item_no = a.item_no
      JOIN sample s ON s.attempt_id = a.attempt_id AND s.metric = 'em'
     WHERE c.exp_id = 'tiny_heads'
)
SELECT substr(tail, 1, instr(tail, '/') - 1) AS task,
       round(avg(em) FILTER (WHERE method = 'dense'), 3) AS dense,
       round(avg(em) FILTER (WHERE method = 'full_reuse'), 3) AS full_reuse,
       round(avg(em) FILTER (WHERE method = 'redknot'), 3) AS redknot,
       round(avg(em) FILTER (WHERE method LIKE 'redknot:random%'), 3) AS random_heads,
       round(avg(em) FILTER (WHERE method = 'redknot:all_local'), 3) AS all_local,
       count(*) FILTER (WHERE method = 'dense') AS n
  FROM scored GROUP BY task ORDER BY task;
