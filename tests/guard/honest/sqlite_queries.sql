SELECT * FROM orders

SELECT ALL status FROM orders LIMIT 3

SELECT DISTINCT status, customer_id % 2 FROM orders

SELECT o.id AS i, o.* FROM orders o LIMIT 2

SELECT main.orders.id FROM main.orders WHERE main.orders.id = 1

SELECT id FROM orders NOT INDEXED WHERE id < 3

SELECT * FROM (orders) LIMIT 1

SELECT * FROM (orders JOIN customers ON customer_id = customers.id) LIMIT 1

SELECT * FROM orders, customers WHERE orders.customer_id = customers.id LIMIT 1

SELECT * FROM orders INNER JOIN customers ON orders.customer_id = customers.id AND customers.tenant = 1

SELECT c.name FROM customers c LEFT OUTER JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING count(o.id) = 0

SELECT * FROM customers NATURAL LEFT JOIN (SELECT id, status FROM orders) LIMIT 2

SELECT * FROM orders a JOIN orders b USING (customer_id, status) WHERE a.id < b.id LIMIT 2

SELECT * FROM orders a LEFT JOIN events b ON a.id = b.id LEFT JOIN customers c ON c.id = a.customer_id WHERE b.kind IS NOT NULL LIMIT 2

SELECT e.kind, count(o.id) FROM events e FULL JOIN orders o ON o.id = e.id GROUP BY e.kind

SELECT a.id, b.id FROM orders a, orders b WHERE b.id = a.id + 1 AND a.status IS NOT b.status LIMIT 3

SELECT count(*) FROM orders GROUP BY status, customer_id % 2 ORDER BY 1 DESC

SELECT status AS s, count(*) AS n FROM orders GROUP BY s HAVING n > 5 ORDER BY n

SELECT status, max(amount), created_at FROM orders GROUP BY status

SELECT strftime('%Y-%m', created_at) AS m, status, sum(amount) FROM orders GROUP BY 1, 2 ORDER BY m, 3 DESC

SELECT count(*) FILTER (WHERE status = 'paid') * 1.0 / count(*) FROM orders

SELECT group_concat(status, '/' ) FROM (SELECT DISTINCT status FROM orders ORDER BY 1)

SELECT group_concat(DISTINCT status) FROM orders

SELECT sum(DISTINCT customer_id), avg(DISTINCT amount), count(DISTINCT status) FROM orders

SELECT min(created_at), max(created_at), julianday(max(created_at)) - julianday(min(created_at)) AS days FROM orders

SELECT customer_id FROM orders GROUP BY customer_id HAVING sum(status = 'void') = 0

SELECT tenant, group_concat(name, '; ') FROM (SELECT * FROM customers ORDER BY name) GROUP BY tenant

SELECT id, row_number() OVER () FROM orders LIMIT 3

SELECT id, row_number() OVER win, rank() OVER win, dense_rank() OVER win FROM orders WINDOW win AS (PARTITION BY status ORDER BY amount DESC) LIMIT 5

SELECT id, sum(amount) OVER (PARTITION BY customer_id ORDER BY id ROWS UNBOUNDED PRECEDING) FROM orders LIMIT 5

SELECT id, avg(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders LIMIT 5

SELECT id, count(*) OVER (ORDER BY amount RANGE BETWEEN 50 PRECEDING AND 50 FOLLOWING) FROM orders LIMIT 5

SELECT id, sum(amount) OVER (ORDER BY status GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM orders LIMIT 5

SELECT id, sum(amount) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE GROUP) FROM orders LIMIT 5

SELECT id, lag(amount, 1, 0) OVER (PARTITION BY customer_id ORDER BY created_at) AS before, lead(id) OVER (ORDER BY id) AS next FROM orders LIMIT 5

SELECT id, first_value(id) OVER w, last_value(id) OVER w, nth_value(id, 3) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY amount ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) LIMIT 5

