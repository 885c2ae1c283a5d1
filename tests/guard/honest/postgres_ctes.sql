WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a, b

WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100) SELECT sum(n) FROM t

WITH RECURSIVE tree AS (SELECT id, name, manager_id, 0 AS depth, ARRAY[id] AS path FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, e.manager_id, t.depth + 1, t.path || e.id FROM employees e JOIN tree t ON e.manager_id = t.id) SELECT repeat('  ', depth) || name FROM tree ORDER BY path

WITH RECURSIVE g(id, manager_id) AS (SELECT id, manager_id FROM employees WHERE id = 40 UNION ALL SELECT e.id, e.manager_id FROM employees e, g WHERE e.id = g.manager_id) SEARCH DEPTH FIRST BY id SET ord CYCLE id SET is_cycle USING path SELECT * FROM g

WITH RECURSIVE g(id, manager_id) AS (SELECT id, manager_id FROM employees WHERE id = 1 UNION ALL SELECT e.id, e.manager_id FROM employees e, g WHERE e.manager_id = g.id) SEARCH BREADTH FIRST BY id SET ord SELECT * FROM g ORDER BY ord

WITH m AS MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM m

WITH m AS NOT MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM m

WITH months AS (SELECT generate_series('2024-01-01'::date, '2024-12-01', '1 month')::date AS m) SELECT m, coalesce(sum(amount), 0) FROM months LEFT JOIN orders ON date_trunc('month', created_at) = m GROUP BY m ORDER BY m

WITH RECURSIVE fib(a, b) AS (SELECT 0::numeric, 1::numeric UNION ALL SELECT b, a + b FROM fib WHERE b < 1e20) SELECT a FROM fib

SELECT * FROM (WITH x AS (SELECT 1 AS a) SELECT * FROM x) y

WITH cohort AS (SELECT customer_id, min(date_trunc('month', created_at)) AS first FROM orders GROUP BY 1), act AS (SELECT DISTINCT customer_id, date_trunc('month', created_at) AS m FROM orders) SELECT first, extract(month FROM age(m, first)) AS k, count(*) FROM cohort JOIN act USING (customer_id) GROUP BY 1, 2 ORDER BY 1, 2

EXPLAIN SELECT * FROM orders WHERE id = 1

EXPLAIN VERBOSE SELECT * FROM orders

EXPLAIN (COSTS OFF, FORMAT JSON) SELECT * FROM orders JOIN customers ON customers.id = customer_id

EXPLAIN (VERBOSE, SUMMARY) WITH x AS (SELECT 1) SELECT * FROM x

SHOW server_version

SHOW TimeZone

SHOW TIME ZONE

SHOW search_path

SHOW transaction_read_only

SELECT 1;

 -- a comment
/* and /* a nested */ one */ SELECT 1 -- the end

/* outer /* inner */ DELETE FROM orders; */ SELECT 1

SELECT 'DROP TABLE orders; DELETE FROM x', $$; DROP TABLE y$$, $tag$ $$ ; $tag$, E'a\'; DROP TABLE orders; --', U&'\0041'
