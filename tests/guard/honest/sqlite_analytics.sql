SELECT count(*), sum(amount), avg(amount), min(amount), max(amount), total(amount) FROM orders

SELECT status, count(*) FILTER (WHERE amount > 100), count(DISTINCT customer_id), group_concat(DISTINCT status) FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY 1

SELECT id, row_number() OVER (ORDER BY amount DESC), rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w, ntile(4) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY amount)

SELECT id, lag(amount) OVER (ORDER BY id), lead(amount, 2, 0) OVER (ORDER BY id), first_value(amount) OVER w, last_value(amount) OVER w, nth_value(amount, 2) OVER w FROM orders WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)

SELECT id, avg(amount) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW), sum(amount) OVER (ORDER BY amount RANGE BETWEEN 10 PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY status GROUPS 1 PRECEDING) FROM orders

SELECT status, sum(sum(amount)) OVER (ORDER BY status) FROM orders GROUP BY status

SELECT c.name, o.amount FROM customers c JOIN orders o ON o.customer_id = c.id

SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'paid' WHERE o.id IS NULL

SELECT * FROM customers NATURAL JOIN (SELECT id, 1 AS one FROM customers)

SELECT * FROM customers JOIN orders USING (id)

SELECT * FROM customers RIGHT JOIN orders ON orders.customer_id = customers.id

SELECT * FROM customers FULL OUTER JOIN events USING (id)

SELECT * FROM customers CROSS JOIN (VALUES (1), (2)) LIMIT 10

WITH a AS (SELECT 1 AS x), b AS MATERIALIZED (SELECT x + 1 AS y FROM a) SELECT * FROM a, b

WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 1000) SELECT sum(n) FROM t

WITH RECURSIVE fib(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib LIMIT 50) SELECT a FROM fib

WITH RECURSIVE dates(d) AS (SELECT '2024-01-01' UNION ALL SELECT date(d, '+1 day') FROM dates WHERE d < '2024-02-01') SELECT d, count(o.id) FROM dates LEFT JOIN orders o ON date(o.created_at) = d GROUP BY d

SELECT status FROM orders UNION SELECT kind FROM events

SELECT id FROM orders UNION ALL SELECT id FROM events LIMIT 5 OFFSET 2

SELECT id FROM orders EXCEPT SELECT id FROM events

SELECT id FROM orders INTERSECT SELECT id FROM events

VALUES (1, 'a'), (2, 'b')

SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = customers.id) AND id IN (SELECT customer_id FROM orders) AND (id, tenant) IN (VALUES (1, 1), (2, 2))

SELECT (SELECT max(amount) FROM orders o WHERE o.customer_id = c.id) AS best FROM customers c

SELECT name FROM customers WHERE name LIKE 'Na%' AND name GLOB 'N*' AND name NOT LIKE '%\_%' ESCAPE '\' AND id BETWEEN 1 AND 10

SELECT name FROM customers WHERE email IS NOT NULL AND notes IS NULL AND tenant IS NOT DISTINCT FROM 1

SELECT date('now'), time('now'), datetime('now', 'localtime'), julianday('now'), unixepoch('now'), strftime('%Y-%m-%d %H:%M:%S', 'now'), date('2024-01-31', '+1 month', 'start of month', '-1 day'), strftime('%W', created_at) FROM orders

SELECT strftime('%Y-%m', created_at) AS m, sum(amount) FROM orders GROUP BY m ORDER BY m

SELECT julianday('2024-03-01') - julianday('2024-02-01'), date('now', 'weekday 0'), datetime(1700000000, 'unixepoch'), CURRENT_TIMESTAMP, CURRENT_DATE, CURRENT_TIME

SELECT upper(name), lower(name), length(name), substr(name, 1, 3), substring(name, 2), trim(name), ltrim(name), rtrim(name), replace(name, 'a', 'b'), instr(name, 'm'), hex(name), quote(name), unicode(name), char(65, 66) FROM customers

SELECT printf('%05d|%-10s|%.2f', id, name, 1.5), format('%s', name), name || ' ' || email FROM customers

SELECT abs(-1), round(1.255, 2), sign(-2), max(1, 2), min(1, 2), coalesce(NULL, 1), ifnull(NULL, 1), nullif(1, 1), iif(1 > 0, 'a', 'b'), typeof(1), random() IS NOT NULL, 7 / 2, 7 % 2, 1 << 4, 15 & 6, ~1