SELECT id, ntile(4) OVER (ORDER BY amount), percent_rank() OVER (ORDER BY amount), cume_dist() OVER (ORDER BY amount) FROM orders LIMIT 5

SELECT id, sum(amount) FILTER (WHERE status = 'paid') OVER (ORDER BY id) FROM orders LIMIT 5

SELECT id, group_concat(status, '') OVER (ORDER BY id ROWS 2 PRECEDING) FROM orders LIMIT 5

SELECT status, sum(amount), sum(sum(amount)) OVER (ORDER BY sum(amount) DESC) FROM orders GROUP BY status

SELECT x, y FROM (SELECT id AS x, ntile(3) OVER (ORDER BY id) AS y FROM orders) WHERE y = 2 LIMIT 2

SELECT w.n, sum(w.n) OVER second FROM (SELECT id AS n FROM orders LIMIT 4) w WINDOW first AS (ORDER BY n), second AS (first ROWS 1 PRECEDING)

SELECT id FROM orders WHERE amount = (SELECT max(amount) FROM orders)

SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE tenant = 1) LIMIT 3

SELECT id FROM orders WHERE (customer_id, status) IN (SELECT customer_id, 'paid' FROM orders) LIMIT 3

SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM customers WHERE id = o.customer_id AND tenant = 0) LIMIT 3

SELECT id FROM orders o WHERE amount > (SELECT avg(amount) FROM orders WHERE status = o.status) LIMIT 3

SELECT id, (SELECT count(*) FROM orders b WHERE b.amount < a.amount) AS below FROM orders a ORDER BY below DESC LIMIT 3

SELECT (SELECT name FROM customers WHERE id = 1) AS a, (SELECT count(*) FROM orders) AS b

SELECT * FROM (SELECT status, count(*) AS n FROM orders GROUP BY 1) WHERE n > 1

SELECT id FROM orders WHERE status IN (SELECT status FROM orders GROUP BY status ORDER BY count(*) DESC LIMIT 1) LIMIT 2

SELECT id FROM orders UNION SELECT id FROM customers ORDER BY id LIMIT 3

SELECT status FROM orders UNION ALL SELECT kind FROM events LIMIT 3

SELECT customer_id FROM orders EXCEPT SELECT id FROM customers WHERE tenant = 1

SELECT customer_id FROM orders INTERSECT SELECT id FROM customers WHERE tenant = 1

SELECT 'orders' AS t, count(*) FROM orders UNION ALL SELECT 'customers', count(*) FROM customers ORDER BY 2

SELECT id FROM orders ORDER BY amount DESC, id ASC LIMIT 5

SELECT id FROM orders ORDER BY amount LIMIT 2, 3

SELECT id FROM orders ORDER BY CASE status WHEN 'paid' THEN 0 ELSE 1 END, id DESC LIMIT 3 OFFSET 1

SELECT name FROM customers ORDER BY name COLLATE NOCASE DESC NULLS FIRST LIMIT 3

SELECT id FROM orders ORDER BY abs(amount - 100), 1 LIMIT 1

SELECT id FROM orders LIMIT (SELECT 2) OFFSET (SELECT 1)

SELECT id FROM orders WHERE id > 10 LIMIT -1

VALUES (1), (2), (3)

VALUES (1, 'x') UNION ALL VALUES (2, 'y')

SELECT column1, column2 FROM (VALUES (1, 'a'), (2, 'b')) WHERE column1 > 1

WITH t AS (VALUES (1, 'a')) SELECT * FROM t

WITH t(id, name) AS (VALUES (1, 'a'), (2, 'b')) SELECT name FROM t WHERE id = 2

WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT x, y FROM a, b

WITH a AS MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM a

WITH a AS NOT MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM a WHERE id < 5

WITH RECURSIVE cnt(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM cnt LIMIT 100) SELECT sum(x) FROM cnt

WITH RECURSIVE up(id) AS (SELECT 30 UNION SELECT id / 2 FROM up WHERE id > 1) SELECT c.name FROM up JOIN customers c USING (id)

WITH RECURSIVE fact(n, f) AS (SELECT 1, 1 UNION ALL SELECT n + 1, f * (n + 1) FROM fact WHERE n < 15) SELECT * FROM fact

WITH RECURSIVE primes(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM primes WHERE n < 60) SELECT n FROM primes p WHERE NOT EXISTS (SELECT 1 FROM primes q WHERE q.n < p.n AND p.n % q.n = 0)

WITH RECURSIVE letters(i, s) AS (SELECT 1, substr('carrel', 1, 1) UNION ALL SELECT i + 1, s || substr('carrel', i + 1, 1) FROM letters WHERE i < 6) SELECT max(s) FROM letters

WITH RECURSIVE months(m) AS (SELECT '2024-01-01' UNION ALL SELECT date(m, '+1 month') FROM months WHERE m < '2024-12-01') SELECT m, count(o.id) FROM months LEFT JOIN orders o ON strftime('%Y-%m', o.created_at) = strftime('%Y-%m', m) GROUP BY m

WITH RECURSIVE bom(part, n) AS (SELECT 'a', 1 UNION ALL SELECT c.part, b.n * c.n FROM bom b JOIN (SELECT 'a' AS whole, 'b' AS part, 2 AS n UNION SELECT 'b', 'c', 3) c ON c.whole = b.part) SELECT part, sum(n) FROM bom GROUP BY part

WITH RECURSIVE xaxis(x) AS (VALUES (-2.0) UNION ALL SELECT x + 0.5 FROM xaxis WHERE x < 1.2), yaxis(y) AS (VALUES (-1.0) UNION ALL SELECT y + 0.5 FROM yaxis WHERE y < 1.0), m(iter, cx, cy, x, y) AS (SELECT 0, x, y, 0.0, 0.0 FROM xaxis, yaxis UNION ALL SELECT iter + 1, cx, cy, x * x - y * y + cx, 2.0 * x * y + cy FROM m WHERE (x * x + y * y) < 4.0 AND iter < 28) SELECT max(iter), cx, cy FROM m GROUP BY cx, cy LIMIT 5

SELECT e.id, j.value FROM events e, json_each(e.payload, '$.tags') j WHERE j.value = 'a' LIMIT 3

SELECT json_extract(payload, '$.user.id') AS u, count(*) FROM events GROUP BY u ORDER BY 2 DESC

SELECT payload ->> '$.user.id' AS u, sum(payload ->> '$.n') FROM events GROUP BY 1

SELECT DISTINCT t.key FROM events, json_tree(events.payload) t WHERE t.key IS NOT NULL AND events.id = 1

SELECT json_group_object(status, n) FROM (SELECT status, count(*) AS n FROM orders GROUP BY status)

SELECT json_group_array(DISTINCT status) FROM orders

SELECT json_object('id', id, 'lines', (SELECT json_group_array(amount) FROM orders o WHERE o.customer_id = c.id)) FROM customers c LIMIT 2

SELECT json_set(payload, '$.seen', json('true')) FROM events LIMIT 1

SELECT count(*) FROM events WHERE json_type(payload, '$.tags') = 'array' AND json_array_length(payload, '$.tags') = 2

SELECT key, sum(json_extract(value, '$.n')) FROM (SELECT '{"x":{"n":1},"y":{"n":2}}' AS doc), json_each(doc) GROUP BY key

SELECT title FROM docs WHERE docs MATCH 'fox'

SELECT title FROM docs WHERE docs MATCH 'quick NEAR fox' LIMIT 2

SELECT title FROM docs WHERE docs MATCH 'quick NOT lazy' LIMIT 2

SELECT title FROM docs WHERE docs MATCH 'title:doc AND body:"brown fox"' LIMIT 2

SELECT title FROM docs WHERE docs MATCH 'NEAR(quick fox, 5)' LIMIT 2