SELECT sqrt(2), power(2, 10), pow(2, 3), exp(1), ln(10), log(100), log10(100), log2(8), log(2, 8), mod(7, 3), ceil(1.2), ceiling(1.2), floor(1.8), trunc(1.9), pi(), degrees(1), radians(180), sin(1), cos(1), tan(1), asin(1), acos(1), atan(1), atan2(1, 2), sinh(1), cosh(1), tanh(1), asinh(1), acosh(2), atanh(0.5)

SELECT CASE WHEN amount > 200 THEN 'high' WHEN amount > 100 THEN 'mid' ELSE 'low' END, CASE status WHEN 'paid' THEN 1 ELSE 0 END FROM orders

SELECT CAST('42' AS INTEGER), CAST(1.5 AS TEXT), CAST('x' AS BLOB), x'ff', 1e10, .5, 0x1F

SELECT json_extract(payload, '$.user.id'), payload -> '$.tags', payload ->> '$.n', json_type(payload), json_valid(payload), json_array_length(payload, '$.tags') FROM events

SELECT e.id, j.key, j.value, j.type, j.fullkey FROM events e, json_each(e.payload) j WHERE e.id = 1

SELECT e.id, t.value FROM events e, json_each(e.payload, '$.tags') t

SELECT * FROM json_tree('{"a": [1, {"b": 2}]}')

SELECT json('{"a":1}'), json_array(1, 2), json_object('a', 1), json_insert('{}', '$.a', 1), json_set('{}', '$.a', 1), json_replace('{"a":1}', '$.a', 2), json_remove('{"a":1}', '$.a'), json_patch('{}', '{"a":1}'), json_quote('x')

SELECT json_group_array(id), json_group_object(id, kind) FROM events

SELECT title, snippet(docs, 1, '[', ']', '…', 8), highlight(docs, 1, '<', '>'), bm25(docs), rank FROM docs WHERE docs MATCH 'quick AND fox' ORDER BY rank

SELECT title FROM docs WHERE body MATCH '"brown fox"' AND docs.rank < 0 LIMIT 5

SELECT count(*) FROM docs('fox')

SELECT "select", "größe" * 2 AS "doppelt ü", '日本語' AS 言語, '🙂' FROM "Weird ""Tähle"

SELECT [id], `name` FROM customers

SELECT "delete", "update" FROM (SELECT 1 AS "delete", 2 AS "update")

SELECT 'DROP TABLE orders; DELETE FROM x', '--', '/*', ';', 'it''s'

-- a comment
/* another ; */ SELECT 1 -- the end

SELECT 1;

EXPLAIN QUERY PLAN SELECT * FROM orders WHERE id = 1

EXPLAIN SELECT 1

SELECT name, sql FROM sqlite_schema WHERE type = 'table'

SELECT name FROM sqlite_master

SELECT rowid, oid, _rowid_, * FROM orders LIMIT 1

SELECT id FROM orders ORDER BY amount DESC NULLS LAST, id COLLATE NOCASE LIMIT 3

SELECT DISTINCT status FROM orders ORDER BY status COLLATE BINARY

SELECT status, amount FROM orders GROUP BY status HAVING max(amount)

WITH ranked AS (SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY created_at DESC) AS rn FROM orders) SELECT * FROM ranked WHERE rn = 1

SELECT * FROM big_orders

SELECT count(*) OVER () AS total, id FROM orders LIMIT 5

SELECT sqlite_version(), zeroblob(4), randomblob(4) IS NOT NULL, last_insert_rowid(), changes(), total_changes(), likely(1), unlikely(0), likelihood(1, 0.5), soundex('x')

SELECT substr('x', 1) FROM orders WHERE amount IN (SELECT max(amount) FROM orders GROUP BY status)

SELECT a.id FROM orders a, orders b WHERE a.id = b.id AND a.amount >= (SELECT avg(amount) FROM orders)

SELECT 1 IS TRUE, 0 IS NOT FALSE, NOT 1, 1 <> 2, 1 != 2, 1 == 1, 'a' < 'b', NULL ISNULL, 1 NOTNULL

SELECT group_concat(name, ', ') FROM (SELECT name FROM customers ORDER BY name LIMIT 3)

SELECT round(100.0 * sum(status = 'paid') / count(*), 2) FROM orders

SELECT o.status, count(*) * 1.0 / (SELECT count(*) FROM orders) FROM orders o GROUP BY 1

SELECT max(amount) - min(amount) AS spread, avg(amount * amount) - avg(amount) * avg(amount) AS variance FROM orders

SELECT name, CASE WHEN instr(email, '@') > 0 THEN substr(email, instr(email, '@') + 1) END AS domain FROM customers

SELECT strftime('%Y', created_at) AS y, ((strftime('%m', created_at) - 1) / 3) + 1 AS q, sum(amount) FROM orders GROUP BY y, q