SELECT title FROM docs WHERE docs MATCH '{title body} : fox' LIMIT 2

SELECT title FROM docs WHERE docs MATCH 'bro*' ORDER BY bm25(docs, 10.0, 1.0) LIMIT 2

SELECT rowid, title FROM docs WHERE rowid = 3

SELECT rowid FROM docs WHERE docs = 'fox' ORDER BY rank LIMIT 1

SELECT snippet(docs, -1, '<', '>', '...', 4), highlight(docs, 1, '[', ']') FROM docs WHERE docs MATCH 'fox' LIMIT 1

SELECT count(*) FROM docs WHERE body LIKE '%fox%'

SELECT "User Name" AS u, min(at), max(at) FROM events GROUP BY "User Name"

SELECT [User Name], `kind` FROM events LIMIT 1

SELECT "select", "größe" FROM "Weird ""Tähle"

SELECT t."größe" * 1.19 AS "brutto €" FROM "Weird ""Tähle" AS t

SELECT o . id , o . "status" FROM orders AS o WHERE o . id=1

SELECT/**/id/* one */FROM/* two */orders--three

SELECT id FROM orders WHERE status='paid'AND amount>0 OR id=1 LIMIT 2

select Count(*), MAX ( Amount ) From Orders Where Status Like 'P%'

SELECT 'it''s', '--', '/* */', ';', '"', '`', '[x]'

SELECT 1 AS "DROP TABLE", 'DELETE' AS [INSERT INTO]

SELECT name, email FROM customers WHERE name LIKE '%1_' OR email GLOB 'c[0-9]@*'

SELECT substr(email, instr(email, '@') + 1) AS domain, count(*) FROM customers GROUP BY domain

SELECT upper(substr(name, 1, 1)) || lower(substr(name, 2)) FROM customers LIMIT 2

SELECT printf('%-10s|%8.2f', status, sum(amount)) FROM orders GROUP BY status

SELECT replace(phone, '+49', '0') FROM customers LIMIT 1

SELECT name, length(name) AS l FROM customers ORDER BY l DESC, name LIMIT 3

SELECT coalesce(notes, '(none)') FROM customers LIMIT 1

SELECT CASE WHEN amount < 50 THEN 'small' WHEN amount < 200 THEN 'medium' ELSE 'large' END AS size, count(*) FROM orders GROUP BY size

SELECT CAST(amount / 50 AS INT) * 50 AS bucket, count(*), printf('%.*c', count(*), '#') AS bar FROM orders GROUP BY bucket

SELECT iif(status = 'paid', amount, 0) AS paid FROM orders LIMIT 2

SELECT date(created_at, 'start of month') AS m, date(created_at, 'weekday 0', '-6 days') AS monday FROM orders LIMIT 2

SELECT strftime('%H', at) AS hour, count(*) FROM events GROUP BY hour

SELECT strftime('%w', created_at) IN ('0', '6') AS weekend, avg(amount) FROM orders GROUP BY 1

SELECT date(created_at) AS d, sum(amount) AS s, avg(sum(amount)) OVER (ORDER BY date(created_at) ROWS 6 PRECEDING) AS smooth FROM orders GROUP BY d LIMIT 5

SELECT julianday(lead(created_at) OVER (ORDER BY created_at)) - julianday(created_at) AS gap FROM orders LIMIT 3

SELECT id, created_at FROM orders WHERE created_at BETWEEN date('2024-01-05') AND datetime('2024-01-10', '+1 day', '-1 second')

SELECT a.m, a.total, (a.total - b.total) * 100.0 / b.total AS growth FROM (SELECT strftime('%m', created_at) AS m, sum(amount) AS total FROM orders GROUP BY 1) a LEFT JOIN (SELECT strftime('%m', created_at) AS m, sum(amount) AS total FROM orders GROUP BY 1) b ON b.m = printf('%02d', a.m - 1)

WITH r AS (SELECT customer_id, amount, row_number() OVER (PARTITION BY customer_id ORDER BY amount DESC) AS n FROM orders) SELECT customer_id, amount FROM r WHERE n = 1 LIMIT 3

WITH r AS (SELECT amount, row_number() OVER (ORDER BY amount) AS i, count(*) OVER () AS n FROM orders) SELECT avg(amount) AS median FROM r WHERE i IN ((n + 1) / 2, (n + 2) / 2)

WITH t AS (SELECT customer_id, sum(amount) AS t FROM orders GROUP BY 1) SELECT customer_id, t, sum(t) OVER (ORDER BY t DESC) / sum(t) OVER () AS pareto FROM t LIMIT 3

WITH c AS (SELECT customer_id, min(created_at) AS first FROM orders GROUP BY 1) SELECT strftime('%Y-%m', first) AS cohort, CAST((julianday(o.created_at) - julianday(first)) / 7 AS INT) AS week, count(DISTINCT o.customer_id) FROM orders o JOIN c USING (customer_id) GROUP BY 1, 2 LIMIT 5

WITH g AS (SELECT id, id - row_number() OVER (ORDER BY id) AS grp FROM orders WHERE status <> 'void') SELECT min(id), max(id), count(*) FROM g GROUP BY grp LIMIT 3

WITH f AS (SELECT customer_id, max(status = 'open') AS opened, max(status = 'paid') AS paid FROM orders GROUP BY 1) SELECT sum(opened), sum(paid), sum(opened AND paid) FROM f

WITH m AS (SELECT customer_id, julianday('2025-01-01') - julianday(max(created_at)) AS recency, count(*) AS freq, sum(amount) AS money FROM orders GROUP BY 1) SELECT ntile(3) OVER (ORDER BY recency) AS r, ntile(3) OVER (ORDER BY freq) AS f, ntile(3) OVER (ORDER BY money) AS m FROM m LIMIT 3

SELECT status, customer_id, sum(amount), grouping FROM (SELECT status, customer_id, amount, 'detail' AS grouping FROM orders) GROUP BY status, customer_id UNION ALL SELECT status, NULL, sum(amount), 'total' FROM orders GROUP BY status LIMIT 5

SELECT max(CASE WHEN status = 'paid' THEN n END) AS paid, max(CASE WHEN status = 'open' THEN n END) AS open FROM (SELECT status, count(*) AS n FROM orders GROUP BY status)

SELECT sum(x * y) / sqrt(sum(x * x) * sum(y * y)) AS cosine FROM (SELECT amount AS x, customer_id AS y FROM orders)

SELECT avg(amount * amount) - avg(amount) * avg(amount) AS var, sqrt(avg(amount * amount) - avg(amount) * avg(amount)) AS sd FROM orders

SELECT id FROM orders WHERE id % 10 = abs(random()) % 1 LIMIT 3

SELECT rowid, _rowid_, oid FROM customers LIMIT 1

SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1, 2

SELECT m.name, count(*) FROM sqlite_schema m GROUP BY m.type

SELECT sql FROM sqlite_master WHERE name = 'orders'

EXPLAIN SELECT count(*) FROM orders GROUP BY status

EXPLAIN QUERY PLAN SELECT * FROM orders JOIN customers ON customers.id = customer_id ORDER BY amount

EXPLAIN QUERY PLAN WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n

EXPLAIN QUERY PLAN VALUES (1), (2)

SELECT * FROM big_orders WHERE status = 'paid' LIMIT 2

SELECT b.status, count(*) FROM big_orders b JOIN customers c ON c.id = b.customer_id GROUP BY 1

SELECT count(*) FROM orders WHERE status = "JetBlue Airways"

SELECT o.id FROM orders AS o JOIN customers AS c ON o.customer_id = c.id AND o.status = "in transit" WHERE c.tenant IN ("first one", "second one")

SELECT strftime("%Y-%m", "2024-02-03"), group_concat(status, ", ") FROM orders WHERE status LIKE "%pa%"
